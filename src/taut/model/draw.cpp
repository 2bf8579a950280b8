#include <algorithm>
#include <cmath>
#include <set>
#include <taut/model/contour.hpp>
#include <taut/model/draw.hpp>

namespace taut {
namespace {

using Kind = Scene::Place::Kind;

/// Where a beam has few elements, it is drawn through so many places at least.
constexpr int smooth = 48;

/// A parameter that changes on the way takes with it what was measured by it.
bool parameters_change(const Draft& draft) {
  const auto& all = draft.model.switches;
  return std::any_of(all.begin(), all.end(), [](const Switch& one) { return one.rows.empty(); });
}

void place_it(Draft& draft, Scene::Place& place, const std::array<Graph::Node, 3>& x, bool as_track) {
  Scene& scene = draft.model.scene;
  bool plain = !as_track;
  for (int k = 0; plain && k < draft.dim; ++k) plain = affine_form(draft, x[k], place.x[std::size_t(k)]);
  if (plain) return;
  place.x = {};
  place.track = scene.tracks++;
  const Graph::Node zero = draft.graph->constant(0.0);
  for (int k = 0; k < scene.dim; ++k)
    draft.model.tracks.push_back(draft.expression(place.name + "." + "xyz"[k], k < draft.dim ? x[k] : zero));
}

/// F(x, y, z) of an equation that names x, y, z and parameters alone; none otherwise.
std::optional<Program> surface_of(Draft& draft, const Item& equation) {
  Graph graph;
  Scope scope = draft.numbers_in(graph);
  for (int k = 0; k < draft.dim; ++k) scope.symbols[std::string(1, "xyz"[k])] = graph.variable(k);
  try {
    return Program(graph, {parse_relation(graph, scope, equation.word()).difference}, {0, 1, 2});
  } catch (const ExpressionError&) {
    return {};
  }
}

/// The largest distance from the origin that the model speaks of at the start.
double extent(const Draft& draft) {
  double size = 0.0;
  for (const auto& [name, spot] : draft.spots)
    for (int k = 0; k < draft.dim; ++k)
      if (const double x = draft.at_start(spot.x[k]); std::isfinite(x)) size = std::max(size, std::abs(x));
  return size > 0.0 ? size : 1.0;
}

/// Where a surface is drawn, and how it is called.
struct DrawnSurface {
  Program f;  ///< of x, y (z)
  std::string name;
  int dim;
  double size;  ///< of what is in the model
};

/// Sections of a surface with planes through its place and beside it; in the plane there is one, the plane itself.
void add_contours(const DrawnSurface& surface, std::vector<Scene::Curve>& curves) {
  const int dim = surface.dim;
  // The first square that holds all of it, or the largest that was tried.
  const auto sections = [&](int normal, double level, int cells, double largest) {
    const int a = normal == 0 ? 1 : 0, b = normal == 2 ? 1 : 2;
    const auto row = [&](const std::vector<double>& x, double y, double* out) {
      constexpr int lanes = Program::lanes;
      std::array<double, 3 * std::size_t(lanes)> in{};
      std::array<double, lanes> found{};
      const auto put = [&](int axis, int lane, double value) { in[std::size_t(axis * lanes + lane)] = value; };
      for (std::size_t first = 0; first < x.size(); first += lanes) {
        for (int lane = 0; lane < lanes; ++lane) {
          put(a, lane, x[std::min(first + std::size_t(lane), x.size() - 1)]);
          put(b, lane, y);
          if (dim == 3) put(normal, lane, level);
        }
        surface.f.run_lanes(in.data(), found.data());
        std::copy_n(found.data(), std::min(std::size_t(lanes), x.size() - first), out + first);
      }
    };
    double half = 1.3 * surface.size;
    for (; half < largest && contour_leaves(row, {0.0, 0.0}, half, cells); half *= 2.0) {
    }
    for (const auto& line : contour(row, {0.0, 0.0}, half, cells)) {
      Scene::Curve curve{.kind = Scene::Curve::Kind::rail, .name = surface.name};
      for (const auto& [x, y] : line) {
        std::array<double, 3> at{};
        at[std::size_t(a)] = x;
        at[std::size_t(b)] = y;
        if (dim == 3) at[std::size_t(normal)] = level;
        curve.fixed.push_back(at);
      }
      curves.push_back(std::move(curve));
    }
  };
  const double size = surface.size;
  if (dim == 2) return sections(2, 0.0, 160, 4.0 * size);
  for (const int normal : {0, 1, 2})
    for (int k = -4; k <= 4; ++k) sections(normal, 0.25 * k * size, 48, size);
}

void draw_reaction(Draft& draft, Draft::DrawnReaction drawn) {
  if (drawn.reaction.place >= 0) draft.drawn_reactions.push_back(std::move(drawn));
}

}  // namespace

bool affine_form(Draft& draft, Graph::Node node, Scene::Affine& out) {
  Graph& graph = *draft.graph;
  const Numbering& numbering = draft.numbering;
  for (const int variable : graph.variables_of({node})) {
    double weight = 0.0;
    if (variable == numbering.time() || numbering.is_velocity(variable)) return false;
    if (!graph.is_constant(graph.derivative(node, variable), &weight)) return false;
    out.weights.emplace_back(variable - numbering.q(0), weight);
  }
  out.offset = graph.value(node, [](int) { return 0.0; });
  return std::isfinite(out.offset);
}

int draw_place(Draft& draft, const std::string& name, Kind kind, const std::array<Graph::Node, 3>& x) {
  Scene& scene = draft.model.scene;
  const int number = int(scene.places.size());
  scene.places.push_back({.name = name, .kind = kind});
  draft.drawn_places.push_back({number, x});
  return number;
}

void draw_link(Draft& draft, Scene::Link::Kind kind, const std::string& name, const Spot& a, const Spot& b, double length) {
  if (a.in_scene < 0 || b.in_scene < 0) return;
  draft.model.scene.links.push_back({.kind = kind, .name = name, .a = a.in_scene, .b = b.in_scene, .length = length});
}

namespace {

/// d₁ of a rod between two nodes, `share` of the way; nothing for a beam without directors.
void add_stripe(Scene::Curve& curve, const Beam& beam, int node, double share) {
  if (!beam.is_rod()) return;
  Scene::Vector3 director{};
  for (int d = 0; d < 3; ++d) {
    auto& weights = director[std::size_t(d)].weights;
    weights.emplace_back(beam.frame_at(node)[0] + d, 1.0 - share);
    if (share > 0.0) weights.emplace_back(beam.frame_at(node + 1)[0] + d, share);
  }
  curve.stripe.push_back(std::move(director));
}

/// Of a round section with these stiffnesses: EI/EA = r²/4.
double radius_of(const Beam& beam) {
  if (!beam.is_rod() || !(beam.options().rod->axial > 0.0)) return 0.0;
  const RodSection& rod = *beam.options().rod;
  return 2.0 * std::sqrt(0.5 * (rod.bending[0](0.0) + rod.bending[1](0.0)) / rod.axial);
}

}  // namespace

void draw_beam(Draft& draft, const std::string& name, const Beam& beam, std::unordered_map<int, int>& place_of_point) {
  Scene& scene = draft.model.scene;
  Scene::Curve curve{.kind = Scene::Curve::Kind::beam, .name = name, .radius = radius_of(beam)};
  const int elements = beam.nodes() - 1, parts = std::max(1, (smooth + elements - 1) / std::max(1, elements));
  for (int k = 0; k <= elements; ++k) {
    const int point = beam.position(k);
    const auto [found, fresh] = place_of_point.emplace(point, int(scene.places.size()));
    if (fresh) {
      Scene::Place place{.name = name + "." + std::to_string(k), .kind = Kind::node};
      for (int d = 0; d < draft.dim; ++d) place.x[std::size_t(d)].weights = {{point * draft.dim + d, 1.0}};
      scene.places.push_back(std::move(place));
    }
    curve.places.push_back(found->second);
    add_stripe(curve, beam, k, 0.0);
    for (int part = 1; k < elements && part < parts; ++part) {
      Scene::Place place{.kind = Kind::between};
      for (const auto& [coordinate, weight] : beam.weights(beam.s(k) + (beam.s(k + 1) - beam.s(k)) * part / parts))
        for (int d = 0; d < draft.dim; ++d) place.x[std::size_t(d)].weights.emplace_back(coordinate + d, weight);
      curve.places.push_back(int(scene.places.size()));
      scene.places.push_back(std::move(place));
      add_stripe(curve, beam, k, double(part) / parts);
    }
  }
  scene.curves.push_back(std::move(curve));
}

void draw_thickness(Draft& draft, const std::string& beam, double radius) {
  for (Scene::Curve& curve : draft.model.scene.curves)
    if (curve.kind == Scene::Curve::Kind::beam && curve.name == beam) curve.radius = std::max(curve.radius, radius);
}

void draw_string(Draft& draft, const std::string& name, const VibratingString& string) {
  Scene& scene = draft.model.scene;
  Scene::Curve curve{.kind = Scene::Curve::Kind::string, .name = name};
  for (int k = 0; k < string.nodes(); ++k) {
    Scene::Place place{.name = name + "." + std::to_string(k), .kind = Kind::node};
    place.x[0].offset = string.x(k);
    if (const int i = string.coordinate(k); i >= 0) place.x[1].weights = {{i, 1.0}};
    curve.places.push_back(int(scene.places.size()));
    scene.places.push_back(std::move(place));
  }
  scene.curves.push_back(std::move(curve));
}

void draw_rail(Draft& draft, const std::string& name, const VibratingString& along,
               const std::function<double(double)>& height) {
  Scene::Curve curve{.kind = Scene::Curve::Kind::rail, .name = name};
  for (int k = 0; k < along.nodes(); ++k)
    if (const double y = height(along.x(k)); std::isfinite(y)) curve.fixed.push_back({along.x(k), y, 0.0});
  draft.model.scene.curves.push_back(std::move(curve));
}

void draw_surface(Draft& draft, const Item& equation, int place) { draft.drawn_surfaces.push_back({equation, place}); }

void draw_reaction(Draft& draft, const std::string& name, int place, int other, const std::array<double, 3>& direction) {
  draw_reaction(draft, {{name, place, other, -1, direction}, {}, draft.system->newest_constraint()});
}

void draw_reaction(Draft& draft, const std::string& name, int place, int other, const std::array<double, 3>& direction,
                   std::size_t constraint) {
  draw_reaction(draft, {{name, place, other, -1, direction}, constraint, {}});
}

void finish_scene(Draft& draft) {
  Scene& scene = draft.model.scene;
  scene.dim = draft.dim;
  if (!draft.continua.strings.empty()) scene.dim = std::max(scene.dim, 2);  // along x, across in y
  const bool as_tracks = parameters_change(draft);
  for (const Draft::DrawnPlace& one : draft.drawn_places)
    place_it(draft, scene.places[std::size_t(one.place)], one.x, as_tracks);
  for (const Draft::DrawnReaction& one : draft.drawn_reactions) {
    scene.reactions.push_back(one.reaction);
    scene.reactions.back().row = one.expression ? draft.row_of(*one.expression) : draft.system->row_of(one.term);
  }
  // Once each; more than a few dozen would cost more than they show.
  constexpr std::size_t most = 40;
  std::set<std::string> drawn;
  std::vector<DrawnSurface> surfaces;
  for (const Draft::Surface& one : draft.drawn_surfaces) {
    const std::string& name = one.equation.word();
    if (draft.dim < 2 || drawn.size() >= most || !drawn.insert(name).second) continue;
    if (std::optional<Program> f = surface_of(draft, one.equation))
      surfaces.push_back({std::move(*f), name, draft.dim, surfaces.empty() ? extent(draft) : surfaces.front().size});
  }
  if (surfaces.empty()) return;
  draft.model.contours = [surfaces] {
    std::vector<Scene::Curve> curves;
    for (const DrawnSurface& one : surfaces) add_contours(one, curves);
    return curves;
  };
}

}  // namespace taut
