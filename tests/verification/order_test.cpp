#include <Eigen/LU>

#include "laws.hpp"
#include "spherical.hpp"

/// Orders are measured: the slope of the error over at least three steps, against solutions found by other means.
namespace taut {
namespace {

using testing::double_pendulum;
using testing::lbs_pendulum;
using testing::PlaneAngles;
using testing::slope;
using testing::Spherical;

/// Positions of the double spherical pendulum at t = 1, computed to 13 digits by an independent program.
const Vector lbs_t1{
    {-.6739169122924, -.1778496510048, -.7170812345639, -1.5136889570738, -.3263373190393, -1.2393209546593}};

/// λ of the index-1 system [M Gᵀ; G 0](a, λ) = (f, −γ) for constant mass, with γ = d/dt(G) v by differences along v.
Vector multiplier_at(const System& system, const State& s) {
  const int n = system.size(), m = system.constraint_count();
  const Eigen::MatrixXd G = system.constraint_gradient(s.t, s.q);
  const Vector gamma = testing::difference(
      [&](double h) {
        const Vector q = s.q + h * s.v;
        return system.constraint_rates({s.t + h, q.data(), s.v.data()});
      },
      0.0, 1e-5);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = system.mass(instant(s));
  K.topRightCorner(n, m) = G.transpose();
  K.bottomLeftCorner(m, n) = G;
  Vector right(n + m);
  right << system.force(instant(s)), -gamma;
  return K.fullPivLu().solve(right).tail(m);
}

State run(const System& system, const State& start, const Integrator& integrator, double h, double end) {
  const auto path = simulate(system, start, integrator, Multipliers{}, {.step = h, .end = end, .every = 0});
  EXPECT_TRUE(path.finished) << path.message;
  return path.last;
}

class EveryIntegrator : public ::testing::TestWithParam<NamedIntegrator> {};
INSTANTIATE_TEST_SUITE_P(Order, EveryIntegrator, ::testing::ValuesIn(integrators()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryIntegrator, HasItsOrderInRedundantCoordinatesOnTheDoubleSphericalPendulum) {
  const Model model = lbs_pendulum();
  std::vector<double> steps{0.01, 0.005, 0.0025, 0.00125}, errors;
  for (const double h : steps)
    errors.push_back((run(model.system, model.start, GetParam().integrator, h, 1.0).q - lbs_t1).norm());
  EXPECT_NEAR(slope(steps, errors), GetParam().integrator.traits().order, 0.15) << errors[0] << " " << errors.back();
  EXPECT_GT(errors.back(), 1e-9) << "still above round-off";
}

TEST_P(EveryIntegrator, HasItsOrderInMinimalCoordinatesOnTheDoubleSphericalPendulum) {
  const Model model = lbs_pendulum();
  // Both rods along x: polar angle π/2 from −z, azimuth 0; azimuth rates 1 and 1.5.
  const double right_angle = 0.5 * M_PI;
  const Vector u{{right_angle, 0, right_angle, 0}}, w{{0, 1, 0, 1.5}};
  const System angles = reduced(model.system, Spherical{}, u);
  const State start = state_at(angles, 0.0, u, w);
  Vector q, v;
  lift(Spherical{}, u, w, q, v);
  ASSERT_LE((q - model.start.q).norm() + (v - model.start.v).norm(), 1e-14);
  std::vector<double> steps{0.01, 0.005, 0.0025, 0.00125}, errors;
  for (const double h : steps) {
    const State end = run(angles, start, GetParam().integrator, h, 1.0);
    lift(Spherical{}, end.q, end.v, q, v);
    errors.push_back((q - lbs_t1).norm());
  }
  EXPECT_NEAR(slope(steps, errors), GetParam().integrator.traits().order, 0.15);
}

TEST_P(EveryIntegrator, HasAMultiplierOfItsOrderAtItsStatedTime) {
  const Traits traits = GetParam().integrator.traits();
  if (traits.multiplier_order == 0) GTEST_SKIP() << "promises nothing of its multiplier";
  const Model model = lbs_pendulum();
  std::vector<double> steps{0.02, 0.01, 0.005, 0.0025}, errors;
  for (const double h : steps) {
    const Vector lambda = run(model.system, model.start, GetParam().integrator, h, 0.5).lambda;
    const double time = 0.5 - h + traits.multiplier_time * h;
    const State fine = run(model.system, model.start, Midpoint{}, 1e-4, time);
    errors.push_back((lambda - multiplier_at(model.system, fine)).norm());
  }
  EXPECT_NEAR(slope(steps, errors), traits.multiplier_order, 0.15) << errors[0] << " " << errors[3];
}

TEST(Order, PenaltyTendsToMultipliersWithRateOneInEpsilon) {
  const System system = double_pendulum(2);
  const State start = at_rest(system, Vector{{0.6, -0.8, 1.6, -0.8}});
  const double h = 2e-4, end = 0.5;
  const State held = run(system, start, Midpoint{}, h, end);
  std::vector<double> epsilons{1e-3, 3e-4, 1e-4, 3e-5, 1e-5}, errors;
  for (const double epsilon : epsilons)
    errors.push_back((run(penalized(system, epsilon), start, Midpoint{}, h, end).q - held.q).norm());
  EXPECT_NEAR(slope(epsilons, errors), 1.0, 0.15) << errors[0] << " " << errors.back();
}

TEST(Order, FormulationsAgreeOnOneMotion) {
  const System system = double_pendulum(2);
  const Vector u{{0.9, 1.4}}, w{{0.3, -0.5}};
  Vector q, v;
  lift(PlaneAngles{}, u, w, q, v);
  const double h = 1e-3, end = 1.0;
  const State held = run(system, state_at(system, 0, q, v), Midpoint{}, h, end);
  const System angles = reduced(system, PlaneAngles{}, u);
  const State free = run(angles, state_at(angles, 0, u, w), Midpoint{}, h, end);
  const State soft = run(penalized(system, 1e-8), state_at(system, 0, q, v), Midpoint{}, 1e-5, end);
  lift(PlaneAngles{}, free.q, free.v, q, v);
  EXPECT_LE((held.q - q).norm(), 2e-5);
  EXPECT_LE((held.v - v).norm(), 1e-4);
  EXPECT_LE((held.q - soft.q).norm(), 2e-5);
}

}  // namespace
}  // namespace taut
