#include <Eigen/Geometry>
#include <cmath>
#include <taut/model/readers.hpp>
#include <taut/model/vectors.hpp>

/// Rods: beams that have a torsional stiffness, and with it directors.
namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Node = Graph::Node;

/// One number for both directions, or two.
std::vector<Item> one_or_two(const Item& item) {
  if (!item.is_list()) return {item, item};
  std::vector<Item> out = item.list();
  if (out.size() != 2) item.fail("needs one number, or two: for d1 and d2");
  return out;
}

VectorNode scaled(Graph& graph, const VectorNode& x, Node by) {
  return {graph.multiply(x[0], by), graph.multiply(x[1], by), graph.multiply(x[2], by)};
}
VectorNode unit_node(Graph& graph, const VectorNode& x) {
  return scaled(graph, x, graph.divide(graph.constant(1.0), graph.make(Op::sqrt, dot(graph, x, x))));
}

/// The part of x across a unit vector, of length one.
VectorNode across(Graph& graph, const VectorNode& x, const VectorNode& along) {
  const Node part = dot(graph, x, along);
  VectorNode out{};
  for (std::size_t k = 0; k < 3; ++k) out[k] = graph.subtract(x[k], graph.multiply(part, along[k]));
  return unit_node(graph, out);
}

Vector3d start_vector(const VectorNode& x, const Draft& draft) {
  return {draft.at_start(x[0]), draft.at_start(x[1]), draft.at_start(x[2])};
}

const BeamSupport* clamp_of(const BeamEntry& entry, bool start) {
  for (const BeamSupport& one : entry.supports)
    if (one.roll && one.start == start) return &one;
  return nullptr;
}

}  // namespace

void read_rod_section(BeamEntry& entry, Draft& draft) {
  RodSection rod;
  std::optional<Item> torsion, bending, plain, axial, shear, inertia, alone;
  double length = 1.0;
  Profile density = 1.0;
  for (const auto& [key, one] : entry.item.entries(forms().beam.keys)) {
    if (key == "GJ") torsion = one;
    if (key == "EI") bending = one;
    if (key == "stiffness") plain = one;
    if (key == "EA") axial = one;
    if (key == "GA") shear = one;
    if (key == "rotary_inertia") inertia = one;
    if (key == "length") length = draft.number(one);
    if (key == "density") density = read_profile(one, draft);
    if (key == "curvature") {
      const std::vector<Item> parts = one.list();
      if (parts.size() != 3) one.fail("needs three: about d1, about d2, and twist");
      for (std::size_t k = 0; k < 3; ++k) rod.curvature[k] = read_profile(parts[k], draft);
    }
    const bool own =
        key == "EI" || key == "EA" || key == "GA" || key == "curvature" || key == "rotary_inertia" || key == "twist";
    if (own && !alone) alone = one;
  }
  if (!torsion) {
    if (alone) alone->fail("belongs to a rod, which has a torsional stiffness: give `GJ` too");
    return;
  }
  if (draft.dim != 3) torsion->fail("only a beam in space twists: set dimension: 3");
  if (bending && plain) plain->fail("is `EI` of a rod; give one of them");
  for (const auto& [key, one] : entry.item.entries())
    if (key == "inextensible" || key == "slack")
      one.fail("goes with beams that have no torsion; a rod stretches if it has `EA`");
  rod.torsion = read_profile(*torsion, draft);
  if (const std::optional<Item>& given = bending ? bending : plain) {
    const std::vector<Item> parts = one_or_two(*given);
    for (std::size_t k = 0; k < 2; ++k) rod.bending[k] = read_profile(parts[k], draft);
  }
  if (axial) rod.axial = draft.positive(*axial);
  if (shear) {
    const std::vector<Item> parts = one_or_two(*shear);
    for (std::size_t k = 0; k < 2; ++k) rod.shear[k] = draft.positive(parts[k]);
  }
  if (inertia) {
    const std::vector<Item> parts = one_or_two(*inertia);
    for (std::size_t k = 0; k < 2; ++k) rod.inertia[k] = read_profile(parts[k], draft);
  } else if (axial) {  // of a section of one material: ρA·EI/EA
    for (std::size_t k = 0; k < 2; ++k)
      rod.inertia[k] = Profile([density, EI = rod.bending[k], EA = rod.axial](double s) { return density(s) * EI(s) / EA; });
  }
  for (const Profile& one : rod.inertia)
    if (inertia && !(one(0.0) >= 0.0 && one(length) >= 0.0)) inertia->fail("must not be negative");
  entry.options.rod = rod;
}

void read_clamp(BeamSupport& support, Draft& draft) {
  Graph& graph = *draft.graph;
  double size = 0.0;
  if (graph.is_constant(dot(graph, support.at, support.at), &size) && size == 0.0)
    support.item.fail("a direction must not be zero");
  const VectorNode along = unit_node(graph, support.at);
  VectorNode first{};
  if (support.roll->is_list()) {
    const std::vector<Item> parts = draft.axes(*support.roll);
    VectorNode roll{};
    for (std::size_t k = 0; k < 3; ++k) roll[k] = draft.of_time(parts[k]);
    const Vector3d there = start_vector(roll, draft), tangent = start_vector(along, draft);
    if (!(there.norm() > 0.0)) support.roll->fail("must not be zero");
    const double cosine = there.normalized().dot(tangent);
    if (std::abs(cosine) > 1e-6)
      support.roll->fail(message("must be at right angles to the `direction`; the cosine between them is {}", cosine));
    first = across(graph, roll, along);
  } else {
    const Node angle = draft.of_time(*support.roll);
    const Matrix3d reference = frame_along(start_vector(along, draft));
    const VectorNode zero = across(graph, constant_vector(graph, reference.col(0)), along),
                     other = cross(graph, along, zero);
    const Node c = graph.make(Op::cos, angle), s = graph.make(Op::sin, angle);
    for (std::size_t k = 0; k < 3; ++k) first[k] = graph.add(graph.multiply(c, zero[k]), graph.multiply(s, other[k]));
  }
  support.frame = {first, cross(graph, along, first), along};
}

namespace {

/// Node by node, the shape and frames of a rod that nothing strains, from its start; empty for a straight one, or where another beam holds the start.
std::vector<std::pair<Vector3d, Matrix3d>> natural_nodes(const BeamEntry& entry, const Draft& draft) {
  const Beam& beam = *entry.beam;
  const auto& curvature = beam.options().rod->curvature;
  bool straight = true;
  for (const Profile& one : curvature) straight = straight && one.constant() && one(0.0) == 0.0;
  const BeamSupport* clamp = clamp_of(entry, true);
  if (straight || beam.options().start.tangent >= 0) return {};
  Vector3d x = Vector3d::Zero();
  Matrix3d R = frame_along(Vector3d::UnitX());
  for (const BeamSupport& one : entry.supports)
    if (one.start && !one.direction) x = start_vector(one.at, draft);
  if (clamp != nullptr)
    for (int k = 0; k < 3; ++k) R.col(k) = start_vector(clamp->frame[std::size_t(k)], draft);
  std::vector<std::pair<Vector3d, Matrix3d>> out;
  for (int node = 0; node < beam.nodes(); ++node) {
    out.emplace_back(x, R);
    if (node + 1 == beam.nodes()) break;
    constexpr int parts = 12;  // small helices
    const double h = (beam.s(node + 1) - beam.s(node)) / parts;
    for (int part = 0; part < parts; ++part) {
      const double s = beam.s(node) + (part + 0.5) * h;
      const Vector3d turn(curvature[0](s) * h, curvature[1](s) * h, curvature[2](s) * h);
      const auto turned = [&](double share) -> Matrix3d {
        const double angle = share * turn.norm();
        return angle > 0.0 ? Matrix3d(R * Eigen::AngleAxisd(angle, turn.normalized()).toRotationMatrix()) : R;
      };
      x += h / 6.0 * (R.col(2) + 4.0 * turned(0.5).col(2) + turned(1.0).col(2));  // Simpson
      R = turned(1.0);
    }
  }
  return out;
}

/// d₁ at a start that nothing holds: such that a rod with curvature of its own bends there as its shape does; else any.
Vector3d unclamped_roll(const BeamEntry& entry, const Vector3d& tangent) {
  const RodSection& rod = *entry.beam->options().rod;
  const double first = rod.curvature[0](0.0), second = rod.curvature[1](0.0);
  if (entry.shape && (first != 0.0 || second != 0.0)) {
    const Frame next = (*entry.shape)(1e-4 * entry.beam->options().length);
    const Vector3d about = tangent.cross(Vector3d(next.tangent[0], next.tangent[1], next.tangent[2]));
    if (about.norm() > 1e-12) return Eigen::AngleAxisd(-std::atan2(second, first), tangent) * about.normalized();
  }
  return frame_along(tangent).col(0);
}

}  // namespace

std::optional<Curve> natural_curve(const BeamEntry& entry, const Draft& draft) {
  const Beam& beam = *entry.beam;
  if (!beam.is_rod()) return {};
  auto nodes = natural_nodes(entry, draft);
  if (nodes.empty()) return {};
  return [nodes = std::move(nodes), &beam](double s) {
    const auto& [x, R] = nodes[std::size_t(beam.node_near(s))];
    return Frame{{x[0], x[1], x[2]}, {R(0, 2), R(1, 2), R(2, 2)}};
  };
}

void place_rod_frames(const BeamEntry& entry, Draft& draft) {
  const Beam& beam = *entry.beam;
  const int last = beam.nodes() - 1;
  const auto tangent = [&](int node) { return Vector3d(draft.q.segment<3>(beam.frame_at(node)[2])).normalized(); };
  const auto first = [&](int node) { return Vector3d(draft.q.segment<3>(beam.frame_at(node)[0])); };
  // d₁ where a clamp or another rod says it.
  const auto given = [&](bool start) -> std::optional<Vector3d> {
    if (const BeamSupport* clamp = clamp_of(entry, start)) return start_vector(clamp->frame[0], draft);
    const BeamEnd& end = start ? beam.options().start : beam.options().end;
    if (end.director >= 0) return Vector3d(draft.q.segment<3>(3 * end.director));
    return {};
  };
  const std::optional<Vector3d> start = given(true), end = given(false);
  if (!entry.shape && !entry.twist && !end)
    if (const auto nodes = natural_nodes(entry, draft); !nodes.empty()) {
      for (int k = 0; k <= last; ++k)
        for (int i = 0; i < 3; ++i)
          draft.q.segment<3>(beam.frame_at(k)[std::size_t(i)]) = nodes[std::size_t(k)].second.col(i);
      return;
    }
  const Curve curve = entry.shape.value_or(Curve{});
  Vector3d roll = start ? *start : unclamped_roll(entry, tangent(0));
  // The turn of the whole that the end still asks for.
  const auto missing = [&] {
    const Vector3d have = first(last), want = *end, along = tangent(last);
    return std::atan2(along.dot(have.cross(want)), have.dot(want));
  };
  // A frame carried along turns least; the rod that nothing strains has its twist over that.
  double twist = entry.twist.value_or(0.0);
  for (int node = 0; !entry.twist && node < last; ++node)
    twist += beam.options().rod->curvature[2](0.5 * (beam.s(node) + beam.s(node + 1))) * (beam.s(node + 1) - beam.s(node));
  located(entry.item, [&] { beam.place_frames({roll[0], roll[1], roll[2]}, twist, draft.q, curve); });
  if (end && !start) roll = Eigen::AngleAxisd(missing(), tangent(0)) * roll;
  if (end && start && !entry.twist) twist += missing();
  if (end) beam.place_frames({roll[0], roll[1], roll[2]}, twist, draft.q, curve);
}

/// The node at an end as a body of no mass of its own.
void name_rod_ends(const BeamEntry& entry, Draft& draft) {
  const Beam& beam = *entry.beam;
  for (const auto& [word, node] : {std::pair("start", 0), {"end", beam.nodes() - 1}}) {
    const std::array<int, 3> at = beam.frame_at(node);
    const int first = 3 * beam.position(node);
    if (at[0] != first + 3 || at[1] != first + 6 || at[2] != first + 9) continue;  // its place is a mass
    BodyEntry end{.name = entry.name + "." + word, .item = entry.item};
    end.first = first;
    end.at = draft.q.segment<3>(first);
    for (int k = 0; k < 3; ++k) end.rotation.col(k) = draft.q.segment<3>(at[std::size_t(k)]);
    draft.frames.emplace(end.name, std::move(end));
  }
}

/// Directors d1x … d3z, and k1, k2, k3: curvature about them and twist of the element there, from the bilinear a of RodElement.
void name_directors(const std::string& name, const Beam& beam, double s, Draft& draft) {
  Graph& graph = *draft.graph;
  int node = beam.node_near(s);
  const auto q = [&](int coordinate) { return graph.variable(draft.numbering.q(coordinate)); };
  const auto director = [&](int of, int i) {
    const int at = beam.frame_at(of)[std::size_t(i)];
    return VectorNode{q(at), q(at + 1), q(at + 2)};
  };
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) draft.scope.symbols[name + ".d" + "123"[i] + "xyz"[k]] = director(node, i)[std::size_t(k)];
  if (beam.s(node) > s || node + 1 == beam.nodes()) --node;
  const double h = beam.s(node + 1) - beam.s(node);
  Node z = graph.constant(0.0);
  for (int i = 0; i < 3; ++i) {
    VectorNode change{};
    for (std::size_t k = 0; k < 3; ++k) change[k] = graph.subtract(director(node + 1, i)[k], director(node, i)[k]);
    z = graph.add(z, graph.multiply(graph.constant(0.125), dot(graph, change, change)));
  }
  // θ/sin θ = Σ cₖzᵏ, cₖ₊₁ = cₖ (2k + 2)/(2k + 3): seven powers are exact to 1e-7 for 45° per element.
  std::array<double, 8> c{1.0};
  for (std::size_t k = 0; k + 1 < c.size(); ++k) c[k + 1] = c[k] * (2.0 * double(k) + 2.0) / (2.0 * double(k) + 3.0);
  Node ratio = graph.constant(c.back());
  for (std::size_t k = c.size() - 1; k-- > 0;) ratio = graph.add(graph.constant(c[k]), graph.multiply(z, ratio));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Node a = graph.subtract(dot(graph, director(node, k), director(node + 1, j)),
                                  dot(graph, director(node, j), director(node + 1, k)));
    draft.scope.symbols[name + ".k" + "123"[i]] = graph.multiply(graph.constant(0.5 / h), graph.multiply(ratio, a));
  }
}

}  // namespace taut
