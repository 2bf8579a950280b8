#include <algorithm>
#include <taut/model/readers.hpp>

namespace taut {
namespace {

/// An expression, or the sum of a list of them.
Graph::Node total(const Item& item, Draft& draft) {
  if (!item.is_list()) return draft.value(item);
  Graph::Node sum = draft.graph->constant(0.0);
  for (const Item& one : item.list()) sum = draft.graph->add(sum, draft.value(one));
  return sum;
}

/// A force F along x(t, q), which is no coordinate: Qᵢ = F ∂x/∂qᵢ.
void push(Graph::Node x, Graph::Node force, Draft& draft) {
  Graph& graph = *draft.graph;
  for (const int variable : graph.variables_of({x}))
    if (variable != draft.numbering.time())
      draft.lagrangian.forces.emplace_back(variable - draft.numbering.q(0),
                                           graph.multiply(force, graph.derivative(x, variable)));
}

/// The degree in velocities of every node, read from the form of the expression; `other` where it is not a polynomial of them in this form.
int degree_in_velocities(const Graph& graph, Numbering numbering, Graph::Node node) {
  constexpr int other = 1000;
  std::vector<int> degree(std::size_t(node) + 1, 0);
  const std::vector<char> needed = graph.needed_by({node});
  for (std::size_t k = 0; k < degree.size(); ++k) {
    if (needed[k] == 0) continue;
    const Graph::Entry& e = graph.entries()[k];
    const auto of = [&](int argument) { return argument >= 0 ? degree[std::size_t(argument)] : 0; };
    switch (e.op) {
      case Op::constant:
        break;
      case Op::variable:
        degree[k] = e.a > numbering.coordinates ? 1 : 0;
        break;
      case Op::add:
      case Op::subtract:
        degree[k] = std::max(of(e.a), of(e.b));
        break;
      case Op::negate:
        degree[k] = of(e.a);
        break;
      case Op::multiply:
        degree[k] = std::min(other, of(e.a) + of(e.b));
        break;
      case Op::divide:
        degree[k] = of(e.b) == 0 ? of(e.a) : other;
        break;
      case Op::integer_power:
        degree[k] = of(e.a) == 0 ? 0 : (e.value >= 0.0 ? std::min(other, of(e.a) * int(std::min(e.value, 1e3))) : other);
        break;
      case Op::select:
        degree[k] = of(e.a) == 0 ? std::max(of(e.b), of(e.c)) : other;
        break;
      case Op::table:
        degree[k] = of(e.a) == 0 ? 0 : other;
        break;
      default:
        degree[k] = of(e.a) == 0 && of(e.b) == 0 && of(e.c) == 0 ? 0 : other;
    }
  }
  return degree.back();
}

/// Momenta must be linear in the velocities: where the form does not show it, the third derivatives must vanish.
bool quadratic(Graph& graph, Numbering numbering, Graph::Node kinetic) {
  if (degree_in_velocities(graph, numbering, kinetic) <= 2) return true;
  std::vector<int> velocities;
  for (const int variable : graph.variables_of({kinetic}))
    if (variable > numbering.coordinates) velocities.push_back(variable);
  for (const int a : velocities) {
    const Graph::Node p = graph.derivative(kinetic, a);
    if (graph.is_constant(p)) continue;
    for (const int b : velocities) {
      const std::vector<int> left = graph.variables_of({graph.derivative(p, b)});
      if (!left.empty() && left.back() > numbering.coordinates) return false;
    }
  }
  return true;
}

}  // namespace

void read_kinetic(const Item& item, Draft& draft) {
  draft.lagrangian.kinetic = total(item, draft);
  if (!quadratic(*draft.graph, draft.numbering, draft.lagrangian.kinetic)) item.fail("must be quadratic in the velocities");
}

void read_potential(const Item& item, Draft& draft) {
  draft.lagrangian.potential = total(item, draft);
  const std::vector<int> found = draft.graph->variables_of({draft.lagrangian.potential});
  if (!found.empty() && found.back() > draft.numbering.coordinates)
    item.fail("a velocity occurs in it; such forces belong under `forces`");
}

void read_forces(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    const std::size_t dot = name.rfind('.');
    const auto spot = dot == std::string::npos ? draft.spots.end() : draft.spots.find(name.substr(0, dot));
    const int axis = dot != std::string::npos && dot + 2 == name.size() ? name.back() - 'x' : -1;
    const bool carried = spot != draft.spots.end() && spot->second.massive && spot->second.point < 0;
    if (carried && axis >= 0 && axis < draft.dim) {
      push(spot->second.x[axis], draft.value(one), draft);
    } else {
      draft.lagrangian.forces.emplace_back(draft.coordinate(one, name), draft.value(one));
    }
  }
}

void add_lagrangian(Draft& draft) {
  const LagrangianNodes& nodes = draft.lagrangian;
  if (nodes.kinetic >= 0) {
    draft.add_inertia(nodes, "the model's expressions");
  } else if (nodes.potential >= 0 || !nodes.forces.empty()) {
    draft.add_dynamics(nodes, "the model's expressions");
  }
}

}  // namespace taut
