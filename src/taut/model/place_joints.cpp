#include <Eigen/Geometry>
#include <cmath>
#include <deque>
#include <numbers>
#include <taut/model/readers.hpp>

/// Bodies along their joints, before these are closed.
namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

/// x → R x + p.
struct Displacement {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();
  Displacement operator*(const Displacement& first) const { return {R * first.R, R * first.p + p}; }
  Displacement inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// By how much a given coordinate differs from where the bodies are placed; turns by the shortest way.
double given_by(int coordinate, double start, bool turns, const Draft& draft) {
  if (coordinate < 0 || !draft.initial_given.contains({coordinate, false})) return 0.0;
  const double by = draft.q[coordinate] - start;
  return turns ? std::remainder(by, 2.0 * std::numbers::pi) : by;
}

Displacement given_along(const JointPlace& joint, const Draft& draft) {
  const double angle = given_by(joint.angle, joint.angle_start, true, draft);
  const double travel = given_by(joint.travel, joint.travel_start, false, draft);
  Displacement out;
  if (angle != 0.0) out.R = turn(joint.axis, angle);
  out.p = joint.at - out.R * joint.at + travel * joint.along;
  return out;
}

void displace(const BodyEntry& body, const Displacement& by, Draft& draft) {
  const Vector3d spin = body.spin.value_or(Vector3d::Zero());
  const auto set = [&](int first, const Vector3d& to, Vector& in, bool velocity) {
    for (int k = 0; k < draft.dim; ++k)
      if (!draft.initial_given.contains({first + k, velocity})) in[first + k] = to[k];
  };
  const auto read = [&](int first) {
    Vector3d x = Vector3d::Zero();
    for (int k = 0; k < draft.dim; ++k) x[k] = draft.q[first + k];
    return x;
  };
  set(body.first, by.R * read(body.first) + by.p, draft.q, false);
  for (int d = 1; d <= (draft.dim == 2 ? 1 : 3); ++d) {
    const int first = body.first + draft.dim * d;
    const Vector3d axis = by.R * read(first);
    set(first, axis, draft.q, false);
    set(first, spin.cross(axis), draft.v, true);
  }
}

}  // namespace

/// From the ground outward each body takes along what hangs on it. Small turns are left to the search for the nearest place, which does not ask for an order; from
/// far away it would find the turn half a turn off, or none.
void place_by_joints(Draft& draft) {
  constexpr double far = 0.5;  // rad: within it the search has never missed
  bool needed = false;
  for (const JointPlace& one : draft.joint_places)
    needed = needed || std::abs(given_by(one.angle, one.angle_start, true, draft)) > far;
  if (!needed) return;
  const std::size_t n = draft.bodies.size();
  std::vector<std::vector<std::size_t>> joints(n + 1);  // of each body; last: of the ground
  const auto index = [&](int body) { return body < 0 ? n : std::size_t(body); };
  for (std::size_t k = 0; k < draft.joint_places.size(); ++k) {
    const JointPlace& one = draft.joint_places[k];
    if (one.a == -2 || one.b == -2) continue;
    joints[index(one.a)].push_back(k);
    joints[index(one.b)].push_back(k);
  }
  std::vector<std::optional<Displacement>> found(n + 1);
  const auto spread = [&](std::size_t root) {
    found[root] = Displacement{};
    std::deque<std::size_t> next{root};
    while (!next.empty()) {
      const std::size_t here = next.front();
      next.pop_front();
      for (const std::size_t k : joints[here]) {
        const JointPlace& one = draft.joint_places[k];
        const bool forward = index(one.a) == here;
        const std::size_t there = index(forward ? one.b : one.a);
        if (found[there]) continue;
        const Displacement by = given_along(one, draft);
        found[there] = *found[here] * (forward ? by : by.inverse());
        next.push_back(there);
      }
    }
  };
  spread(n);
  for (std::size_t k = 0; k < n; ++k)
    if (!found[k]) spread(k);
  for (std::size_t k = 0; k < n; ++k) displace(draft.bodies[k], *found[k], draft);
}

/// s cos φ = c sin φ holds half a turn away as well. An angle that was not given is turned round; one that was cannot be.
void check_angles(Draft& draft, Vector& found) {
  std::swap(draft.q, found);
  std::string wrong;
  for (const JointPlace& one : draft.joint_places) {
    if (one.angle < 0 || draft.at_start(one.same) >= 0.0) continue;
    if (draft.initial_given.contains({one.angle, false}) && wrong.empty()) wrong = one.name;
    draft.q[one.angle] += draft.q[one.angle] > 0.0 ? -std::numbers::pi : std::numbers::pi;
  }
  std::swap(draft.q, found);
  require(wrong.empty(),
          "{}: the joints close only half a turn away from the angle given; give the bodies places nearer to it.", wrong);
}

}  // namespace taut
