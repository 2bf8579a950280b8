#include "error_of.hpp"

namespace taut {
namespace {

/// A ball above a floor, in one dimension.
System ball() {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{.g = 10.0}).add(HalfSpace{.point = 0, .normal = {0, 1, 0}});
  return system;
}

/// The height of the first rebound of a ball dropped from 1 m: the largest height after the first contact.
double rebound(double restitution, double h, double* penetration) {
  const System system = ball();
  const auto path =
      simulate(system, at_rest(system, Vector{{0.0, 1.0}}), MoreauJean{restitution}, Multipliers{}, {.step = h, .end = 1.3});
  EXPECT_TRUE(path.finished()) << path.message;
  const double fall = std::sqrt(2.0 / 10.0);
  double highest = 0.0;
  for (int k = 0; k < path.size(); ++k) {
    *penetration = std::max(*penetration, -path.q(k)[1]);
    if (path.t(k) > fall + 2 * h && path.t(k) < fall + 2 * restitution * fall) highest = std::max(highest, path.q(k)[1]);
  }
  return highest;
}

TEST(MoreauJean, ReboundsToTheHeightOfItsRestitutionToFirstOrderInTheStep) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      double penetration = 0.0;
      // An impact happens up to h early, at a height of up to h·v with v = √20.
      EXPECT_NEAR(rebound(e, h, &penetration), e * e, 1.5 * h * std::sqrt(20.0)) << e << " " << h;
      EXPECT_LE(penetration, 1e-10);
    }
  }
}

TEST(MoreauJean, AnElasticBallBouncesForeverAtItsHeight) {
  const System system = ball();
  const double h = 1e-3;
  const auto path =
      simulate(system, at_rest(system, Vector{{0.0, 1.0}}), MoreauJean{1.0}, Multipliers{}, {.step = h, .end = 20.0});
  const Certificate c = certificate(system, path);
  EXPECT_LE(c.energy.deviation, 10.0 * h * std::sqrt(20.0)) << "what a step of the fall is worth";
  EXPECT_LE(c.penetration, 1e-10);
}

TEST(MoreauJean, WhatRestsRests) {
  const System system = ball();
  for (const NamedSolver& solver : solvers()) {
    if (solver.name == "splitting") continue;  // refused
    const auto path =
        simulate(system, at_rest(system, Vector{{0.3, 0.0}}), MoreauJean{0.5}, solver.method, {.step = 1e-2, .end = 1.0});
    ASSERT_TRUE(path.finished()) << solver.name << ": " << path.message;
    EXPECT_LE((path.last.q - Vector{{0.3, 0.0}}).norm(), 1e-12) << solver.name;
    EXPECT_NEAR(path.last.lambda[0], -10.0, 1e-6) << solver.name << ": the floor carries the weight";
  }
}

TEST(MoreauJean, ABouncingBallComesToRest) {
  const System system = ball();
  const auto path =
      simulate(system, at_rest(system, Vector{{0.0, 1.0}}), MoreauJean{0.5}, Multipliers{}, {.step = 1e-3, .end = 3.0});
  EXPECT_LE(std::abs(path.last.q[1]), 1e-10);
  EXPECT_LE(std::abs(path.last.v[1]), 1e-10);
}

TEST(MoreauJean, APendulumMeetsAWallAndKeepsItsRod) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0}).add(HalfSpace{.point = 0, .normal = {1, 0, 0}, .offset = -0.5});
  const State start = at_rest(system, Vector{{1.0, 0.0}});
  for (const double e : {0.0, 1.0}) {
    const auto path = simulate(system, start, MoreauJean{e}, Multipliers{}, {.step = 1e-3, .end = 5.0});
    const Certificate c = certificate(system, path);
    ASSERT_TRUE(c.finished()) << c.message;
    EXPECT_LE(c.penetration, 1e-10);
    EXPECT_LE(c.position_residual, 1e-12);
    EXPECT_LE(c.velocity_residual, 1e-10);
    if (e == 1.0) {
      EXPECT_LE(c.energy.deviation, 0.3);  // some six impacts, each worth a step of 1e-3 at 4 m/s in a field of 9.81
    } else {
      EXPECT_LE(path.last.v.norm(), 4.0);
    }
  }
}

TEST(MoreauJean, AMassInACornerTouchesBothWalls) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{.g = 10.0})
      .add(HalfSpace{.point = 0, .normal = {1, 1, 0}})
      .add(HalfSpace{.point = 0, .normal = {-1, 1, 0}});
  const auto path =
      simulate(system, at_rest(system, Vector{{0.2, 1.0}}), MoreauJean{}, Multipliers{}, {.step = 1e-3, .end = 3.0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE(path.last.q.norm(), 1e-9);
  EXPECT_NEAR(path.last.lambda[0], -5.0, 1e-6);
  EXPECT_NEAR(path.last.lambda[1], -5.0, 1e-6);
}

TEST(MoreauJean, OthersRefuseInequalitiesAndNameIt) {
  const System system = ball();
  for (const NamedIntegrator& named : integrators()) {
    if (named.name == "moreau-jean") continue;
    const std::string told = testing::error_of([&] { named.integrator.bind(system, Multipliers{}); });
    EXPECT_NE(told.find("MoreauJean"), std::string::npos) << named.name << ": " << told;
    EXPECT_NE(told.find("penalized"), std::string::npos) << named.name << ": " << told;
  }
  EXPECT_EQ(testing::error_of([&] { MoreauJean{1.5}.bind(system, Multipliers{}); }),
            "MoreauJean: restitution must lie in [0, 1], got 1.5.");
}

}  // namespace
}  // namespace taut
