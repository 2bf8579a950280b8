#pragma once

#include <array>
#include <taut/expression/graph.hpp>

namespace taut {

struct Interval {
  double low, high;
  double width() const { return high - low; }
};

/// Bounds of an expression of one variable while that runs through an interval, by interval arithmetic: never too narrow but for round-off, wider than the
/// values where the variable occurs more than once, and tight in the limit of short intervals.
class Enclosure {
 public:
  Enclosure(const Graph& graph, Graph::Node node, int variable);
  Interval operator()(Interval x);
  double at(double x) { return operator()({x, x}).low; }

 private:
  /// One part of the expression, and where its arguments stand among the parts.
  struct Part {
    Graph::Entry entry;
    std::array<int, 3> arguments;
  };
  Interval of(const Part& part) const;
  Interval argument(int place) const { return place < 0 ? Interval{0.0, 0.0} : found_[std::size_t(place)]; }
  Interval of_table(const Part& part) const;

  const Graph& graph_;
  std::vector<Part> parts_;  // arguments first
  std::vector<Interval> found_;
  Interval x_{0.0, 0.0};
  int variable_;
};

}  // namespace taut
