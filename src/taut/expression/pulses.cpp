#include <algorithm>
#include <cmath>
#include <taut/expression/enclosure.hpp>
#include <taut/expression/kinks.hpp>

namespace taut {
namespace {

/// Looks for the places where one expression changes, if they are a small part of the way: where bounds over a cell leave room for much more than its ends
/// show, or what they show happens in a part of it, the cell is halved, until neither is so. Cells of one length are looked at before shorter ones.
class Narrow {
 public:
  Narrow(const Graph& graph, Graph::Node node, int time, Interval way) : value_(graph, node, time), way_(way) {}

  std::vector<Interval> places() {
    constexpr int cells = 64, most_places = 20, most_halved = 1000, deepest = 44;
    constexpr double much = 0.25;  // of the way
    const auto place = [&](int k) { return way_.low + way_.width() * k / cells; };
    std::vector<Cell> level, halves;
    double before = value_.at(way_.low);
    Interval all = value_({way_.low, way_.low});
    for (int k = 0; k < cells; ++k) {
      const Interval part{place(k), place(k + 1)};
      level.push_back({part, value_(part), before, value_.at(part.high)});
      before = level.back().last;
      const Interval& bounds = level.back().bounds;
      if (std::isfinite(bounds.width())) all = {std::min(all.low, bounds.low), std::max(all.high, bounds.high)};
    }
    enough_ = 0.05 * all.width();
    if (!std::isfinite(enough_)) return {};
    // What vibrates in most cells is known at once: a pulse reaches into two of them at most.
    const auto full = [&](const Cell& one) { return one.bounds.width() > 0.9 * all.width(); };
    if (std::ranges::count_if(level, full) > 2 * most_places) return {};
    int halved = 0;
    for (int depth = 0; !level.empty(); ++depth) {
      halves.clear();
      for (const Cell& one : level) {
        if (depth < deepest && (hides(one) || steep(one))) {
          halve(one, halves);
        } else if (one.bounds.width() > 0.1 * enough_) {
          found_.push_back(one.part);
        }
      }
      halved += int(halves.size()) / 2;
      if (halved >= most_halved) return {};  // it vibrates
      level.swap(halves);
    }
    join();
    // What stays as it has become needs no care: the next steps see it.
    std::erase_if(found_, [&](const Interval& one) {
      return !hides({one, value_(one), value_.at(one.low), value_.at(one.high)});
    });
    double length = 0.0;
    for (const Interval& one : found_) length += one.width();
    const bool vibrates = int(found_.size()) > most_places || length > much * way_.width();
    return vibrates ? std::vector<Interval>{} : found_;
  }

  /// A place with what it rises from and falls to: next to nothing beside it, but more than tolerances of the run.
  Interval with_tails(Interval one) {
    constexpr int most = 16;
    const double small = 1e-9 * (enough_ / 0.05), width = one.width();
    const auto flat = [&](double low, double high) { return value_({low, high}).width() <= small; };
    for (int k = 0; k < most && one.low > way_.low && !flat(one.low - width, one.low); ++k) one.low -= width;
    for (int k = 0; k < most && one.high < way_.high && !flat(one.high, one.high + width); ++k) one.high += width;
    return {std::max(one.low, way_.low), std::min(one.high, way_.high)};
  }

 private:
  struct Cell {
    Interval part, bounds;
    double first, last;  ///< values at its ends
  };

  /// Neighbours are one, and what goes up and soon down again.
  void join() {
    std::ranges::sort(found_, {}, &Interval::low);
    const auto merge = [this](const auto& near) {
      std::vector<Interval> joined;
      for (const Interval& one : found_) {
        if (!joined.empty() && one.low - joined.back().high <= near(joined.back(), one)) {
          joined.back().high = one.high;
        } else {
          joined.push_back(one);
        }
      }
      found_ = std::move(joined);
    };
    merge([](const Interval&, const Interval& one) { return 4.0 * one.width(); });
    merge([](const Interval& last, const Interval& one) { return 8.0 * std::max(one.width(), last.width()); });
  }

  /// Whether there may be much more in a cell than its ends show.
  bool hides(const Cell& cell) const { return !(cell.bounds.width() - std::abs(cell.last - cell.first) <= enough_); }

  /// Whether what the ends show happens in a part of the cell: half of a pulse, if its middle is an end.
  bool steep(const Cell& cell) {
    const double change = cell.last - cell.first;
    if (!(std::abs(change) > 0.1 * enough_)) return false;
    for (const double share : {0.25, 0.5, 0.75})
      if (std::abs(value_.at(cell.part.low + share * cell.part.width()) - cell.first - share * change) >
          0.2 * std::abs(change))
        return true;
    return false;
  }

  void halve(const Cell& cell, std::vector<Cell>& into) {
    const double middle = 0.5 * (cell.part.low + cell.part.high), between = value_.at(middle);
    const Interval left{cell.part.low, middle}, right{middle, cell.part.high};
    into.push_back({left, value_(left), cell.first, between});
    into.push_back({right, value_(right), between, cell.last});
  }

  Enclosure value_;
  Interval way_;
  double enough_ = 0.0;
  std::vector<Interval> found_;
};

/// The nodes of time alone that others are made of, and the parts of their sums.
std::vector<Graph::Node> whole_functions(const Graph& graph, int time, std::size_t nodes) {
  const auto& entries = graph.entries();
  const auto timed = [&](std::size_t k) { return graph.only_of(Graph::Node(k), time); };
  std::size_t first = 0;
  while (first < entries.size() && (!timed(first) || entries[first].op == Op::variable)) ++first;
  std::vector<Graph::Node> out;
  if (first == entries.size()) return out;
  std::vector<char> inside(entries.size(), 0), looked(entries.size(), 0);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (timed(k)) entries[k].each_argument([&](int argument) { inside[std::size_t(argument)] = 1; });
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (!timed(k)) entries[k].each_argument([&](int argument) { inside[std::size_t(argument)] = 0; });
  for (std::size_t k = std::min(nodes, entries.size()); k-- > 0;) {  // sums come after their parts
    const Graph::Entry& e = entries[k];
    if (!timed(k) || e.op == Op::variable || (inside[k] != 0 && looked[k] == 0)) continue;
    if (e.op == Op::add || e.op == Op::subtract || e.op == Op::negate || e.op == Op::multiply)
      e.each_argument([&](int argument) { looked[std::size_t(argument)] = 1; });
    out.push_back(Graph::Node(k));
  }
  return out;
}

}  // namespace

std::vector<double> pulses_in_time(const Graph& graph, int time, double from, double to, std::size_t nodes) {
  std::vector<double> out;
  if (!(std::abs(to - from) > 0.0) || !std::isfinite(to - from)) return out;
  const Interval way{std::min(from, to), std::max(from, to)};
  constexpr std::size_t most = 200;
  const std::vector<Graph::Node> all = whole_functions(graph, time, nodes > 0 ? nodes : graph.entries().size());
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k) {
    Narrow narrow(graph, all[k], time, way);
    for (const Interval& one : narrow.places()) {
      const Interval whole = narrow.with_tails(one);
      out.insert(out.end(), {whole.low, one.low, one.high, whole.high});
    }
  }
  std::sort(out.begin(), out.end());
  const double near = 1e-12 * (std::abs(from) + std::abs(to));
  out.erase(std::unique(out.begin(), out.end(), [&](double a, double b) { return b - a <= near; }), out.end());
  return out;
}

}  // namespace taut
