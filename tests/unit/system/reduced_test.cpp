#include "double_pendulum.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using testing::double_pendulum;
using testing::expect_constraint_laws;
using testing::expect_discrete_laws;
using testing::expect_dynamics_laws;
using testing::generic_state;
using testing::later_state;
using testing::PlaneAngles;

TEST(Reduced, ObeysTheLawsAndDropsWhatTheCoordinatesHold) {
  const System system = double_pendulum(3);
  const System angles = reduced(system, SphericalAngles{}, Vector{{0.5, 0.1, 0.8, 0.3}});
  EXPECT_EQ(angles.size(), 4);
  EXPECT_EQ(angles.constraint_count(), 0);
  expect_dynamics_laws(angles, generic_state(angles), 1e-6);
  const State start = generic_state(angles);
  expect_discrete_laws(angles, start, later_state(angles, start));
}

TEST(Reduced, HasTheEnergyOfTheRedundantSystem) {
  const System system = double_pendulum(3);
  const System angles = reduced(system, SphericalAngles{}, Vector{{0.5, 0.1, 0.8, 0.3}});
  const State u = generic_state(angles);
  Vector q, v;
  lift(SphericalAngles{}, u.q, u.v, q, v);
  EXPECT_NEAR(angles.energy(instant(u)), system.energy({0.0, q.data(), v.data()}), 1e-12);
  EXPECT_LE(system.constraint_values(0.0, q).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Reduced, KeepsOtherConstraintsAsFunctionsOfTheNewCoordinates) {
  System system = double_pendulum(2);
  system.add(Pin{.point = 1, .at = {1.5, 0.0}, .length = 0.9}, "loop").add(HalfSpace{.point = 1, .offset = -1.5}, "floor");
  const System angles = reduced(system, PlaneAngles{}, Vector{{0.5, 0.8}});
  ASSERT_EQ(angles.constraint_count(), 2);
  EXPECT_EQ(angles.constraint_name(0), "loop");
  EXPECT_EQ(angles.constraint_name(1), "floor");
  EXPECT_EQ(angles.sets()[1], Set::nonnegative);
  expect_constraint_laws(angles, generic_state(angles));
  const State start = generic_state(angles);
  expect_discrete_laws(angles, start, later_state(angles, start));
  expect_dynamics_laws(penalized(angles, 0.1), generic_state(angles), 1e-6);
}

TEST(Reduced, CommutesWithPenalising) {
  System system = double_pendulum(2);
  system.add(Pin{.point = 1, .at = {1.5, 0.0}, .length = 0.9});
  const Vector near{{0.5, 0.8}};
  const System a = penalized(reduced(system, PlaneAngles{}, near), 0.01),
               b = reduced(penalized(system, 0.01), PlaneAngles{}, near);
  const State at = generic_state(a);
  EXPECT_LE((a.force(instant(at)) - b.force(instant(at))).norm(), 1e-11 * a.force(instant(at)).norm());
  EXPECT_LE((a.momentum(instant(at)) - b.momentum(instant(at))).norm(), 1e-12);
}

TEST(Reduced, PenaltyOfEqualitiesAndInequalitiesIsCountedOnce) {
  System system = double_pendulum(2);
  system.add(Pin{.point = 1, .at = {1.5, 0.0}, .length = 0.9}).add(HalfSpace{.point = 1, .offset = 3.0});
  const Vector near{{0.5, 0.8}};
  const System a = penalized(reduced(system, PlaneAngles{}, near), 0.01),
               b = reduced(penalized(system, 0.01), PlaneAngles{}, near);
  const State at = generic_state(a);
  EXPECT_NEAR(a.potential_energy(instant(at)), b.potential_energy(instant(at)), 1e-9);
}

struct Leaving {
  template <class T> std::array<T, 3> operator()(const T& t) const { return {t * t, T(0.0), T(0.0)}; }
};
struct OnePoint {
  static constexpr int coordinates = 1;
  template <class T> std::array<T, 2> operator()(const std::array<T, 1>& u) const { return {T(0.0), u[0]}; }
};

TEST(Reduced, KeepsADrivenConstraintThatHoldsAtTheFirstInstantOnly) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Hold<Leaving>{.point = 0});
  EXPECT_EQ(reduced(system, OnePoint{}, Vector{{0.0}}).constraint_count(), 2);
}

TEST(Reduced, RefusesAMapOfTheWrongSize) {
  const System system = double_pendulum(3);
  EXPECT_THROW(reduced(system, PlaneAngles{}, Vector{{0.5, 0.8}}), InputError);
}

}  // namespace
}  // namespace taut
