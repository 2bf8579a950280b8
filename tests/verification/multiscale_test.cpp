#include <gtest/gtest.h>

#include <cmath>
#include <taut/taut.hpp>

/// What multiscale integration is for, and what it is not for; the studies are those of `taut reproduce ka13-hmm`.
namespace taut {
namespace {

TEST(Hmm, TakesFewerEvaluationsThanDirectIntegrationWhereAPenaltyIsPrescribed) {
  const Model model = chain({.links = 2});
  const Vector exact =
      simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 1.0, .rtol = 1e-12}).last.q;
  const double epsilon = 1e-6;
  const System soft = penalized(model.system, epsilon * epsilon);
  const auto run = [&](const Integrator& scheme, double step, double end) {
    return simulate(soft, model.start, scheme, Multipliers{}, {.step = step, .end = end, .every = 0, .halvings = 0});
  };
  const auto found = run(Hmm{}, 0.025, 1.0);
  ASSERT_TRUE(found.finished()) << found.message;
  EXPECT_LE((found.last.q - exact).norm(), 5e-5);
  // Verlet at hω = 1.9 of the largest frequency there is, (1 + √5)/2ε: with a larger step it is unstable, whatever accuracy is wanted.
  const double golden = 0.5 * (1.0 + std::sqrt(5.0));
  const auto direct = run(Rattle{}, 1.9 * epsilon / golden, 1.0);
  ASSERT_TRUE(direct.finished()) << direct.message;
  EXPECT_EQ(direct.counts.evaluations, direct.counts.steps + 1);
  EXPECT_FALSE(run(Rattle{}, 2.2 * epsilon / golden, 0.05).finished()) << "unstable";
  EXPECT_GE(double(direct.counts.evaluations) / double(found.counts.evaluations), 15.0);
  const auto dae =
      simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 1.0, .rtol = 1e-6});
  EXPECT_LE((dae.last.q - exact).norm(), 5e-5);
  EXPECT_GE(double(found.counts.evaluations) / double(dae.counts.evaluations), 100.0) << "where constraints may be exact";
}

}  // namespace
}  // namespace taut
