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

void read_kinetic(const Item& item, Draft& draft) {
  draft.lagrangian.kinetic = total(item, draft);
  const auto velocity = [&](int variable) { return draft.numbering.is_velocity(variable); };
  if (draft.graph->degree(draft.lagrangian.kinetic, velocity) > 2) item.fail("must be quadratic in the velocities");
}

void read_potential(const Item& item, Draft& draft) {
  draft.lagrangian.potential = total(item, draft);
  const std::vector<int> found = draft.graph->variables_of({draft.lagrangian.potential});
  if (!found.empty() && found.back() > draft.numbering.coordinates)
    item.fail("a velocity occurs in it; such forces belong under `forces`");
}

void read_forces(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries())
    draft.lagrangian.forces.emplace_back(draft.coordinate(one, name), draft.value(one));
}

void add_lagrangian(Draft& draft) {
  const LagrangianNodes& nodes = draft.lagrangian;
  if (nodes.kinetic >= 0 || nodes.potential >= 0 || !nodes.forces.empty())
    draft.add_dynamics(nodes, "the model's expressions");
}

}  // namespace taut
