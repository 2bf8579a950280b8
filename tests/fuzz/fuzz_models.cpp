// fuzz_models CASES_DIR COUNT SEED: model files and expressions, changed at random, must give a model or an InputError.
//
// Anything else is a failure: another exception, a crash, more memory or more processor time than a model may take. Then the seed and
// the text are printed and the exit code is 1. Case k is made from SEED + k alone, so that a failure returns with
// `fuzz_models CASES_DIR 1 PRINTED_SEED`.
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <taut/expression/parse.hpp>
#include <taut/expression/program.hpp>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>
#include <vector>
#if defined(TAUT_SANITIZED)
#include <sanitizer/common_interface_defs.h>
#endif

namespace {

// What a reader may take for one text, which never is longer than some kilobytes. Sanitizers are an order of magnitude slower.
#if defined(TAUT_SANITIZED)
constexpr double most_seconds = 40.0;
#else
constexpr double most_seconds = 2.0;
constexpr rlim_t most_memory = rlim_t(3) << 30;
#endif

// The case at hand, for whoever has to tell it: a signal handler, too.
std::uint64_t seed_at_hand = 0;
std::string text_at_hand;

void say(std::string_view what) {
  while (!what.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, what.data(), what.size());
    if (n <= 0) return;
    what.remove_prefix(std::size_t(n));
  }
}
void tell_case() {
  char head[64];
  std::snprintf(head, sizeof head, "\nseed %llu, text:\n", static_cast<unsigned long long>(seed_at_hand));
  say(head);
  say(text_at_hand);
  say("\n--- end of the text\n");
}
[[noreturn]] void fail(std::string_view what) {
  say("FAILED: ");
  say(what);
  tell_case();
  std::_Exit(1);
}

void on_signal(int number) { fail(number == SIGPROF ? "it does not end" : strsignal(number)); }

/// Crashes and hangs are told with the case; on a stack of their own, for the usual one may be used up.
void watch() {
  static std::vector<char> own_stack(1 << 16);
  stack_t stack{};
  stack.ss_sp = own_stack.data();
  stack.ss_size = own_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
#if defined(TAUT_SANITIZED)
  __sanitizer_set_death_callback(tell_case);
  const int numbers[] = {SIGPROF};
#else
  const int numbers[] = {SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  const rlimit memory{most_memory, most_memory};
  setrlimit(RLIMIT_AS, &memory);
#endif
  for (const int number : numbers) sigaction(number, &action, nullptr);
}
void limit_time(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = time_t(seconds);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// SplitMix64: the same numbers everywhere, which the distributions of the standard library do not promise.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(bits() % n); }
  template <class List> const auto& one_of(const List& list) { return list[below(std::size(list))]; }

 private:
  std::uint64_t state_;
};

/// The pieces between '@'.
std::vector<std::string> parts(std::string_view text) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == '@') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

const std::vector<std::string> keys = parts(
    "name@source@include@parameters@functions@tables@dimension@gravity@masses@points@rods@springs@dampers@pins@"
    "curves@walls@coordinates@kinetic@potential@forces@constraints@initial@outputs@run@mass@at@velocity@between@"
    "length@stiffness@damping@on@normal@offset@expression@solve@until@step@rtol@atol@integrator@solver@formulation@"
    "every@interval@events@when@action@penalty@t@values@kind@restitution@alpha@beta@gamma@reaction@epsilon@tolerance@"
    "relaxation@spectral_radius@project_velocity@repeat@do@if@let@damping");
const std::vector<std::string> words = parts(
    "midpoint@midpoint-shared@midpoint-literal@rattle@gcn@gcn-middle@gcn-new@houbolt@newmark@newmark-new@three-level@"
    "energy-momentum@generalized-alpha@moreau-jean@rk4@dopri5@dop853@multipliers@augmented-lagrangian@"
    "augmented-lagrangian-2@uzawa@linear@spline@stop@record@all@A@B@O@A.x@A.y@A.z@A.vx@x@y@z@x'@t@pi@theta1@theta1'@"
    "g@l@m@sin(t)@cos(x)@sqrt(x)@log(t)@abs(x)@min(x, y)@hypot(x, y)@atan2(y, x)@if(x > 0, x, -x)@"
    "piecewise(t < 1, 0, t)@step(t - 1)@1/0@0/0@1/t@(-1)^0.5@x^y@and@or@not@true@~@null@{}@[]@[A, B]@{solve: all}@"
    "{penalty: 1e-6}@&a@*a@<<: *a@!!str@!!binary@|@>@---@...@%YAML 1.2@? @: @- @#@'@\"@\\@\t@\n@\r\n@\n  @,@[@]@{@}@"
    "(@)@=@<=@>=@==@^@**@*@/@+@-@\xff@\xc3\xa9@\xe2\x88\x92@\xef\xbb\xbf@5 cm@30 deg@9.81 m/s^2@missing_file.yaml@"
    "../../missing@/nowhere/x.yaml@.@{name: midpoint}@{name: gcn, alpha: 0.3}@{name: moreau-jean, restitution: 0.5}@"
    "{name: uzawa, relaxation: 1}@{name: augmented-lagrangian, epsilon: 1e-3}@"
    "{repeat: {i: 1..3}, do: x}@{repeat: {i: 1..3, j: i..3}, if: i < j, do: [A, B]}@{repeat: {i: 1..1e9}, do: x}@"
    "{repeat: {i: 1..1000, j: 1..1000, k: 1..1000}, if: 0, do: "
    "x}@P{i}@P{i+1}@{i}@{N}@{@}@{}@A.ax@x''@energy@kinetic@1..N@1..2..0");
const std::vector<std::string> numbers = parts(
    "0@-0@1@-1@2@3@0.5@1e-300@1e300@-1e300@1e308@1e-320@1e400@-1e400@1e-400@9223372036854775807@18446744073709551616@"
    "2147483647@2147483648@-2147483648@4294967296@1000000000@99999999999999999999999999999999999999@0x10@0b1@1_000@"
    "1e@.5@5.@nan@inf@.inf@.nan@1e5@1e-5@1e-12@1e12@1e-16@64@65@1e6@0.1@1e-8");
const std::vector<std::string> expressions = parts(
    "x@x^2 + y^2@sin(x)*cos(y) + tan(t)@if(x < y and not (t > 1), x', y')@piecewise(x < 0, -x, x < 1, x^2, 1)@"
    "f(x) + g(x, f(y))@T(t)*x@T(T(x))@min(x, y, t) - max(x, 0)@hypot(x, y)/sqrt(1 + x^2)@atan2(y, x)^3@"
    "exp(-x^2)*log(1 + y^2)@x^y^t@x**-2@-x^-2@5 cm + 3 m/s^2*t@30 deg@sign(x)*abs(y)*step(t)@"
    "asin(x) + acos(y) + atan(t)@sinh(x) - cosh(y)*tanh(t)@x/(y - y)@x' = R*cos(y)@x^2 + y^2 = 1@x >= 0@A.x <= 3 cm@"
    "(x == y) + (x != y)@x'^2/2 + y'^2/2@log(0)@0^0 + x^0 + 0^x@x^64 + x^65 + x^0.5 - x^-64");

/// The places where a word or a number starts, and how long it is.
std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::string& text, bool keys_only) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  const auto inside = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
  };
  for (std::size_t k = 0; k < text.size();) {
    if (!inside(text[k])) {
      ++k;
      continue;
    }
    std::size_t end = k;
    while (end < text.size() && inside(text[end])) ++end;
    if (!keys_only || (end < text.size() && text[end] == ':')) found.emplace_back(k, end - k);
    k = end;
  }
  return found;
}

std::string repeated(std::string_view what, std::size_t times) {
  std::string out;
  for (std::size_t k = 0; k < times; ++k) out += what;
  return out;
}

/// Something long or deep: what takes the stack, the memory or the time of a careless reader.
std::string heavy(Dice& dice, bool model) {
  const std::size_t n = 1 + dice.below(dice.below(8) == 0 ? 4000 : 300);
  const auto number = [](std::size_t k) { return std::to_string(k); };
  std::string out;
  switch (dice.below(model ? 15 : 6)) {
    case 0:
      return repeated("(", n) + "x" + repeated(")", dice.below(2) == 0 ? n : n / 2);
    case 1:
      return repeated(dice.one_of(std::array<std::string_view, 6>{"-", "+", "not ", "sin(", "x^", "f("}), n) + "x";
    case 2:
      return "x" + repeated(dice.one_of(std::array<std::string_view, 6>{"*x", "+t*x", "/y", "^2", " or x", "-sin(x*t)"}), n);
    case 3:
      return "min(" + repeated("x, ", n) + "y)";
    case 4:
      return dice.one_of(expressions) + "*" + repeated("9", n) + "." + repeated("0", n);
    case 5:
      return repeated("f(g(x, ", std::min<std::size_t>(n, 60)) + "y" + repeated("))", std::min<std::size_t>(n, 60));
    case 6:
      return repeated("[", n) + repeated("]", n);
    case 7:
      return repeated(dice.one_of(std::array<std::string_view, 4>{"{a: ", "- ", "? ", "&a "}), n);
    case 8:  // by indentation
      for (std::size_t k = 0; k < std::min<std::size_t>(n, 700); ++k) out += repeated(" ", k) + "a:\n";
      return out;
    case 9:  // aliases of aliases
      out = "\nname:\n  - &a0 [x, x, x, x, x, x, x, x, x, x]\n";
      for (std::size_t k = 1; k < std::min<std::size_t>(n, 30); ++k)
        out += "  - &a" + number(k) + " [" + repeated("*a" + number(k - 1) + ", ", 9) + "x]\n";
      return out;
    case 10:  // each calls the one before twice
      out = "\nfunctions:\n  h0(x): x*x + 1\n";
      for (std::size_t k = 1; k < std::min<std::size_t>(n, 60); ++k)
        out += "  h" + number(k) + "(x): h" + number(k - 1) + "(x) + h" + number(k - 1) + "(2*x)\n";
      return out;
    case 11:
      out = "\nparameters:\n  p0: 2\n";
      for (std::size_t k = 1; k < n; ++k) out += "  p" + number(k) + ": p" + number(k - 1) + "^2\n";
      return out;
    case 12:
      out = "\ncoordinates: [c0";
      for (std::size_t k = 1; k < n; ++k) out += ", c" + number(k);
      return out + "]\n";
    case 13:  // one energy over many coordinates
      out = "\ncoordinates: [c0";
      for (std::size_t k = 1; k < std::min<std::size_t>(n, 40); ++k) out += ", c" + number(k);
      out += "]\nkinetic: \"(c0'^2";
      for (std::size_t k = 1; k < std::min<std::size_t>(n, 40); ++k)
        out += " + c" + number(k) + "'^2*cos(c" + number(k - 1) + ")";
      return out + ")/2\"\n";
    default:
      out = "\nmasses:\n";
      for (std::size_t k = 0; k < std::min<std::size_t>(n, 300); ++k)
        out += "  m" + number(k) + ": {mass: 1, at: [" + number(k) + ", 0]}\n";
      return out;
  }
}

/// One change of the text.
void mutate(std::string& text, const std::vector<std::string>& others, Dice& dice, bool model) {
  const std::size_t n = text.size(), at = dice.below(n + 1), rest = n - at;
  const std::size_t span = std::min(rest, 1 + dice.below(dice.below(3) == 0 ? 200 : 8));
  const auto replace_word = [&](bool keys_only, std::string_view by) {
    const auto found = words_of(text, keys_only);
    if (found.empty()) return;
    const auto [from, length] = dice.one_of(found);
    text.replace(from, length, by);
  };
  switch (dice.below(15)) {
    case 0:
      if (at < n) text[at] = char(text[at] ^ (1 << dice.below(8)));
      break;
    case 1:
      if (at < n) text[at] = char(dice.below(256));
      break;
    case 2:
      text.erase(at, span);
      break;
    case 3:
      text.insert(at, text.substr(at, span));
      break;
    case 4: {  // the head of this one and the tail of another, at a line or anywhere
      const std::string& other = dice.one_of(others);
      std::size_t cut = dice.below(other.size() + 1), here = at;
      if (dice.below(2) == 0) {
        here = std::min(text.find('\n', here), n);
        cut = std::min(other.find('\n', cut), other.size());
      }
      text = text.substr(0, here) + other.substr(cut);
      break;
    }
    case 5: {  // some lines of another in between
      const std::string& other = dice.one_of(others);
      const std::size_t cut = std::min(other.find('\n', dice.below(other.size() + 1)), other.size());
      text.insert(std::min(text.find('\n', at), n), other.substr(cut, 1 + dice.below(200)));
      break;
    }
    case 6:
      text.insert(at, dice.one_of(words));
      break;
    case 7:
      text.insert(at, dice.one_of(keys));
      break;
    case 8:
      replace_word(true, dice.one_of(keys));
      break;
    case 9:
      replace_word(false, dice.one_of(words));
      break;
    case 10:
      replace_word(false, dice.one_of(numbers));
      break;
    case 11:
      replace_word(false, dice.one_of(expressions));
      break;
    case 12: {  // a word of its own in another place
      const auto found = words_of(text, false);
      if (found.empty()) break;
      const auto [from, length] = dice.one_of(found);
      replace_word(false, std::string(text, from, length));
      break;
    }
    case 13:  // a line of its own
      if (model)
        text.insert(
            std::min(text.find('\n', at), n),
            "\n" + dice.one_of(keys) + ": " + (dice.below(2) == 0 ? dice.one_of(words) : dice.one_of(numbers)) + "\n");
      break;
    default:
      if (dice.below(6) == 0) {
        const std::string made = heavy(dice, model);
        if (dice.below(2) == 0) {
          replace_word(false, made);
        } else {
          text.insert(dice.below(2) == 0 ? at : n, made);
        }
      }
      break;
  }
}

struct Tally {
  long models = 0, parsed = 0, planned = 0, simulated = 0, expressions = 0, understood = 0;
};

/// Three steps of what the model asks for.
void try_steps(taut::ModelFile& model, const taut::RunPlan& plan, Tally& tally) {
  if (plan.system->size() > 20) return;
  taut::SimulateOptions options = plan.options;
  const bool controlled = options.rtol > 0.0 || options.atol > 0.0;
  const double start = model.start.state.t, sign = options.end < start ? -1.0 : 1.0;
  if (!controlled) options.end = start + sign * 3.0 * options.step;
  options.observers.emplace_back([](const taut::Progress& p) {
    if (p.step >= 3) *p.stop = "enough";
  });
  const taut::Trajectory path = taut::simulate(*plan.system, model.start.state, plan.integrator, plan.method, options);
  if (path.finished() || path.size() > 0) ++tally.simulated;
}

void try_model(const std::string& text, Tally& tally) {
  ++tally.models;
  try {
    taut::ModelFile model = taut::parse_model(text, "fuzz.yaml");
    ++tally.parsed;
    for (taut::NamedExpression& output : model.outputs) output.at(model.start.state);
    for (taut::ModelEvent& event : model.events)
      if (!event.timed()) event.when.at(model.start.state);
    const taut::RunPlan plan = taut::plan(model);
    ++tally.planned;
    try_steps(model, plan, tally);
  } catch (const taut::InputError& error) {
    if (std::string_view(error.what()).empty()) fail("an InputError without a word");
  }
}

/// t, x, y, x', y' and what else a model may name.
taut::Scope scope_of(taut::Graph& graph) {
  taut::Scope scope;
  int k = 0;
  for (const char* name : {"t", "x", "y", "x'", "y'"}) scope.symbols[name] = graph.variable(k++);
  scope.symbols["A.x"] = scope.symbols["x"];
  scope.symbols["R"] = graph.constant(0.3);
  scope.functions["f"] = {{"u"}, "u^2 + 1"};
  scope.functions["g"] = {{"u", "w"}, "f(u)*w - u"};
  static const auto table = std::make_shared<const taut::Table>(
      std::vector<double>{0.0, 1.0, 2.0}, std::vector<double>{0.0, 1.0, 0.5}, taut::Table::Kind::spline);
  scope.tables["T"] = table;
  return scope;
}

void try_expression(const std::string& text, Tally& tally) {
  taut::Graph graph;
  const taut::Scope scope = scope_of(graph);
  ++tally.expressions;
  const auto use = [&](taut::Graph::Node node) {
    ++tally.understood;
    std::vector<taut::Graph::Node> nodes{node};
    for (int k = 0; k < 5; ++k) nodes.push_back(graph.derivative(node, k));
    nodes.push_back(graph.derivative(nodes[2], 1));
    nodes.push_back(graph.derivative(nodes[1], 0));
    const taut::Program program(graph, nodes, {0, 1, 2, 3, 4});
    for (const double scale : {0.0, 0.7, -3.0, 1e300, double(NAN)}) {
      double in[5];
      for (int k = 0; k < 5; ++k) in[k] = scale * (k + 1);
      program(in);
    }
  };
  try {
    use(taut::parse(graph, scope, text));
  } catch (const taut::ExpressionError& error) {
    if (error.position > text.size()) fail("a mistake behind the end of the text");
  }
  try {
    use(taut::parse_relation(graph, scope, text).difference);
  } catch (const taut::ExpressionError& error) {
    if (error.position > text.size()) fail("a mistake behind the end of the text");
  }
}

std::vector<std::string> read_cases(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());  // whatever order the folder has them in
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  // What the cases do not show.
  out.emplace_back(
      "tables: {T: {t: [0, 1, 2], values: [0, 1, 0], kind: linear}}\nfunctions: {f(x): x^2}\n"
      "masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 2, at: [2, 0], velocity: [0, 1]}}\n"
      "points: {O: [0, \"T(t)\"]}\nsprings: [{between: [O, A], stiffness: 10, damping: 1}]\n"
      "dampers: [{between: [A, B], damping: 1}]\nrods: [{between: [A, B], length: 1}]\npins: [B]\n"
      "walls: [{mass: A, normal: [0, 1], offset: -3}]\ninitial: {solve: all}\n"
      "run: {until: 1, step: 0.01, integrator: {name: moreau-jean, restitution: 0.5}, events: [{when: A.x, action: "
      "stop}]}\n");
  out.emplace_back(
      "coordinates: [x, y]\nkinetic: \"x'^2/2 + y'^2/2\"\npotential: \"x^2 + y^4\"\nforces: {x: \"-0.1*x'\"}\n"
      "constraints: [\"x^2 + y^2 = 1\"]\ninitial: {x: 1, \"y'\": 1}\noutputs: {r: \"hypot(x, y)\"}\n"
      "run: {until: 1, step: 0.01, integrator: {name: newmark, beta: 0.25}, solver: {name: uzawa, relaxation: 1}}\n");
  out.emplace_back(
      "parameters: {N: 3}\nlet: {r: \"hypot(A.x, q1)\"}\ndamping: 0.1\ngravity: 9.81\ncoordinates: [{repeat: {i: 1..N}, do: "
      "\"q{i}\"}]\n"
      "masses: {A: {mass: 1, at: [\"sin(q1)\", \"q2*q3\"]}, \"B{i}\": {repeat: {i: 1..N}, mass: 1, at: [\"{i}\", 0]}}\n"
      "kinetic: [{repeat: {i: 1..N}, do: \"q{i}'^2\"}]\nrods: [{between: [B1, B2], mass: 2}, [B2, \"B{N}\"]]\n"
      "springs: [{between: [A, B1], stiffness: 2, damping: 1}]\noutputs: {a: A.ax, b: \"q1''\", e: energy, r: r}\n"
      "events: [{when: kinetic > 1, then: stop}]\nrun: {until: 1, rtol: 1e-6}\n");
  out.emplace_back("include: missing_file.yaml\ncoordinates: [x]\nkinetic: \"x'^2\"\nrun: {until: 1, step: 0.1}\n");
  return out;
}

void must_be_refused(const std::string& text) {
  text_at_hand = text;
  try {
    taut::parse_model(text, "fuzz.yaml");
  } catch (const taut::InputError&) {
    return;
  }
  fail("this should have been refused");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "fuzz_models CASES_DIR COUNT SEED\n");
    return 2;
  }
  const std::vector<std::string> cases = read_cases(argv[1]);
  const long count = std::atol(argv[2]);
  const std::uint64_t first = std::strtoull(argv[3], nullptr, 10);
  watch();
  for (const char* text : {"include: missing_file.yaml", "include: [.]", "include: /dev/zero", "", "[]", "a: b"})
    must_be_refused(text);

  Tally tally;
  double slowest = 0.0;
  std::uint64_t slowest_seed = first;
  const auto begin = std::chrono::steady_clock::now();
  for (long k = 0; k < count; ++k) {
    seed_at_hand = first + std::uint64_t(k);
    Dice dice(seed_at_hand);
    const bool model = dice.below(5) < 3;
    const std::vector<std::string>& seeds = model ? cases : expressions;
    text_at_hand = dice.one_of(seeds);
    for (std::size_t left = 1 + dice.below(dice.below(2) == 0 ? 2 : 6); left > 0; --left)
      mutate(text_at_hand, seeds, dice, model);
    limit_time(10.0 * most_seconds);
    const std::clock_t before = std::clock();
    try {
      if (model) {
        try_model(text_at_hand, tally);
      } else {
        try_expression(text_at_hand, tally);
      }
    } catch (const std::exception& error) {
      fail(std::string("an exception that is no InputError: ") + error.what());
    } catch (...) {
      fail("something else than an exception was thrown");
    }
    const double seconds = double(std::clock() - before) / CLOCKS_PER_SEC;
    if (seconds > most_seconds) fail("it took " + std::to_string(seconds) + " s");
    if (seconds > slowest) {
      slowest = seconds;
      slowest_seed = seed_at_hand;
    }
  }
  limit_time(0.0);
  const double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%ld cases in %.1f s, %.0f per second; the slowest took %.3f s (seed %llu)\n", count, total,
              double(count) / total, slowest, static_cast<unsigned long long>(slowest_seed));
  std::printf("%ld models: %ld read, %ld planned, %ld simulated; %ld expressions: %ld understood\n", tally.models,
              tally.parsed, tally.planned, tally.simulated, tally.expressions, tally.understood);
  return 0;
}
