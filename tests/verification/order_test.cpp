#include <Eigen/LU>

#include "double_pendulum.hpp"
#include "error_of.hpp"
#include "laws.hpp"

/// Orders are measured: the slope of the error over at least three steps, against solutions found by other means.
namespace taut {
namespace {

using testing::double_pendulum;
using testing::error_of;
using testing::PlaneAngles;
using testing::slope;

/// Positions of the double spherical pendulum at t = 1, computed to 13 digits by an independent program.
const Vector lbs_t1{
    {-.6739169122924, -.1778496510048, -.7170812345639, -1.5136889570738, -.3263373190393, -1.2393209546593}};

/// λ of the index-1 system [M Gᵀ; G 0](a, λ) = (f, −γ) for constant mass, assembled densely.
Vector multiplier_at(const System& system, const State& s) {
  const int n = system.size(), m = system.constraint_count();
  const Eigen::MatrixXd G = system.constraint_gradient(s.t, s.q);
  Vector gamma(m);
  system.constraint_accelerations(instant(s), gamma.data());
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
  EXPECT_TRUE(path.finished()) << path.message;
  return path.last;
}

/// Steps small enough for the leading error term, large enough to stay above round-off.
std::vector<double> steps_for(int order) {
  if (order == 1) return {4e-4, 2e-4, 1e-4, 5e-5};
  if (order <= 4) return {0.01, 0.005, 0.0025, 0.00125};
  if (order <= 5) return {1.0 / 160, 1.0 / 240, 1.0 / 320, 1.0 / 400};
  if (order <= 6) return {1.0 / 30, 1.0 / 40, 1.0 / 50, 1.0 / 60};
  return {1.0 / 28, 1.0 / 34, 1.0 / 40};
}

class EveryIntegrator : public ::testing::TestWithParam<NamedIntegrator> {};
INSTANTIATE_TEST_SUITE_P(Order, EveryIntegrator, ::testing::ValuesIn(integrators()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryIntegrator, HasItsOrderInRedundantCoordinatesOnTheDoubleSphericalPendulum) {
  Model model = double_spherical_pendulum();
  Integrator integrator = GetParam().integrator;
  std::vector<double> steps = steps_for(integrator.traits().order);
  if (!GetParam().integrator.traits().takes_constraints) {
    const auto rigid = simulate(model.system, model.start, integrator, Multipliers{}, {.step = 0.01, .end = 1.0});
    EXPECT_NE(rigid.message.find("nothing fast"), std::string::npos) << "held exactly, nothing is left to average";
    model.system = penalized(model.system, 1e-12);
    integrator = Hmm{.tolerance = 1e-10};  // and steps above what averaging leaves
    steps = {0.01, 0.005, 0.0025};
  }
  std::vector<double> errors;
  for (const double h : steps) errors.push_back((run(model.system, model.start, integrator, h, 1.0).q - lbs_t1).norm());
  EXPECT_NEAR(slope(steps, errors), integrator.traits().order, 0.15) << errors[0] << " " << errors.back();
  EXPECT_GT(errors.back(), 1e-12) << "still above round-off";
}

TEST_P(EveryIntegrator, HasItsOrderInMinimalCoordinatesOnTheDoublePendulum) {
  // The reference comes from the other formulation: Cartesian coordinates with multipliers, converged to round-off.
  const System system = double_pendulum(2);
  const Vector u{{0.9, 1.4}}, w{{0.3, -0.5}};
  Vector q, v;
  lift(PlaneAngles{}, u, w, q, v);
  const Vector reference = run(system, state_at(system, 0, q, v), RungeKutta{dormand_prince8()}, 2e-3, 1.0).q;
  const System angles = reduced(system, PlaneAngles{}, u);
  if (GetParam().name == "three-level") {
    EXPECT_NE(error_of([&] { GetParam().integrator.bind(angles, Multipliers{}); }).find("use EnergyMomentum"),
              std::string::npos)
        << "its mass is constant by definition";
    return;
  }
  const Traits traits = GetParam().integrator.traits();
  if (!traits.takes_constraints) {
    const auto path =
        simulate(angles, state_at(angles, 0, u, w), GetParam().integrator, Multipliers{}, {.step = 0.01, .end = 1.0});
    EXPECT_NE(path.message.find("nothing fast"), std::string::npos) << path.message;
    return;
  }
  const int order = traits.free_order > 0 ? traits.free_order : traits.order;
  // This motion is gentler than the other; order 8 is at round-off with its steps.
  const std::vector<double> steps = order == 8 ? std::vector{1.0 / 12, 1.0 / 16, 1.0 / 20, 1.0 / 24} : steps_for(order);
  std::vector<double> errors;
  for (const double h : steps) {
    const State end = run(angles, state_at(angles, 0, u, w), GetParam().integrator, h, 1.0);
    lift(PlaneAngles{}, end.q, end.v, q, v);
    errors.push_back((q - reference).norm());
  }
  EXPECT_NEAR(slope(steps, errors), order, 0.15) << errors[0] << " " << errors.back();
}

TEST_P(EveryIntegrator, HasAMultiplierOfItsOrderAtItsStatedTime) {
  const Traits traits = GetParam().integrator.traits();
  if (traits.multiplier_order == 0) GTEST_SKIP() << "promises nothing of its multiplier";
  const Model model = double_spherical_pendulum();
  // λ of order 8 at 1/70 is off by 2e-12, a third of it round-off; at these steps round-off is a hundredth at most.
  const std::vector<double> steps =
      traits.order == 8 ? std::vector{1.0 / 30, 1.0 / 40, 1.0 / 50, 1.0 / 60} : steps_for(traits.order);
  std::vector<double> errors;
  for (const double h : steps) {
    // At several ends, so that no zero of the leading error term is taken for the rule.
    double sum = 0.0;
    for (const double end : {0.5, 0.8, 1.0}) {
      const Trajectory path =
          simulate(model.system, model.start, GetParam().integrator, Multipliers{}, {.step = h, .end = end, .every = 0});
      ASSERT_TRUE(path.finished()) << path.message;
      const double last = path.counts.smallest_step, time = end - last + traits.multiplier_time * last;
      const State fine = run(model.system, model.start, RungeKutta{dormand_prince8()}, 2e-3, time);
      sum += (path.last.lambda - multiplier_at(model.system, fine)).squaredNorm();
    }
    errors.push_back(std::sqrt(sum));
  }
  EXPECT_NEAR(slope(steps, errors), traits.multiplier_order, 0.15) << errors[0] << " " << errors.back();
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
