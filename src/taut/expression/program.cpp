#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <taut/base/number_map.hpp>
#include <taut/base/require.hpp>
#include <taut/expression/code.hpp>
#include <taut/expression/program.hpp>
#include <taut/expression/sines.hpp>

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
  std::vector<double> angles, sines, cosines;  // of one group
};
thread_local std::vector<Memory> memories;
/// Where they are, without a look whether the thread has any yet.
constinit thread_local Memory* known_memories = nullptr;
constinit thread_local std::size_t known_count = 0;

bool is_wave(Op op) { return op == Op::sin || op == Op::cos; }

/// In an order in which sines and cosines stand together, so that many are found at once: those that need no others first, with what they need before them;
/// then those that need these; and at the end what no sine needs.
std::vector<Graph::Node> by_waves(const Graph& graph, const std::vector<Graph::Node>& parts) {
  NumberMap<int> round, due;  // due: 2k + 1 for the sines of a round, 2k for what they need
  for (const Graph::Node node : parts) {
    int& own = round[node] = 0;
    graph.entries()[node].each_argument(
        [&](Graph::Node argument) { own = std::max(own, round.at(argument) + int(is_wave(graph.entries()[argument].op))); });
  }
  constexpr int never = std::numeric_limits<int>::max();
  for (auto node = parts.rbegin(); node != parts.rend(); ++node) {
    const bool wave = is_wave(graph.entries()[*node].op);
    int& own = due.try_emplace(*node, never).first;
    if (wave) own = 2 * round.at(*node) + 1;
    graph.entries()[*node].each_argument([&, before = wave ? own - 1 : own](Graph::Node argument) {
      int& other = due.try_emplace(argument, never).first;
      other = std::min(other, before);
    });
  }
  std::vector<Graph::Node> order = parts;
  std::stable_sort(order.begin(), order.end(), [&](Graph::Node a, Graph::Node b) { return due.at(a) < due.at(b); });
  return order;
}

}  // namespace

struct Program::Code : Instructions {
  std::uint64_t serial = ++programs_made;
  std::size_t place = places().take();

  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() { places().give_back(place); }

  /// Beside the sines and cosines before it, or as the first of others.
  void push_wave(Op op, int angle) {
    if (list.empty() || !is_wave(list.back().op) || angle >= first() + int(angles.back().first))
      angles.push_back({list.size(), {}});
    std::vector<int>& all = angles.back().registers;
    const auto found = std::find(all.begin(), all.end(), angle);
    const int where = int(found - all.begin());
    if (found == all.end()) all.push_back(angle);
    list.push_back({op, angle, where, int(angles.size()) - 1, 0.0});
  }

  Memory& memory() const {
    if (place < known_count && known_memories[place].owner == serial) return known_memories[place];
    return new_memory();
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

  void run(Memory& mine) const;
  void run_lanes(double* r) const;

 private:
  Memory& new_memory() const;

  mutable std::atomic<int> runs_{0};
  mutable std::atomic<const MachineCode*> ready_{nullptr};
  mutable std::unique_ptr<const MachineCode> made_;
};

Memory& Program::Code::new_memory() const {
  if (memories.size() <= place) memories.resize(place + 1);
  known_memories = memories.data();
  known_count = memories.size();
  Memory& mine = memories[place];
  mine = {};
  mine.owner = serial;
  mine.registers.assign(registers(), 0.0);
  std::copy(constants.begin(), constants.end(), mine.registers.begin() + inputs());
  mine.result.assign(results.size(), 0.0);
  std::size_t most = 0;
  for (const Angles& one : angles) most = std::max(most, one.registers.size());
  for (std::vector<double>* each : {&mine.angles, &mine.sines, &mine.cosines})
    each->assign(std::size_t(room_for_sines(int(most))), 0.0);
  return mine;
}

Program::Program(const Graph& graph, const std::vector<Graph::Node>& outputs, const std::vector<int>& inputs, int numbers) {
  auto code = std::make_shared<Code>();
  code->tables = graph.tables();
  code->variables = int(inputs.size()) - numbers;
  code->numbers = numbers;
  NumberMap<int> input, place;
  for (std::size_t k = 0; k < inputs.size(); ++k) input.try_emplace(inputs[k], int(k));
  const std::vector<Graph::Node> parts = by_waves(graph, graph.parts_of(outputs));
  for (const Graph::Node k : parts) {
    const Graph::Entry& e = graph.entries()[k];
    if (e.op == Op::variable) {
      require(input.contains(e.a), "Program: variable {} is not among the inputs.", e.a);
      place[k] = input.at(e.a);
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
    } else if (is_wave(e.op)) {
      code->push_wave(e.op, place.at(e.a));
    } else {
      code->list.push_back({e.op, register_of(e.a), register_of(e.b), register_of(e.c), e.value});
    }
    place[k] = int(code->registers()) - 1;
  }
  for (const Graph::Node node : outputs) code->results.push_back(place.at(node));
  code_ = std::move(code);
}

int Program::outputs() const { return code_ ? int(code_->results.size()) : 0; }

Program::Call Program::begin() const {
  Memory& mine = code_->memory();
  return {mine.registers.data(), code_->variables, mine.known && !code_->outside, &mine};
}

const double* Program::finish(const Call& call, const double* numbers, std::uint64_t stamp) const {
  const Code& code = *code_;
  Memory& mine = *static_cast<Memory*>(call.memory);
  double* const r = call.registers;
  bool same = call.same;
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
  code.run(mine);
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

void Program::Code::run(Memory& mine) const {
  double *r = mine.registers.data(), *out = r + first();
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
      case Op::cos:
        if (&i == &list[angles[i.c].first]) {
          const std::vector<int>& from = angles[i.c].registers;
          for (std::size_t k = 0; k < from.size(); ++k) mine.angles[k] = r[from[k]];
          sines_and_cosines(mine.angles.data(), int(from.size()), mine.sines.data(), mine.cosines.data());
        }
        *out = (i.op == Op::sin ? mine.sines : mine.cosines)[i.b];
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
  double unused[lanes];
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
      case Op::sin:
        static_assert(lanes % sines_at_once == 0);
        sines_and_cosines(a, lanes, out, unused);
        break;
      case Op::cos:
        sines_and_cosines(a, lanes, unused, out);
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
