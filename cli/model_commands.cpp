#include "model_commands.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <taut/io/export.hpp>
#include <taut/io/run_file.hpp>
#include <taut/io/run_model.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/step/index_one.hpp>
#include <taut/study/compare.hpp>
#include <taut/study/verify.hpp>
#include <taut/taut.hpp>

#include "progress_bar.hpp"
#include "reproduce/experiment.hpp"

namespace taut::cli {
namespace {

using nlohmann::ordered_json;

constexpr int ok = 0, failed_run = 1;

std::atomic<bool> interrupted{false};

/// Ctrl-C, or a request to end, ends the run after the step at hand, with everything so far on disk.
class Interrupt {
 public:
  Interrupt() : before_int_(std::signal(SIGINT, note)), before_term_(std::signal(SIGTERM, note)) {}
  ~Interrupt() {
    std::signal(SIGINT, before_int_);
    std::signal(SIGTERM, before_term_);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static Observer observer() {
    return [](const Progress& p) {
      if (interrupted) *p.stop = "interrupted";
    };
  }

 private:
  static void note(int) { interrupted = true; }
  void (*before_int_)(int);
  void (*before_term_)(int);
};

ModelOverrides overrides(const ModelArguments& arguments) {
  ModelOverrides out;
  out.include_folders = arguments.include_folders;
  for (const std::string& one : arguments.set) {
    const std::size_t sign = one.find('=');
    require(sign != std::string::npos && sign > 0, "--set {}: must read name=value.", one);
    out.parameters.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  for (const auto& [key, text] :
       {std::pair("until", arguments.until), std::pair("step", arguments.step), std::pair("rtol", arguments.rtol),
        std::pair("atol", arguments.atol), std::pair("integrator", arguments.integrator),
        std::pair("solver", arguments.solver), std::pair("control", arguments.control), std::pair("every", arguments.every),
        std::pair("interval", arguments.interval)})
    if (!text.empty()) out.run[key] = text;
  return out;
}

/// Mistakes that show only when a run is put together do not know the file.
RunPlan planned_run(const ModelFile& model, const std::string& path) {
  try {
    return plan(model);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json conserved(const Conserved& one) {
  return {{"name", one.name},
          {"start", number(one.start)},
          {"deviation", number(one.deviation)},
          {"drift", number(one.drift)},
          {"scale", number(one.scale)}};
}

ordered_json to_json(const Certificate& c) {
  ordered_json out{{"verdict", name_of(c.verdict)},
                   {"finished", c.finished()},
                   {"message", c.message},
                   {"grade", name_of(c.grade)},
                   {"summary", c.summary},
                   {"integrator", c.integrator},
                   {"solver", c.solver},
                   {"states", c.states},
                   {"t_start", c.t_start},
                   {"t_end", c.t_end},
                   {"conservative", c.conservative},
                   {"energy", conserved(c.energy)},
                   {"momenta", ordered_json::array()},
                   {"position_residual", number(c.position_residual)},
                   {"velocity_residual", number(c.velocity_residual)},
                   {"penetration", number(c.penetration)},
                   {"gap", number(c.gap)},
                   {"velocity_gap", number(c.velocity_gap)},
                   {"worst", c.worst},
                   {"singular", c.singular},
                   {"steps", c.counts.steps},
                   {"retried", c.counts.retried},
                   {"rejected", c.counts.rejected},
                   {"smallest_step", c.counts.smallest_step},
                   {"largest_step", c.counts.largest_step},
                   {"newton_iterations", c.counts.newton_iterations},
                   {"evaluations", c.counts.evaluations},
                   {"dependent", c.dependent}};
  for (const Conserved& one : c.momenta) out["momenta"].push_back(conserved(one));
  if (!c.own_energy.name.empty()) out["own_energy"] = conserved(c.own_energy);
  return out;
}

std::string title(const ModelFile& model, const std::string& path) {
  return (model.name.empty() ? path : model.name) + (model.source.empty() ? "" : " (" + model.source + ")");
}

/// Shows how far a study is, and ends it at Ctrl-C.
StudyWatch watch(ProgressBar& bar) {
  return {.progress = [&bar](const std::string& what, double done) { bar.show(what, done); },
          .interrupted = [] { return interrupted.load(); }};
}

double largest_momentum(const Certificate& c) {
  double out = 0.0;
  for (const Conserved& one : c.momenta) out = std::max(out, one.deviation);
  return out;
}

}  // namespace

int run(const RunArguments& arguments) {
  const ModelOverrides changes = overrides(arguments);
  ModelFile model = read_model(arguments.model, changes);
  RunModelOptions options;
  options.version = TAUT_VERSION;
  options.model_path = std::filesystem::weakly_canonical(arguments.model).string();
  options.resume = arguments.resume;
  options.force = arguments.force;
  options.checkpoint_seconds = arguments.checkpoint_seconds;
  options.interrupted = [] { return interrupted.load(); };
  options.settings = ordered_json{{"set", changes.parameters}, {"run", changes.run}}.dump();
  if (!arguments.no_file)
    options.out = arguments.out.empty() ? default_results_name(arguments.model, changes.parameters) : arguments.out;
  require(arguments.out.empty() || !arguments.no_file, "--out and --no-file contradict each other.");
  require(!(arguments.resume && arguments.force), "--resume and --force contradict each other.");
  require(!(arguments.resume && arguments.no_file), "--resume goes on in a results file, and --no-file keeps none.");
  std::error_code none;
  require(options.out.empty() || !std::filesystem::equivalent(arguments.model, options.out, none),
          "--out {}: is the model; results would overwrite it.", options.out);
  const RunPlan planned = planned_run(model, arguments.model);
  const Interrupt interrupt;
  RunOutcome outcome;
  {
    ProgressBar bar;
    options.observers = {[&](const Progress& p) { bar.show(model.name, p.done); }, Interrupt::observer()};
    outcome = run_model(model, planned, options);
  }
  const Certificate& c = outcome.certificate;
  const bool done = c.finished() && !(c.verdict == Verdict::stopped && interrupted);  // an event is as good an end as any
  if (arguments.json) {
    ordered_json out{{"model", arguments.model}, {"name", model.name}, {"certificate", to_json(c)}};
    if (!options.out.empty()) out["results"] = options.out;
    if (!planned.choice.empty()) out["chosen"] = planned.choice;
    if (outcome.resumed) out["resumed_at"] = outcome.resumed_at;
    ordered_json last{{"t", outcome.last.t}};
    for (int i = 0; i < model.system.size(); ++i) last[model.system.coordinate_name(i)] = number(outcome.last.q[i]);
    out["last"] = last;
    for (NamedExpression& output : planned.modes->outputs()) out["outputs"][output.name] = number(output.at(outcome.last));
    for (const auto& [name, t, impulse] : outcome.events)
      out["events"].push_back({{"name", name}, {"t", t}, {"impulse", number(impulse)}});
    out["certificate"]["finished"] = done;
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    if (!planned.choice.empty()) fmt::print("chosen: {}\n", planned.choice);
    if (outcome.resumed) fmt::print("resumed at t = {}\n", outcome.resumed_at);
    std::fflush(stdout);
    std::cout << c << std::flush;
    for (const auto& [name, t, impulse] : outcome.events) {
      fmt::print("  event {:<22} t = {:.9g}", name, t);
      fmt::print("{}\n", impulse > 0.0 ? fmt::format(", impulse {:.4g}", impulse) : "");
    }
    for (NamedExpression& output : planned.modes->outputs())
      fmt::print("  at the end: {:<16} {:.9g}\n", output.name, output.at(outcome.last));
    if (!options.out.empty()) fmt::print("results are in {}\n", options.out);
  }
  if (done) return ok;
  fmt::print(stderr, "taut: {}\n", c.message);
  return failed_run;
}

int check(const ModelArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments), false);
  ModelModes modes(model, 0.0);
  const System system = acting(*modes.moving(modes.first())).system;  // what holds at the start
  const ConsistentStart& start = model.start;
  // Rank at the start: redundant constraints by name.
  std::vector<std::string> dependent;
  if (system.constraint_count() > 0) {
    IndexOne equations(system, Multipliers{});
    Vector a(system.size()), lambda(system.constraint_count());
    equations.accelerate(instant(start.state), a, lambda);
    for (const int row : equations.dependent()) dependent.push_back(system.constraint_name(row));
  }
  const double length = std::isnan(model.run.until) ? 1.0 : model.run.until - start.state.t;
  const bool conservative = conserves_energy(system, start.state, length);
  int equalities = 0;
  for (const Set set : system.sets()) equalities += set == Set::zero ? 1 : 0;
  const int freedom = system.size() - equalities + int(dependent.size());
  const auto left = violations(system, start.state, 1e-8);
  std::string trouble;
  if (!std::isnan(model.run.until)) {
    try {
      planned_run(model, arguments.model);
    } catch (const InputError& error) {
      trouble = error.what();
    }
  }
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"name", model.name},
                     {"coordinates", system.size()},
                     {"constraints", system.constraint_count()},
                     {"inequalities", system.constraint_count() - equalities},
                     {"degrees_of_freedom", freedom},
                     {"redundant", dependent},
                     {"holonomic", system.holonomic()},
                     {"conservative", conservative},
                     {"moved_q", start.moved_q},
                     {"moved_v", start.moved_v},
                     {"violated", ordered_json::array()},
                     {"trouble", trouble}};
    for (const Violation& one : left)
      out["violated"].push_back(
          {{"constraint", one.constraint}, {"level", one.velocity ? "velocity" : "position"}, {"size", one.size}});
    for (const auto& [name, value] : model.parameters) out["parameters"][name] = number(value);
    for (int i = 0; i < system.size(); ++i)
      out["initial"][system.coordinate_name(i)] = {number(start.state.q[i]), number(start.state.v[i])};
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    for (const auto& [name, value] : model.parameters)
      fmt::print("  parameter            {} = {:.9g} (SI units)\n", name, value);
    fmt::print("  coordinates          {}\n", system.size());
    fmt::print("  constraints          {}, {} of them inequalities{}\n", system.constraint_count(),
               system.constraint_count() - equalities, system.holonomic() ? "" : "; some hold velocities (nonholonomic)");
    fmt::print("  degrees of freedom   {}{}\n", freedom, system.holonomic() ? "" : " of the velocities");
    for (const std::string& name : dependent) fmt::print("  redundant            {}\n", name);
    fmt::print("  energy               {}\n", conservative ? "conserved" : "not conserved: forces, time or impacts act");
    if (start.moved_q > 0.0 || start.moved_v > 0.0)
      fmt::print("  initial values       found; positions moved by at most {:.3g}, velocities by {:.3g}\n", start.moved_q,
                 start.moved_v);
    constexpr int shown = 40;
    for (int i = 0; i < std::min(system.size(), shown); ++i)
      fmt::print("    {:<18} {:>16.9g}   velocity {:>16.9g}\n", system.coordinate_name(i), start.state.q[i],
                 start.state.v[i]);
    if (system.size() > shown) fmt::print("    and {} more\n", system.size() - shown);
    for (const Violation& one : left)
      fmt::print("  violated             {} by {:.3g} ({})\n", one.constraint, one.size,
                 one.velocity ? "velocity" : "position");
    if (!trouble.empty()) fmt::print("  trouble              {}\n", trouble);
  }
  if (left.empty() && trouble.empty()) return ok;
  throw InputError(trouble.empty() ? message("{}: the initial values violate {}.", arguments.model, describe(left))
                                   : trouble);
}

namespace {

/// In words: what small motions about the equilibrium do.
std::string in_words(const Stability& found) {
  if (!found.unknown.empty()) return "stability not known: " + found.unknown;
  if (found.unstable()) return fmt::format("not stable ({})", name_of(found.instability));
  return found.neutral > 0 ? "neutral (of some small motions linear terms do not tell)" : "stable";
}

ordered_json to_json(const std::vector<std::complex<double>>& values) {
  ordered_json out = ordered_json::array();
  for (const std::complex<double>& s : values) out.push_back({number(s.real()), number(s.imag())});
  return out;
}

}  // namespace

int statics(const ModelArguments& arguments) {
  ModelFile model = read_model(arguments.model, overrides(arguments), false);
  const System& system = model.system;
  const Equilibrium found = equilibrium(system, model.start.state);
  const bool good = found.status == Status::ok;
  const Stability small = good ? stability(system, found.state) : Stability{.eigenvalues = {}, .unknown = "no equilibrium"};
  const std::vector<double> frequencies = small.frequencies();
  if (arguments.json) {
    ordered_json out{
        {"model", arguments.model},
        {"found", good},
        {"trouble", found.trouble},
        {"residual", number(found.residual)},
        {"stable", small.stable()     ? ordered_json(true)
                   : small.unstable() ? ordered_json(false)
                                      : ordered_json(nullptr)},
        {"instability", small.unknown.empty() ? ordered_json(name_of(small.instability)) : ordered_json(nullptr)},
        {"neutral", small.neutral},
        {"eigenvalues", small.unknown.empty() ? to_json(small.eigenvalues) : ordered_json(nullptr)},
        {"frequencies", frequencies},
        {"unknown", small.unknown},
        {"lowest_eigenvalue", number(found.lowest_eigenvalue)},
        {"potential", number(system.potential_energy(instant(found.state)))}};
    for (int i = 0; i < system.size(); ++i) out["q"][system.coordinate_name(i)] = number(found.state.q[i]);
    for (int row = 0; row < system.constraint_count(); ++row)
      out["lambda"][system.constraint_name(row)] = number(found.state.lambda[row]);
    for (NamedExpression& output : model.outputs) out["outputs"][output.name] = number(output.at(found.state));
    fmt::print("{}\n", out.dump(2));
  } else if (good) {
    fmt::print("{}\nequilibrium, {}: lowest eigenvalue {:.6g} 1/s^2, residual {:.2g}, {} steps\n",
               title(model, arguments.model), in_words(small), found.lowest_eigenvalue, found.residual, found.steps);
    constexpr std::size_t shown = 6;
    for (const std::complex<double>& s : small.eigenvalues)
      if (s.real() > 0.0 && s.imag() >= 0.0)
        fmt::print("  grows                {:.6g} 1/s, swings {:.6g} 1/s\n", s.real(), s.imag());
    if (!frequencies.empty())
      fmt::print("  frequencies [Hz]     {:.6g}{}\n",
                 fmt::join(frequencies.begin(), frequencies.begin() + long(std::min(frequencies.size(), shown)), ", "),
                 frequencies.size() > shown ? ", …" : "");
    for (int i = 0; i < std::min(system.size(), 60); ++i)
      fmt::print("  {:<20} {:>18.10g}\n", system.coordinate_name(i), found.state.q[i]);
    for (int row = 0; row < std::min(system.constraint_count(), 60); ++row)
      fmt::print("  lambda {:<30} {:>14.8g}\n", system.constraint_name(row), found.state.lambda[row]);
    for (NamedExpression& output : model.outputs) fmt::print("  {:<20} {:>18.10g}\n", output.name, output.at(found.state));
  }
  if (good) return ok;
  fmt::print(stderr, "taut: {}: {}\n", arguments.model, found.trouble);
  return failed_run;
}

namespace {

ordered_json to_json(const CompareRow& row) {
  return {{"integrator", row.integrator},
          {"solver", row.solver},
          {"formulation", row.formulation},
          {"step", row.step},
          {"error", number(row.error)},
          {"seconds", row.seconds},
          {"verdict", name_of(row.verdict)},
          {"message", row.message},
          {"certificate", to_json(row.certificate)}};
}

void print_rows(const std::vector<CompareRow>& rows) {
  fmt::print("{:<18} {:<14} {:<14} {:>9} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}\n", "integrator", "solver", "formulation",
             "step", "error", "seconds", "energy", "momenta", "|g|", "|G v|");
  for (const CompareRow& row : rows) {
    const Certificate& c = row.certificate;
    fmt::print("{:<18} {:<14} {:<14} {:>9.3g} {:>10.2e} {:>10.2e} {:>10.2e} {:>10.2e} {:>9.1e} {:>9.1e}{}\n", row.integrator,
               row.solver, row.formulation, row.step, row.error, row.seconds, c.energy.deviation, largest_momentum(c),
               c.position_residual, c.velocity_residual,
               good(row.verdict) ? "" : fmt::format("  {}: {}", name_of(row.verdict), row.message));
  }
}

std::string in_words(const Reference& reference) {
  if (reference.name.empty()) return "no run reached the end: there is nothing to measure errors against";
  if (reference.verified)
    return fmt::format("errors against {}, of which {} ends {:.1e} away", reference.name, reference.checked,
                       reference.error);
  if (reference.checked.empty())
    return fmt::format("errors against {}, an unverified run: no second one was within reach", reference.name);
  return fmt::format("errors against {}, an unverified run: {} ends {:.1e} away from it", reference.name, reference.checked,
                     reference.error);
}

/// Error over time, one curve for each that was compared.
void write_work_precision(const Comparison& found, const ModelFile& model, const std::string& directory) {
  const auto differs = [&](auto part) {
    return std::any_of(found.rows.begin(), found.rows.end(),
                       [&](const CompareRow& row) { return row.*part != found.rows[0].*part; });
  };
  const bool ways = differs(&CompareRow::solver), forms = differs(&CompareRow::formulation);
  reproduce::Outcome outcome;
  for (const CompareRow& row : found.rows) {
    const std::string curve = row.integrator + (ways ? "_" + row.solver : "") + (forms ? "_" + row.formulation : "");
    auto at = std::find_if(outcome.curves.begin(), outcome.curves.end(), [&](const auto& one) { return one.name == curve; });
    if (at == outcome.curves.end())
      at = outcome.curves.insert(outcome.curves.end(), {curve, {"seconds", "error", "step"}, {}});
    if (std::isfinite(row.error) && row.error > 0.0) at->rows.push_back({row.seconds, row.error, row.step});
  }
  reproduce::Figure figure{
      "work_precision",
      fmt::format("{}: error at t = {} against time", model.name, model.run.until),
      "seconds",
      "error in q",
      {},
      "set logscale xy\nset format y '10^{%L}'\nset format x '10^{%L}'\nset key outside right vertical"};
  int colour = 0;
  for (const auto& curve : outcome.curves) {
    if (curve.rows.empty()) continue;
    figure.lines.push_back(
        {curve.name, "error", curve.name, fmt::format("linespoints lw 2 pt {} lc {}", 4 + colour % 10, colour + 1)});
    ++colour;
  }
  outcome.plots = {figure};
  reproduce::prepare(directory);
  reproduce::write(outcome, directory);
}

}  // namespace

int compare(const CompareArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments));
  const Interrupt interrupt;
  Comparison found;
  {
    ProgressBar bar;
    found = taut::compare(model, {.integrators = arguments.integrators,
                                  .solvers = arguments.solvers,
                                  .formulations = arguments.formulations,
                                  .halvings = arguments.halvings,
                                  .seconds = arguments.budget,
                                  .watch = watch(bar)});
  }
  const Reference& reference = found.reference;
  if (arguments.json) {
    ordered_json json{{"model", arguments.model},
                      {"reference", reference.name},
                      {"reference_checked", reference.checked},
                      {"reference_error", number(reference.error)},
                      {"reference_verified", reference.verified},
                      {"motion", reference.moved},
                      {"interrupted", found.interrupted},
                      {"runs", ordered_json::array()},
                      {"left_out", found.left_out}};
    for (const CompareRow& row : found.rows) json["runs"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}\nin q at t = {}, {}\n\n", title(model, arguments.model), model.run.until, in_words(reference));
    print_rows(found.rows);
    for (const std::string& one : found.left_out) fmt::print("left out: {}\n", one);
  }
  std::fflush(stdout);
  if (!arguments.directory.empty() && !found.rows.empty()) {
    write_work_precision(found, model, arguments.directory);
    if (!arguments.json) fmt::print("\ncurves (CSV) and the work-precision plot (SVG) are in {}\n", arguments.directory);
  }
  if (!found.interrupted) return ok;
  fmt::print(stderr, "taut: interrupted\n");
  return failed_run;
}

int verify(const ModelArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments));
  const RunPlan planned = planned_run(model, arguments.model);
  const Interrupt interrupt;
  Verification found;
  {
    ProgressBar bar;
    VerifyOptions options;
    options.watch = watch(bar);
    found = taut::verify(model, planned, options);
  }
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"sizes", found.sizes},
                     {"differences", ordered_json::array()},
                     {"estimated_error", number(found.error)},
                     {"motion", number(found.moved)},
                     {"trusted", found.trusted},
                     {"verdict", found.verdict},
                     {"certificate", to_json(found.certificate)}};
    for (const double one : found.differences) out["differences"].push_back(number(one));
    if (!found.controlled) {
      out["order"] = number(found.order());
      out["orders"] = found.orders;
      out["promised_order"] = found.promised;
    } else if (!found.other.empty()) {
      out["other"] = found.other;
      out["other_difference"] = number(found.other_difference);
    }
    fmt::print("{}\n", out.dump(2));
  } else if (found.trouble.empty()) {
    fmt::print("{}\n", title(model, arguments.model));
    std::fflush(stdout);
    std::cout << found.certificate << std::flush;
    fmt::print("  {:<28}{:.3g}\n", found.controlled ? "tolerances" : "steps", fmt::join(found.sizes, ", "));
    fmt::print("  {:<28}{:.3g}\n", "differences in q at the end", fmt::join(found.differences, ", "));
    if (!found.controlled)
      fmt::print("  {:<28}{:.3f} (promised {})\n", "observed order", fmt::join(found.orders, ", "), found.promised);
    if (!found.other.empty()) fmt::print("  {:<28}{:.3g}\n", found.other + " differs by", found.other_difference);
    fmt::print("  {:<28}{:.3g}\n{}: {}\n", "estimated error of the run", found.error,
               found.trusted ? "trusted" : "not trusted", found.verdict);
  }
  if (found.trouble.empty()) return ok;
  fmt::print(stderr, "taut: {}\n", found.trouble);
  return failed_run;
}

int convert(const std::string& from, const std::string& to) {
  export_results(read_results(from), to);
  return ok;
}

int init(const std::string& path) {
  require(!std::filesystem::exists(path), "init: '{}' exists already; it is not overwritten.", path);
  write_starter(path);
  fmt::print("{} is written; try: taut run {}\n", path, path);
  return ok;
}

std::vector<std::pair<std::string, std::string>> cases() {
  namespace fs = std::filesystem;
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code trouble;
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  for (const fs::path& folder : {fs::path("cases"), program.parent_path() / ".." / "share" / "taut" / "cases"}) {
    if (!fs::is_directory(folder, trouble)) continue;
    for (const auto& entry : fs::directory_iterator(folder, trouble)) {
      if (entry.path().extension() != ".yaml") continue;
      try {
        found.emplace_back(entry.path().lexically_normal().string(), read_model(entry.path().string(), {}, false).name);
      } catch (const InputError& error) {
        found.emplace_back(entry.path().lexically_normal().string(), error.what());
      }
    }
    break;
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace taut::cli
