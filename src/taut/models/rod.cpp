#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/models/beam.hpp>
#include <taut/system/constraints/hold.hpp>
#include <taut/system/constraints/stretch.hpp>
#include <taut/system/terms/element.hpp>

/// Rods: what a beam with directors is made of.
namespace taut {
namespace {

using Eigen::Vector3d;
using Triple = std::array<double, 3>;

Vector3d vector_of(const Triple& a) { return {a[0], a[1], a[2]}; }
Triple triple_of(const Vector3d& a) { return {a[0], a[1], a[2]}; }

/// The mean of a profile over an element by three Gauss points, and its slope.
std::pair<double, double> mean_and_slope(const Profile& of, double s, double h) {
  if (of.constant()) return {of(s), 0.0};
  const double off = std::sqrt(0.15), low = of(s + (0.5 - off) * h), high = of(s + (0.5 + off) * h), mid = of(s + 0.5 * h);
  return {(5.0 * low + 8.0 * mid + 5.0 * high) / 18.0, (high - low) / (2.0 * off * h)};
}

/// Of stiffnesses it is the compliance that adds up along the rod.
double mean_stiffness(const Profile& of, double s, double h) {
  if (of.constant()) return of(s);
  return 1.0 / mean_and_slope(Profile([&](double at) { return 1.0 / of(at); }), s, h).first;
}

/// Two-node mass matrix between the lumped and the consistent one, whose waves have the error O(h⁴).
std::shared_ptr<const ElementMatrices<2>> two_node_mass(double mass, double damping) {
  auto out = std::make_shared<ElementMatrices<2>>();
  out->mass = {5.0 * mass / 12.0, mass / 12.0, mass / 12.0, 5.0 * mass / 12.0};
  for (std::size_t k = 0; k < 4; ++k) out->damping[k] = damping * out->mass[k];
  return out;
}

/// The length of an element that shears, to the order h⁴: ½(d₃ + d₃₊)·(x₊ − x) + h/6 |d₃₊ − d₃|² = h. The cubic of those that do not has no meaning there, since x′ is not d₃.
/// λ is the force along d₃.
struct ShearingLength {
  static constexpr int width = 12, rows = 1;
  std::array<int, 4> at;  ///< first coordinates of x, d₃, x₊, d₃₊
  double h, s;
  std::shared_ptr<const std::string> curve;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (std::size_t k = 0; k < width; ++k) index[k] = at[k / 3] + int(k % 3);
    return index;
  }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& q) const {
    T sum(-h);
    for (std::size_t c = 0; c < 3; ++c) {
      const T turn = q[9 + c] - q[3 + c];
      sum += 0.5 * ((q[3 + c] + q[9 + c]) * (q[6 + c] - q[c])) + (h / 6.0) * (turn * turn);
    }
    return {sum};
  }
  double compliance() const { return h; }
  std::string name() const { return message("length of {} at s = {}", *curve, s); }
};

}  // namespace

void Beam::check_rod() const {
  const std::string& name = options_.name;
  const RodSection& rod = *options_.rod;
  require(dim_ == 3, "Beam '{}': only a beam in space twists; without GJ it is one of the plane.", name);
  require(!options_.slack, "Beam '{}': a rod that twists cannot be slack.", name);
  for (const double s : s_)
    for (const auto& [what, of] : {std::pair("EI1", &rod.bending[0]), {"EI2", &rod.bending[1]}, {"GJ", &rod.torsion}})
      require((*of)(s) > 0.0 && std::isfinite((*of)(s)), "Beam '{}': {} must be positive, got {} at s = {}.", name, what,
              (*of)(s), s);
  require(rod.axial >= 0.0 && rod.shear[0] >= 0.0 && rod.shear[1] >= 0.0, "Beam '{}': EA and GA must not be negative.",
          name);
  require((rod.shear[0] > 0.0) == (rod.shear[1] > 0.0), "Beam '{}': shears in both directions or in none.", name);
  // Of a turn by more than π from node to node the frames tell another one.
  for (int e = 0; e + 1 < nodes(); ++e) {
    const double h = s_[e + 1] - s_[e], s = s_[e] + 0.5 * h;
    const double turn = h * std::hypot(rod.curvature[0](s), rod.curvature[1](s), rod.curvature[2](s));
    require(turn < std::numbers::pi,
            "Beam '{}': its own curvature turns it by {} degrees from node to node at s = {}, and less than 180 can be "
            "told; give it "
            "more elements.",
            name, turn * 180.0 / std::numbers::pi, s);
  }
  for (const BeamEnd* end : {&options_.start, &options_.end}) {
    if (end->support != BeamEnd::Support::clamped) continue;
    const Vector3d d = vector_of(end->direction), r = vector_of(end->roll);
    require(r.norm() > 0.0, "Beam '{}': a clamped end of a rod needs a roll, the direction of d1 across the tangent.", name);
    require(std::abs(d.dot(r)) <= 1e-6 * d.norm() * r.norm(),
            "Beam '{}': the roll of a clamp must be at right angles to its direction; their cosine is {}.", name,
            d.dot(r) / (d.norm() * r.norm()));
  }
}

int Beam::director(int node, int i) const { return i == 3 ? tangent_[node] : director_[node] + i - 1; }
std::array<int, 3> Beam::frame_at(int node) const {
  return {3 * director_[node], 3 * director_[node] + 3, 3 * tangent_[node]};
}

std::shared_ptr<const RodNumbers> Beam::rod_numbers(int element) const {
  const RodSection& rod = *options_.rod;
  const bool uniform = options_.nodes.empty();
  const double s = s_[element], h = uniform ? options_.length / options_.elements : s_[element + 1] - s;
  auto out = std::make_shared<RodNumbers>();
  out->length = h;
  for (std::size_t i = 0; i < 2; ++i) out->bending[i] = mean_stiffness(rod.bending[i], s, h);
  out->torsion = mean_stiffness(rod.torsion, s, h);
  out->axial = rod.axial;
  out->shear = rod.shear;
  for (std::size_t i = 0; i < 3; ++i) std::tie(out->curvature[i], out->growth[i]) = mean_and_slope(rod.curvature[i], s, h);
  out->corrected = rod.corrected;
  return out;
}

RodElement Beam::rod_element(int element) const {
  RodElement out{};
  for (int side = 0; side < 2; ++side) {
    const std::array<int, 3> frame = frame_at(element + side);
    out.at[std::size_t(4 * side)] = 3 * position_[element + side];
    for (int i = 0; i < 3; ++i) out.at[std::size_t(4 * side + 1 + i)] = frame[std::size_t(i)];
  }
  out.numbers = rod_numbers(element);
  return out;
}

void Beam::add_rod(System& system) const {
  const RodSection& rod = *options_.rod;
  const auto name = std::make_shared<const std::string>(options_.name);
  const auto constant = [](const auto& profiles) {
    return std::all_of(profiles.begin(), profiles.end(), [](const Profile& one) { return one.constant(); });
  };
  const bool same = options_.nodes.empty() && constant(rod.bending) && rod.torsion.constant() && constant(rod.curvature);
  if (rod.shear[0] == 0.0) add_elements<3>(system);  // x′ = d₃
  std::shared_ptr<const RodNumbers> numbers;
  for (int e = 0; e + 1 < nodes(); ++e) {
    RodElement element = rod_element(e);
    if (!numbers || !same) numbers = element.numbers;
    element.numbers = numbers;
    system.add(element);
    if (options_.stiffness_damping > 0.0) system.add(RodDamping{element, options_.stiffness_damping});
    const double h = numbers->length, s = s_[e];
    // The section's inertia: E of d₁ is that about d₂, and the other way round. The default is a thin section.
    const double gyration = 1e-3 * options_.length, least = options_.density(s + 0.5 * h) * gyration * gyration;
    for (int i = 0; i < 2; ++i) {
      double each = rod.inertia[std::size_t(1 - i)](s + 0.5 * h);
      if (each == 0.0 && rod.inertia[std::size_t(i)](s + 0.5 * h) == 0.0) each = least;
      system.add(Element<2, 3>{{3 * (director_[e] + i), 3 * (director_[e + 1] + i)},
                               two_node_mass(h * each, options_.mass_damping)});
    }
    if (rod.shear[0] > 0.0)
      system.add(Element<2, 3>{{3 * position_[e], 3 * position_[e + 1]},
                               two_node_mass(h * mean_and_slope(options_.density, s, h).first, options_.mass_damping)});
    // The length of an element in its middle, of the cubic through both nodes; at the nodes d₃ has length one.
    if (rod.axial == 0.0 && rod.shear[0] > 0.0) system.add(ShearingLength{shapes(e), h, s + 0.5 * h, name});
    if (rod.axial == 0.0 && rod.shear[0] == 0.0)
      system.add(Stretch<4, 3>{shapes(e), {-1.5 / h, -0.25, 1.5 / h, -0.25}, 2.0 / 3.0 * h, s + 0.5 * h, false, name});
  }
  // |dᵢ| = 1, and |dᵢ + dⱼ|² = 2: at right angles.
  const double root = std::sqrt(0.5);
  for (int k = 0; k < nodes(); ++k) {
    const bool first = k == 0, last = k + 1 == nodes();
    if ((first && options_.start.director >= 0) || (last && options_.end.director >= 0)) continue;  // the other rod's
    const std::array<int, 3> d = frame_at(k);
    const double h = options_.length / (nodes() - 1);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string of = message("axis {} of {} at s = {}", i + 1, options_.name, s_[k]);
      system.add(Stretch<1, 3>{{d[i]}, {1.0}, (i == 2 ? 1.0 / 3.0 : 1.0) * h, s_[k], false, name}, of);
      const std::size_t j = (i + 1) % 3;
      system.add(Stretch<2, 3>{{d[i], d[j]}, {root, root}, h, s_[k], false, name},
                 message("axes {} and {} of {} at s = {}", i + 1, j + 1, options_.name, s_[k]));
    }
    system.add_vector(d[0], true);
    system.add_vector(d[1], true);
  }
  for (const int side : {0, 1}) {
    const BeamEnd& end = side == 0 ? options_.start : options_.end;
    const int node = side == 0 ? 0 : nodes() - 1;
    const std::string where = options_.name + (side == 0 ? " start" : " end");
    if (end.support == BeamEnd::Support::free) continue;
    system.add(HoldIn<3, Place>{position_[node], Place{end.place}}, where);
    if (end.support != BeamEnd::Support::clamped) continue;
    const Vector3d e3 = vector_of(end.direction).normalized(), r = vector_of(end.roll),
                   e1 = (r - e3 * e3.dot(r)).normalized();
    system.add(FrameHold{frame_at(node), {triple_of(e1), triple_of(e3.cross(e1)), triple_of(e3)}}, where + " clamp");
  }
}

double Beam::rod_stretch(const double* q) const {
  double worst = 0.0;
  for (int e = 0; e + 1 < nodes(); ++e) {
    const double h = s_[e + 1] - s_[e];
    if (options_.rod->shear[0] > 0.0) {
      const ShearingLength length{shapes(e), h, 0.0, nullptr};
      Local<double, 12> local;
      for (std::size_t k = 0; k < 12; ++k) local[k] = q[length.stencil()[k]];
      worst = std::max(worst, std::abs(length.value(0.0, local)[0]) / h);
      continue;
    }
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
      const double way = 1.5 / h * (q[3 * position_[e + 1] + d] - q[3 * position_[e] + d]) -
                         0.25 * (q[3 * tangent_[e] + d] + q[3 * tangent_[e + 1] + d]);
      square += way * way;
    }
    worst = std::max(worst, std::abs(std::sqrt(square) - 1.0));
  }
  return worst;
}

void Beam::place_frames(const Directors& frames, Vector& q) const {
  for (int k = 0; k < nodes(); ++k) {
    const auto d = frames(s_[k]);
    const std::array<int, 3> at = frame_at(k);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t c = 0; c < 3; ++c) q[at[i] + int(c)] = d[i][c];
  }
}

void Beam::place_frames(Triple roll, double twist, Vector& q, const Curve& curve) const {
  constexpr int parts =
      16;  // between nodes, so that what a frame carried along turns by is exact to some 1e-3 of the angle between nodes squared
  for (int k = 1; k < nodes(); ++k) {
    const double turn = std::abs(twist) * (s_[k] - s_[k - 1]) / options_.length;
    require(turn < std::numbers::pi,
            "Beam '{}': a twist of {} turns it by {} degrees from node to node, and less than 180 can be told; give it more "
            "elements.",
            options_.name, twist, turn * 180.0 / std::numbers::pi);
  }
  Vector3d d1 = vector_of(roll), before = Vector3d::Zero();
  // The shortest turn from the tangent before to this one takes d₁ along.
  const auto carry = [&](const Vector3d& tangent) {
    if (before.norm() > 0.0) d1 = Eigen::Quaterniond::FromTwoVectors(before, tangent) * d1;
    d1 = (d1 - tangent * tangent.dot(d1)).normalized();
    before = tangent;
  };
  for (int k = 0; k < nodes(); ++k) {
    const std::array<int, 3> at = frame_at(k);
    const Vector3d d3 = Vector3d(q.segment<3>(at[2])).normalized();
    for (int part = 1; curve && k > 0 && part < parts; ++part)
      carry(vector_of(curve(s_[k - 1] + (s_[k] - s_[k - 1]) * part / parts).tangent).normalized());
    carry(d3);
    const Vector3d turned = Eigen::AngleAxisd(twist * s_[k] / options_.length, d3) * d1;
    q.segment<3>(at[0]) = turned;
    q.segment<3>(at[1]) = d3.cross(turned);
    q.segment<3>(at[2]) = d3;
  }
}

void Beam::add_moment(System& system, int node, std::function<Triple(double)> moment, bool follows) const {
  require(is_rod(), "Beam '{}': a moment needs directors to act on; give the torsional stiffness GJ.", options_.name);
  system.add(FrameMoment{frame_at(node), std::move(moment), follows});
}

void Beam::add_director_force(System& system, int node, Triple newtons) const {
  require(is_rod(), "Beam '{}': a force along directors needs some; give the torsional stiffness GJ.", options_.name);
  system.add(FrameForce{3 * position_[node], frame_at(node), newtons});
}

}  // namespace taut
