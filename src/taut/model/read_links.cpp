#include <cmath>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/terms/element.hpp>
#include <taut/system/terms/gravity.hpp>
#include <taut/system/terms/spring.hpp>

namespace taut {
namespace {

/// The two ends of a rod, spring or damper, and the rest of its entries.
struct Link {
  Item item;
  Spot a{}, b{};
  std::string name{};
  bool named = false;
  std::optional<Item> length{}, stiffness{}, damping{}, mass{}, penalty{};
};

Link link(const Item& item, const Form& form, const std::string& kind, const Draft& draft) {
  Link out{item};
  std::vector<Item> ends;
  if (item.is_list()) {
    ends = item.list();
  } else {
    for (const auto& [key, one] : item.entries(form.keys)) {
      if (key == "between") ends = one.list();
      if (key == "name") {
        out.name = one.word();
        out.named = true;
      }
      if (key == "length") out.length = one;
      if (key == "stiffness") out.stiffness = one;
      if (key == "damping") out.damping = one;
      if (key == "mass") out.mass = one;
      if (key == "penalty") out.penalty = one;
    }
  }
  if (ends.size() != 2) item.fail("needs two ends: between: [A, B]");
  out.a = draft.spot(ends[0]);
  out.b = draft.spot(ends[1]);
  if (!out.a.massive && !out.b.massive) item.fail("neither end has a mass");
  if (ends[0].word() == ends[1].word()) item.fail("both ends are the same");
  if (out.name.empty()) out.name = kind + " " + ends[0].word() + "-" + ends[1].word();
  return out;
}

double length_of(const Link& ends, Draft& draft) {
  if (ends.length) return draft.number(*ends.length);
  for (const Spot* end : {&ends.a, &ends.b})
    for (int k = 0; end->point >= 0 && k < draft.dim; ++k)
      if (!draft.given_q[std::size_t(end->point * draft.dim + k)])
        ends.item.fail("needs a `length`, because an end has no place `at` to measure it from");
  double square = 0.0;
  for (int k = 0; k < draft.dim; ++k) {
    const double d = draft.at_start(ends.b.x[k]) - draft.at_start(ends.a.x[k]);
    square += d * d;
  }
  return std::sqrt(square);
}

/// Where a place stands still.
bool fixed(const Spot& spot, const Draft& draft, std::array<double, 3>& at) {
  for (int k = 0; k < draft.dim; ++k)
    if (!draft.graph->is_constant(spot.x[k], &at[k])) return false;
  return !spot.massive;
}

/// −c ṙ along the line between the ends, r their distance: Qᵢ = −c ṙ ∂r/∂qᵢ.
void add_damper(const Item& item, const Link& ends, Draft& draft) {
  const double c = draft.number(item);
  if (!(c >= 0.0)) item.fail(message("must not be negative, got {}", c));
  Graph& graph = *draft.graph;
  const Graph::Node r = graph.make(Op::sqrt, draft.squared_distance(ends.a, ends.b)), rate = draft.rate(r);
  LagrangianNodes nodes;
  draft.add_force_along(r, graph.multiply(graph.constant(-c), rate), nodes);
  draft.add_dynamics(nodes, ends.name);
}

/// A uniform rod of mass m between a and b: T = m/6 (|ȧ|² + ȧ·ḃ + |ḃ|²), V = −m g·(a + b)/2.
void add_rod_mass(const Item& item, const Link& ends, Draft& draft) {
  const double m = draft.number(item);
  if (!(m >= 0.0)) item.fail(message("must not be negative, got {}", m));
  std::array<double, 3> at{};
  const bool first = ends.a.point >= 0, second = ends.b.point >= 0;
  const bool plain = (first || fixed(ends.a, draft, at)) && (second || fixed(ends.b, draft, at));
  if (!plain) {
    Graph& graph = *draft.graph;
    LagrangianNodes nodes;
    nodes.kinetic = nodes.potential = graph.constant(0.0);
    for (int k = 0; k < draft.dim; ++k) {
      const Graph::Node a = draft.rate(ends.a.x[k]), b = draft.rate(ends.b.x[k]);
      for (const auto& [x, y] : {std::pair(a, a), {a, b}, {b, b}})
        nodes.kinetic = graph.add(nodes.kinetic, graph.multiply(graph.constant(m / 6.0), graph.multiply(x, y)));
      nodes.potential = graph.add(
          nodes.potential, graph.multiply(graph.constant(-0.5 * m * draft.gravity[k]), graph.add(ends.a.x[k], ends.b.x[k])));
    }
    return draft.add_inertia(nodes, "mass of " + ends.name);
  }
  const double c = draft.damping;
  const std::array<double, 4> both{m / 3.0, m / 6.0, m / 6.0, m / 3.0};
  const auto two = std::make_shared<const ElementMatrices<2>>(
      ElementMatrices<2>{.mass = both, .damping = {c * both[0], c * both[1], c * both[2], c * both[3]}});
  const auto one =
      std::make_shared<const ElementMatrices<1>>(ElementMatrices<1>{.mass = {m / 3.0}, .damping = {c * m / 3.0}});
  for (int k = 0; k < draft.dim; ++k) {
    const int a = ends.a.point * draft.dim + k, b = ends.b.point * draft.dim + k;
    if (first && second) draft.system->add(Element<2, 1>{{a, b}, two}, "mass of " + ends.name);
    if (first != second) draft.system->add(Element<1, 1>{{first ? a : b}, one}, "mass of " + ends.name);
    if (draft.gravity[k] == 0.0) continue;
    for (const int i : {first ? a : -1, second ? b : -1})
      if (i >= 0) draft.system->add(Weight{i, -0.5 * m * draft.gravity[k]}, "gravity on " + ends.name);
  }
}

/// −λ (b − a) at b, and the opposite at a, of g = (|b − a|² − l²)/2; where an end has no mass, nothing feels it there.
void draw_pull(Draft& draft, const Link& ends, std::optional<std::size_t> constraint) {
  for (const auto& [end, other] : {std::pair(&ends.b, &ends.a), {&ends.a, &ends.b}}) {
    if (!end->massive) continue;
    if (constraint) draw_reaction(draft, ends.name, end->in_scene, other->in_scene, {}, *constraint);
    if (!constraint) draw_reaction(draft, ends.name, end->in_scene, other->in_scene);
  }
}

}  // namespace

void read_rod(const Item& item, Draft& draft) {
  const Link ends = link(item, forms().rod, "rod", draft);
  const double length = length_of(ends, draft);
  if (!(length > 0.0)) item.fail(message("the length must be positive, got {}", length));
  if (ends.mass) add_rod_mass(*ends.mass, ends, draft);
  if (ends.penalty) draft.soft.push_back({*ends.penalty, ends.name, draft.positive(*ends.penalty)});
  if (ends.named) draft.name_row(item, ends.name);
  if (ends.named) draft.rod_lengths[ends.name] = length;
  draw_link(draft, Scene::Link::Kind::rod, ends.name, ends.a, ends.b, length);
  std::array<double, 3> at{};
  if (ends.a.point >= 0 && ends.b.point >= 0) {
    draft.system->add(Distance{.from = ends.a.point, .to = ends.b.point, .length = length}, ends.name);
    draw_pull(draft, ends, {});
  } else if (std::max(ends.a.point, ends.b.point) >= 0 && (fixed(ends.a, draft, at) || fixed(ends.b, draft, at))) {
    draft.system->add(Pin{.point = std::max(ends.a.point, ends.b.point), .at = at, .length = length}, ends.name);
    draw_pull(draft, ends, {});
  } else {
    Graph& graph = *draft.graph;
    const Graph::Node g = graph.multiply(
        graph.constant(0.5), graph.subtract(draft.squared_distance(ends.a, ends.b), graph.constant(length * length)));
    draw_pull(draft, ends, draft.add_constraint(item, g, Set::zero, ends.name));
  }
}

void read_spring(const Item& item, Draft& draft) {
  const Link ends = link(item, forms().spring, "spring", draft);
  if (!ends.stiffness) item.fail("needs a `stiffness`");
  const double k = draft.number(*ends.stiffness), length = length_of(ends, draft);
  if (!(k >= 0.0)) ends.stiffness->fail(message("must not be negative, got {}", k));
  if (!(length >= 0.0)) item.fail(message("the length must not be negative, got {}", length));
  draw_link(draft, Scene::Link::Kind::spring, ends.name, ends.a, ends.b, length);
  std::array<double, 3> at{};
  if (ends.a.point >= 0 && ends.b.point >= 0) {
    draft.system->add(Spring{.from = ends.a.point, .to = ends.b.point, .stiffness = k, .length = length}, ends.name);
  } else if (std::max(ends.a.point, ends.b.point) >= 0 && (fixed(ends.a, draft, at) || fixed(ends.b, draft, at))) {
    const int point = std::max(ends.a.point, ends.b.point);
    draft.system->add(Tether{.point = point, .at = at, .stiffness = k, .length = length}, ends.name);
  } else {
    // Without a length it is quadratic, and has no kink where the ends meet.
    Graph& graph = *draft.graph;
    const Graph::Node square = draft.squared_distance(ends.a, ends.b);
    const Graph::Node stretch = graph.subtract(graph.make(Op::sqrt, square), graph.constant(length));
    const Graph::Node energy = length == 0.0 ? square : graph.multiply(stretch, stretch);
    LagrangianNodes nodes;
    nodes.potential = graph.multiply(graph.constant(0.5 * k), energy);
    draft.add_dynamics(nodes, ends.name);
  }
  if (ends.damping) add_damper(*ends.damping, ends, draft);
}

void read_damper(const Item& item, Draft& draft) {
  const Link ends = link(item, forms().damper, "damper", draft);
  if (!ends.damping) item.fail("needs a `damping`");
  draw_link(draft, Scene::Link::Kind::damper, ends.name, ends.a, ends.b, 0.0);
  add_damper(*ends.damping, ends, draft);
}

}  // namespace taut
