#pragma once

#include <taut/model/draft.hpp>

/// Vectors of the space of a model: as numbers where it gives them, as expressions where they move. In the plane the third component is nothing.
namespace taut {

using VectorNode = std::array<Graph::Node, 3>;

inline Eigen::Vector3d read_vector(const Item& item, Draft& draft) {
  Eigen::Vector3d out = Eigen::Vector3d::Zero();
  const std::vector<Item> numbers = draft.axes(item);
  for (int k = 0; k < draft.dim; ++k) out[k] = draft.number(numbers[std::size_t(k)]);
  return out;
}

/// Of length one.
inline Eigen::Vector3d read_direction(const Item& item, Draft& draft) {
  const Eigen::Vector3d out = read_vector(item, draft);
  if (!(out.norm() > 0.0)) item.fail("a direction must not be zero");
  return out.normalized();
}

inline std::array<double, 3> three(const Eigen::Vector3d& x) { return {x[0], x[1], x[2]}; }

/// Components that are round-off of a turn count as nothing.
inline VectorNode constant_vector(Graph& graph, const Eigen::Vector3d& x) {
  VectorNode out{};
  for (int k = 0; k < 3; ++k) out[std::size_t(k)] = graph.constant(std::abs(x[k]) < 1e-16 ? 0.0 : x[k]);
  return out;
}

inline Graph::Node dot(Graph& graph, const VectorNode& x, const VectorNode& y) {
  Graph::Node sum = graph.constant(0.0);
  for (std::size_t k = 0; k < 3; ++k) sum = graph.add(sum, graph.multiply(x[k], y[k]));
  return sum;
}

inline VectorNode cross(Graph& graph, const VectorNode& x, const VectorNode& y) {
  VectorNode out{};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = graph.subtract(graph.multiply(x[i], y[j]), graph.multiply(x[j], y[i]));
  }
  return out;
}

/// A vector of numbers turned about an axis of length one (Rodrigues): x cos φ + n × x sin φ + n (n·x)(1 − cos φ).
inline VectorNode turned_by(Graph& graph, const Eigen::Vector3d& x, const Eigen::Vector3d& n, Graph::Node angle) {
  const Graph::Node c = graph.make(Op::cos, angle), s = graph.make(Op::sin, angle);
  const Eigen::Vector3d along = n * n.dot(x),
                        across(n[1] * x[2] - n[2] * x[1], n[2] * x[0] - n[0] * x[2], n[0] * x[1] - n[1] * x[0]);
  const VectorNode of_c = constant_vector(graph, x - along), of_s = constant_vector(graph, across);
  VectorNode out = constant_vector(graph, along);
  for (std::size_t k = 0; k < 3; ++k)
    out[k] = graph.add(out[k], graph.add(graph.multiply(of_c[k], c), graph.multiply(of_s[k], s)));
  return out;
}

}  // namespace taut
