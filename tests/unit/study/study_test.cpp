#include <gtest/gtest.h>

#include <cmath>
#include <taut/study/compare.hpp>
#include <taut/study/verify.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

namespace taut {
namespace {

const char* const oscillator = R"yaml(
parameters: {k: 1}
coordinates: [x]
kinetic: "x'^2/2"
potential: "k*x^2/2"
initial: {x: 1}
run: {until: 5, step: 0.05, integrator: midpoint}
)yaml";

ModelFile model_of(const std::string& text, const ModelOverrides& changes = {}) {
  return parse_model(text, "test.yaml", changes);
}

Verification verified(const std::string& text, const ModelOverrides& changes = {}, const VerifyOptions& options = {}) {
  const ModelFile model = model_of(text, changes);
  return verify(model, plan(model), options);
}

/// Kutta's scheme is bounded up to 2√2 on the imaginary axis, Verlet's up to 2.
TEST(Study, KnowsTheStepsThatExplicitSchemesCannotTake) {
  EXPECT_NEAR(swing_limit(RungeKutta{kutta4()}), 2.0 * std::sqrt(2.0), 0.05);
  EXPECT_EQ(swing_limit(Rattle{}), 2.0);
  EXPECT_TRUE(std::isinf(swing_limit(Midpoint{})));
  for (const ExplicitTableau* tableau : {&kutta4(), &dormand_prince5(), &dormand_prince8()}) {
    // A run just beyond the limit explodes, one with half of it does not.
    const ModelFile model = model_of(oscillator);
    const double limit = swing_limit(RungeKutta{*tableau});
    const auto verdict = [&](double h) {
      return simulate(model.system, model.start.state, RungeKutta{*tableau}, Multipliers{}, {.step = h, .end = 300.0 * h})
          .verdict;
    };
    EXPECT_EQ(verdict(1.01 * limit), Verdict::diverged) << tableau->name;
    EXPECT_EQ(verdict(0.5 * limit), Verdict::reached) << tableau->name;
  }
}

TEST(Study, PromisesOneOrderWhereThereAreImpacts) {
  const ModelFile free = model_of(oscillator);
  const ModelFile walled = model_of("masses: {A: {mass: 1, at: [0, 1]}}\nwalls: [{mass: A, normal: [0, 1]}]\n");
  EXPECT_EQ(promised_order(MoreauJean{}, free.system), 2);
  EXPECT_EQ(promised_order(MoreauJean{}, walled.system), 1);
  EXPECT_EQ(promised_order(Gcn{.reaction = Reaction::new_point}, free.system), 2) << "of order 1 with constraints only";
}

TEST(Verify, EstimatesTheErrorThatThereIs) {
  for (const char* scheme : {"midpoint", "rk4", "newmark", "spark2"}) {
    const ModelOverrides changes{.parameters = {}, .run = {{"integrator", scheme}}};
    const ModelFile model = model_of(oscillator, changes);
    const RunPlan planned = plan(model);
    const Verification found = verify(model, planned);
    EXPECT_TRUE(found.trusted) << scheme << ": " << found.verdict;
    const State end = simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options).last;
    EXPECT_NEAR(found.error / std::abs(end.q[0] - std::cos(5.0)), 1.0, 0.05) << scheme;
    EXPECT_NEAR(found.order(), found.promised, 0.3) << scheme;
  }
}

TEST(Verify, MakesThreeRunsWhereAFourthWouldBeLong) {
  EXPECT_EQ(verified(oscillator).sizes.size(), 4u);
  EXPECT_EQ(verified(oscillator, {}, {.effort = 100.0}).sizes.size(), 3u);
}

/// The order of a coarse step may be right by chance; an error of half the motion is none to be trusted.
TEST(Verify, NeverTrustsAnErrorAsLargeAsTheMotion) {
  for (const char* step : {"1.0", "0.5", "0.25", "0.1"})
    for (const char* until : {"20", "50"}) {
      const Verification found = verified(oscillator, {.parameters = {}, .run = {{"step", step}, {"until", until}}});
      EXPECT_TRUE(!found.trusted || found.error <= 0.1 * found.moved) << step << ": " << found.verdict;
    }
  EXPECT_FALSE(verified(oscillator, {.parameters = {}, .run = {{"step", "1.0"}, {"until", "50"}}}).trusted);
}

TEST(Verify, KeepsTheFailureOfARunThatSubstepsWouldRescue) {
  const ModelFile model = read_model(TAUT_CASES "/pendulum.yaml", {.parameters = {}, .run = {{"step", "5"}}});
  const Verification found = verify(model, plan(model));
  EXPECT_FALSE(found.trusted);
  EXPECT_NE(found.trouble.find("run 1 of 4, step 5: failed at t = 0"), std::string::npos) << found.trouble;
  EXPECT_NE(found.trouble.find("take a smaller step"), std::string::npos) << found.trouble;
}

TEST(Verify, ConcludesNothingFromRunsThatCoincide) {
  const Verification tiny =
      verified(oscillator, {.parameters = {}, .run = {{"rtol", "1e-14"}, {"integrator", "dop853"}, {"until", "0.5"}}});
  EXPECT_FALSE(tiny.trusted);
  EXPECT_TRUE(std::isnan(tiny.error));
  // The largest step rules, whatever the tolerance.
  const Verification capped =
      verified(oscillator, {.parameters = {}, .run = {{"rtol", "1e-3"}, {"step", "0.01"}, {"integrator", "dop853"}}});
  EXPECT_FALSE(capped.trusted) << capped.verdict;
}

/// The reference is where the exact motion is, as far as it says of itself.
TEST(Compare, ReferenceIsAsNearToTheExactMotionAsItSays) {
  const Comparison found = compare(model_of(oscillator), {.integrators = {"midpoint", "rk4"}});
  ASSERT_TRUE(found.reference.verified);
  EXPECT_LE(std::abs(found.reference.end.q[0] - std::cos(5.0)), 10.0 * found.reference.error + 1e-12);
  ASSERT_EQ(found.rows.size(), 6u);
  EXPECT_NEAR(std::log2(found.rows[0].error / found.rows[1].error), 2.0, 0.05);
  EXPECT_NEAR(std::log2(found.rows[3].error / found.rows[4].error), 4.0, 0.2);
}

TEST(Compare, LeavesOutWhatItsStepCannotTakeAndTakesItWhereAHalfCan) {
  // ω = 100: rk4 needs h below 0.0284.
  const ModelFile model = model_of(oscillator, {.parameters = {{"k", "1e4"}}, .run = {{"until", "1"}}});
  const Comparison found = compare(model, {.integrators = {"rk4", "midpoint"}});
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].find("rk4, multipliers, multipliers, h = 0.05: stiff"), std::string::npos)
      << found.left_out[0];
  ASSERT_EQ(found.rows.size(), 5u);
  EXPECT_EQ(found.rows[0].step, 0.025);
}

TEST(Compare, EndsWhenAskedToAndKeepsWhatItHas) {
  CompareOptions options{.integrators = {"midpoint", "rk4"}};
  bool rows_began = false;
  options.watch.progress = [&](const std::string& what, double) { rows_began = rows_began || what == "rk4"; };
  options.watch.interrupted = [&] { return rows_began; };
  const Comparison found = compare(model_of(oscillator), options);
  EXPECT_TRUE(found.interrupted);
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows[0].integrator, "midpoint");
  EXPECT_LT(found.rows[0].error, 0.1);
}

TEST(Compare, SaysThatItsTimeIsSpent) {
  const Comparison found = compare(model_of(oscillator), {.integrators = {"midpoint", "rk4"}, .seconds = 1e-9});
  EXPECT_TRUE(found.rows.empty());
  ASSERT_EQ(found.left_out.size(), 2u);
  EXPECT_NE(found.left_out[0].find("the budget of 1e-09 s is spent"), std::string::npos) << found.left_out[0];
}

}  // namespace
}  // namespace taut
