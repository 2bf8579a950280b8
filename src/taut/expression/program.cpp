#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <taut/base/require.hpp>
#include <taut/expression/program.hpp>
#include <unordered_map>

namespace taut {
namespace {

double integer_power(double base, int exponent) {
  double result = 1.0, factor = base;
  for (int rest = std::abs(exponent); rest > 0; rest >>= 1) {
    if (rest & 1) result *= factor;
    factor *= factor;
  }
  return exponent < 0 ? 1.0 / result : result;
}

/// Sine and cosine of the last arguments. A mechanism asks for the same angles over and over: in each constraint, its gradient and its acceleration.
struct Angle {
  double x = std::numeric_limits<double>::quiet_NaN(), sine = 0.0, cosine = 0.0;
};
using Angles = std::array<Angle, 64>;
thread_local Angles known_angles;
const Angle& angle(Angles& known, double x) {
  Angle& place = known[(std::bit_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u) >> 58];
  if (place.x != x) place = {x, std::sin(x), std::cos(x)};
  return place;
}

/// Numbers of programs alive, each with a place in the memory of every thread; those of the dead are given again.
class Places {
 public:
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return next_++;
    const std::size_t place = free_.back();
    free_.pop_back();
    return place;
  }
  void give_back(std::size_t place) {
    const std::lock_guard lock(mutex_);
    free_.push_back(place);
  }

 private:
  std::mutex mutex_;
  std::vector<std::size_t> free_;
  std::size_t next_ = 0;
};
Places& places() {
  static Places* all = new Places;  // programs may outlive the statics of other files
  return *all;
}
std::atomic<std::uint64_t> programs_made{0};

/// What a thread keeps for a program.
struct Memory {
  std::uint64_t owner = 0;
  bool known = false;
  std::vector<double> registers, lanes, result;
};
thread_local std::vector<Memory> memories;

}  // namespace

struct Program::Code {
  struct Instruction {
    Op op;
    int a, b, c;
    double value;
  };
  std::vector<Instruction> instructions;
  std::vector<double> constants;
  std::vector<int> results;  // registers: inputs, constants, then one per instruction
  std::vector<std::shared_ptr<const Table>> tables;
  int inputs = 0;
  std::uint64_t serial = ++programs_made;
  std::size_t place = places().take();

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { places().give_back(place); }

  int first() const { return inputs + int(constants.size()); }
  std::size_t registers() const { return std::size_t(first()) + instructions.size(); }

  Memory& memory() const {
    if (memories.size() <= place) memories.resize(place + 1);
    Memory& mine = memories[place];
    if (mine.owner != serial) {
      mine = {serial, false, {}, {}, {}};
      mine.registers.assign(registers(), 0.0);
      std::copy(constants.begin(), constants.end(), mine.registers.begin() + inputs);
      mine.result.assign(results.size(), 0.0);
    }
    return mine;
  }

  void run(double* r) const;
  void run_lanes(double* r) const;
};

Program::Program(const Graph& graph, const std::vector<Graph::Node>& outputs, const std::vector<int>& inputs) {
  auto code = std::make_shared<Code>();
  code->tables = graph.tables();
  code->inputs = int(inputs.size());
  std::unordered_map<int, int> input;
  for (std::size_t k = 0; k < inputs.size(); ++k) input.emplace(inputs[k], int(k));
  std::unordered_map<Graph::Node, int> place;
  const std::vector<Graph::Node> parts = graph.parts_of(outputs);
  for (const Graph::Node k : parts) {
    const Graph::Entry& e = graph.entries()[k];
    if (e.op == Op::variable) {
      const auto found = input.find(e.a);
      require(found != input.end(), "Program: variable {} is not among the inputs.", e.a);
      place[k] = found->second;
    } else if (e.op == Op::constant) {
      place[k] = code->first();
      code->constants.push_back(e.value);
    }
  }
  for (const Graph::Node k : parts) {
    const Graph::Entry& e = graph.entries()[k];
    if (e.op == Op::variable || e.op == Op::constant) continue;
    const auto register_of = [&](int node) { return node >= 0 ? place.at(node) : 0; };
    if (e.op == Op::table) {
      code->instructions.push_back({e.op, place.at(e.a), e.b, e.c, 0.0});
    } else {
      code->instructions.push_back({e.op, register_of(e.a), register_of(e.b), register_of(e.c), e.value});
    }
    place[k] = int(code->registers()) - 1;
  }
  for (const Graph::Node node : outputs) code->results.push_back(place.at(node));
  code_ = std::move(code);
}

int Program::inputs() const { return code_ ? code_->inputs : 0; }
int Program::outputs() const { return code_ ? int(code_->results.size()) : 0; }

const double* Program::operator()(const double* in) const {
  const Code& code = *code_;
  Memory& mine = code.memory();
  double* r = mine.registers.data();
  bool same = mine.known;
  for (int k = 0; k < code.inputs; ++k) {
    same = same && r[k] == in[k];
    r[k] = in[k];
  }
  if (same) return mine.result.data();
  code.run(r);
  mine.known = true;
  for (std::size_t k = 0; k < code.results.size(); ++k) mine.result[k] = r[code.results[k]];
  return mine.result.data();
}

void Program::run_lanes(const double* in, double* out) const {
  const Code& code = *code_;
  std::vector<double>& registers = code.memory().lanes;
  if (registers.empty()) {
    registers.assign(lanes * code.registers(), 0.0);
    for (std::size_t k = 0; k < code.constants.size(); ++k)
      std::fill_n(registers.begin() + std::ptrdiff_t(lanes * (std::size_t(code.inputs) + k)), lanes, code.constants[k]);
  }
  double* r = registers.data();
  std::copy_n(in, lanes * code.inputs, r);
  code.run_lanes(r);
  for (const int result : code.results) out = std::copy_n(r + std::ptrdiff_t(lanes) * result, lanes, out);
}

void Program::Code::run(double* r) const {
  double* out = r + first();
  Angles& angles = known_angles;
  for (const Instruction& i : instructions) {
    switch (i.op) {
      case Op::add:
        *out = r[i.a] + r[i.b];
        break;
      case Op::subtract:
        *out = r[i.a] - r[i.b];
        break;
      case Op::multiply:
        *out = r[i.a] * r[i.b];
        break;
      case Op::divide:
        *out = r[i.a] / r[i.b];
        break;
      case Op::negate:
        *out = -r[i.a];
        break;
      case Op::integer_power:
        *out = i.value == 2.0 ? r[i.a] * r[i.a] : integer_power(r[i.a], int(i.value));
        break;
      case Op::sin:
        *out = angle(angles, r[i.a]).sine;
        break;
      case Op::cos:
        *out = angle(angles, r[i.a]).cosine;
        break;
      case Op::table:
        *out = tables[i.b]->value(r[i.a], i.c);
        break;
      default:
        *out = apply(i.op, r[i.a], r[i.b], r[i.c]);
        break;
    }
    ++out;
  }
}

void Program::Code::run_lanes(double* r) const {
  double* out = r + std::ptrdiff_t(lanes) * first();
  for (const Instruction& i : instructions) {
    const double *a = r + std::ptrdiff_t(lanes) * i.a, *b = r + std::ptrdiff_t(lanes) * i.b;
    const auto each = [&](const auto& action) {
#pragma GCC ivdep
      for (int l = 0; l < lanes; ++l) out[l] = action(l);
    };
    switch (i.op) {
      case Op::add:
        each([&](int l) { return a[l] + b[l]; });
        break;
      case Op::subtract:
        each([&](int l) { return a[l] - b[l]; });
        break;
      case Op::multiply:
        each([&](int l) { return a[l] * b[l]; });
        break;
      case Op::divide:
        each([&](int l) { return a[l] / b[l]; });
        break;
      case Op::negate:
        each([&](int l) { return -a[l]; });
        break;
      case Op::sqrt:
        each([&](int l) { return std::sqrt(a[l]); });
        break;
      case Op::integer_power:
        if (i.value == 2.0) {
          each([&](int l) { return a[l] * a[l]; });
        } else {
          each([&](int l) { return integer_power(a[l], int(i.value)); });
        }
        break;
      case Op::table:
        each([&](int l) { return tables[i.b]->value(a[l], i.c); });
        break;
      default: {
        const double* c = r + std::ptrdiff_t(lanes) * i.c;
        each([&](int l) { return apply(i.op, a[l], b[l], c[l]); });
        break;
      }
    }
    out += lanes;
  }
}

}  // namespace taut
