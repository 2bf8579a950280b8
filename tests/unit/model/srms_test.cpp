#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/model/plan.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

/// The Shuttle's arm against a recursive Newton–Euler algorithm, which knows nothing of bodies, joints and multipliers.
namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Angles = std::array<double, 6>;

/// A link in its own axes, its inner joint at the origin.
struct ArmLink {
  Vector3d axis, out, center;
  double mass;
  Vector3d moments;  ///< about the centre
};

/// The published numbers once more, with the centres of mass that the model takes; the payload as a part of the last.
std::vector<ArmLink> published_arm() {
  const auto boom = [](const Vector3d& axis, const Vector3d& out, double mass, const Vector3d& about_joint) {
    const double c = 1.5 * about_joint[1] / (mass * out[0]);
    return ArmLink{axis, out, {c, 0, 0}, mass, about_joint - mass * c * c * Vector3d(0, 1, 1)};
  };
  const Vector3d yaw(0, 0, -1), pitch(0, -1, 0), roll(1, 0, 0);
  const double half = 0.1524;
  std::vector<ArmLink> out{
      {yaw, {0, 0, 0.3048}, {0, 0, half}, 32.12, Vector3d(1.115, 1.417, 0.595) - 32.12 * half * half * Vector3d(1, 1, 0)},
      boom(pitch, {6.377, 0, 0.1524}, 139.35, {3.225, 998.63, 997.18}),
      boom(pitch, {7.06, 0, -0.1524}, 87.42, {1.59, 632.9, 632.51}),
      boom(pitch, {0.4572, 0, 0}, 8.48, {0.0893, 0.402, 0.402}),
      boom(yaw, {0.762, 0, 0}, 45.94, {0.408, 4.68, 4.68}),
      boom(roll, {0.6604, 0, 0}, 45.21, {1.903, 3.816, 2.823})};
  // The payload: a cylinder along z of the hand, beside the tip.
  const double m = 9700, r = 2.13, l = 9.14;
  const Vector3d J(m * (3 * r * r + l * l) / 12, m * (3 * r * r + l * l) / 12, m * r * r / 2);
  out.push_back({Vector3d::Zero(), Vector3d::Zero(), {r, 0, 0}, m, J});
  return out;
}

/// Torques that move the arm so: velocities and accelerations outward, forces and moments inward.
Angles newton_euler(const Angles& angle, const Angles& rate, const Angles& acceleration) {
  const std::vector<ArmLink> links = published_arm();
  Matrix3d R = Matrix3d::Identity();
  Vector3d w = Vector3d::Zero(), dw = w, a = w, x = w;
  std::vector<Vector3d> place, pin, force, moment, center;  // in space; moments about the centres
  for (std::size_t k = 0; k < links.size(); ++k) {
    const ArmLink& link = links[k];
    if (k < 6) {
      const Vector3d z = R * link.axis;
      dw += w.cross(z) * rate[k] + z * acceleration[k];
      w += z * rate[k];
      R = R * Eigen::AngleAxisd(angle[k], link.axis).toRotationMatrix();
      pin.push_back(z);
    }
    const Vector3d c = R * link.center, out = R * link.out;
    const Matrix3d J = R * link.moments.asDiagonal() * R.transpose();
    place.push_back(x);
    center.push_back(x + c);
    force.push_back(link.mass * (a + dw.cross(c) + w.cross(w.cross(c))));
    moment.push_back(J * dw + w.cross(J * w));
    a += dw.cross(out) + w.cross(w.cross(out));
    x += out;
  }
  Angles torque{};
  for (std::size_t k = 0; k < 6; ++k) {
    Vector3d about = Vector3d::Zero();
    for (std::size_t j = k; j < links.size(); ++j) about += moment[j] + (center[j] - place[k]).cross(force[j]);
    torque[k] = about.dot(pin[k]);
  }
  return torque;
}

/// Angles, rates and accelerations of a state of the model, and its torques.
struct ArmInstant {
  Angles angle, rate, acceleration, torque;
};
ArmInstant look_at(const ModelFile& model, State state) {
  ArmInstant out{};
  Derived derived;
  derived.a.resize(model.system.size());
  state.lambda.resize(model.system.constraint_count());
  IndexOne equations(model.system, Multipliers{});
  equations.begin(state);
  equations.accelerate(instant(state), derived.a, state.lambda);
  for (std::size_t k = 0; k < 6; ++k) {
    const std::string number = std::to_string(k + 1);
    for (int i = 0; i < model.system.size(); ++i) {
      if (model.system.coordinate_name(i) != "angle" + number) continue;
      out.angle[k] = state.q[i];
      out.rate[k] = state.v[i];
      out.acceleration[k] = derived.a[i];
    }
    for (const NamedExpression& one : model.outputs)
      if (one.name == "torque" + number) out.torque[k] = one.at(state, derived);
  }
  return out;
}

Trajectory run_as_planned(const ModelFile& model) {
  RunPlan planned = plan(model);
  planned.options.interval = 10.0;
  return simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
}

/// Masses from 8 kg to 10 t, moments from 0.1 to 1e5: what is left of the digits of a torque.
constexpr double torque_digits = 1e-5;  // N m

void expect_torques(const ModelFile& model, const Trajectory& path, double largest) {
  ASSERT_TRUE(path.finished()) << path.message;
  double seen = 0.0;
  for (int k = 0; k < path.size(); ++k) {
    const ArmInstant now = look_at(model, state_at(model.system, path.t(k), path.q(k), path.v(k)));
    const Angles expected = newton_euler(now.angle, now.rate, now.acceleration);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(now.torque[j], expected[j], torque_digits) << "joint " << j + 1 << " at t = " << path.t(k);
      seen = std::max(seen, std::abs(now.torque[j]));
    }
  }
  EXPECT_GT(seen, largest);  // N m: or the agreement says nothing
}

TEST(ShuttleArm, DrivenJointsNeedTheTorquesOfNewtonAndEuler) {
  const ModelFile model = read_model(TAUT_CASES "/srms_joints.yaml");
  const Trajectory path = run_as_planned(model);
  expect_torques(model, path, 100.0);
  // The angles are those given, so that the torques are functions of time.
  const double t = path.t(4), T = 120.0, w = 2.0 * std::numbers::pi / T, deg = std::numbers::pi / 180.0;
  const double part = t / T - std::sin(w * t) / (2.0 * std::numbers::pi), rate = (1.0 - std::cos(w * t)) / T,
               acceleration = w * std::sin(w * t) / T;
  const Angles from{15, 70, -100, -60, 0, 0}, by{60, 20, 45, 30, 40, 80};
  Angles q{}, v{}, a{};
  for (std::size_t k = 0; k < 6; ++k) {
    q[k] = deg * (from[k] + by[k] * part);
    v[k] = deg * by[k] * rate;
    a[k] = deg * by[k] * acceleration;
  }
  const ArmInstant now = look_at(model, state_at(model.system, t, path.q(4), path.v(4)));
  const Angles expected = newton_euler(q, v, a);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(now.torque[k], expected[k], torque_digits) << k;
}

TEST(ShuttleArm, EndEffectorOnItsPathNeedsTheTorquesOfNewtonAndEuler) {
  const ModelFile model = read_model(TAUT_CASES "/srms_path.yaml");
  expect_torques(model, run_as_planned(model), 50.0);
}

/// M from unit accelerations, at rest; frequencies of M φ̈ + K φ = 0.
TEST(ShuttleArm, BrakesLeaveTheFrequenciesOfTheMassMatrix) {
  const ModelFile model = read_model(TAUT_CASES "/srms_brakes.yaml");
  const double deg = std::numbers::pi / 180.0;
  const Angles pose{15 * deg, 70 * deg, -100 * deg, -60 * deg, 0, 0};
  Eigen::MatrixXd M(6, 6);
  for (std::size_t k = 0; k < 6; ++k) {
    Angles unit{};
    unit[k] = 1.0;
    const Angles column = newton_euler(pose, {}, unit);
    for (std::size_t j = 0; j < 6; ++j) M(Eigen::Index(j), Eigen::Index(k)) = column[j];
  }
  Eigen::VectorXd K(6);
  K << 5e5, 5e5, 3e5, 1e5, 1e5, 1e5;
  const Eigen::VectorXd root = K.cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd flexibility = root.asDiagonal() * M * root.asDiagonal();
  const Vector inverse = diagonalize(flexibility);  // 1/ω², ascending
  State rest = model.start.state;
  rest.v.setZero();
  rest.lambda = Vector::Zero(model.system.constraint_count());
  const std::vector<double> found = stability(model.system, rest).frequencies();
  ASSERT_EQ(found.size(), 6u);
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(found[std::size_t(k)] * 2.0 * std::numbers::pi * std::sqrt(inverse[5 - k]), 1.0, 1e-9) << k;
}

}  // namespace
}  // namespace taut
