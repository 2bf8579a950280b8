#pragma once

#include <taut/expression/graph.hpp>

namespace taut {

/// Matrices of expressions; what is zero is the constant 0, which the graph drops from sums and products.
class NodeAlgebra {
 public:
  using Node = Graph::Node;
  using Nodes = std::vector<Node>;

  explicit NodeAlgebra(Graph& of) : graph(of), zero(of.constant(0.0)) {}
  Graph& graph;
  Node zero;

  Node times(Node a, Node b) const { return graph.multiply(a, b); }
  Node dot(const Nodes& a, const Nodes& b) const;

  /// A = L D Lᵀ, by rows of L without its diagonal, and 1/D; D beside it, and what is left of the diagonal of A after the first `begun` rows (the whole
  /// of it for these).
  struct Factor {
    std::vector<Nodes> L;
    Nodes inverse, D, whole;
  };
  Factor factor(const std::vector<Nodes>& A, std::size_t begun = 0) const;
  Nodes solve(const Factor& f, const Nodes& b) const { return solved(f.L, f.inverse, f.L, b); }

 protected:
  /// By rows of L and columns of U.
  Nodes solved(const std::vector<Nodes>& L, const Nodes& inverse, const std::vector<Nodes>& U, Nodes b) const;
};

}  // namespace taut
