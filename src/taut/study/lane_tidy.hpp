#pragma once

#include <taut/expression/graph.hpp>

namespace taut {

/// Expressions as a graph of derivatives leaves them, made shorter: constant factors and signs are pulled out of products, quotients and sums and multiplied once,
/// ½(d + d) is d, a − b and b − a are one difference, and a·b + a·c is a·(b + c). Values change by rounding at most. Returns the nodes in the place of the given ones.
std::vector<Graph::Node> tidied(Graph& graph, const std::vector<Graph::Node>& nodes);

}  // namespace taut
