#pragma once

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
  Interval of(const Graph::Entry& e) const;
  Interval argument(int node) const;
  Interval of_table(const Graph::Entry& e) const;

  const Graph& graph_;
  std::vector<Graph::Node> parts_;  // arguments first
  std::unordered_map<Graph::Node, std::size_t> place_;
  std::vector<Interval> found_;
  Interval x_{0.0, 0.0};
  int variable_;
};

}  // namespace taut
