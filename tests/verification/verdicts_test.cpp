#include <gtest/gtest.h>

#include <iostream>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "swing.hpp"

/// How runs end: what diverges is told, what is good is never called so, and what cannot know says that.
namespace taut {
namespace {

/// A unit mass on a spring of this frequency.
System spring(double omega) {
  System system(Points{.count = 1, .dim = 1});
  return system.add(Tether{.stiffness = omega * omega});
}

TEST(Verdicts, DivergedRunsAreToldAsSuch) {
  const State stretched = at_rest(spring(1.0), Vector{{1.0}});
  const auto verdict = [&](const System& system, const State& start, const Integrator& integrator, double h, double end) {
    return simulate(system, start, integrator, Multipliers{}, {.step = h, .end = end}).verdict;
  };
  // Beyond 2.83 of rk4, and beyond 2 of (23) with α = 0; with α = 0.1 the limit is 2/sqrt(0.6) = 2.58.
  EXPECT_EQ(verdict(spring(1.0), stretched, RungeKutta{kutta4()}, 3.2, 320.0), Verdict::diverged);
  EXPECT_EQ(verdict(spring(1.0), stretched, Gcn{.alpha = 0.0}, 2.2, 220.0), Verdict::diverged);
  EXPECT_EQ(verdict(spring(1.0), stretched, Gcn{.alpha = 0.1}, 2.8, 280.0), Verdict::diverged);
  EXPECT_EQ(verdict(spring(1.0), stretched, Rattle{}, 2.2, 220.0), Verdict::diverged);
  // Within them they are not.
  EXPECT_EQ(verdict(spring(1.0), stretched, RungeKutta{kutta4()}, 2.0, 200.0), Verdict::reached);
  EXPECT_EQ(verdict(spring(1.0), stretched, Gcn{.alpha = 0.1}, 2.4, 240.0), Verdict::reached);
  EXPECT_EQ(verdict(spring(1.0), stretched, Gcn{.alpha = 0.25}, 20.0, 2000.0), Verdict::reached);
  const testing::Kind& plain = testing::kinds()[0];
  EXPECT_EQ(verdict(swing_system(plain), swing_start(plain), Midpoint{Midpoint::Constraint::literal}, 0.01, 20.0),
            Verdict::diverged);
  const ModelFile pipe = read_model(std::string(TAUT_CASES) + "/swinging_pipe.yaml", {.run = {{"integrator", "midpoint"}}});
  RunPlan planned = plan(pipe);
  const Trajectory path = simulate(*planned.system, pipe.start.state, planned.integrator, planned.method, planned.options);
  EXPECT_EQ(path.verdict, Verdict::diverged) << path.message;
}

/// Where forces do work, energy less work is what should stay; all that is known of a run that grows without end is that nothing drives it.
TEST(Verdicts, DivergedRunsAreToldWhereForcesDoWork) {
  const std::vector<std::string> models{
      "coordinates: [x]\nkinetic: x'^2/2\npotential: 1e6*x^2/2\nforces: {x: -5*x'}\ninitial: {x: 1}\n",
      "coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2\nforces: {x: -1000*x'}\ninitial: {x: 1}\n",
      "coordinates: [x]\nkinetic: x'^2/2\npotential: 1e6*x^2/2\nforces: {x: cos(3*t)}\ninitial: {x: 0.1}\n",
      "coordinates: [x]\nkinetic: x'^2/2\npotential: 1e6*(1 + 0.1*sin(t))*x^2/2\ninitial: {x: 0.1}\n",
      "masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 1, at: [2, 0]}}\npoints: {O: [0, 0]}\nrods: [[O, A]]\n"
      "gravity: 9.81\nsprings: [{between: [A, B], stiffness: 1e6, damping: 10}]\n"};
  for (const std::string& model : models)
    for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
      ModelFile file = parse_model(model + "run: {until: 0.3, step: 0.01, integrator: " + integrator + "}\n", "stiff");
      const Certificate told = run_model(file, plan(file), {}).certificate;
      EXPECT_FALSE(good(told.verdict)) << integrator << ": " << told.summary << "\n" << model;  // or projections fail first
    }
}

/// d/dt H = Q·v − ∂L/∂t along every motion, whatever finds it.
TEST(Verdicts, EnergyLessWorkIsKeptWithTheOrderOfTheScheme) {
  const std::vector<std::string> models{
      "masses: {A: {mass: 1, at: [1, 0]}}\npoints: {O: [0, 0]}\nrods: [[O, A]]\ngravity: 9.81\n"
      "forces: {A.x: -0.5*A.vx, A.y: -0.5*A.vy}\n",
      "coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2\nforces: {x: cos(1.3*t)}\ninitial: {x: 1}\n",
      "coordinates: [x]\nkinetic: x'^2/2\npotential: (1 + 0.3*sin(2*t))*x^2/2\ninitial: {x: 1}\n",
      "coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2\nforces: {x: (1 - x^2)*x'}\ninitial: {x: 0.1}\n"};
  double worst = 0.0;
  for (const std::string& model : models)
    for (const char* integrator : {"rk4", "dop853", "midpoint", "rattle", "newmark", "gcn", "energy-momentum", "spark2"}) {
      const auto run = [&](double h) {
        ModelFile file =
            parse_model(model + "run: {until: 8, step: " + text(h) + ", integrator: " + integrator + "}\n", "work");
        return run_model(file, plan(file), {}).certificate;
      };
      const Certificate coarse = run(0.02), fine = run(0.005);
      EXPECT_EQ(fine.grade, Grade::good) << integrator << ": " << fine.summary << "\n" << model;
      ASSERT_FALSE(fine.balance.name.empty()) << integrator << ": " << model;
      EXPECT_LE(fine.balance.relative(), std::max(0.1 * coarse.balance.relative(), 1e-9)) << integrator << ": " << model;
      worst = std::max(worst, fine.balance.relative());
    }
  std::cout << "worst energy less work, of what moves: " << worst << "\n";
  EXPECT_LE(worst, 1e-3);
}

/// −c v on every coordinate of a plane point.
struct Drag {
  static constexpr int width = 2;
  int point;
  double c;
  std::array<int, 2> stencil() const { return point_stencil<2>(point); }
  template <class T> Local<T, 2> force(const T&, const Local<T, 2>&, const Local<T, 2>& v) const {
    return {-c * v[0], -c * v[1]};
  }
};

/// A push of a given frequency on a plane point.
struct Push {
  static constexpr int width = 2;
  int point;
  std::array<int, 2> stencil() const { return point_stencil<2>(point); }
  template <class T> Local<T, 2> force(const T& t, const Local<T, 2>&, const Local<T, 2>&) const {
    using std::sin;
    return {3.0 * sin(4.0 * t), T(0.0)};
  }
};

struct Good {
  std::string name;
  System system;
  State start;
};

/// Pendulums and springs: as they are, at rest in equilibrium, damped, driven.
std::vector<Good> good_models() {
  std::vector<Good> all;
  const auto add = [&](const std::string& name, const Model& model) {
    all.push_back({name, model.system, model.start});
    const int last = model.system.points()->count - 1;
    System damped = model.system, driven = model.system;
    damped.add(Drag{last, 2.0});
    driven.add(Push{last});
    all.push_back({name + ", damped", damped, model.start});
    all.push_back({name + ", driven", driven, model.start});
  };
  add("pendulum", chain({.links = 1}));
  add("pendulum at rest", chain({.links = 1, .angles = {0.0}}));
  add("pendulum upright", chain({.links = 1, .angles = {std::numbers::pi}}));
  add("double pendulum", chain({.links = 2}));
  add("chain", chain({.links = 10, .length = 0.3}));
  System heavy(Points{.count = 1, .dim = 2, .mass = 50.0});
  heavy.add(Gravity{}).add(Tether{.at = {0.0, 1.0}, .stiffness = 5000.0, .length = 0.9});
  const State hung = at_rest(heavy, Vector{{0.0, 0.1 - 50.0 * 9.81 / 5000.0}});
  add("heavy spring in equilibrium", {heavy, hung});
  add("heavy spring", {heavy, state_at(heavy, 0.0, hung.q, Vector{{0.5, 0.2}})});
  return all;
}

TEST(Verdicts, GoodRunsOfEverySchemeAreNeverCalledDiverged) {
  int runs = 0;
  for (const Good& model : good_models())
    for (const NamedIntegrator& scheme : integrators()) {
      const Traits traits = scheme.integrator.traits();
      const bool held = model.system.constraint_count() > 0;
      if (scheme.name == "midpoint-literal" && held) continue;
      for (const bool penalised : {false, true}) {
        if (penalised ? !held : held && !traits.takes_constraints) continue;
        // Explicit schemes must resolve the stiff springs: ω = 1/sqrt(ε m) = 100.
        const System system = penalised ? penalized(model.system, 1e-4) : model.system;
        for (const bool controlled : {false, true}) {
          if (controlled && (traits.levels > 1 || scheme.name == "hmm" || penalised)) continue;
          SimulateOptions options{.step = penalised ? 2e-3 : 5e-3, .end = 2.0, .every = 0};
          if (controlled) options.step = 0.0, options.rtol = traits.order <= 2 ? 1e-4 : 1e-7;
          if (scheme.name == "hmm") options.step = 0.1;
          const std::string what =
              model.name + (penalised ? ", penalised, " : ", ") + scheme.name + (controlled ? ", rtol" : "");
          for (const bool watched : {false, true}) {
            options.observers.clear();
            if (watched) options.observers.emplace_back([](const Progress&) {});
            const Trajectory path = simulate(system, model.start, scheme.integrator, Multipliers{}, options);
            EXPECT_NE(path.verdict, Verdict::diverged) << what << ": " << path.message;
            if (scheme.name != "hmm") {
              EXPECT_EQ(path.verdict, Verdict::reached) << what << ": " << path.message;
            }
            ++runs;
          }
        }
      }
    }
  std::cout << runs << " good runs\n";
}

TEST(Verdicts, FirstReactionIsRightWithEveryScheme) {
  // λ = v² − g y of a unit pendulum, with and without speed.
  for (const double angle : {0.0, 0.7, 1.5707963267948966})
    for (const double rate : {0.0, 2.0}) {
      const Model model = chain({.links = 1, .angles = {angle}, .rates = {rate}});
      const double exact = rate * rate + 9.81 * std::cos(angle);
      for (const NamedIntegrator& scheme : integrators()) {
        if (!scheme.integrator.traits().takes_constraints) continue;
        for (const SolverMethod& method : {SolverMethod(Multipliers{}), SolverMethod(AugmentedLagrangian{})}) {
          if (scheme.name.starts_with("spark") && !std::holds_alternative<Multipliers>(method)) continue;
          const Trajectory path =
              simulate(model.system, model.start, scheme.integrator, method, {.step = 0.01, .end = 0.05});
          EXPECT_NEAR(path.lambda(0)[0], exact, 1e-6)
              << scheme.name << ", " << name_of(method) << " at " << angle << ", " << rate;
        }
      }
    }
}

TEST(Verdicts, ReactionsUnderTolerancesAreThoseOfTheMotion) {
  // Every record against v² − g y; the largest is 3 g.
  double worst = 0.0;
  for (const double angle : {1.5707963267948966, 0.5})
    for (const NamedIntegrator& scheme : integrators()) {
      const Traits traits = scheme.integrator.traits();
      if (!traits.takes_constraints || traits.levels > 1 || traits.order < 2 || scheme.name == "midpoint-literal") continue;
      const Model model = chain({.links = 1, .angles = {angle}});
      const double rtol = 1e-6, largest = 9.81 * (3.0 - 2.0 * std::cos(angle));
      for (const double interval : {0.0, 0.05}) {
        const Trajectory path = simulate(model.system, model.start, scheme.integrator, Multipliers{},
                                         {.end = 2.0, .rtol = rtol, .interval = interval});
        ASSERT_TRUE(path.finished()) << scheme.name << ": " << path.message;
        // λ of some schemes belongs to a moment before the record.
        const double late = interval > 0.0 ? 1.0 : traits.multiplier_time;
        double off = 0.0;
        for (int k = 1; k < path.size(); ++k) {
          const double share = k == 1 || !traits.holds_velocities ? 1.0 : late;
          const double now = path.v(k).squaredNorm() - 9.81 * path.q(k)[1];
          const double before = path.v(k - 1).squaredNorm() - 9.81 * path.q(k - 1)[1];
          off = std::max(off, std::min(std::abs(path.lambda(k)[0] - now),
                                       std::abs(path.lambda(k)[0] - (share * now + (1.0 - share) * before))) /
                                  largest);
        }
        EXPECT_LE(off, 1e-3) << scheme.name << ", interval " << interval << ", from " << angle;
        worst = std::max(worst, off);
      }
    }
  std::cout << "worst reaction under rtol 1e-6: " << worst << " of the largest\n";
}

/// A slider on the line y = 0.
struct OnAxis {
  static constexpr int width = 1, rows = 1;
  std::array<int, 1> stencil() const { return {3}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 1>& y) const { return {y[0]}; }
  std::string name() const { return "slider"; }
};

TEST(Verdicts, SliderCrankWithEqualLinksIsRightOrTold) {
  // B = 2 cos θ; at θ = 90° the mechanism may branch, and B stay where the crank turns.
  int right = 0, told = 0, failed = 0;
  for (const double speed : {1.7, 2.0})
    for (const char* name : {"dop853", "dopri5", "spark2", "spark3", "spark4"})
      for (const bool beyond : {false, true})
        for (int k = 0; k < 25; ++k) {
          const double rtol = std::pow(10.0, -4.0 - k / 3.0);
          if (beyond && std::string(name).starts_with("spark")) continue;
          System system(Points{.count = 2, .dim = 2});
          system.add(Pin{.point = 0}).add(Distance{.from = 0, .to = 1}).add(OnAxis{});
          const double c = std::cos(0.5), s = std::sin(0.5);
          const State start = state_at(system, 0.0, Vector{{c, s, 2.0 * c, 0.0}}, speed * Vector{{-s, c, -2.0 * s, 0.0}});
          const double energy = system.energy(instant(start));
          SimulateOptions options{.end = 3.0, .rtol = rtol, .every = 0};
          if (beyond) options.beyond_singular = Spark{3};
          options.observers.emplace_back([](const Progress& p) {
            if (p.step > 50'000) *p.stop = "too many steps";
          });
          const Trajectory path = simulate(system, start, integrator_named(name), Multipliers{}, options);
          const std::string what = message("{}, rtol {}, speed {}, beyond {}: {} {}", name, rtol, speed, beyond ? 1 : 0,
                                           name_of(path.verdict), path.message);
          EXPECT_NE(path.verdict, Verdict::stopped) << what;
          const bool followed = path.finished() && std::abs(path.last.q[2] - 2.0 * path.last.q[0]) <= 1e-5 &&
                                std::abs(system.energy(instant(path.last)) - energy) <= 1e-2 * energy;
          EXPECT_TRUE(followed || !path.singular.empty() || path.verdict == Verdict::failed) << what;
          if (beyond || std::string(name).starts_with("spark")) {
            EXPECT_TRUE(followed) << what;
          }
          right += followed ? 1 : 0;
          failed += path.verdict == Verdict::failed ? 1 : 0;
          told += path.singular.empty() ? 0 : 1;
        }
  std::cout << right << " followed, " << failed << " failed, " << told << " told a singular position\n";
}

TEST(Verdicts, SingularPositionIsToldAlsoAfterAResumption) {
  // A checkpoint close before the dead point must not make it one that is passed unseen.
  System system(Points{.count = 2, .dim = 2});
  system.add(Pin{.point = 0}).add(Distance{.from = 0, .to = 1}).add(OnAxis{});
  const double c = std::cos(0.5), s = std::sin(0.5);
  const State start = state_at(system, 0.0, Vector{{c, s, 2.0 * c, 0.0}}, 1.7 * Vector{{-s, c, -2.0 * s, 0.0}});
  for (const bool beyond : {false, true}) {
    SimulateOptions options{.end = 3.0, .rtol = 1e-8, .every = 1, .renew = 1};
    if (beyond) options.beyond_singular = Spark{3};
    const Integrator integrator = beyond ? Integrator(RungeKutta{dormand_prince8()}) : Integrator(Spark{3});
    std::vector<Checkpoint> points;
    options.observers.emplace_back([&](const Progress& p) {
      if (p.checkpoint != nullptr) points.push_back(*p.checkpoint);
    });
    const Trajectory whole = simulate(system, start, integrator, Multipliers{}, options);
    ASSERT_TRUE(whole.finished()) << whole.message;
    options.observers.clear();
    for (std::size_t k = 0; k < points.size(); ++k) {
      options.from = &points[k];
      const Trajectory path = simulate(system, start, integrator, Multipliers{}, options);
      EXPECT_EQ(path.singular, whole.singular) << beyond << " from t = " << points[k].last.t;
      EXPECT_EQ(path.last.q, whole.last.q) << beyond << " from t = " << points[k].last.t;
    }
  }
}

}  // namespace
}  // namespace taut
