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

}  // namespace

void read_kinetic(const Item& item, Draft& draft) { draft.lagrangian.kinetic = total(item, draft); }

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
    if (push_body(name, one, draft)) continue;
    if (carried && axis >= 0 && axis < draft.dim) {
      draft.add_force_along(spot->second.x[axis], draft.value(one), draft.lagrangian);
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
