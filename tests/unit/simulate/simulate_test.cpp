#include <gtest/gtest.h>

#include <limits>
#include <taut/taut.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

// Driven away from its pin: possible only while the distance lasts.
struct Away {
  template <class T> std::array<T, 3> operator()(const T& t) const { return {1.0 + t, T(0.0), T(0.0)}; }
};

struct NanAfter {
  static constexpr int width = 1;
  double time;
  std::array<int, 1> stencil() const { return {0}; }
  template <class T> Local<T, 1> force(const T& t, const Local<T, 1>&, const Local<T, 1>&) const {
    return {T(t > time ? std::numeric_limits<double>::quiet_NaN() : 0.0)};
  }
};

/// A unit mass under a steady push, as a block that does not tell the power of its force.
class Push final : public DynamicsBlock {
 public:
  Push() { stencils_ = {0}; }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<Push>(*this); }
  int terms() const override { return 1; }
  int width() const override { return 1; }
  std::string name(int) const override { return "push"; }
  bool constant_mass() const override { return true; }
  bool conservative() const override { return false; }
  double kinetic(const Instant& at) const override { return 0.5 * at.v[0] * at.v[0]; }
  double potential(const Instant&) const override { return 0.0; }
  void add(const Instant& at, double momentum, double force, double* out) const override {
    out[0] += momentum * at.v[0] + force * 5.0;
  }
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant&, const SlopeWeights& w, const int* slots, double* values) const override {
    values[slots[0]] += w.momentum * w.dv;
  }
};

using testing::error_of;

TEST(Simulate, DoesNotJudgeTheEnergyOfABlockThatDoesNotTellItsPower) {
  System system(1);
  system.add_block(std::make_unique<Push>());
  const auto path =
      simulate(system, at_rest(system, Vector{{0.0}}), RungeKutta{}, Multipliers{}, {.step = 0.1, .end = 10.0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_NEAR(path.last.q[0], 250.0, 1e-10);
}

TEST(Simulate, LandsExactlyOnTheEndWithEqualSteps) {
  const Model model = chain({.links = 2});
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.03, .end = 0.1});
  EXPECT_EQ(path.t(path.size() - 1), 0.1);
  EXPECT_EQ(path.size(), 5);  // four steps of 0.025
  EXPECT_NEAR(path.t(1), 0.025, 1e-15);
  const auto exact = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.1, .end = 0.3});
  EXPECT_EQ(exact.size(), 4) << "0.3/0.1 is three steps, whatever round-off says";
}

TEST(Simulate, RecordsWhatWasAskedAndKeepsTheLastState) {
  const Model model = chain({.links = 2});
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 0.1, .every = 4});
  ASSERT_EQ(path.size(), 4);  // 0, 4, 8, 10
  EXPECT_NEAR(path.t(2), 0.08, 1e-15);
  const auto ends = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 0.1, .every = 0});
  EXPECT_EQ(ends.size(), 2);
  EXPECT_EQ(ends.last.q, Vector(path.q(3)));
}

TEST(Simulate, ObserversSeeEveryStep) {
  const Model model = chain({.links = 2});
  std::vector<long> seen;
  simulate(model.system, model.start, Midpoint{}, Multipliers{},
           {.step = 0.01, .end = 0.05, .every = 0, .observers = {[&](const Progress& p) { seen.push_back(p.step); }}});
  EXPECT_EQ(seen, (std::vector<long>{0, 1, 2, 3, 4, 5}));
}

TEST(Simulate, KeepsTheTrajectoryUpToTheFailedStepAndNamesTheCause) {
  Model model = chain({.links = 2});
  model.system.add(NanAfter{.time = 0.5}, "broken motor");
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
  EXPECT_FALSE(path.finished());
  EXPECT_GE(path.t(path.size() - 1), 0.49);
  EXPECT_LE(path.t(path.size() - 1), 0.5 + 1e-9);
  EXPECT_NE(path.message.find("not finite"), std::string::npos) << path.message;
  EXPECT_GT(path.counts.retried, 0);
  EXPECT_FALSE(certificate(model.system, path).finished());
}

TEST(Simulate, NamesTheForceThatIsNanFromTheStart) {
  Model model = chain({.links = 2});
  model.system.add(NanAfter{.time = -1.0}, "broken motor");
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
  EXPECT_FALSE(path.finished());
  EXPECT_NE(path.message.find("the force of broken motor on x0 is not finite"), std::string::npos) << path.message;
}

TEST(Simulate, NamesTheCoordinateWithoutInertia) {
  System system(2);
  system.add(PointMass<1>{0, 1.0}).add(Weight{0, 9.81}).add(Weight{1, 9.81});
  const std::string trouble = error_of(
      [&] { simulate(system, at_rest(system, Vector::Zero(2)), Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0}); });
  EXPECT_NE(trouble.find("the coordinate 'q1' has no inertia"), std::string::npos) << trouble;
}

TEST(Simulate, RetriesAStepFarTooLargeAndGoesOn) {
  const Model model = chain({.links = 3});
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 5.0, .end = 10.0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_GT(path.counts.retried, 0);
  EXPECT_EQ(path.size(), 3);
  EXPECT_LE(certificate(model.system, path).position_residual, 1e-11);
}

TEST(Simulate, ReportsAContradictionThatComesUpOnTheWay) {
  System system(Points{.count = 2, .dim = 2});
  system.add(Pin{.point = 0}).add(Distance{.from = 0, .to = 1}).add(Hold<Away>{.point = 1}, "puller");
  const auto start = consistent_start(system, at_rest(system, Vector{{0.5, std::sqrt(0.75), 1.0, 0.0}}));
  ASSERT_EQ(start.status, Status::ok) << start.trouble;
  const auto path = simulate(system, start.state, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 2.0});
  EXPECT_FALSE(path.finished());
  EXPECT_NEAR(path.t(path.size() - 1), 1.0, 0.02) << "the arm is stretched at t = 1";
  EXPECT_FALSE(path.message.empty());
}

TEST(Simulate, RefusesBadInput) {
  const Model model = chain({.links = 2});
  const auto run = [&](SimulateOptions options) {
    return error_of([&] { simulate(model.system, model.start, Midpoint{}, Multipliers{}, options); });
  };
  EXPECT_EQ(run({.step = 0.0, .end = 1.0}), "simulate: step must be positive, got 0.");
  EXPECT_EQ(run({.step = -0.1, .end = 1.0}), "simulate: step must be positive, got -0.1.");
  EXPECT_EQ(run({.step = 0.1, .end = std::numeric_limits<double>::infinity()}),
            "simulate: start and end time must be finite, got 0 and inf.");
  EXPECT_EQ(run({.step = 0.1, .end = 0.0}), "no error");
  EXPECT_NE(run({.step = 1e-300, .end = 1.0}).find("more steps than time can count"), std::string::npos);
  EXPECT_NE(run({.end = 1e-320, .rtol = 1e-9}).find("too short a time"), std::string::npos);
  EXPECT_NE(run({.end = 600.0, .rtol = 1e-9, .interval = 1e-8}).find("more than 1e+08 records"), std::string::npos);
  EXPECT_EQ(run({.step = 0.1, .end = 1.0, .halvings = -1}), "simulate: halvings must lie between 0 and 40, got -1.");
  EXPECT_EQ(run({.step = 0.1, .end = 1.0, .observers = {Observer{}}}), "simulate: an observer is empty.");
  const std::string wrong = error_of([&] {
    State start = model.start;
    start.q[0] = 1.1;
    simulate(model.system, start, Midpoint{}, Multipliers{}, {.step = 0.1, .end = 1.0});
  });
  EXPECT_NE(wrong.find("'Pin 0' by 0.0954545 (position)"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("consistent_start"), std::string::npos) << wrong;
}

TEST(Simulate, GoesOnWithRedundantConstraintsAndNamesThem) {
  // A triangle hung by two of its corners and, superfluously, closed by a third rod that repeats the pins' distance.
  System system(Points{.count = 3, .dim = 2});
  system.add(Gravity{})
      .add(Hold<>{.point = 0, .motion = {{0, 0, 0}}})
      .add(Hold<>{.point = 1, .motion = {{1, 0, 0}}})
      .add(Distance{.from = 0, .to = 1, .length = 1.0}, "superfluous")
      .add(Distance{.from = 1, .to = 2, .length = 1.0});
  const State start = at_rest(system, Vector{{0, 0, 1, 0, 2, 0}});
  const auto path = simulate(system, start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 3.0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_EQ(path.dependent, std::vector<std::string>{"superfluous"});
  EXPECT_LE(certificate(system, path).position_residual, 1e-12);

  // The motion is that of the simple pendulum without the third rod.
  System plain(Points{.count = 1, .dim = 2});
  plain.add(Gravity{}).add(Pin{.point = 0, .at = {1, 0}});
  const auto alone = simulate(plain, at_rest(plain, Vector{{2, 0}}), Midpoint{}, Multipliers{}, {.step = 0.01, .end = 3.0});
  EXPECT_LE((path.last.q.tail(2) - alone.last.q).norm(), 1e-9);
}

TEST(Simulate, LongChainUsesABandAndRedundancyIsFoundThereToo) {
  Model model = chain({.links = 60});
  model.system.add(Distance{.from = 10, .to = 11, .length = 1.0}, "doubled link");
  const auto path = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 0.2});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_EQ(path.dependent, std::vector<std::string>{"doubled link"});
  // Least norm: both links share the tension equally.
  EXPECT_NEAR(path.last.lambda[11], path.last.lambda[60], 1e-6 * std::abs(path.last.lambda[11]));
}

TEST(Simulate, TakesAStartAsPositionsAndVelocitiesWhateverMomentumItCarries) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Pin{.point = 0});
  State start = at_rest(system, Vector{{1, 0}});
  start.v = Vector{{0, 3}};  // p is stale now
  const auto path = simulate(system, start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
  EXPECT_LE(certificate(system, path).energy.deviation, 1e-11);
}

TEST(Simulate, ResumesAsIfNeverStopped) {
  for (const NamedIntegrator& named : integrators()) {
    Model model = double_spherical_pendulum();
    if (!named.integrator.traits().takes_constraints) model.system = penalized(model.system, 1e-10);
    const auto half = simulate(model.system, model.start, named.integrator, Multipliers{}, {.step = 0.01, .end = 0.2});
    SimulateOptions rest{.step = 0.01, .end = 0.4, .resume = true};
    if (named.integrator.traits().levels > 1) {
      EXPECT_NE(error_of([&] {
                  simulate(model.system, half.last, named.integrator, Multipliers{}, rest);
                }).find("cannot be resumed"),
                std::string::npos);
    }
    rest.earlier = half.earlier;
    const auto whole = simulate(model.system, model.start, named.integrator, Multipliers{}, {.step = 0.01, .end = 0.4});
    const auto resumed = simulate(model.system, half.last, named.integrator, Multipliers{}, rest);
    const double allowed = named.name == "midpoint-literal" ? 1e-9 : 1e-12;  // its multipliers amplify round-off
    EXPECT_LE((resumed.last.q - whole.last.q).norm(), allowed) << named.name;
  }
}

/// One count for all schemes, made where forces are evaluated.
TEST(Simulate, CountsForceEvaluationsOfEveryScheme) {
  const Model model = double_spherical_pendulum();
  const System soft = penalized(model.system, 1e-10);
  const auto counts = [](const System& system, const State& start, const Integrator& integrator, double h) {
    const auto path = simulate(system, start, integrator, Multipliers{}, {.step = h, .end = 20 * h});
    EXPECT_TRUE(path.finished()) << path.message;
    return path.counts;
  };
  // What the explicit schemes need by definition: their stages, and the first acceleration once.
  for (const auto& [system, h] : {std::pair(&model.system, 1e-3), std::pair(&soft, 1e-6)}) {
    EXPECT_EQ(counts(*system, model.start, RungeKutta{kutta4()}, h).evaluations, 4 * 20 + 1);
    EXPECT_EQ(counts(*system, model.start, RungeKutta{dormand_prince5()}, h).evaluations, 6 * 20 + 1);
    EXPECT_EQ(counts(*system, model.start, RungeKutta{dormand_prince8()}, h).evaluations, 12 * 20 + 1);
  }
  EXPECT_EQ(counts(soft, model.start, Rattle{}, 1e-6).evaluations, 20 + 1);
  for (const NamedIntegrator& named : integrators()) {
    const bool constrained = named.integrator.traits().takes_constraints;
    const RunCounts found = counts(constrained ? model.system : soft, model.start, named.integrator, 5e-3);
    EXPECT_GE(found.evaluations, found.steps) << named.name;
    EXPECT_LE(found.evaluations, constrained ? 100 * found.steps : 10'000 * found.steps) << named.name;
  }
}

TEST(Simulate, PendulumThatHangsThroughTheOriginIsNoSmallerForThat) {
  for (const double tilt : {1e-3, 1e-2}) {
    for (const double h : {1e-3, 1e-4}) {
      System system(Points{.count = 1, .dim = 2});
      system.add(Gravity{}).add(Pin{.point = 0, .at = {0, 1}, .length = 1});
      const State start = at_rest(system, Vector{{std::sin(tilt), 1 - std::cos(tilt)}});
      const auto path = simulate(system, start, Midpoint{}, Multipliers{}, {.step = h, .end = 0.5});
      EXPECT_TRUE(path.finished()) << path.message;
      EXPECT_EQ(path.counts.retried, 0);
    }
  }
}

TEST(Simulate, WhatRestsRestsWithTheRightMultiplier) {
  System hung(Points{.count = 2, .dim = 2});
  hung.add(Gravity{}).add(Hold<>{.point = 0, .motion = Place{{.1, .3, 0}}}).add(Spring{.stiffness = 1e6, .length = 1});
  const auto path = simulate(hung, at_rest(hung, Vector{{.1, .3, .1, -.7 - 9.81e-6}}), Midpoint{}, Multipliers{},
                             {.step = .01, .end = .1});
  ASSERT_TRUE(path.finished()) << path.message;
  for (int k = 1; k < path.size(); ++k) EXPECT_NEAR(path.lambda(k)[1], -19.62, 1e-6) << k;

  System pendulum(Points{.count = 1, .dim = 2});
  pendulum.add(Gravity{}).add(Pin{.point = 0});
  for (const double epsilon : {1e-6, 1e-9}) {
    const System soft = penalized(pendulum, epsilon);
    double stretch = 1.0;  // (1 + s)((1 + s)² − 1)/2 = ε m g
    for (int k = 0; k < 50; ++k) stretch = std::sqrt(1.0 + 2.0 * epsilon * 9.81 / stretch);
    const auto rest =
        simulate(soft, at_rest(soft, Vector{{0, -stretch}}), Midpoint{}, Multipliers{}, {.step = .01, .end = 1.0});
    EXPECT_TRUE(rest.finished()) << rest.message;
    EXPECT_EQ(rest.counts.retried, 0);
    EXPECT_NEAR(rest.last.q[1], -stretch, 1e-9);
  }
}

TEST(Simulate, CarriesAMassRatioOfABillion) {
  System system(Points{.count = 2, .dim = 2, .masses = {1.0, 1e9}});
  system.add(Gravity{}).add(Pin{.point = 0}).add(Distance{});
  const auto path =
      simulate(system, at_rest(system, Vector{{1, 0, 2, 0}}), Midpoint{}, Multipliers{}, {.step = 1e-4, .end = 0.05});
  EXPECT_TRUE(path.finished()) << path.message;
}

TEST(Simulate, EverySolverMovesARedundantPendulumAlike) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{}).add(Pin{}, "again");
  const State start = at_rest(system, Vector{{1, 0}});
  const auto run = [&](const SolverMethod& method) {
    return simulate(system, start, Midpoint{}, method, {.step = .01, .end = 3.0});
  };
  const auto expected = run(Multipliers{});
  for (const NamedSolver& solver : solvers()) {
    if (solver.name == "splitting") continue;  // not with Midpoint
    const auto path = run(solver.method);
    ASSERT_TRUE(path.finished()) << solver.name << ": " << path.message;
    EXPECT_LE((path.last.q - expected.last.q).norm(), 1e-6) << solver.name;
    EXPECT_NEAR(path.last.lambda[0], path.last.lambda[1], 1e-5 * std::abs(path.last.lambda[0])) << solver.name;
  }
}

TEST(Simulate, MultipliersAreRightForSmallStepsAndSmallSystemsInEverySolver) {
  for (const auto& [length, h] : {std::pair(1.0, 1e-5), std::pair(1e-3, 1e-4)}) {
    const Model model = chain({.links = 2, .length = length});
    const auto expected = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = h, .end = 20 * h}).last;
    for (const NamedSolver& solver : solvers()) {
      if (solver.name == "splitting") continue;  // not with Midpoint
      const auto path = simulate(model.system, model.start, Midpoint{}, solver.method, {.step = h, .end = 20 * h});
      ASSERT_TRUE(path.finished()) << solver.name << ": " << path.message;
      EXPECT_LE((path.last.lambda - expected.lambda).norm(), 1e-4 * 9.81 / length) << solver.name << " " << length;
    }
  }
}

}  // namespace
}  // namespace taut
