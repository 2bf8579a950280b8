#include <taut/taut.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using Support = BeamEnd::Support;
using Approach = EquilibriumOptions::Approach;

struct Hung {
  Beam beam;
  System system;
  State start;
};

/// The pipeline of (95) between two pins, on a parabola.
Hung pipeline(int elements) {
  Beam beam({.length = 32.6,
             .elements = elements,
             .density = 7.67,
             .stiffness = 700.0,
             .start = {.support = Support::pinned},
             .end = {.support = Support::pinned, .place = {20.0, 0.0, 0.0}}},
            2);
  System system(Points{.count = 0, .dim = 2}, beam.coordinates());
  beam.add_to(system);
  beam.add_gravity(system, 9.81);
  Vector q = Vector::Zero(system.size());
  beam.place(hanging({}, {20.0, 0.0, 0.0}, 32.6, 2), q);
  State start = at_rest(system, q);
  return {std::move(beam), std::move(system), std::move(start)};
}

TEST(Splitting, FindsTheEquilibriumThatNewtonFinds) {
  const Hung pipe = pipeline(20);
  const Equilibrium newton = equilibrium(pipe.system, pipe.start, {.approach = Approach::direct});
  ASSERT_EQ(newton.status, Status::ok);
  for (const double r : {0.0, 1e3, 1e4})
    for (const int anderson : {0, 5}) {
      const Equilibrium found =
          equilibrium(pipe.system, pipe.start,
                      {.approach = Approach::direct, .method = Splitting{.r = r, .tolerance = 1e-9, .anderson = anderson}});
      ASSERT_EQ(found.status, Status::ok) << r << " " << found.trouble;
      EXPECT_LE((found.state.q - newton.state.q).norm(), 1e-8 * newton.state.q.norm()) << r << " " << anderson;
      EXPECT_LE((found.state.lambda - newton.state.lambda).norm(), 1e-5 * newton.state.lambda.norm()) << r;
    }
}

TEST(Splitting, ItsErrorEstimateBoundsTheErrorAndTheChangeOfThePapersDoesNot) {
  const Hung pipe = pipeline(60);
  const Vector q = equilibrium(pipe.system, pipe.start, {.approach = Approach::direct}).state.q;
  for (const double r : {1e3, 1e4, 1e5})
    for (const double tolerance : {1e-4, 1e-6}) {
      const auto off = [&](Splitting::Stop stop) {
        const Equilibrium found =
            equilibrium(pipe.system, pipe.start,
                        {.approach = Approach::direct,
                         .method = Splitting{.r = r, .tolerance = tolerance, .stop = stop, .anderson = 0}});
        EXPECT_EQ(found.status, Status::ok);
        return (found.state.q - q).norm() / q.norm();
      };
      EXPECT_LE(off(Splitting::Stop::error), 1.5 * tolerance) << r;
      if (r == 1e5) {
        EXPECT_GE(off(Splitting::Stop::change), 30.0 * tolerance);
      }
    }
}

TEST(Splitting, GivesTheStepsOfNewtonWithEveryReaction) {
  const Hung pipe = pipeline(12);
  const State start = equilibrium(pipe.system, pipe.start).state;
  // The same beam with its right end free.
  const Beam beam(
      {.length = 32.6, .elements = 12, .density = 7.67, .stiffness = 700.0, .start = {.support = Support::pinned}}, 2);
  System system(Points{.count = 0, .dim = 2}, beam.coordinates());
  beam.add_to(system);
  beam.add_gravity(system, 9.81);
  for (const auto& named : {std::pair<std::string, Integrator>("gcn centred", Gcn{}),
                            {"gcn new", Gcn{.reaction = Reaction::new_point}},
                            {"newmark centred", Newmark{}},
                            {"newmark new", Newmark{.reaction = Reaction::new_point}},
                            {"houbolt", Houbolt{}}}) {
    const auto& name = named.first;
    const auto run = [&](const SolverMethod& method) {
      const auto path = simulate(system, at_rest(system, start.q), named.second, method, {.step = 0.02, .end = 0.4});
      EXPECT_TRUE(path.finished()) << name << ": " << path.message;
      return path.last;
    };
    const State newton = run(Multipliers{}), split = run(Splitting{.tolerance = 1e-12});
    EXPECT_LE((split.q - newton.q).norm(), 1e-8 * newton.q.norm()) << name;
  }
}

TEST(Splitting, TakesChainsOfRodsToo) {
  const Model model = chain({.links = 4});
  const auto run = [&](const SolverMethod& method) {
    const auto path = simulate(model.system, model.start, Gcn{}, method, {.step = 1e-2, .end = 0.3});
    EXPECT_TRUE(path.finished()) << path.message;
    return path.last.q;
  };
  EXPECT_LE((run(Splitting{.tolerance = 1e-12}) - run(Multipliers{})).norm(), 1e-8);
}

TEST(Splitting, EndsInTheSameStepWarmOrColdAndWithAnyUpdateOfItsMultiplier) {
  const Model model = chain({.links = 4});
  const auto run = [&](const SolverMethod& method) {
    return simulate(model.system, model.start, Newmark{}, method, {.step = 1e-2, .end = 0.05}).last.q;
  };
  const Vector newton = run(Multipliers{});
  for (const auto start : {Splitting::Start::warm, Splitting::Start::cold})
    for (const double update : {1.0, 1.5}) {
      const Splitting method{.r = 300.0, .tolerance = 1e-10, .start = start, .update = update, .anderson = 0};
      EXPECT_LE((run(method) - newton).norm(), 1e-6) << update;
    }
}

TEST(Splitting, KeepsSecondOrderWithAToleranceLikeTheFourthPowerOfTheStep) {
  const Model model = chain({.links = 3});
  const Vector exact = simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{},
                                {.end = 0.4, .rtol = 1e-12, .every = 0})
                           .last.q;
  const auto error = [&](double h) {
    const Splitting method{.tolerance = 0.1, .power = 4.0};
    return (simulate(model.system, model.start, Gcn{}, method, {.step = h, .end = 0.4, .every = 0}).last.q - exact).norm();
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 2.0, 0.3);
}

TEST(Splitting, TakesForcesThatAreNotLinearAtTheExtrapolatedPlace) {
  Model model = chain({.links = 3});
  model.system.add(Spring{.from = 0, .to = 2, .stiffness = 20.0, .length = 0.5});
  const auto apart = [&](double h) {
    const auto run = [&](const SolverMethod& method) {
      const auto path = simulate(model.system, model.start, Gcn{}, method, {.step = h, .end = 0.4, .every = 0});
      EXPECT_TRUE(path.finished()) << path.message;
      return path.last.q;
    };
    return (run(Splitting{.tolerance = 1e-12}) - run(Multipliers{})).norm();
  };
  const double coarse = apart(0.02), fine = apart(0.01);
  EXPECT_LE(coarse, 1e-2);
  EXPECT_GE(std::log2(coarse / fine), 1.7);
}

TEST(Splitting, RecommendsOnlyWhatItHas) {
  const Model model = chain({.links = 4});
  const auto path = simulate(model.system, model.start, Newmark{}, Splitting{.r = 1e7, .anderson = 0, .max_sweeps = 20},
                             {.step = 1e-2, .end = 0.1, .halvings = 0});
  ASSERT_FALSE(path.finished());
  EXPECT_NE(path.message.find("another r"), std::string::npos) << path.message;
  EXPECT_EQ(path.message.find("epsilon"), std::string::npos) << path.message;
}

TEST(Splitting, SaysWhichRWorksWhereItsOwnIsTooSmall) {
  // A bar under compression: r must exceed it.
  const Beam beam({.length = 1.0,
                   .elements = 8,
                   .stiffness = 100.0,
                   .start = {.support = Support::clamped, .direction = {0.0, 1.0, 0.0}}},
                  2);
  System system(Points{.count = 0, .dim = 2}, beam.coordinates());
  beam.add_to(system);
  beam.add_force(system, 8, std::array<double, 3>{0.0, -50.0, 0.0});
  Vector q = Vector::Zero(system.size());
  beam.place(straight({}, {0.0, 1.0, 0.0}), q);
  for (int k = 0; k < q.size(); k += 4) q[k] += 1e-3;
  const auto with = [&](double r) {
    return equilibrium(system, at_rest(system, q),
                       {.approach = Approach::direct, .method = Splitting{.r = r, .tolerance = 1e-9, .anderson = 0}});
  };
  const Equilibrium low = with(40.0);
  ASSERT_NE(low.status, Status::ok);
  EXPECT_NE(low.trouble.find("above the largest compression, which is 50 here: r = 100 would do"), std::string::npos)
      << low.trouble;
  const Equilibrium high = with(100.0);
  EXPECT_EQ(high.status, Status::ok) << high.trouble;
}

TEST(Splitting, RefusesRattleAndNamesWorkingIntegrators) {
  const Model model = chain({.links = 2});
  for (const Integrator& one :
       {Integrator(Rattle{}), Integrator(EnergyMomentum{}), Integrator(Gcn{.reaction = Reaction::middle})}) {
    const std::string told = testing::error_of([&] { one.bind(model.system, Splitting{}); });
    EXPECT_NE(told.find("newmark"), std::string::npos) << told;
  }
  // Nonlinear dynamics, and constraints that are no lengths.
  const Model angles = gh95_ellipse();
  const std::string told =
      testing::error_of([&] { simulate(angles.system, angles.start, Gcn{}, Splitting{}, {.step = 1e-3, .end = 1e-2}); });
  EXPECT_NE(told.find("Multipliers"), std::string::npos) << told;
}

}  // namespace
}  // namespace taut
