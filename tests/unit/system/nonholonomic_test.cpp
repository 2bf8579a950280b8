#include "laws.hpp"

/// Ready constraints on velocities, against exact solutions derived here.
namespace taut {
namespace {

/// A System of generalised coordinates with these masses.
System inertia(const std::vector<double>& masses) {
  System system(int(masses.size()));
  for (int i = 0; i < int(masses.size()); ++i) system.add(PointMass<1>{i, masses[i]});
  return system;
}

/// A constant generalised force on one coordinate.
struct Torque {
  static constexpr int width = 1;
  int coordinate;
  double value;
  std::array<int, 1> stencil() const { return {coordinate}; }
  template <class T> Local<T, 1> force(const T&, const Local<T, 1>&, const Local<T, 1>&) const { return {T(value)}; }
};

State moving(const System& system, const Vector& q, const Vector& v) {
  const ConsistentStart start = consistent_start(system, state_at(system, 0.0, q, v));
  EXPECT_EQ(start.status, Status::ok) << start.trouble;
  return start.state;
}

/// The run must agree with `exact` at its end, for a scheme of each kind that takes such constraints.
template <class Check> void run_each(const System& system, const State& start, double end, const Check& check) {
  for (const char* name : {"spark3", "dop853"}) {
    const auto path = simulate(system, start, integrator_named(name), Multipliers{}, {.end = end, .rtol = 1e-11});
    ASSERT_TRUE(path.finished()) << name << ": " << path.message;
    EXPECT_LE(certificate(system, path).velocity_residual, 1e-11) << name;
    check(path.last, name);
  }
}

TEST(Nonholonomic, DerivativesOfReadyTermsAgreeWithDifferences) {
  System system = inertia({1, 1, 1, 1, 1, 1});
  system.add(KnifeEdge{.ahead = 0.3})
      .add(RollingDisk{.radius = 0.4})
      .add(WheelPair{.radius = 0.2, .track = 0.7})
      .add(RollingBall{.radius = 0.3, .table = 1.7});
  const State at = testing::generic_state(system);
  const int n = system.size(), m = system.constraint_count();
  const Eigen::MatrixXd K = system.constraint_gradient(at.t, at.q);
  Vector psi(m), acceleration(m);
  for (int r = 0; r < m; ++r) psi[r] = 0.3 + 0.7 * r;
  Eigen::MatrixXd slopes(m, n), bent(n, n);
  const auto force = [&](const Vector& q) {
    Vector out = Vector::Zero(n);
    system.add_constraint_forces(at.t, q.data(), psi.data(), 1.0, out.data());
    return out;
  };
  for (int j = 0; j < n; ++j) {
    slopes.col(j) = testing::difference(
        [&](double x) {
          const Vector v = at.v + x * Vector::Unit(n, j);
          return system.constraint_rates({at.t, at.q.data(), v.data()});
        },
        0.0);
    bent.col(j) = testing::difference([&](double x) { return force(Vector(at.q + x * Vector::Unit(n, j))); }, 0.0);
  }
  EXPECT_LE((K - slopes).norm(), 1e-8);
  EXPECT_LE((force(at.q) - K.transpose() * psi).norm(), 1e-13);
  EXPECT_LE((testing::dense_curvature(system, at, psi) - bent).norm(), 1e-7);
  system.constraint_accelerations(instant(at), acceleration.data());
  const Vector later = testing::difference(
      [&](double x) {
        const Vector q = at.q + x * at.v;
        return system.constraint_rates({at.t + x, q.data(), at.v.data()});
      },
      0.0);
  EXPECT_LE((acceleration - later).norm(), 1e-7);
  EXPECT_FALSE(system.holonomic());
}

TEST(Nonholonomic, SkateOnAnInclineDoesNotSlideDown) {
  // θ = ωt; along the blade u′ = g sin α cos ωt, so x′ = u cos θ, y′ = u sin θ integrate to sin² and to 2ωt − sin 2ωt.
  const double down = 3.0, omega = 2.0, t = 5.0;
  System skate = inertia({1, 1, 0.1});
  skate.add(KnifeEdge{}).add(Torque{0, down});
  run_each(skate, moving(skate, Vector::Zero(3), Vector{{0, 0, omega}}), t, [&](const State& end, const char* name) {
    EXPECT_NEAR(end.q[0], down / (2 * omega * omega) * std::pow(std::sin(omega * t), 2), 1e-10) << name;
    EXPECT_NEAR(end.q[1], down / (4 * omega * omega) * (2 * omega * t - std::sin(2 * omega * t)), 1e-10) << name;
  });
}

TEST(Nonholonomic, ChaplyginSleighTurnsUntilItGoesStraight) {
  // With the centre of mass a ahead of the blade: v′ = a ω², ω′ = −m a v ω/(I + m a²), solved by v = c tanh κt, ω = ω₀/cosh κt.
  const double m = 1.3, I = 0.4, a = 0.6, omega = 2.5, t = 2.0;
  const double kappa = std::sqrt(m * a * a / (I + m * a * a)) * omega, c = a * omega * omega / kappa;
  System sleigh = inertia({m, m, I});
  sleigh.add(KnifeEdge{.ahead = -a});
  // The centre moves sideways with a ω where the blade stands still.
  run_each(
      sleigh, moving(sleigh, Vector::Zero(3), Vector{{0, a * omega, omega}}), t, [&](const State& end, const char* name) {
        EXPECT_NEAR(end.v[2], omega / std::cosh(kappa * t), 1e-9) << name;
        EXPECT_NEAR(end.v[0] * std::cos(end.q[2]) + end.v[1] * std::sin(end.q[2]), c * std::tanh(kappa * t), 1e-9) << name;
        EXPECT_NEAR(end.q[2], omega / kappa * std::atan(std::sinh(kappa * t)), 1e-9) << name;
      });
}

TEST(Nonholonomic, DiskRollsOnAnIncline) {
  // (I + m R²) φ″ = m g R cos ωt downhill along x; x′ = R φ′ cos ωt.
  const double m = 2.0, R = 0.3, I = 0.09, down = 1.7, omega = 0.7, roll = 5.0, t = 4.0;
  System disk = inertia({m, m, 0.045, I});
  disk.add(RollingDisk{.radius = R}).add(Torque{0, m * down});
  const double B = m * down * R / ((I + m * R * R) * omega);
  run_each(disk, moving(disk, Vector::Zero(4), Vector{{R * roll, 0, omega, roll}}), t,
           [&](const State& end, const char* name) {
             const double s = std::sin(omega * t);
             EXPECT_NEAR(end.v[3], roll + B * s, 1e-9) << name;
             EXPECT_NEAR(end.q[0], R * (roll * s / omega + B * s * s / (2 * omega)), 1e-9) << name;
           });
}

TEST(Nonholonomic, WheelPairDrivenByTorquesSpeedsUpAndTurnsEvenly) {
  const double m = 3.0, J = 0.5, W = 0.02, R = 0.1, b = 0.4, left = 0.05, right = 0.08, t = 2.0;
  System cart = inertia({m, m, J, W, W});
  cart.add(WheelPair{.radius = R, .track = b}).add(Torque{3, left}).add(Torque{4, right});
  run_each(cart, moving(cart, Vector::Zero(5), Vector::Zero(5)), t, [&](const State& end, const char* name) {
    const double speed = (left + right) / R / (m + 2 * W / (R * R)) * t;
    const double turn = (right - left) * b / (2 * R) / (J + W * b * b / (2 * R * R)) * t;
    EXPECT_NEAR(end.v[0] * std::cos(end.q[2]) + end.v[1] * std::sin(end.q[2]), speed, 1e-10) << name;
    EXPECT_NEAR(end.v[2], turn, 1e-10) << name;
    EXPECT_NEAR(end.q[2], turn * t / 2, 1e-10) << name;
  });
}

TEST(Nonholonomic, BallOnATurntableGoesRoundACircle) {
  // m r″ = F, I ω′ = −R ẑ × F and rolling give r″ = κ ẑ × r′ with κ = Ω/(1 + mR²/I): two sevenths of Ω for a solid ball.
  const double m = 0.8, R = 0.25, I = 0.4 * m * R * R, t = 6.0;
  for (const double table : {0.0, 2.0}) {
    System ball = inertia({m, m, 4 * I, 4 * I, 4 * I, 4 * I});
    ball.add(RollingBall{.radius = R, .table = table}).add(UnitQuaternion{.first = 2});
    const Eigen::Vector2d r(1.0, 0.2), v(0.3, -0.1);
    // e = 1: ω = 2 ė, so that ω_y = (x′ + Ω y)/R and ω_x = (Ω x − y′)/R; spin about the vertical changes nothing.
    const Vector start{{r[0], r[1], 1, 0, 0, 0}},
        rates{{v[0], v[1], 0, (table * r[0] - v[1]) / R / 2, (v[0] + table * r[1]) / R / 2, 0.35}};
    run_each(ball, moving(ball, start, rates), t, [&](const State& end, const char* name) {
      const double kappa = 2.0 / 7.0 * table;
      const Eigen::Vector2d turned(-v[1], v[0]);
      const Eigen::Vector2d exact =
          table == 0.0 ? Eigen::Vector2d(r + t * v)
                       : Eigen::Vector2d(r + (std::sin(kappa * t) * v + (1 - std::cos(kappa * t)) * turned) / kappa);
      EXPECT_LE((end.q.head<2>() - exact).norm(), 1e-9) << name << " " << table;
    });
  }
}

}  // namespace
}  // namespace taut
