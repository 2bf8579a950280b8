#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"
#include "sanitized.hpp"

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
    for (const double h : sanitized ? std::vector{1e-2, 1e-3} : std::vector{1e-2, 1e-3, 1e-4}) {
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

TEST(MoreauJean, ContactsThatRepeatEachOtherShareTheLoad) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{.g = 10.0});
  for (int k = 0; k < 3; ++k) system.add(HalfSpace{.point = 0, .normal = {0, 1, 0}});
  const auto path =
      simulate(system, at_rest(system, Vector{{0.2, 1.0}}), MoreauJean{}, Multipliers{}, {.step = 1e-3, .end = 2.0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE(certificate(system, path).penetration, 1e-10);
  EXPECT_NEAR(path.last.q[1], 0.0, 1e-10);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(path.last.lambda[k], -10.0 / 3.0, 1e-5);
}

TEST(MoreauJean, MassesComeToRestInRandomCornersOfMorePlanesThanCoordinates) {
  std::mt19937 random(5);
  const auto number = [&](double low, double high) {
    return low + (high - low) * double(random()) / double(std::mt19937::max());
  };
  for (int trial = 0; trial < (sanitized ? 2 : 40); ++trial) {
    const int dim = 2 + trial % 2, planes = dim + 1 + int(random() % 4);
    System system(Points{.count = 1, .dim = dim});
    system.add(Gravity{.g = 10.0});
    // A funnel with its tip in the origin: the normals point upward, and they surround the vertical.
    for (int k = 0; k < planes; ++k) {
      const double around = 2.0 * M_PI * (k + number(-0.2, 0.2)) / planes, steep = number(0.4, 2.0);
      HalfSpace plane{.point = 0, .normal = {steep * std::cos(around), steep * std::sin(around), 1.0}};
      if (dim == 2) plane.normal = {k % 2 == 0 ? steep : -steep, 1.0, 0.0};
      system.add(plane);
    }
    Vector q = Vector::Zero(dim);
    q[0] = number(-0.1, 0.1);
    q[dim - 1] = 1.0;
    const auto path = simulate(system, at_rest(system, q), MoreauJean{trial % 3 == 0 ? 0.3 : 0.0}, Multipliers{},
                               {.step = 2e-3, .end = 4.0});
    ASSERT_TRUE(path.finished()) << trial << ": " << path.message;
    EXPECT_LE(certificate(system, path).penetration, 1e-9) << trial;
    EXPECT_LE(path.last.q.norm(), 1e-6) << trial;
    EXPECT_LE(path.last.v.norm(), 1e-6) << trial;
    Vector force = Vector::Zero(dim);
    system.add_constraint_forces(path.last.t, path.last.q.data(), path.last.lambda.data(), 1.0, force.data());
    EXPECT_NEAR(force[dim - 1], -10.0, 1e-5) << trial << ": the corner carries the weight";
    EXPECT_LE(path.last.lambda.maxCoeff(), 1e-9) << trial << ": and no plane pulls";
  }
}

/// x between jaws that close until a time, and a floor.
struct Jaw {
  static constexpr int width = 1, rows = 1;
  double side, until;
  std::array<int, 1> stencil() const { return {0}; }
  template <class T> Local<T, 1> value(const T& t, const Local<T, 1>& q) const {
    return {side * q[0] + (t < until ? 0.3 - t : T(0.3 - until))};
  }
  Set set() const { return Set::nonnegative; }
  std::string name() const { return side > 0 ? "left jaw" : "right jaw"; }
};

TEST(MoreauJean, JawsThatCloseOnAMassHoldItOrAreToldToContradict) {
  for (const double until : {0.3, 1.0}) {
    System system(Points{.count = 1, .dim = 2});
    system.add(Gravity{.g = 10.0})
        .add(HalfSpace{.point = 0, .normal = {0, 1, 0}})
        .add(Jaw{1.0, until})
        .add(Jaw{-1.0, until});
    const auto path =
        simulate(system, at_rest(system, Vector{{0.0, 1.0}}), MoreauJean{}, Multipliers{}, {.step = 1e-3, .end = 2.0});
    EXPECT_LE(certificate(system, path).penetration, 1e-9);
    if (until == 0.3) {
      ASSERT_TRUE(path.finished()) << path.message;
      EXPECT_LE(path.last.q.norm(), 1e-9) << "between the jaws, on the floor";
    } else {
      EXPECT_FALSE(path.finished());
      EXPECT_NE(path.message.find("contradict"), std::string::npos) << path.message;
      EXPECT_NEAR(path.last.t, 0.3, 1.5e-3);
    }
  }
}

TEST(MoreauJean, ASlackCableSnapsTightAlikeWithAnyNumberOfElements) {
  std::ifstream file(std::string(TAUT_CASES) + "/slack_cable.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}}, ten = "elements: 10";
  double first = 0.0;
  for (const int elements : sanitized ? std::vector{10} : std::vector{10, 20, 30, 40}) {
    std::string changed = text;
    changed.replace(changed.find(ten), ten.size(), message("elements: {}", elements));
    const ModelFile model = parse_model(changed, "cable");
    const auto path = simulate(model.system, model.start.state, MoreauJean{}, Multipliers{}, {.step = 1e-3, .end = 1.0});
    ASSERT_TRUE(path.finished()) << elements << ": " << path.message;
    EXPECT_LE(path.counts.retried, 10) << elements;
    EXPECT_LE(certificate(model.system, path).penetration, 1e-10) << elements;
    const double distance = path.last.q.head(2).norm();
    if (elements == 10) first = distance;
    EXPECT_NEAR(distance, first, 5e-3) << elements;
  }
}

/// Held by the mass alone, places of a fine mesh brought in elastic energy without bound: 873 J here, and no further step. What is left is of the size of the impact.
TEST(MoreauJean, AFineBeamMeetsASlantedFloorWithoutKinks) {
  const ModelFile model = parse_model(R"(
name: wire
source: own
gravity: 9.81
beams: {wire: {length: 0.1, elements: 100, density: 0.02, stiffness: 1e-4, shape: ["s", "0.002"], damping: {mass: 1, stiffness: 0.001}}}
walls: [{beam: wire, normal: [0.1, 1], radius: 1 mm}]
)",
                                      "wire");
  const System& system = model.system;
  const auto path = simulate(system, model.start.state, MoreauJean{}, Multipliers{}, {.step = 1e-3, .end = 0.04});
  ASSERT_TRUE(path.finished()) << path.message;
  for (int k = 0; k < path.size(); ++k) {
    const Vector q = path.q(k), v = path.v(k);
    EXPECT_LT(system.energy({path.t(k), q.data(), v.data()}), 1e-4) << path.t(k);
  }
}

TEST(MoreauJean, RefusesToRunImpactsBackward) {
  const System system = ball();
  const auto path =
      simulate(system, at_rest(system, Vector{{0.0, 1.0}}), MoreauJean{0.5}, Multipliers{}, {.step = 1e-2, .end = -1.0});
  EXPECT_FALSE(path.finished());
  EXPECT_EQ(path.size(), 1);
  EXPECT_NE(path.message.find("impacts have no reverse"), std::string::npos) << path.message;
  EXPECT_NE(path.message.find(system.constraint_name(0)), std::string::npos) << path.message;
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
