#include <cmath>
#include <taut/model/draw.hpp>
#include <taut/model/readers.hpp>

/// Beams and strings, once coordinates are numbered: their terms, what holds them, their places at the start, their names.
namespace taut {
namespace {

using Place = std::array<double, 3>;

/// Beams have their points from the beginning; strings get their coordinates here.
void number_strings(Draft& draft) {
  int first = (int(draft.masses.size()) + draft.continua.points + body_points(draft)) * draft.dim;
  for (StringEntry& one : draft.continua.strings) {
    one.string = VibratingString(one.string.options(), first);
    first += one.string.coordinates();
  }
}

void add_terms(Draft& draft) {
  System& system = *draft.system;
  for (const BeamEntry& one : draft.continua.beams) {
    const Beam& beam = *one.beam;
    beam.add_to(system);
    beam.add_weight(system, draft.gravity);
    for (const Beam::Load& load : one.loads) beam.add_load(system, load);
    for (const Beam::Load& load : one.follower_loads) beam.add_follower_load(system, load);
    for (const BeamEntry::NodeForce& force : one.forces) {
      if (force.force && force.constant) beam.add_force(system, force.node, force.force(0.0));
      if (force.force && !force.constant) beam.add_force(system, force.node, force.force);
      if (force.directors) beam.add_director_force(system, force.node, *force.directors);
      if (force.moment) beam.add_moment(system, force.node, force.moment, false);
      if (force.follower_moment) beam.add_moment(system, force.node, force.follower_moment, true);
      if (force.along != 0.0 || force.across != 0.0)
        located(force.item, [&] { beam.add_follower(system, force.node, force.along, force.across); });
    }
  }
  for (const BeamEntry& one : draft.continua.beams)
    for (const BeamCorner& corner : one.corners) {
      const Beam& beam = *one.beam;
      add_corner(system, corner.other_tangent, beam.tangent(corner.start ? 0 : beam.nodes() - 1), corner.angle);
    }
  for (const StringEntry& one : draft.continua.strings) {
    one.string.add_to(system);
    if (one.load && one.load->constant) one.string.add_load(system, one.load->value(0.0, 0.0));
    if (one.load && !one.load->constant) one.string.add_load(system, one.load->value);
  }
}

int node_of(const Beam& beam, const BeamSupport& support) { return support.start ? 0 : beam.nodes() - 1; }

/// d₁·e₂ = d₂·e₃ = d₃·e₁ = 0: λ are moments about e₃, e₁, e₂.
void hold_frame(const Beam& beam, const BeamSupport& support, Draft& draft) {
  Graph& graph = *draft.graph;
  const std::array<int, 3> at = beam.frame_at(node_of(beam, support));
  for (std::size_t i = 0; i < 3; ++i) {
    Graph::Node sum = graph.constant(0.0);
    for (std::size_t k = 0; k < 3; ++k)
      sum = graph.add(sum, graph.multiply(support.frame[(i + 1) % 3][k], graph.variable(draft.numbering.q(at[i] + int(k)))));
    const char about = "312"[i];
    draft.supports.push_back(draft.add_constraint(support.item, sum, Set::zero, support.name + ".m" + about));
    if (support.release) draft.releases.push_back({draft.supports.back(), *support.release});
  }
}

/// x = a(t), or x′ = a(t)/|a(t)|.
void add_support(const Beam& beam, const BeamSupport& support, int place, Draft& draft) {
  Graph& graph = *draft.graph;
  if (support.roll) return hold_frame(beam, support, draft);
  std::array<Graph::Node, 3> at = support.at;
  if (support.direction) {
    Graph::Node square = graph.constant(0.0);
    for (int k = 0; k < draft.dim; ++k) square = graph.add(square, graph.multiply(at[k], at[k]));
    double size = 0.0;
    if (graph.is_constant(square, &size) && size == 0.0) support.item.fail("a direction must not be zero");
    for (int k = 0; k < draft.dim; ++k) at[k] = graph.divide(at[k], graph.make(Op::sqrt, square));
  }
  const int node = node_of(beam, support), point = support.direction ? beam.tangent(node) : beam.position(node);
  for (int k = 0; k < draft.dim; ++k) {
    const Graph::Node x = graph.variable(draft.numbering.q(point * draft.dim + k));
    draft.supports.push_back(
        draft.add_constraint(support.item, graph.subtract(x, at[k]), Set::zero, support.name + "." + "xyz"[k]));
    if (support.release) draft.releases.push_back({draft.supports.back(), *support.release});
    std::array<double, 3> along{};
    along[std::size_t(k)] = 1.0;
    if (!support.direction) draw_reaction(draft, support.name, place, -1, along, draft.supports.back());
  }
}

/// The place where an end is held, at t = 0, or where what it is joined to stands.
bool known_place(const BeamEntry& entry, bool start, const Draft& draft, Place& at) {
  const Beam& beam = *entry.beam;
  for (const BeamSupport& support : entry.supports)
    if (!support.direction && support.start == start) {
      for (int d = 0; d < draft.dim; ++d) at[d] = draft.at_start(support.at[d]);
      return true;
    }
  if ((start ? beam.options().start : beam.options().end).point < 0) return false;
  const int point = beam.position(start ? 0 : beam.nodes() - 1);
  for (int d = 0; d < draft.dim; ++d) at[d] = draft.q[draft.dim * point + d];
  return true;
}

/// Without a shape: from the start to the end if both are held or given, hanging; otherwise straight.
Curve guess(const BeamEntry& entry, const Draft& draft) {
  const Beam& beam = *entry.beam;
  Place from{}, to{}, direction{1.0, 0.0, 0.0};
  const bool start = known_place(entry, true, draft, from), end = known_place(entry, false, draft, to);
  const bool from_end = end && !start;
  for (const BeamSupport& support : entry.supports)
    if (support.direction && support.start != from_end)
      for (int d = 0; d < draft.dim; ++d) direction[d] = draft.at_start(support.at[d]);
  if (beam.options().start.tangent >= 0) {
    const int tangent = beam.tangent(from_end ? beam.nodes() - 1 : 0);
    for (int d = 0; d < draft.dim; ++d) direction[d] = draft.q[draft.dim * tangent + d];
  }
  if (!end)
    if (const auto natural = natural_curve(entry, draft)) return *natural;
  return located(entry.item, [&] {
    const double length = beam.options().length;
    if (start && end) return hanging(from, to, length, draft.dim);
    if (!end) return straight(from, direction);
    const double size = std::hypot(direction[0], direction[1], direction[2]);
    for (int d = 0; d < draft.dim; ++d) from[d] = to[d] - length / size * direction[d];
    return straight(from, direction);
  });
}

/// Initial places and velocities.
void place(Draft& draft) {
  for (const BeamEntry& one : draft.continua.beams) {
    const Beam& beam = *one.beam;
    if (one.velocity) beam.place(*one.velocity, draft.v);
    const Curve curve = one.shape ? *one.shape : guess(one, draft);
    // Places that are another's stay as they are.
    const Vector before = draft.q;
    beam.place(curve, draft.q);
    if (beam.is_rod()) place_rod_frames(one, draft);
    for (const BeamEnd* end : {&beam.options().start, &beam.options().end})
      for (const int point : {end->point, end->tangent, end->director, end->director < 0 ? -1 : end->director + 1})
        for (int d = 0; point >= 0 && d < draft.dim; ++d) draft.q[draft.dim * point + d] = before[draft.dim * point + d];
  }
  for (const StringEntry& one : draft.continua.strings) {
    if (one.shape) one.string.place([&](double x) { return one.shape->value(x, 0.0); }, draft.q);
    if (one.velocity) one.string.place([&](double x) { return one.velocity->value(x, 0.0); }, draft.v);
  }
}

/// Names for a place along a beam: its coordinates, velocities and curvature.
std::array<Graph::Node, 3> add_mark(const std::string& name, const Beam& beam, double s, Draft& draft) {
  Graph& graph = *draft.graph;
  const auto sum = [&](int derivative, int axis, bool velocity) {
    Graph::Node out = graph.constant(0.0);
    for (const auto& [coordinate, weight] : beam.weights(s, derivative)) {
      const int i = coordinate + axis;
      const Graph::Node x = graph.variable(velocity ? draft.numbering.v(i) : draft.numbering.q(i));
      out = graph.add(out, graph.multiply(graph.constant(weight), x));
    }
    return out;
  };
  std::array<Graph::Node, 3> place{};
  Graph::Node bend = graph.constant(0.0);
  for (int k = 0; k < draft.dim; ++k) {
    place[k] = sum(0, k, false);
    draft.scope.symbols[name + "." + "xyz"[k]] = place[k];
    draft.scope.symbols[name + ".v" + "xyz"[k]] = sum(0, k, true);
    draft.scope.symbols[name + ".t" + "xyz"[k]] = sum(1, k, false);
    const Graph::Node curve = sum(2, k, false);
    bend = graph.add(bend, graph.multiply(curve, curve));
  }
  draft.scope.symbols[name + ".curvature"] = graph.make(Op::sqrt, bend);
  if (beam.is_rod()) name_directors(name, beam, s, draft);
  return place;
}

}  // namespace

int continuum_coordinates(const Draft& draft) {
  int count = draft.continua.points * draft.dim;
  for (const StringEntry& one : draft.continua.strings) count += one.string.coordinates();
  return count;
}

/// In the order of the system: "pipe.3.x" of a node, "pipe.3.tx" of its tangent, "u.3" of a string.
void add_beam_coordinates(Draft& draft) {
  for (const BeamEntry& one : draft.continua.beams) {
    const int last = one.beam->nodes() - 1;
    for (int k = 0; k <= last; ++k) {
      const BeamEnd* end = k == 0 ? &one.options.start : (k == last ? &one.options.end : nullptr);
      const std::string node = one.name + "." + std::to_string(k) + ".";
      for (int d = 0; d < draft.dim && (end == nullptr || end->point < 0); ++d) draft.add_coordinate(node + "xyz"[d]);
      for (int d = 0; one.beam->is_rod() && d < 6 && (end == nullptr || end->director < 0); ++d)
        draft.add_coordinate(node + "d" + "12"[d / 3] + "xyz"[d % 3]);
      for (int d = 0; d < draft.dim && (end == nullptr || end->tangent < 0); ++d)
        draft.add_coordinate(node + "t" + "xyz"[d]);
    }
  }
}

/// Strings come last, since their coordinates are no places.
void add_string_coordinates(Draft& draft) {
  number_strings(draft);
  for (const StringEntry& one : draft.continua.strings)
    for (int k = 0; k < one.string.nodes(); ++k)
      if (one.string.coordinate(k) >= 0) draft.add_coordinate(one.name + "." + std::to_string(k));
}

void add_continua(Draft& draft) {
  if (draft.continua.beams.empty() && draft.continua.strings.empty()) return;
  draft.model.beams = !draft.continua.beams.empty();
  add_terms(draft);
  std::unordered_map<int, int> place_of_point;
  for (std::size_t m = 0; m < draft.masses.size(); ++m) place_of_point.emplace(int(m), int(m));
  for (const BeamEntry& one : draft.continua.beams) {
    draw_beam(draft, one.name, *one.beam, place_of_point);
    for (const BeamSupport& support : one.supports)
      add_support(*one.beam, support, place_of_point.at(one.beam->position(node_of(*one.beam, support))), draft);
  }
  for (const StringEntry& one : draft.continua.strings) draw_string(draft, one.name, one.string);
  place(draft);
  const int first = int(draft.masses.size()) * draft.dim;
  const int last = first + continuum_coordinates(draft) + body_points(draft) * draft.dim;
  for (int i = first; i < last; ++i) draft.given_q[std::size_t(i)] = 1;
  for (const BeamEntry& one : draft.continua.beams) {
    const Beam& beam = *one.beam;
    if (beam.is_rod()) name_rod_ends(one, draft);
    for (const auto& [end, node] : {std::pair("start", 0), {"end", beam.nodes() - 1}}) {
      const std::string name = one.name + "." + end;
      draft.add_spot(name, {.x = add_mark(name, beam, beam.s(node), draft),
                            .point = beam.position(node),
                            .massive = true,
                            .in_scene = place_of_point.at(beam.position(node))});
    }
    for (const auto& [name, s] : one.marks)
      draw_place(draft, name, Scene::Place::Kind::mark, add_mark(name, beam, s, draft));
  }
}

}  // namespace taut
