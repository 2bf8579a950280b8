#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "laws.hpp"

namespace taut {
namespace {

/// The largest error of dense output over the steps of a run, in q and v, and how far it is off the constraints.
struct Found {
  double q = 0.0, v = 0.0, off = 0.0;
};
Found look_between(const Model& model, const Integrator& integrator, double h) {
  Found found;
  const double end = 0.24;
  const auto watch = [&](const Progress& p) {
    if (p.within == nullptr) return;
    for (const double share : {0.2, 0.45, 0.7}) {
      State at;
      p.within->at(p.within->before().t + share * (p.within->after().t - p.within->before().t), at);
      p.within->project(at);
      // The motion itself, from the beginning of the step: the error of the scheme so far is not that of the output.
      const State exact = simulate(model.system, p.within->before(), RungeKutta{dormand_prince8()}, Multipliers{},
                                   {.step = 1e-3, .end = at.t, .every = 0, .resume = true})
                              .last;
      found.q = std::max(found.q, (at.q - exact.q).norm());
      found.v = std::max(found.v, (at.v - exact.v).norm());
      found.off = std::max(found.off, model.system.constraint_values(at.t, at.q).norm());
      found.off = std::max(found.off, 0.01 * model.system.constraint_rates(instant(at)).norm());
    }
  };
  const auto path =
      simulate(model.system, model.start, integrator, Multipliers{}, {.step = h, .end = end, .observers = {watch}});
  EXPECT_TRUE(path.finished()) << path.message;
  return found;
}

TEST(DenseStep, HasOrderSPlusOneAtLeastAndLiesOnTheConstraints) {
  const Model model = double_spherical_pendulum();
  for (const NamedIntegrator& one : integrators()) {
    const Traits traits = one.integrator.traits();
    if (traits.levels > 1 || one.name == "moreau-jean" || one.name.starts_with("midpoint-") || !traits.holds_velocities)
      continue;
    const std::vector<double> steps = traits.order > 6 ? std::vector{0.08, 0.06, 0.04} : std::vector{0.04, 0.02, 0.01};
    std::vector<double> q, v;
    for (const double h : steps) {
      const Found found = look_between(model, one.integrator, h);
      q.push_back(found.q);
      v.push_back(found.v);
      EXPECT_LE(found.off, 1e-13) << one.name;
    }
    const double least = traits.order > 2 ? 0.5 * traits.order + 1.0 : 2.0;
    EXPECT_GE(testing::slope(steps, q), least - 0.2) << one.name << " " << q[0] << " " << q.back();
    EXPECT_GE(testing::slope(steps, v), least - 0.2) << one.name << " " << v[0] << " " << v.back();
  }
}

TEST(DenseStep, RecordsAtMultiplesOfTheIntervalWithoutShorterSteps) {
  const Model model = double_spherical_pendulum();
  const Integrator scheme = RungeKutta{dormand_prince8()};
  const auto plain = simulate(model.system, model.start, scheme, Multipliers{}, {.end = 2.0, .rtol = 1e-9});
  const auto dense =
      simulate(model.system, model.start, scheme, Multipliers{}, {.end = 2.0, .rtol = 1e-9, .interval = 1e-3});
  ASSERT_EQ(dense.size(), 2001);
  EXPECT_EQ(dense.counts.steps, plain.counts.steps);
  EXPECT_NEAR(dense.t(700), 0.7, 1e-15);
  const auto exact = simulate(model.system, model.start, scheme, Multipliers{}, {.step = 1e-3, .end = 2.0, .every = 1});
  for (int k = 0; k < dense.size(); k += 37) {
    EXPECT_LE((dense.q(k) - exact.q(k)).norm(), 1e-7) << k;
    EXPECT_LE((dense.v(k) - exact.v(k)).norm(), 1e-6) << k;
    EXPECT_LE((dense.lambda(k) - exact.lambda(k)).norm(), k == 0 ? 1e3 : 1e-5) << k;
  }
  const Certificate c = certificate(model.system, dense);
  EXPECT_LE(c.position_residual, 1e-13);
  EXPECT_LE(c.velocity_residual, 1e-12);
}

TEST(DenseStep, LocatesEventsToTheAccuracyOfTheScheme) {
  // A pendulum swings through; the quarter period of an amplitude of 90 degrees is K(sin 45°)/√g.
  ModelFile model = parse_model(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}}
rods: [[O, A]]
run: {until: 1, rtol: 1e-11, events: [{name: bottom, when: "A.x"}]}
)yaml",
                                "pendulum");
  for (const char* name : {"dop853", "spark4"}) {
    model.run.integrator = name;
    const RunOutcome outcome = run_model(model, plan(model), {});
    ASSERT_EQ(outcome.events.size(), 1u) << name;
    EXPECT_NEAR(outcome.events[0].t, std::comp_ellint_1(std::sqrt(0.5)) / std::sqrt(9.81), 1e-10) << name;
  }
}

}  // namespace
}  // namespace taut
