#include "laws.hpp"

namespace taut {
namespace {

using testing::expect_constraint_laws;
using testing::expect_discrete_laws;
using testing::expect_dynamics_laws;
using testing::generic_state;
using testing::later_state;

struct Circling {
  template <class T> std::array<T, 3> operator()(const T& t) const {
    using std::cos, std::sin;
    return {0.5 * cos(3.0 * t), 0.5 * sin(3.0 * t), 0.1 * t};
  }
};

/// Friction and a driven force, to cover forces that depend on everything.
struct Dragged {
  static constexpr int width = 2;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> Local<T, 2> force(const T& t, const Local<T, 2>& q, const Local<T, 2>& v) const {
    using std::sin;
    return {sin(t) * q[1] - v[0] * v[1], -0.2 * v[1] + q[0] * q[1]};
  }
};

/// A spring that holds the angle of a rod, by its place; and a stiffness that depends on how far it is.
struct Torsion {
  static constexpr int width = 2;
  double stiffness, rest;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    using std::atan2, std::hypot, std::pow;
    const T turned = atan2(q[1], q[0]) - rest;
    return (0.5 * stiffness) * pow(hypot(q[0], q[1]), 1.0 + 0.1 * turned) * turned * turned;
  }
};

class InEachDimension : public ::testing::TestWithParam<int> {
 protected:
  System points() const { return System(Points{.count = 3, .dim = GetParam(), .masses = {1.0, 2.5, 0.4}}); }
};
INSTANTIATE_TEST_SUITE_P(Terms, InEachDimension, ::testing::Values(1, 2, 3));

TEST_P(InEachDimension, MassGravityAndSpringObeyTheLaws) {
  System system = points();
  system.add(Gravity{.g = 9.81}).add(Spring{.from = 0, .to = 2, .stiffness = 30.0, .length = 0.7});
  expect_dynamics_laws(system, generic_state(system));
  EXPECT_TRUE(system.constant_mass());
}

TEST(Torsion, AsATermObeysTheLaws) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Torsion{.stiffness = 3.0, .rest = 0.4});
  for (const double side : {1.0, -1.0}) {
    expect_dynamics_laws(system, generic_state(system, side));
    expect_discrete_laws(system, generic_state(system, side), later_state(system, generic_state(system, side)));
  }
}

TEST_P(InEachDimension, DistancePinHoldAndHalfSpaceObeyTheLaws) {
  System system = points();
  system.add(Distance{.from = 2, .to = 1, .length = 1.3})
      .add(Pin{.point = 0, .at = {0.1, -0.2, 0.3}, .length = 0.9})
      .add(Hold<>{.point = 1, .motion = {{0.3, 0.2, 0.1}}})
      .add(Hold<Circling>{.point = 2})
      .add(HalfSpace{.point = 0, .normal = {0.6, 0.8, 0.0}, .offset = 0.2});
  expect_constraint_laws(system, generic_state(system));
}

TEST_P(InEachDimension, PenaltiesOfAllConstraintsObeyTheLaws) {
  System system = points();
  system.add(Distance{.from = 2, .to = 1, .length = 1.3})
      .add(Pin{.point = 0, .length = 0.9})
      .add(Hold<Circling>{.point = 2})
      .add(HalfSpace{.point = 0, .normal = {-0.6, 0.8, 0.0}, .offset = 5.0});
  const System soft = penalized(system, 0.1);
  EXPECT_EQ(soft.constraint_count(), 0);
  expect_dynamics_laws(soft, generic_state(soft));
}

TEST(Terms, ForcesOfEverythingObeyTheLaws) {
  System system(2);
  system.add(CompoundLinks{.a1 = 0.5, .a2 = 0.25, .l1 = 1, .l2 = 0.5, .m1 = 10, .m2 = 5, .I1 = 0.8, .I2 = 0.1})
      .add(Dragged{})
      .add(TorqueUntil{.newton_metres = -30, .until = 4});
  EXPECT_FALSE(system.conservative());
  EXPECT_FALSE(system.constant_mass());
  expect_dynamics_laws(system, generic_state(system));
}

TEST(Terms, DoubleCompoundPendulumObeysTheLaws) {
  for (const Model& model : {gh95_wall(), gh95_ellipse()}) {
    expect_dynamics_laws(model.system, generic_state(model.system));
    expect_constraint_laws(model.system, generic_state(model.system));
    expect_dynamics_laws(penalized(model.system, 0.5), generic_state(model.system), 1e-6);
  }
}

TEST_P(InEachDimension, DiscreteGradientsObeyTheirLaws) {
  System system = points();
  system.add(Gravity{})
      .add(Spring{.from = 0, .to = 2, .stiffness = 30.0, .length = 0.7})
      .add(Distance{.from = 2, .to = 1, .length = 1.3})
      .add(Hold<Circling>{.point = 2})
      .add(HalfSpace{.point = 0, .normal = {0.6, 0.8, 0.0}, .offset = 0.2});
  const State start = generic_state(system);
  expect_discrete_laws(system, start, later_state(system, start));
  const System soft = penalized(system, 0.1);
  expect_discrete_laws(soft, start, later_state(soft, start));
}

TEST(Terms, DiscreteGradientsOfGeneralMassAndForcesObeyTheirLaws) {
  for (const Model& model : {gh95_wall(), gh95_ellipse()}) {
    const State start = generic_state(model.system);
    expect_discrete_laws(model.system, start, later_state(model.system, start));
  }
  System system(2);
  system.add(Dragged{}).add(
      CompoundLinks{.a1 = 0.5, .a2 = 0.25, .l1 = 1, .l2 = 0.5, .m1 = 10, .m2 = 5, .I1 = 0.8, .I2 = 0.1});
  const State start = generic_state(system);
  expect_discrete_laws(system, start, later_state(system, start));
}

TEST(Terms, DiscreteGradientIsTheGradientWhereTheEndsMeet) {
  const Model model = gh95_ellipse();
  const State at = generic_state(model.system);
  const Segment step{at.t, at.q.data(), at.q.data(), at.v.data(), at.v.data()};
  Vector discrete = Vector::Zero(2);
  for (const auto& block : model.system.dynamics()) block->discrete()->add_discrete(step, 1.0, discrete.data());
  EXPECT_LE((discrete - model.system.force(instant(at))).norm(), 1e-12 * discrete.norm());
}

TEST(Terms, DoubleCompoundPendulumHasTheMomentumAndForceOfEquation34) {
  // (34) as corrected: both velocity terms with their signs.
  const CompoundLinks l{.a1 = 1.63, .a2 = 0.99, .l1 = 3.26, .l2 = 1.98, .m1 = 67.1, .m2 = 219, .I1 = 0.8134, .I2 = 0.829};
  System system(2);
  system.add(l);
  const State s = generic_state(system);
  const double c = l.m2 * l.l1 * l.a2, difference = s.q[1] - s.q[0];
  const Vector p = system.momentum(instant(s)), f = system.force(instant(s));
  EXPECT_NEAR(p[0], (l.I1 + l.m1 * l.a1 * l.a1 + l.m2 * l.l1 * l.l1) * s.v[0] + c * s.v[1] * std::cos(difference), 1e-9);
  EXPECT_NEAR(p[1], (l.I2 + l.m2 * l.a2 * l.a2) * s.v[1] + c * s.v[0] * std::cos(difference), 1e-9);
  const double coupling = c * s.v[0] * s.v[1] * std::sin(difference);
  EXPECT_NEAR(f[0], coupling - l.g * (l.m1 * l.a1 + l.m2 * l.l1) * std::sin(s.q[0]), 1e-9);
  EXPECT_NEAR(f[1], -coupling - l.g * l.m2 * l.a2 * std::sin(s.q[1]), 1e-9);
}

TEST(Terms, SpansHaveTheDerivativesOfTheirValue) {
  const Span<2, 3> span{.c = {-0.7, 1.3}, .a = {0.1, 0.2, -0.4}, .length = 1.2, .weight = 0.6};
  const Local<double, 6> x{0.1, 0.4, -0.3, 1.0, 0.2, 0.7};
  Local<Hyper<6>, 6> variables;
  for (int i = 0; i < 6; ++i) variables[i] = Hyper<6>::variable(x[i], i);
  const auto value = span.value(variables);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(span.gradient(x)[i], value.slope[i], 1e-15);
    for (int j = 0; j < 6; ++j)
      EXPECT_NEAR(value.second(i, j), i % 3 == j % 3 ? span.weight * span.c[i / 3] * span.c[j / 3] : 0.0, 1e-15);
  }
}

TEST(Terms, PenaltyOfAnInequalityVanishesInsideAndPushesOutside) {
  System system(Points{.count = 1, .dim = 2});
  system.add(HalfSpace{.point = 0, .normal = {0, 1, 0}, .offset = 0.0});
  const System soft = penalized(system, 1e-3);
  EXPECT_EQ(soft.force(instant(at_rest(soft, Vector{{0.0, 0.1}})))[1], 0.0);
  EXPECT_NEAR(soft.force(instant(at_rest(soft, Vector{{0.0, -0.1}})))[1], 100.0, 1e-9);
  EXPECT_NEAR(soft.potential_energy(instant(at_rest(soft, Vector{{0.0, -0.1}}))), 0.01 / 2e-3, 1e-12);
}

}  // namespace
}  // namespace taut
