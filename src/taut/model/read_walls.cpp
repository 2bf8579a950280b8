#include <algorithm>
#include <cmath>
#include <taut/model/draw.hpp>
#include <taut/model/mesh_forms.hpp>
#include <taut/model/readers.hpp>
#include <taut/system/constraints/half_space.hpp>
#include <taut/system/constraints/obstacle_gap.hpp>
#include <taut/system/contact.hpp>

/// Walls: planes, and obstacles that are spheres and cylinders, solid or hollow.
namespace taut {
namespace {

using Node = Graph::Node;

/// What is said of a wall.
struct WallWords {
  std::optional<Item> mass, beam, normal, offset, inside;
  std::optional<Obstacle> obstacle;
  std::string name{};
  double radius = 0.0;  ///< of what stays in front of it
};

/// One plane of the picture for all masses that it stops.
void draw_wall(Draft& draft, const std::string& name, const HalfSpace& wall) {
  std::vector<Scene::Plane>& all = draft.model.scene.planes;
  const bool there = std::any_of(all.begin(), all.end(), [&](const Scene::Plane& one) {
    return one.normal == wall.normal && one.offset == wall.offset;
  });
  if (!there) all.push_back({name, wall.normal, wall.offset});
}

HalfSpace plane(const WallWords& said, Draft& draft) {
  HalfSpace wall{.normal = {}, .offset = said.radius + (said.offset ? draft.number(*said.offset) : 0.0)};
  const std::vector<Item> numbers = draft.axes(*said.normal);
  double square = 0.0;
  for (int k = 0; k < draft.dim; ++k) {
    wall.normal[k] = draft.number(numbers[k]);
    square += wall.normal[k] * wall.normal[k];
  }
  if (square == 0.0) said.normal->fail("must not be zero");
  for (int k = 0; k < draft.dim; ++k) wall.normal[k] /= std::sqrt(square);
  return wall;
}

std::array<double, 3> fixed_place(const Item& item, Draft& draft) {
  const std::vector<Item> parts = draft.axes(item);
  std::array<double, 3> out{};
  for (int k = 0; k < draft.dim; ++k) out[k] = draft.number(parts[k]);
  return out;
}

/// {at: [...], radius: ...} of a sphere, {along: [[...], [...]], radius: ...} of a cylinder.
Obstacle obstacle(const Item& item, const Form& form, Draft& draft) {
  Obstacle out{.axis = {}, .radius = 0.0};
  for (const auto& [key, one] : item.entries(form.keys)) {
    if (key == "radius") out.radius = draft.positive(one);
    if (key == "at") out.axis.push_back(fixed_place(one, draft));
    if (key != "along") continue;
    for (const Item& place : one.list()) out.axis.push_back(fixed_place(place, draft));
    if (out.axis.size() < 2) one.fail("needs two places or more: along: [[0, 0, 0], [0, 0, 1]]");
    for (std::size_t k = 1; k < out.axis.size(); ++k)
      if (out.axis[k] == out.axis[k - 1]) one.fail(message("places {} and {} are the same", k, k + 1));
  }
  if (out.axis.empty())
    item.fail(message("needs {}", form.keys.front() == "at" ? "a place `at`" : "places `along` its axis"));
  if (out.radius == 0.0) item.fail("needs a `radius`");
  return out;
}

WallWords wall_words(const Item& item, Draft& draft) {
  static const Form form = wall_form(), sphere = sphere_form(), cylinder = cylinder_form();
  WallWords out;
  int kinds = 0;
  for (const auto& [key, one] : item.entries(form.keys)) {
    if (key == "mass") out.mass = one;
    if (key == "beam") out.beam = one;
    if (key == "normal") out.normal = one;
    if (key == "offset") out.offset = one;
    if (key == "inside") out.inside = one;
    if (key == "name") out.name = one.word();
    if (key == "radius") out.radius = draft.number(one);
    if (key == "radius" && !(out.radius >= 0.0)) one.fail(message("must not be negative, got {}", out.radius));
    if (key == "sphere" || key == "cylinder") out.obstacle = obstacle(one, key == "sphere" ? sphere : cylinder, draft);
    if (key == "normal" || key == "sphere" || key == "cylinder") ++kinds;
  }
  if (out.mass.has_value() == out.beam.has_value() || kinds != 1)
    item.fail("needs a `mass` or a `beam`, and a `normal` into the allowed side, or a `sphere`, or a `cylinder`");
  if (out.offset && !out.normal) out.offset->fail("goes with the `normal` of a plane only");
  if (out.inside && out.normal) out.inside->fail("a plane has no inside; turn its normal round");
  if (out.obstacle && out.inside) out.obstacle->hollow = Draft::truth(*out.inside);
  if (out.obstacle && out.obstacle->hollow && !(out.radius < out.obstacle->radius))
    item.fail(message("what stays inside has the radius {}, which must be less than {}", out.radius, out.obstacle->radius));
  if (out.name.empty()) {
    out.name = "wall of " + (out.mass ? *out.mass : *out.beam).word();
    if (draft.walls++ > 0) out.name += " " + std::to_string(draft.walls);
  }
  return out;
}

/// Against a plane every node stays in front; against an obstacle every piece between nodes stays outside, or every node inside.
void wall_of_beam(const WallWords& said, Draft& draft) {
  const std::string& name = said.beam->word();
  const Beam& beam = beam_named(*said.beam, draft);
  draw_thickness(draft, name, said.radius);
  if (said.normal) {
    HalfSpace wall = plane(said, draft);
    draw_wall(draft, said.name, wall);
    for (int node = 0; node < beam.nodes(); ++node) {
      wall.point = beam.position(node);
      draft.system->add(wall, said.name + " at node " + std::to_string(node));
    }
    return;
  }
  draw_obstacle(draft, said.name, *said.obstacle);
  std::vector<ContactPiece> pieces = pieces_of(beam, name, said.radius);
  if (said.obstacle->hollow) {
    ContactPiece last = pieces.back();
    last.s += last.length;
    last.at[0] = last.at[1];
    pieces.push_back(last);
    for (ContactPiece& piece : pieces) {
      piece.at[1] = piece.at[0];
      piece.length = 0.0;
    }
  }
  draft.system->add_block(std::make_unique<ContactBlock>(std::move(pieces), *said.obstacle, draft.dim, said.name));
}

/// The square of the distance of a place from the axis, as an expression.
Node squared_distance(const Spot& spot, const Obstacle& obstacle, Draft& draft) {
  Graph& graph = *draft.graph;
  Node best = -1;
  for (std::size_t k = 0; k + 1 < obstacle.axis.size() || k == 0; ++k) {
    const auto &from = obstacle.axis[k], &to = obstacle.axis[std::min(k + 1, obstacle.axis.size() - 1)];
    double size = 0.0;
    Node along = graph.constant(0.0), square = along;
    std::array<Node, 3> d{};
    for (std::size_t c = 0; c < std::size_t(draft.dim); ++c) {
      d[c] = graph.subtract(spot.x[c], graph.constant(from[c]));
      along = graph.add(along, graph.multiply(graph.constant(to[c] - from[c]), d[c]));
      size += (to[c] - from[c]) * (to[c] - from[c]);
    }
    const auto clamped = [&](Node t) {
      return graph.make(Op::min, graph.constant(1.0), graph.make(Op::max, graph.constant(0.0), t));
    };
    const Node t = size > 0.0 ? clamped(graph.multiply(graph.constant(1.0 / size), along)) : graph.constant(0.0);
    for (std::size_t c = 0; c < std::size_t(draft.dim); ++c) {
      const Node away = graph.subtract(d[c], graph.multiply(graph.constant(to[c] - from[c]), t));
      square = graph.add(square, graph.multiply(away, away));
    }
    best = best < 0 ? square : graph.make(Op::min, best, square);
  }
  return best;
}

}  // namespace

void read_wall(const Item& item, Draft& draft) {
  const WallWords said = wall_words(item, draft);
  if (said.beam) return located(item, [&] { wall_of_beam(said, draft); });
  const Spot& held = draft.mass(*said.mass);
  Graph& graph = *draft.graph;
  if (said.obstacle) {
    draw_obstacle(draft, said.name, *said.obstacle);
    const Node square = squared_distance(held, *said.obstacle, draft);
    const double R = said.obstacle->radius, r = said.radius, clearance = R - r;
    const Node gap = said.obstacle->hollow ? graph.multiply(graph.constant(0.5 / clearance),
                                                            graph.subtract(graph.constant(clearance * clearance), square))
                                           : graph.subtract(graph.make(Op::sqrt, square), graph.constant(R + r));
    draft.add_constraint(item, gap, Set::nonnegative, said.name);
    return;
  }
  HalfSpace wall = plane(said, draft);
  draw_wall(draft, said.name, wall);
  if (held.point >= 0) {
    wall.point = held.point;
    draft.system->add(wall, said.name);
    draw_reaction(draft, said.name, held.in_scene, -1, wall.normal);
    return;
  }
  Node distance = graph.constant(-wall.offset);
  for (int k = 0; k < draft.dim; ++k)
    distance = graph.add(distance, graph.multiply(graph.constant(wall.normal[k]), held.x[k]));
  draw_reaction(draft, said.name, held.in_scene, -1, wall.normal,
                draft.add_constraint(item, distance, Set::nonnegative, said.name));
}

}  // namespace taut
