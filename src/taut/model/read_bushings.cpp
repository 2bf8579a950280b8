#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>

namespace taut {

/// Springs and dampers on ways dᵢ = aᵢ·(x_b − x_a) and turns θᵢ = ½(aₖ·bⱼ − aⱼ·bₖ), (i, j, k) in turn, between frames a and b:
///
///     V = ½ Σ kᵢ dᵢ² + ½ Σ κᵢ θᵢ²
///
/// θ is the axis of the turn times the sine of its angle: linear for small turns, bilinear in the coordinates, so that energy and momenta are kept exactly.
/// Trap: beyond a quarter of a turn the moment grows weaker again. On b act −(k d + c d′) aᵢ, and about its place −(κ θ + γ θ′) ½(bⱼ × aₖ − bₖ × aⱼ).
std::vector<JointEntry::Push> add_bushing(const std::string& name, const VectorNode& apart,
                                          const std::array<VectorNode, 3>& a, const std::array<VectorNode, 3>& b,
                                          const Item& stiffness, const std::optional<Item>& damping, Draft& draft) {
  using Node = Graph::Node;
  Graph& graph = *draft.graph;
  std::vector<Node> ways;
  std::vector<JointEntry::Push> pushes;
  for (int k = 0; k < draft.dim; ++k) {
    ways.push_back(dot(graph, apart, a[std::size_t(k)]));
    pushes.push_back({'f', a[std::size_t(k)], -1});
  }
  for (std::size_t i = draft.dim == 2 ? 2 : 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    ways.push_back(graph.multiply(graph.constant(0.5), graph.subtract(dot(graph, a[k], b[j]), dot(graph, a[j], b[k]))));
    const VectorNode one = cross(graph, b[j], a[k]), other = cross(graph, b[k], a[j]);
    VectorNode about{};
    for (std::size_t d = 0; d < 3; ++d) about[d] = graph.multiply(graph.constant(0.5), graph.subtract(one[d], other[d]));
    pushes.push_back({'m', about, -1});
  }
  const auto numbers = [&](const Item& item) {
    const std::vector<Item> list = item.is_list() ? item.list() : std::vector<Item>{};
    if (list.size() != ways.size())
      item.fail(message("of a bushing needs {} numbers: along its axes, then about {}", ways.size(),
                        draft.dim == 2 ? "its place" : "them"));
    std::vector<double> out;
    for (const Item& one : list) {
      out.push_back(draft.number(one));
      if (!(out.back() >= 0.0)) one.fail(message("must not be negative, got {}", out.back()));
    }
    return out;
  };
  LagrangianNodes nodes;
  nodes.potential = graph.constant(0.0);
  const std::vector<double> k = numbers(stiffness);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    nodes.potential =
        graph.add(nodes.potential, graph.multiply(graph.constant(0.5 * k[i]), graph.multiply(ways[i], ways[i])));
    pushes[i].force = graph.multiply(graph.constant(-k[i]), ways[i]);
  }
  if (damping) {
    const std::vector<double> c = numbers(*damping);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (c[i] == 0.0) continue;
      const Node force = graph.multiply(graph.constant(-c[i]), draft.rate(ways[i]));
      pushes[i].force = graph.add(pushes[i].force, force);
      draft.add_force_along(ways[i], force, nodes);
    }
  }
  draft.add_dynamics(nodes, "bushing of " + name);
  return pushes;
}

}  // namespace taut
