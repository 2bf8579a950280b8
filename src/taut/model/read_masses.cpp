#include <map>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>
#include <taut/system/terms/element.hpp>
#include <taut/system/terms/gravity.hpp>

namespace taut {
namespace {

constexpr int most_coordinates = 200'000;

/// Whether a place names something that is not there yet: coordinates, and what is made of them.
bool depends(const std::vector<Item>& place, Draft& draft) {
  if (!draft.defines) return false;
  try {
    for (const Item& one : place)
      if (one.is_word() && !draft.graph->is_constant(parse(*draft.graph, draft.scope, one.word()))) return false;
  } catch (const ExpressionError&) {
    return true;
  }
  return false;
}

}  // namespace

void read_masses(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    MassEntry mass{.name = name};
    bool has_mass = false;
    std::vector<Item> at;
    std::optional<Item> velocity;
    for (const auto& [key, part] : one.entries(forms().mass.keys)) {
      if (key == "mass") {
        mass.kilograms = draft.number(part);
        has_mass = true;
        if (!(mass.kilograms > 0.0)) part.fail(message("must be positive, got {}", mass.kilograms));
        continue;
      }
      const std::vector<Item> numbers = draft.axes(part);
      if (key == "at" && depends(numbers, draft)) {
        at = numbers;
        continue;
      }
      if (key == "velocity") velocity = part;
      for (int k = 0; k < draft.dim; ++k) (key == "at" ? mass.at : mass.velocity)[k] = draft.number(numbers[k]);
      if (key == "at") mass.placed = true;
    }
    if (!has_mass) one.fail("needs a `mass`");
    if (!at.empty()) {
      if (velocity) velocity->fail("follows from the coordinates that place the mass; give theirs under `initial`");
      draft.carried.push_back({name, mass.kilograms, at});
      continue;
    }
    draft.mass_index.try_emplace(name, int(draft.masses.size()));
    draft.masses.push_back(std::move(mass));
  }
}

void read_coordinates(const Item& item, Draft& draft) {
  for (const Item& one : item.list()) {
    draft.take_name(one, one.word());
    draft.generalized.push_back(one.word());
  }
}

namespace {

/// Its coordinates, and the place A.
void add_mass(const MassEntry& mass, Draft& draft) {
  const int first = int(draft.names.size());
  Spot spot{.point = first / draft.dim, .massive = true, .in_scene = int(draft.model.scene.places.size())};
  Scene::Place drawn{.name = mass.name};
  for (int k = 0; k < draft.dim; ++k) {
    draft.add_coordinate(mass.name + "." + "xyz"[k]);
    spot.x[k] = draft.graph->variable(draft.numbering.q(first + k));
    drawn.x[std::size_t(k)].weights = {{first + k, 1.0}};
    draft.q[first + k] = mass.at[k];
    draft.v[first + k] = mass.velocity[k];
    draft.given_q[std::size_t(first + k)] = mass.placed ? 1 : 0;
  }
  draft.add_spot(mass.name, spot);
  draft.model.scene.places.push_back(std::move(drawn));
}

void add_gravity(Draft& draft) {
  if (!draft.gravity_item) return;
  if (draft.masses.empty() && draft.continua.beams.empty() && draft.carried.empty() && draft.bodies.empty())
    draft.gravity_item->fail("acts on `masses`, `bodies` and `beams`, and there are none; write it into `potential`");
  for (std::size_t m = 0; m < draft.masses.size(); ++m)
    for (int k = 0; k < draft.dim; ++k)
      if (draft.gravity[k] != 0.0)
        draft.system->add(Weight{int(m) * draft.dim + k, -draft.masses[m].kilograms * draft.gravity[k]},
                          "gravity on " + draft.masses[m].name);
}

/// −c m v on each mass.
void add_damping(Draft& draft) {
  if (draft.damping == 0.0) return;
  std::map<double, std::shared_ptr<const ElementMatrices<1>>> shared;  // by mass: equal ones are one
  for (std::size_t m = 0; m < draft.masses.size(); ++m) {
    const double kilograms = draft.masses[m].kilograms;
    auto& matrices = shared[kilograms];
    if (matrices == nullptr)
      matrices = std::make_shared<const ElementMatrices<1>>(ElementMatrices<1>{.damping = {draft.damping * kilograms}});
    for (int k = 0; k < draft.dim; ++k)
      draft.system->add(Element<1, 1>{{int(m) * draft.dim + k}, matrices}, "damping of " + draft.masses[m].name);
  }
}

}  // namespace

/// Masses come first, x y (z) each, then beams, bodies and strings, then the generalised coordinates.
void make_system(Draft& draft) {
  const std::size_t own = draft.masses.size() * std::size_t(draft.dim);
  const std::size_t count = own + std::size_t(continuum_coordinates(draft)) + std::size_t(body_points(draft) * draft.dim) +
                            draft.generalized.size();
  if (count == 0) throw InputError("nothing moves: give `masses`, `bodies`, `beams`, `strings` or `coordinates`.");
  require(count <= std::size_t(most_coordinates), "{} coordinates are more than {}.", count, most_coordinates);
  draft.numbering.coordinates = int(count);
  draft.q = draft.v = Vector::Zero(draft.numbering.coordinates);
  draft.given_q.assign(count, 0);
  draft.names.reserve(count);
  draft.coordinate_index.reserve(count);
  draft.spots.reserve(draft.masses.size());

  Points points{.count = int(draft.masses.size()), .dim = draft.dim};
  for (const MassEntry& mass : draft.masses) {
    points.masses.push_back(mass.kilograms);
    add_mass(mass, draft);
  }
  add_beam_coordinates(draft);
  add_body_coordinates(draft);
  add_string_coordinates(draft);
  for (const std::string& name : draft.generalized) draft.add_coordinate(name);
  if (draft.masses.empty() && draft.continua.beams.empty() && draft.bodies.empty()) {
    draft.system.emplace(draft.numbering.coordinates);
  } else {
    draft.system.emplace(points, int(count - own));
  }
  draft.system->name_coordinates(draft.names);
  add_gravity(draft);
  add_damping(draft);
  add_bodies(draft);
  add_continua(draft);
}

void read_points(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    Spot spot;
    const std::vector<Item> axes = draft.axes(one);
    for (int k = 0; k < draft.dim; ++k) {
      spot.x[k] = draft.of_time(axes[k]);
      draft.scope.symbols[name + "." + "xyz"[k]] = spot.x[k];
    }
    spot.in_scene = draw_place(draft, name, Scene::Place::Kind::point, spot.x);
    draft.add_spot(name, spot);
  }
}

}  // namespace taut
