#include <taut/model/readers.hpp>

/// Names that are made when somebody asks for them: most models ask for few.
namespace taut {
namespace {

using Node = Graph::Node;

/// Coordinates and velocities: phi, phi', A.x, A.x', A.vx.
std::optional<Node> named_of_motion(std::string_view name, Draft& draft) {
  if (const auto own = draft.coordinate_index.find(name); own != draft.coordinate_index.end())
    return draft.graph->variable(draft.numbering.q(own->second));
  if (name.ends_with('\''))
    if (const auto own = draft.coordinate_index.find(name.substr(0, name.size() - 1)); own != draft.coordinate_index.end())
      return draft.graph->variable(draft.numbering.v(own->second));
  if (const int i = draft.coordinate_with('v', name); i >= 0) return draft.graph->variable(draft.numbering.v(i));
  return {};
}

/// Accelerations: phi'', A.x'', A.ax, also of masses that coordinates place.
std::optional<Node> named_acceleration(std::string_view name, Draft& draft) {
  Graph& graph = *draft.graph;
  const bool primes = name.ends_with("''");
  const std::string_view whole = primes ? name.substr(0, name.size() - 2) : name;
  if (primes)
    if (const auto own = draft.coordinate_index.find(whole); own != draft.coordinate_index.end())
      return graph.variable(draft.acceleration_variable(own->second));
  if (const int i = draft.coordinate_with('a', name); i >= 0) return graph.variable(draft.acceleration_variable(i));
  const std::size_t dot_at = whole.rfind('.');
  if (dot_at == std::string_view::npos || whole.size() != dot_at + (primes ? 2 : 3) || (!primes && whole[dot_at + 1] != 'a'))
    return {};
  const int axis = whole.back() - 'x';
  const std::string_view owner = whole.substr(0, dot_at);
  for (const CarriedMass& mass : draft.carried)
    if (axis >= 0 && axis < draft.dim && mass.name == owner)
      return draft.rate(draft.rate(draft.spots.at(mass.name).x[std::size_t(axis)]));
  return {};
}

std::optional<Node> named_energy(std::string_view name, Draft& draft) {
  const auto energy = [&](bool potential) { return draft.graph->variable(draft.energy_variable(potential)); };
  if (name == "kinetic" || name == "potential") return energy(name == "potential");
  if (name == "energy") return draft.graph->add(energy(false), energy(true));
  return {};
}

/// λ of constraints that have a name of one word, and the tension of rods.
std::optional<Node> named_reaction(std::string_view name, Draft& draft) {
  const std::size_t dot_at = name.rfind('.');
  if (dot_at == std::string_view::npos) return {};
  const std::string owner(name.substr(0, dot_at));
  const std::string_view what = name.substr(dot_at + 1);
  if ((what != "lambda" && what != "tension") || !Draft::is_name(owner)) return {};
  const int row = draft.row_called(owner);
  if (row < 0) return {};
  const Node lambda = draft.graph->variable(draft.lambda_variable(row));
  if (what == "lambda") return lambda;
  const auto rod = draft.rod_lengths.find(owner);
  if (rod == draft.rod_lengths.end()) return {};
  return draft.graph->multiply(draft.graph->constant(rod->second), lambda);
}

}  // namespace

std::optional<Node> named(std::string_view name, Draft& draft) {
  if (const auto found = named_of_motion(name, draft)) return found;
  if (const auto found = named_of_bodies(name, draft)) return found;
  if (!draft.watched) return {};
  for (const auto& find : {named_acceleration, named_energy, named_reaction})
    if (const auto found = find(name, draft)) return found;
  return {};
}

void add_names(const Draft& draft, std::vector<std::string>& names) {
  for (const std::string& one : draft.names) {
    names.push_back(one);
    names.push_back(one + "'");
    if (draft.watched) names.push_back(one + "''");
  }
  for (const auto& [mass, number] : draft.mass_index)
    for (int k = 0; k < draft.dim; ++k) {
      names.push_back(mass + ".v" + "xyz"[k]);
      if (draft.watched) names.push_back(mass + ".a" + "xyz"[k]);
    }
  if (!draft.watched) return;
  names.insert(names.end(), {"kinetic", "potential", "energy"});
  for (int row = 0; row < draft.system->constraint_count(); ++row)
    if (const std::string name = draft.system->constraint_name(row); Draft::is_name(name)) {
      names.push_back(name + ".lambda");
      if (draft.rod_lengths.contains(name)) names.push_back(name + ".tension");
    }
}

}  // namespace taut
