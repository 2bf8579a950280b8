#include <algorithm>
#include <cmath>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>
#include <taut/system/constraints/half_space.hpp>

namespace taut {
namespace {

/// x, y, z mean the coordinates of a mass for a while.
class ShortNames {
 public:
  ShortNames(const Spot& spot, Draft& draft) : symbols_(draft.scope.symbols) {
    for (int k = 0; k < draft.dim; ++k) {
      const std::string name(1, "xyz"[k]);
      if (const auto found = symbols_.find(name); found != symbols_.end()) before_.emplace_back(name, found->second);
      symbols_[name] = spot.x[k];
      set_.push_back(name);
    }
  }
  ~ShortNames() {
    for (const std::string& name : set_) symbols_.erase(name);
    for (const auto& [name, node] : before_) symbols_[name] = node;
  }
  ShortNames(const ShortNames&) = delete;
  ShortNames& operator=(const ShortNames&) = delete;

 private:
  decltype(Scope::symbols)& symbols_;
  std::vector<std::string> set_;
  std::vector<std::pair<std::string, Graph::Node>> before_;
};

/// One plane of the picture for all masses that it stops.
void draw_wall(Draft& draft, const std::string& name, const HalfSpace& wall) {
  std::vector<Scene::Plane>& all = draft.model.scene.planes;
  const bool there = std::any_of(all.begin(), all.end(), [&](const Scene::Plane& one) {
    return one.normal == wall.normal && one.offset == wall.offset;
  });
  if (!there) all.push_back({name, wall.normal, wall.offset});
}

}  // namespace

void read_pin(const Item& item, Draft& draft) {
  std::optional<Item> who, at;
  if (item.is_word()) {
    who = item;
  } else {
    for (const auto& [key, one] : item.entries(forms().pin.keys)) (key == "mass" ? who : at) = one;
    if (!who) item.fail("needs a `mass`");
  }
  const Spot& held = draft.mass(*who);
  const std::vector<Item> places = at ? draft.axes(*at) : std::vector<Item>{};
  for (int k = 0; k < draft.dim; ++k) {
    const int i = held.point * draft.dim + k;
    if (!at && held.point >= 0 && !draft.given_q[std::size_t(i)]) item.fail("needs a place `at`, because the mass has none");
    const Graph::Node place = at ? draft.of_time(places[k]) : draft.graph->constant(draft.at_start(held.x[k]));
    const std::string name = "pin " + who->word() + "." + "xyz"[k];
    const std::size_t number = draft.add_constraint(item, draft.graph->subtract(held.x[k], place), Set::zero, name);
    std::array<double, 3> along{};
    along[std::size_t(k)] = 1.0;
    draw_reaction(draft, "pin " + who->word(), held.in_scene, -1, along, number);
  }
}

void read_curve(const Item& item, Draft& draft) {
  std::optional<Item> who, on;
  for (const auto& [key, one] : item.entries(forms().curve.keys)) (key == "mass" ? who : on) = one;
  if (!who || !on) item.fail("needs a `mass` and the curve it is `on`: an equation in x, y");
  const Spot& held = draft.mass(*who);
  const Relation relation = [&] {
    const ShortNames names(held, draft);
    return draft.relation(*on);
  }();
  draft.add_constraint(*on, relation.difference, relation.set, who->word() + " on " + on->word());
  draw_surface(draft, *on, held.in_scene);
}

namespace {

/// Every node stays in front.
void wall_of_beam(const Item& item, HalfSpace wall, Draft& draft) {
  const auto found = draft.continua.beam_index.find(item.word());
  if (found == draft.continua.beam_index.end()) item.fail(message("there is no beam '{}'", item.word()));
  const Beam& beam = *draft.continua.beams[found->second].beam;
  const std::string name = "wall of " + item.word() + (draft.walls++ > 0 ? " " + std::to_string(draft.walls) : "");
  draw_wall(draft, name, wall);
  for (int node = 0; node < beam.nodes(); ++node) {
    wall.point = beam.position(node);
    draft.system->add(wall, name + " at node " + std::to_string(node));
  }
}

}  // namespace

void read_wall(const Item& item, Draft& draft) {
  std::optional<Item> who, beam;
  HalfSpace wall{.normal = {}};
  bool has_normal = false;
  for (const auto& [key, one] : item.entries(forms().wall.keys)) {
    if (key == "mass") who = one;
    if (key == "beam") beam = one;
    if (key == "offset") wall.offset += draft.number(one);
    if (key == "radius") wall.offset += draft.number(one);
    if (key != "normal") continue;
    has_normal = true;
    const std::vector<Item> numbers = draft.axes(one);
    double square = 0.0;
    for (int k = 0; k < draft.dim; ++k) {
      wall.normal[k] = draft.number(numbers[k]);
      square += wall.normal[k] * wall.normal[k];
    }
    if (square == 0.0) one.fail("must not be zero");
    for (int k = 0; k < draft.dim; ++k) wall.normal[k] /= std::sqrt(square);
  }
  if (who.has_value() == beam.has_value() || !has_normal)
    item.fail("needs a `mass` or a `beam`, and a `normal` into the allowed side");
  if (beam) return wall_of_beam(*beam, wall, draft);
  const Spot& held = draft.mass(*who);
  const std::string name = "wall of " + who->word() + (draft.walls++ > 0 ? " " + std::to_string(draft.walls) : "");
  draw_wall(draft, name, wall);
  if (held.point >= 0) {
    wall.point = held.point;
    draft.system->add(wall, name);
    draw_reaction(draft, name, held.in_scene, -1, wall.normal);
    return;
  }
  Graph& graph = *draft.graph;
  Graph::Node distance = graph.constant(-wall.offset);
  for (int k = 0; k < draft.dim; ++k)
    distance = graph.add(distance, graph.multiply(graph.constant(wall.normal[k]), held.x[k]));
  draw_reaction(draft, name, held.in_scene, -1, wall.normal, draft.add_constraint(item, distance, Set::nonnegative, name));
}

void read_constraint(const Item& item, Draft& draft) {
  Item expression = item;
  std::string name;
  bool holds = true;
  if (item.is_table()) {
    bool found = false;
    for (const auto& [key, one] : item.entries(forms().constraint.keys)) {
      if (key == "name") name = one.word();
      if (key == "holds") holds = Draft::truth(one);
      if (key != "expression") continue;
      expression = one;
      found = true;
    }
    if (!found) item.fail("needs an `expression`");
  }
  const Relation relation = draft.relation(expression);
  const std::size_t number =
      draft.add_constraint(expression, relation.difference, relation.set, name.empty() ? excerpt(expression.word()) : name);
  if (!holds) draft.loose.push_back(number);
}

}  // namespace taut
