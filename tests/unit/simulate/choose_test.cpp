#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "laws.hpp"

namespace taut {
namespace {

Choice chosen(const std::string& text) {
  const ModelFile model = parse_model(text, "model");
  return choose(character(model.system, model.start.state, model.run.until), false);
}

const std::string pendulum = R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}}
rods: [[O, A]]
)yaml";

TEST(Choose, TakesAnExplicitSchemeForSmoothMotion) {
  const Choice choice = chosen(pendulum + "run: {until: 10}");
  EXPECT_EQ(choice.name, "dop853");
  EXPECT_NE(choice.reason.find("smooth"), std::string::npos) << choice.reason;
}

TEST(Choose, TakesReversibleStepsForLongConservativeRuns) {
  const Choice choice = chosen(pendulum + "run: {until: 10000}");
  EXPECT_TRUE(choice.reversible) << choice.reason;
  EXPECT_EQ(choice.name, "spark3");
  EXPECT_FALSE(chosen(pendulum + "forces: {A.x: \"-0.1*A.x'\"}\nrun: {until: 10000}").reversible) << "it is damped";
  EXPECT_FALSE(chosen(pendulum + "potential: \"sin(t)*A.x\"\nrun: {until: 10000}").reversible) << "it is driven";
}

TEST(Choose, TakesSparkForNonholonomicConstraints) {
  const Choice choice = chosen(R"yaml(
coordinates: [x, y, theta]
kinetic: "(x'^2 + y'^2)/2 + 0.05*theta'^2"
potential: "-3*x"
constraints: ["x'*sin(theta) - y'*cos(theta) = 0"]
initial: {"theta'": 2}
run: {until: 5}
)yaml");
  EXPECT_EQ(choice.name, "spark3");
  EXPECT_NE(choice.reason.find("velocities"), std::string::npos) << choice.reason;
}

TEST(Choose, TakesRadauForStiffSprings) {
  const Choice choice = chosen(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}}
springs: [{between: [O, A], stiffness: 1e8, length: 1, damping: 1e4}]
run: {until: 2}
)yaml");
  EXPECT_EQ(choice.name, "spark3") << choice.reason;
  EXPECT_EQ(choice.options.at("family"), "radau-iia");
  EXPECT_NE(choice.reason.find("stiff"), std::string::npos) << choice.reason;
}

/// The choice pays: the stiff pendulum with nothing but its end time given.
TEST(Choose, RunsTheStiffPendulumWithFewSteps) {
  ModelFile model = parse_model(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}}
springs: [{between: [O, A], stiffness: 1e8, length: 1, damping: 1e4}]
run: {until: 2, rtol: 1e-6}
)yaml",
                                "stiff");
  const RunPlan planned = plan(model);
  const auto path = simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE(path.counts.steps, 2000) << "an explicit scheme needs some 2 s · 1e4/s / 3";
  // The rod that the spring approaches, 1e-7 away.
  const ModelFile rod = parse_model(pendulum, "rod");
  const auto exact =
      simulate(rod.system, rod.start.state, RungeKutta{dormand_prince8()}, Multipliers{}, {.step = 1e-3, .end = 2.0}).last;
  EXPECT_LE((path.last.q - exact.q).norm(), 1e-5);
}

}  // namespace
}  // namespace taut
