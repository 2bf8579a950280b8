#include <numbers>

#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using std::numbers::pi;

TEST(VibratingString, ModesHaveTheFrequenciesOfTheWaveEquation) {
  // u = sin(πx) cos(πct) with c = √(τ/ρ); P1 elements are second order, from above with consistent mass and from below with lumped.
  for (const bool lumped : {true, false}) {
    const VibratingString string({.length = 1.0, .elements = 50, .density = 2.0, .tension = 8.0, .lumped = lumped});
    System system(string.coordinates());
    string.add_to(system);
    EXPECT_EQ(system.lumped_mass(), lumped);
    Vector q = Vector::Zero(system.size());
    string.place([](double x) { return std::sin(pi * x); }, q);
    const State start = at_rest(system, q);
    const Vector f = system.force(instant(start));
    const double omega2 = f.cwiseAbs().sum() / system.momentum({0, q.data(), q.data()}).cwiseAbs().sum();
    const double exact = 4.0 * pi * pi, h = 1.0 / 50.0;
    EXPECT_NEAR(omega2 / exact, 1.0 + (lumped ? -1.0 : 1.0) * pi * pi * h * h / 12.0, 1e-6);
  }
}

TEST(VibratingString, TakesLoadDampingAndVaryingProperties) {
  const VibratingString string({.length = 2.0,
                                .elements = 6,
                                .density = Profile([](double x) { return 1.0 + x; }),
                                .tension = Profile([](double x) { return 3.0 - x; }),
                                .damping = 0.2,
                                .lumped = false,
                                .fixed_end = false});
  System system(string.coordinates());
  EXPECT_EQ(system.size(), 6);
  string.add_to(system);
  string.add_load(system, [](double x, double t) { return x * std::sin(t); });
  testing::expect_dynamics_laws(system, testing::generic_state(system));
  EXPECT_FALSE(system.conservative());
}

TEST(VibratingString, SagsUnderAConstantLoadAsAParabola) {
  const VibratingString string({.length = 1.0, .elements = 20, .tension = 5.0});
  System system(string.coordinates());
  string.add_to(system);
  string.add_load(system, -2.0);
  const Equilibrium found = equilibrium(system, at_rest(system, Vector::Zero(system.size())));
  ASSERT_EQ(found.status, Status::ok);
  for (int k = 0; k <= 20; ++k)
    EXPECT_NEAR(string.at(found.state.q.data(), k / 20.0), -0.2 * k / 20.0 * (1.0 - k / 20.0), 1e-12);
}

TEST(VibratingString, RestsOnAnObstacle) {
  // A load presses the string on a flat floor; where it is free it is a parabola that leaves the floor with horizontal tangent: with τu″ = f,
  // contact from x = a with a = √(2τd/f).
  const double depth = 0.02, load = 4.0, tension = 1.0, a = std::sqrt(2.0 * tension * depth / load);
  const VibratingString string({.length = 1.0, .elements = 200, .tension = tension});
  System system(string.coordinates());
  string.add_to(system);
  string.add_load(system, -load);
  add_obstacle(system, string, [=](double) { return -depth; });
  const Equilibrium found = equilibrium(system, at_rest(system, Vector::Zero(system.size())));
  ASSERT_EQ(found.status, Status::ok) << found.trouble;
  EXPECT_NEAR(string.at(found.state.q.data(), 0.5 * a), -depth + 0.5 * load / tension * 0.25 * a * a, 1e-4);
  EXPECT_NEAR(string.at(found.state.q.data(), 0.5), -depth, 1e-12);
  EXPECT_NEAR(-found.state.lambda[99], load / 200.0, 1e-9) << "the floor carries the load";
}

TEST(VibratingString, CoupledStringsExchangeTheirEnergy) {
  // Equal strings with an elastic layer: in phase ω² = π²τ/ρ, against each other ω² = π²τ/ρ + 2k/ρ.
  const VibratingString a({.elements = 40}), b({.elements = 40}, 39);
  System system(78);
  a.add_to(system);
  b.add_to(system);
  couple(system, a, b, 3.0);
  Vector q = Vector::Zero(78);
  a.place([](double x) { return std::sin(pi * x); }, q);
  b.place([](double x) { return -std::sin(pi * x); }, q);
  const Vector f = system.force({0, q.data(), q.data()});
  EXPECT_NEAR(-f[20] / (q[20] / 40.0), pi * pi + 6.0, 0.01);
}

TEST(VibratingString, StringsThatMeetEndAsMaximumAndMinimumOfFreeOnes) {
  // Section 3.3 of Glowinski and Holmström 1995, exactly by MoreauJean with elastic impacts.
  const int I = 50;
  const VibratingString u({.name = "u", .elements = I}), v({.name = "v", .elements = I}, I - 1);
  System system(2 * (I - 1));
  u.add_to(system);
  v.add_to(system);
  add_contact(system, u, v);
  Vector q = Vector::Zero(system.size());
  u.place([](double x) { return 0.02 * std::sin(pi * x); }, q);
  v.place([](double x) { return -0.01 * std::sin(2.0 * pi * x); }, q);
  const auto path = simulate(system, at_rest(system, q), MoreauJean{1.0}, Multipliers{}, {.step = 1e-3, .end = 0.5});
  ASSERT_TRUE(path.finished()) << path.message;
  for (int k = 1; k < I; ++k) {
    const double first = 0.0, second = 0.01 * std::sin(2.0 * pi * u.x(k));  // at t = 0.5
    EXPECT_NEAR(path.last.q[u.coordinate(k)], std::max(first, second), 8e-4);
    EXPECT_NEAR(path.last.q[v.coordinate(k)], std::min(first, second), 8e-4);
  }
  EXPECT_LE(certificate(system, path).penetration, 1e-12);
}

TEST(VibratingString, RefusesStringsWhoseNodesDoNotMeet) {
  const VibratingString u({.name = "u", .elements = 10}), v({.name = "v", .elements = 12}, 9);
  System system(20);
  EXPECT_NE(testing::error_of([&] { add_contact(system, u, v); }).find("must coincide"), std::string::npos);
  EXPECT_NE(testing::error_of([] { VibratingString({.elements = 1}); }).find("cannot move"), std::string::npos);
}

}  // namespace
}  // namespace taut
