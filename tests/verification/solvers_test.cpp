#include "double_pendulum.hpp"
#include "error_of.hpp"
#include "laws.hpp"

/// Ways to solve a step are exchangeable: they must agree on every integrator.
namespace taut {
namespace {

using Update = AugmentedLagrangian::Update;

struct Tight {
  std::string name;
  SolverMethod method;
};
std::vector<Tight> tight() {
  return {{"augmented Lagrangian (10)", AugmentedLagrangian{.epsilon = 1e-6, .tolerance = 1e-14}},
          {"augmented Lagrangian (11)",
           AugmentedLagrangian{.epsilon = 1e-6, .update = Update::second_order, .tolerance = 1e-14}},
          {"Uzawa", Uzawa{.tolerance = 1e-14}}};
}

/// SPARK has an iteration of its own and says so.
bool takes_multipliers_only(const NamedIntegrator& named) {
  const Model model = double_spherical_pendulum();
  const std::string told = testing::error_of([&] { named.integrator.bind(model.system, Uzawa{}); });
  return told.find("takes Multipliers only") != std::string::npos;
}

TEST(StepSolvers, GiveTheSameStepsOnEveryIntegrator) {
  const Model ellipse = gh95_ellipse(), pendulum = double_spherical_pendulum();
  for (const NamedIntegrator& named : integrators()) {
    if (takes_multipliers_only(named) || !named.integrator.traits().takes_constraints) continue;
    for (const Model* model : {&ellipse, &pendulum}) {
      const double h = model == &ellipse ? 1e-3 : 5e-3;
      if (named.name == "three-level" && !model->system.constant_mass()) continue;  // refused, see the orders
      const auto run = [&](const SolverMethod& method) {
        const auto path = simulate(model->system, model->start, named.integrator, method, {.step = h, .end = 20 * h});
        EXPECT_TRUE(path.finished()) << named.name << ": " << path.message;
        return path.last;
      };
      const State newton = run(Multipliers{});
      for (const Tight& other : tight()) {
        const State s = run(other.method);
        EXPECT_LE((s.q - newton.q).norm(), 1e-8) << named.name << ", " << other.name;
        EXPECT_LE((s.v - newton.v).norm(), 1e-7) << named.name << ", " << other.name;
      }
    }
  }
}

/// One test pins sign and scale of λ: g = (|x|² − L²)/2 for a hanging mass gives λ = m g/L² · L = m·g/L.
TEST(StepSolvers, HangingMassShowsItsWeightInEveryIntegratorAndSolver) {
  const double mass = 2.0, length = 0.5, g = 9.81;
  System system(Points{.count = 1, .dim = 2, .mass = mass});
  system.add(Gravity{.g = g}).add(Pin{.point = 0, .length = length});
  const State start = at_rest(system, Vector{{0.0, -length}});
  for (const NamedIntegrator& integrator : integrators())
    for (const NamedSolver& solver : solvers()) {
      if (solver.name != "multipliers" && takes_multipliers_only(integrator)) continue;
      if (solver.name == "splitting" && !integrator.integrator.traits().splits) continue;  // refused
      if (!integrator.integrator.traits().takes_constraints) continue;
      const auto path = simulate(system, start, integrator.integrator, solver.method, {.step = 0.01, .end = 0.1});
      ASSERT_TRUE(path.finished()) << path.message;
      EXPECT_NEAR(path.last.lambda[0] / (mass * g / length), 1.0, 1e-4) << integrator.name << ", " << solver.name;
      EXPECT_LE((path.last.q - start.q).norm(), 1e-9) << integrator.name << ", " << solver.name;
    }
}

TEST(StepSolvers, AugmentedLagrangianDoesNotDependOnEpsilon) {
  const Model model = double_spherical_pendulum();
  const auto run = [&](double epsilon) {
    return simulate(model.system, model.start, Midpoint{}, AugmentedLagrangian{.epsilon = epsilon, .tolerance = 1e-13},
                    {.step = 0.01, .end = 0.5})
        .last.q;
  };
  EXPECT_LE((run(1e-4) - run(1e-7)).norm(), 1e-9);
}

TEST(StepSolvers, ChainsKeepConstraintsAndEnergyInDenseAndBandedStorage) {
  // 3 links are stored densely, 30 and 300 as a band.
  for (const int links : {3, 30, 300}) {
    const Model model = chain({.links = links});
    const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 2e-3, .end = 0.2});
    const Certificate c = certificate(model.system, path);
    ASSERT_TRUE(c.finished()) << c.message;
    EXPECT_LE(c.position_residual, 1e-12 * links);
    EXPECT_LE(c.energy.deviation, 1e-3 * links * links);
  }
}

}  // namespace
}  // namespace taut
