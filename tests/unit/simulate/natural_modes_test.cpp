#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

namespace taut {
namespace {

NaturalModes modes_of(const std::string& text, int count = 10) {
  const ModelFile model = parse_model(text, "test.yaml", {});
  const Equilibrium found = equilibrium(model.system, model.start.state);
  EXPECT_EQ(found.status, Status::ok) << found.trouble;
  return natural_modes(model.system, found.state, count);
}

double rate_of(const NaturalMode& mode) { return 2.0 * std::numbers::pi * mode.frequency(); }

TEST(NaturalModes, OfTheDoublePendulumAreThoseOfTheBooks) {
  const NaturalModes found = modes_of(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 3, at: [0, -2]}, B: {mass: 3, at: [0, -4]}}
rods: [[O, A], [A, B]]
)yaml");
  ASSERT_EQ(found.modes.size(), 2u);
  EXPECT_TRUE(found.all);
  EXPECT_NEAR(rate_of(found.modes[0]), std::sqrt((2.0 - std::sqrt(2.0)) * 9.81 / 2.0), 1e-10);
  EXPECT_NEAR(rate_of(found.modes[1]), std::sqrt((2.0 + std::sqrt(2.0)) * 9.81 / 2.0), 1e-10);
  // In the slow one both angles go together, the second √2 times the first; in the fast one against each other.
  const auto ratio = [&](int k) { return (found.modes[k].shape[2] / found.modes[k].shape[0]).real() - 1.0; };
  EXPECT_NEAR(ratio(0), std::sqrt(2.0), 1e-9);
  EXPECT_NEAR(ratio(1), -std::sqrt(2.0), 1e-9);
  EXPECT_EQ(found.modes[0].damping(), 0.0);
}

/// A parallelogram that hangs: its cranks turn alike, its coupler does not turn.
TEST(NaturalModes, OfAFourBarAreThoseByHand) {
  const NaturalModes found = modes_of(R"yaml(
gravity: 9.81
bodies:
  left: {mass: 2, inertia: 2/12*0.49, at: [0, -0.35], points: {top: [0, 0.35], low: [0, -0.35]}}
  right: {mass: 2, inertia: 2/12*0.49, at: [1, -0.35], points: {top: [0, 0.35], low: [0, -0.35]}}
  coupler: {mass: 3, inertia: 0.4, at: [0.5, -0.7], points: {a: [-0.5, 0], b: [0.5, 0]}}
points: {O: [0, 0], P: [1, 0]}
joints:
  - {type: hinge, between: [O, left.top]}
  - {type: hinge, between: [P, right.top]}
  - {type: hinge, between: [left.low, coupler.a]}
  - {type: hinge, between: [right.low, coupler.b]}
)yaml");
  ASSERT_EQ(found.modes.size(), 1u);
  const double l = 0.7, inertia = 2.0 * (2.0 * l * l / 3.0) + 3.0 * l * l, moment = 9.81 * (2.0 * 2.0 * l / 2.0 + 3.0 * l);
  EXPECT_NEAR(rate_of(found.modes[0]), std::sqrt(moment / inertia), 1e-10);
}

TEST(NaturalModes, DampedAndOverdampedAndFree) {
  const NaturalModes found = modes_of(R"yaml(
coordinates: [x, y, z]
kinetic: "(2*x'^2 + y'^2 + z'^2)/2"
potential: "(8*x^2 + y^2)/2"
forces: {x: "-0.8*x'", y: "-4*y'"}
)yaml");
  ASSERT_EQ(found.modes.size(), 4u) << "z is free; y creeps back in two ways; x swings";
  EXPECT_TRUE(found.modes[0].rigid());
  EXPECT_NEAR(found.modes[1].s.real(), -2.0 + std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(found.modes[2].frequency(), std::sqrt(4.0 - 0.04) / (2.0 * std::numbers::pi), 1e-12);
  EXPECT_NEAR(found.modes[2].damping(), 0.1, 1e-12);
  EXPECT_NEAR(found.modes[3].s.real(), -2.0 - std::sqrt(3.0), 1e-12);
}

/// ω = k²√(EI/ρA): cos k cosh k = −1 clamped and free, k = π pinned.
TEST(NaturalModes, OfBeamsHaveOrderFour) {
  const std::pair<const char*, double> supports[] = {{"start: {clamped: [0, 0], direction: [1, 0]}", 1.87510406871196},
                                                     {"start: {pinned: [0, 0]}, end: {pinned: [1, 0]}", std::numbers::pi}};
  for (const auto& [ends, k] : supports) {
    std::vector<double> errors;
    for (const int n : {4, 8, 16}) {
      const NaturalModes found = modes_of(
          "beams:\n  b: {length: 1, elements: " + std::to_string(n) + ", density: 1, stiffness: 1, " + ends + "}\n", 1);
      ASSERT_EQ(found.modes.size(), 1u);
      errors.push_back(rate_of(found.modes[0]) / (k * k) - 1.0);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.1) << ends;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4.0, 0.1) << ends;
  }
}

/// Sparse and dense ways are two ways to one answer, with damping and without.
TEST(NaturalModes, FewOfManyAreTheSlowestOfAll) {
  for (const char* damping : {"", "damping: 0.3\n"}) {
    const std::string chain = std::string(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {"P{i}": {repeat: {i: 1..40}, mass: 1, at: [0, "-{i}"]}}
rods: [{repeat: {i: 2..40}, between: ["P{i-1}", "P{i}"]}, [O, P1]]
)yaml") + damping;
    const NaturalModes few = modes_of(chain, 6), all = modes_of(chain, 40);
    EXPECT_FALSE(few.dense);
    EXPECT_TRUE(all.dense);
    ASSERT_EQ(few.modes.size(), 6u);
    EXPECT_EQ(few.degrees_of_freedom, 40);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(std::abs(few.modes[k].s - all.modes[k].s), 0.0, 1e-9) << damping << k;
  }
}

}  // namespace
}  // namespace taut
