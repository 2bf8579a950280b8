#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>

/// Names that stand for expressions: `let`, and masses placed by coordinates.
namespace taut {
namespace {

/// The expressions of a definition; none as long as they name what is not there yet.
std::optional<std::vector<Graph::Node>> parsed(const std::vector<Item>& parts, Draft& draft) {
  std::vector<Graph::Node> out;
  try {
    for (const Item& part : parts) out.push_back(parse(*draft.graph, draft.scope, part.word()));
  } catch (const ExpressionError&) {
    return {};
  }
  return out;
}

/// A mass whose place is x(t, q): T = ½m|ẋ|², V = −m g·x, with ẋ = Σ ∂x/∂qᵢ q̇ᵢ + ∂x/∂t. It has no coordinates of its own.
void place_mass(const CarriedMass& mass, const std::vector<Graph::Node>& x, Draft& draft) {
  Graph& graph = *draft.graph;
  Spot spot{.massive = true};
  LagrangianNodes nodes;
  nodes.kinetic = graph.constant(0.0);
  Graph::Node potential = graph.constant(0.0);
  for (int k = 0; k < draft.dim; ++k) {
    const std::vector<int> found = graph.variables_of({x[std::size_t(k)]});
    if (!found.empty() && found.back() > draft.numbering.coordinates)
      mass.at[std::size_t(k)].fail("a velocity occurs in it; a place depends on t and coordinates");
    spot.x[k] = x[std::size_t(k)];
    const Graph::Node rate = draft.rate(spot.x[k]);
    draft.scope.symbols[mass.name + "." + "xyz"[k]] = spot.x[k];
    draft.scope.symbols[mass.name + "." + "xyz"[k] + "'"] = rate;
    draft.scope.symbols[mass.name + ".v" + "xyz"[k]] = rate;
    nodes.kinetic = graph.add(nodes.kinetic, graph.multiply(rate, rate));
    potential = graph.add(potential, graph.multiply(graph.constant(-mass.kilograms * draft.gravity[k]), spot.x[k]));
  }
  nodes.kinetic = graph.multiply(graph.constant(0.5 * mass.kilograms), nodes.kinetic);
  if (!graph.is_constant(potential)) nodes.potential = potential;
  spot.in_scene = draw_place(draft, mass.name, Scene::Place::Kind::mass, spot.x);
  draft.add_spot(mass.name, spot);
  draft.add_inertia(nodes, "mass " + mass.name);
}

}  // namespace

void read_let(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    draft.lets.emplace_back(name, one);
  }
}

/// In whatever order they stand: what names something that comes later waits for it.
void resolve_definitions(Draft& draft) {
  std::vector<char> let_done(draft.lets.size(), 0), mass_done(draft.carried.size(), 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t k = 0; k < draft.lets.size(); ++k) {
      if (let_done[k] != 0) continue;
      const auto node = parsed({draft.lets[k].second}, draft);
      if (!node) continue;
      draft.scope.symbols[draft.lets[k].first] = node->front();
      let_done[k] = 1;
      progress = true;
    }
    for (std::size_t k = 0; k < draft.carried.size(); ++k) {
      if (mass_done[k] != 0) continue;
      const auto x = parsed(draft.carried[k].at, draft);
      if (!x) continue;
      place_mass(draft.carried[k], *x, draft);
      mass_done[k] = 1;
      progress = true;
    }
  }
  // What is left says why.
  for (std::size_t k = 0; k < draft.carried.size(); ++k)
    if (mass_done[k] == 0)
      for (const Item& part : draft.carried[k].at) draft.value(part);
  for (std::size_t k = 0; k < draft.lets.size(); ++k)
    if (let_done[k] == 0) draft.value(draft.lets[k].second);
}

}  // namespace taut
