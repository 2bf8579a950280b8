#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <taut/base/bits.hpp>
#include <taut/base/require.hpp>
#include <taut/expression/code.hpp>
#include <taut/expression/program.hpp>
#include <unordered_map>

namespace taut {
namespace {

/// Machine code is made for a program that has run so often: most are not worth it.
constexpr int worth_it = 100;

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
  std::uint64_t stamp = 0;  // of the numbers in the registers
  bool known = false;
  std::vector<double> registers, lanes, result;
};
thread_local std::vector<Memory> memories;

}  // namespace

const SineCosine& sine_cosine(double x) {
  struct Known {
    double x = std::numeric_limits<double>::quiet_NaN();
    SineCosine value{};
  };
  thread_local std::array<Known, 64> all;
  Known& place = all[(bits_as<std::uint64_t>(x) * 0x9E3779B97F4A7C15u) >> 58];
  if (place.x != x) place = {x, {std::sin(x), std::cos(x)}};
  return place.value;
}

struct Program::Code : Instructions {
  std::uint64_t serial = ++programs_made;
  std::size_t place = places().take();

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { places().give_back(place); }

  Memory& memory() const {
    if (memories.size() <= place) memories.resize(place + 1);
    Memory& mine = memories[place];
    if (mine.owner != serial) {
      mine = {serial, 0, false, {}, {}, {}};
      mine.registers.assign(registers(), 0.0);
      std::copy(constants.begin(), constants.end(), mine.registers.begin() + inputs());
      mine.result.assign(results.size(), 0.0);
    }
    return mine;
  }

  /// Machine code once there is some; until then, now and then, the making of it.
  const MachineCode* machine_code() const {
    if (const MachineCode* ready = ready_.load(std::memory_order_acquire)) return ready;
    if (runs_.load(std::memory_order_relaxed) > worth_it || runs_.fetch_add(1, std::memory_order_relaxed) != worth_it)
      return nullptr;
    made_ = MachineCode::of(*this);  // by the one thread that counted to the number
    ready_.store(made_.get(), std::memory_order_release);
    return made_.get();
  }

  void run(double* r) const;
  void run_lanes(double* r) const;

 private:
  mutable std::atomic<int> runs_{0};
  mutable std::atomic<const MachineCode*> ready_{nullptr};
  mutable std::unique_ptr<const MachineCode> made_;
};

Program::Program(const Graph& graph, const std::vector<Graph::Node>& outputs, const std::vector<int>& inputs, int numbers) {
  auto code = std::make_shared<Code>();
  code->tables = graph.tables();
  code->variables = int(inputs.size()) - numbers;
  code->numbers = numbers;
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
      code->list.push_back({e.op, place.at(e.a), e.b, e.c, 0.0});
      code->outside = code->outside || graph.tables()[std::size_t(e.b)]->kind() == Table::Kind::held;
    } else {
      code->list.push_back({e.op, register_of(e.a), register_of(e.b), register_of(e.c), e.value});
    }
    place[k] = int(code->registers()) - 1;
  }
  for (const Graph::Node node : outputs) code->results.push_back(place.at(node));
  code_ = std::move(code);
}

int Program::outputs() const { return code_ ? int(code_->results.size()) : 0; }

const double* Program::operator()(const double* in, const double* numbers, std::uint64_t stamp) const {
  const Code& code = *code_;
  Memory& mine = code.memory();
  double* r = mine.registers.data();
  bool same = mine.known && !code.outside;
  for (int k = 0; k < code.variables; ++k) {
    same = same && r[k] == in[k];
    r[k] = in[k];
  }
  if (code.numbers > 0 && (mine.stamp != stamp || stamp == 0)) {
    std::copy_n(numbers, code.numbers, r + code.variables);
    mine.stamp = stamp;
    same = false;
  }
  if (same) return mine.result.data();
  mine.known = true;
  if (const MachineCode* fast = code.machine_code()) {
    fast->run(r, r + code.variables, mine.result.data());
    return mine.result.data();
  }
  code.run(r);
  for (std::size_t k = 0; k < code.results.size(); ++k) mine.result[k] = r[code.results[k]];
  return mine.result.data();
}

void Program::run_lanes(const double* in, double* out) const {
  const Code& code = *code_;
  std::vector<double>& registers = code.memory().lanes;
  if (registers.empty()) {
    registers.assign(lanes * code.registers(), 0.0);
    for (std::size_t k = 0; k < code.constants.size(); ++k)
      std::fill_n(registers.begin() + std::ptrdiff_t(lanes * (std::size_t(code.inputs()) + k)), lanes, code.constants[k]);
  }
  double* r = registers.data();
  std::copy_n(in, lanes * code.inputs(), r);
  code.run_lanes(r);
  for (const int result : code.results) out = std::copy_n(r + std::ptrdiff_t(lanes) * result, lanes, out);
}

void Program::Code::run(double* r) const {
  double* out = r + first();
  for (const Instruction& i : list) {
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
        *out = sine_cosine(r[i.a]).sine;
        break;
      case Op::cos:
        *out = sine_cosine(r[i.a]).cosine;
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
  for (const Instruction& i : list) {
    const double *a = r + std::ptrdiff_t(lanes) * i.a, *b = r + std::ptrdiff_t(lanes) * i.b;
    const auto each = [&](const auto& action) {
#ifndef __clang__
#pragma GCC ivdep
#endif
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
