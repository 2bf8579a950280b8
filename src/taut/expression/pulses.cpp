#include <algorithm>
#include <cmath>
#include <taut/expression/enclosure.hpp>
#include <taut/expression/kinks.hpp>

namespace taut {
namespace {

/// Looks for the places where one expression changes, if they are a small part of the way: where bounds over a cell leave room for much more than its ends
/// show, or what they show happens in a part of it, the cell is halved, until neither is so.
class Narrow {
 public:
  Narrow(const Graph& graph, Graph::Node node, int time, Interval way) : value_(graph, node, time), way_(way) {}

  std::vector<Interval> places() {
    constexpr int cells = 64, most_places = 20;
    const auto place = [&](int k) { return way_.low + way_.width() * k / cells; };
    std::vector<Interval> bounds;
    Interval all = value_({way_.low, way_.low});
    for (int k = 0; k < cells; ++k) {
      bounds.push_back(value_({place(k), place(k + 1)}));
      if (!std::isfinite(bounds.back().width())) continue;
      all = {std::min(all.low, bounds.back().low), std::max(all.high, bounds.back().high)};
    }
    enough_ = 0.05 * all.width();
    if (!std::isfinite(enough_)) return {};
    for (int k = 0; k < cells && halved_ < most_halved; ++k) look({place(k), place(k + 1)}, bounds[std::size_t(k)], 0);
    join();
    // What stays as it has become needs no care: the next steps see it.
    std::erase_if(found_, [&](const Interval& one) { return !hides(one, value_(one)); });
    double length = 0.0;
    for (const Interval& one : found_) length += one.width();
    const bool vibrates = halved_ >= most_halved || int(found_.size()) > most_places || length > 0.25 * way_.width();
    return vibrates ? std::vector<Interval>{} : found_;
  }

 private:
  static constexpr int most_halved = 1000, deepest = 44;

  /// What goes up and soon down again is one.
  void join() {
    std::vector<Interval> joined;
    for (const Interval& one : found_) {
      const bool near =
          !joined.empty() && one.low - joined.back().high <= 8.0 * std::max(one.width(), joined.back().width());
      if (near) {
        joined.back().high = one.high;
      } else {
        joined.push_back(one);
      }
    }
    found_ = std::move(joined);
  }

  /// Whether there may be much more in a cell than its ends show.
  bool hides(const Interval& cell, const Interval& bounds) {
    return !(bounds.width() - std::abs(value_.at(cell.high) - value_.at(cell.low)) <= enough_);
  }

  /// Whether what the ends show happens in a part of the cell: half of a pulse, if its middle is an end.
  bool steep(const Interval& cell) {
    const double begins = value_.at(cell.low), change = value_.at(cell.high) - begins;
    if (!(std::abs(change) > 0.1 * enough_)) return false;
    for (const double share : {0.25, 0.5, 0.75})
      if (std::abs(value_.at(cell.low + share * cell.width()) - begins - share * change) > 0.2 * std::abs(change))
        return true;
    return false;
  }

  void look(Interval cell, const Interval& bounds, int depth) {
    if (!(hides(cell, bounds) || steep(cell)) || depth == deepest || halved_ >= most_halved) {
      if (bounds.width() <= 0.1 * enough_) return;
      const bool goes_on = !found_.empty() && cell.low - found_.back().high <= 4.0 * cell.width();
      if (goes_on) {
        found_.back().high = cell.high;
      } else {
        found_.push_back(cell);
      }
      return;
    }
    ++halved_;
    const double middle = 0.5 * (cell.low + cell.high);
    for (const Interval half : {Interval{cell.low, middle}, Interval{middle, cell.high}})
      look(half, value_(half), depth + 1);
  }

  Enclosure value_;
  Interval way_;
  double enough_ = 0.0;
  int halved_ = 0;
  std::vector<Interval> found_;
};

/// The nodes of time alone that others are made of, and the parts of their sums.
std::vector<Graph::Node> whole_functions(const Graph& graph, int time, std::size_t nodes) {
  const std::vector<char> timed = nodes_of_time_alone(graph, time);
  const auto& entries = graph.entries();
  std::vector<char> inside(entries.size(), 0), looked(entries.size(), 0);
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (timed[k] != 0) entries[k].each_argument([&](int argument) { inside[std::size_t(argument)] = 1; });
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (timed[k] == 0) entries[k].each_argument([&](int argument) { inside[std::size_t(argument)] = 0; });
  std::vector<Graph::Node> out;
  for (std::size_t k = std::min(nodes, entries.size()); k-- > 0;) {  // sums come after their parts
    const Graph::Entry& e = entries[k];
    if (timed[k] == 0 || e.op == Op::variable || (inside[k] != 0 && looked[k] == 0)) continue;
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
  for (std::size_t k = 0; k < std::min(all.size(), most); ++k)
    for (const Interval& one : Narrow(graph, all[k], time, way).places()) {
      out.push_back(one.low);
      out.push_back(one.high);
    }
  std::sort(out.begin(), out.end());
  const double near = 1e-12 * (std::abs(from) + std::abs(to));
  out.erase(std::unique(out.begin(), out.end(), [&](double a, double b) { return b - a <= near; }), out.end());
  return out;
}

}  // namespace taut
