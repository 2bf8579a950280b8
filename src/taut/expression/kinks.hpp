#pragma once

#include <taut/expression/graph.hpp>

namespace taut {

/// Times between two others at which expressions jump or have a kink by time alone: `if(t < a, …)`, `step(t − a)`, |sin t|, tables of straight lines.
/// In the order of time. What changes more often than a thousandth of the way is no jump but a vibration, and left out.
/// Of the first `nodes` of the graph; 0: of all.
std::vector<double> kinks_in_time(const Graph& graph, int time, double from, double to, std::size_t nodes = 0);

}  // namespace taut
