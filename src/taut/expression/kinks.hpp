#pragma once

#include <taut/expression/graph.hpp>

namespace taut {

/// Times between two others at which expressions jump or have a kink by time alone: `if(t < a, …)`, `step(t − a)`, |sin t|, tables of straight lines.
/// In the order of time. What changes more often than a thousandth of the way is no jump but a vibration, and left out.
/// Of the first `nodes` of the graph; 0: of all.
std::vector<double> kinks_in_time(const Graph& graph, int time, double from, double to, std::size_t nodes = 0);

/// Beginnings and ends, in the order of time, of what happens by time alone in a small part of the way, as exp(−((t − a)/w)²) does: steps that follow the
/// rest of the motion may pass it unseen. What changes all the time, or again and again, is left out.
std::vector<double> pulses_in_time(const Graph& graph, int time, double from, double to, std::size_t nodes = 0);

/// Whether expressions hold what may change much in a small part of the way for other reasons than time: |x|, max(0, x), if(x < a, …), exp(−x²/w²), tables.
bool bends_by_place(const Graph& graph, int time);

}  // namespace taut
