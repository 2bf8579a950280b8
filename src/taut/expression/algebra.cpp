#include <taut/expression/algebra.hpp>

namespace taut {

using Node = Graph::Node;
using Nodes = std::vector<Node>;

Node NodeAlgebra::dot(const Nodes& a, const Nodes& b) const {
  Node sum = zero;
  for (std::size_t k = 0; k < a.size(); ++k) sum = graph.add(sum, times(a[k], b[k]));
  return sum;
}

NodeAlgebra::Factor NodeAlgebra::factor(const std::vector<Nodes>& A, std::size_t begun) const {
  Factor out;
  for (std::size_t i = 0; i < A.size(); ++i) {
    Nodes row, scaled;  // L and L D of this row
    for (std::size_t j = 0; j < i; ++j) {
      Node x = A[i][j];
      for (std::size_t k = 0; k < j; ++k) x = graph.subtract(x, times(scaled[k], out.L[j][k]));
      scaled.push_back(x);
      row.push_back(times(x, out.inverse[j]));
    }
    Node d = A[i][i], whole = d;
    for (std::size_t k = 0; k < i; ++k) {
      d = graph.subtract(d, times(scaled[k], row[k]));
      if (i >= begun && k < begun) whole = d;
    }
    out.L.push_back(row);
    out.inverse.push_back(graph.divide(graph.constant(1.0), d));
    out.D.push_back(d);
    out.whole.push_back(whole);
  }
  return out;
}

Nodes NodeAlgebra::solved(const std::vector<Nodes>& L, const Nodes& inverse, const std::vector<Nodes>& U, Nodes b) const {
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) b[i] = graph.subtract(b[i], times(L[i][k], b[k]));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = times(b[i], inverse[i]);
  for (std::size_t i = b.size(); i-- > 0;)
    for (std::size_t k = i + 1; k < b.size(); ++k) b[i] = graph.subtract(b[i], times(U[k][i], b[k]));
  return b;
}

}  // namespace taut
