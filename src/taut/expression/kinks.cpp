#include <algorithm>
#include <cmath>
#include <optional>
#include <taut/expression/enclosure.hpp>
#include <taut/expression/kinks.hpp>
#include <taut/expression/program.hpp>

namespace taut {

bool bends_by_place(const Graph& graph, int time) {
  for (Graph::Node k = 0; k < Graph::Node(graph.entries().size()); ++k) {
    const Op op = graph.entries()[std::size_t(k)].op;
    const bool steep = op == Op::exp || op == Op::tanh || op == Op::abs || op == Op::min || op == Op::max ||
                       op == Op::sign || op == Op::step || op == Op::select || op == Op::table;
    if (steep && graph.of_others(k, time)) return true;
  }
  return false;
}

namespace {

class Zeros {
 public:
  Zeros(double from, double to, std::vector<double>& found)
      : from_(std::min(from, to)), to_(std::max(from, to)), forward_(to >= from), found_(found) {}

  /// The last times, on the way, before a − b changes its sign, or a − less.
  void of(const Graph& graph, Graph::Node a, Graph::Node b, double less, int time) {
    std::vector<Graph::Node> nodes{a};
    if (b >= 0) nodes.push_back(b);
    const Program program(graph, nodes, {time});
    const auto value = [&](double t) {
      const double* found = program(&t);
      return found[0] - (b >= 0 ? found[1] : less);
    };
    std::vector<double> mine;
    if (by_bounds(graph, a, b, less, time, value, mine)) {
      found_.insert(found_.end(), mine.begin(), mine.end());
      return;
    }
    constexpr int lanes = Program::lanes, samples = 500 * lanes, most = 1000;
    mine.clear();
    double last = from_, before = value(from_), times[lanes], values[2 * lanes];
    for (int k = 1; k <= samples; k += lanes) {
      for (int lane = 0; lane < lanes; ++lane) times[lane] = from_ + (to_ - from_) * (k + lane) / samples;
      program.run_lanes(times, values);
      for (int lane = 0; lane < lanes; ++lane) {
        const double t = times[lane], now = values[lane] - (b >= 0 ? values[lanes + lane] : less);
        if (before != 0.0 && before * now <= 0.0) mine.push_back(crossing(value, last, t, before));
        last = t;
        before = now;
      }
    }
    if (int(mine.size()) <= most) found_.insert(found_.end(), mine.begin(), mine.end());
  }

 private:
  /// All of them, however near each other: cells are halved until bounds exclude a zero or the cell is one. False where there are too many to say, as soon as
  /// what is behind foretells it.
  template <class Value>
  bool by_bounds(const Graph& graph, Graph::Node a, Graph::Node b, double less, int time, const Value& value,
                 std::vector<double>& mine) {
    constexpr long first_looks = 4000;
    Enclosure first(graph, a, time);
    std::optional<Enclosure> second;
    if (b >= 0) second.emplace(graph, b, time);
    const double shortest = 1e-13 * (to_ - from_);
    std::vector<Interval> cells{{from_, to_}};
    double ahead = to_ - from_;
    for (long looked = 1; !cells.empty(); ++looked, --looks_) {
      const double behind = to_ - from_ - ahead;
      if (looked % first_looks == 0 && double(looked) * ahead > double(looks_) * behind) return false;
      const Interval cell = cells.back(), bounds = first(cell);
      cells.pop_back();
      const Interval other = second ? (*second)(cell) : Interval{less, less};
      if (bounds.low > other.high || bounds.high < other.low) {
        ahead -= cell.width();
        continue;
      }
      const double middle = 0.5 * (cell.low + cell.high);
      if (cell.width() > shortest && cell.low < middle && middle < cell.high) {
        cells.push_back({cell.low, middle});
        cells.push_back({middle, cell.high});
        continue;
      }
      ahead -= cell.width();
      const double before = value(cell.low), after = value(cell.high);
      if (before != 0.0 && before * after <= 0.0) mine.push_back(crossing(value, cell.low, cell.high, before));
    }
    return true;
  }

  template <class Value> double crossing(const Value& value, double low, double high, double side) const {
    for (int i = 0; i < 80; ++i) {
      const double middle = 0.5 * (low + high);
      if (middle == low || middle == high) break;
      const double now = value(middle);
      if (now == 0.0) return middle;
      (now * side > 0.0 ? low : high) = middle;
    }
    return forward_ && value(high) != 0.0 ? low : high;
  }

  double from_, to_;
  bool forward_;
  long looks_ = 1'000'000;  // for all functions together: some tenths of a second
  std::vector<double>& found_;
};

}  // namespace

std::vector<double> kinks_in_time(const Graph& graph, int time, double from, double to, std::size_t nodes) {
  std::vector<double> found;
  if (!(std::abs(to - from) > 0.0) || !std::isfinite(to - from)) return found;
  const auto& entries = graph.entries();
  Zeros zeros(from, to, found);
  for (std::size_t k = 0; k < (nodes > 0 ? nodes : entries.size()); ++k) {
    if (!graph.only_of(Graph::Node(k), time)) continue;
    const Graph::Entry& e = entries[k];
    switch (e.op) {
      case Op::less:
      case Op::less_equal:
      case Op::step:
        zeros.of(graph, Graph::Node(k), -1, 0.5, time);
        break;
      case Op::min:
      case Op::max:
        zeros.of(graph, e.a, e.b, 0.0, time);
        break;
      case Op::sign:
      case Op::abs:
        zeros.of(graph, e.a, -1, 0.0, time);
        break;
      case Op::table: {
        const Table& table = *graph.tables()[std::size_t(e.b)];
        if (table.kind() == Table::Kind::linear)
          for (const double point : table.points()) zeros.of(graph, e.a, -1, point, time);
        break;
      }
      default:
        break;
    }
  }
  std::sort(found.begin(), found.end());
  // The same time computed in two ways is one.
  const double near = 1e-12 * (std::abs(from) + std::abs(to));
  found.erase(std::unique(found.begin(), found.end(), [&](double a, double b) { return b - a <= near; }), found.end());
  return found;
}

}  // namespace taut
