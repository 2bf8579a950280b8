#include "random_models.hpp"

#include <gtest/gtest.h>

#include <iostream>

/// Laws of the time line on mechanisms that nobody chose.
namespace taut {
namespace {

using testing::RandomModel;

/// A run that is given up after so many steps, which nothing here should need.
struct Counted {
  Trajectory path;
  long steps;
  bool given_up;
};

Counted run(const RandomModel& model, const Integrator& integrator, SimulateOptions options, long most) {
  Counted out{Trajectory(0, 0), 0, false};
  options.observers.emplace_back([&](const Progress& p) {
    out.steps = p.step;
    if (p.step < most) return;
    out.given_up = true;
    *p.stop = "too many steps";
  });
  out.path = simulate(model.system, model.start, integrator, Multipliers{}, options);
  return out;
}

TEST(RandomModels, ThousandTakeNoMoreStepsAnywhereThanAtAPlaceOfSizeOne) {
  const char* schemes[] = {"dop853", "dop853", "dop853", "dop853",   "dop853",
                           "dop853", "dop853", "spark2", "midpoint", "energy-momentum"};
  const double places[] = {0.0, 1e-5, 1e6};
  constexpr long allowed = 100, most = 20'000;
  double worst = 0.0;
  std::string worst_what;
  int failed = 0;
  long total = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const testing::Family family = testing::families[seed % 4];
    const std::string scheme = schemes[(seed / 4) % 10];
    const bool low = scheme == "midpoint" || scheme == "energy-momentum";
    const RandomModel near = random_model(seed, family, {.place = 1.0}),
                      model = random_model(seed, family, {.place = places[seed % 3]});
    const SimulateOptions options{.end = low ? 0.2 : near.length, .rtol = low || seed % 2 == 0 ? 1e-6 : 1e-8, .every = 0};
    const std::string what = model.what + ", " + scheme;
    const Counted there = run(near, integrator_named(scheme), options, most);
    ASSERT_FALSE(there.given_up) << near.what << ", " << scheme;
    const Counted here = run(model, integrator_named(scheme), options, allowed * std::max(there.steps, 1L));
    EXPECT_FALSE(here.given_up) << what << ": " << there.steps << " steps elsewhere";
    for (const Counted* one : {&there, &here}) {
      EXPECT_NE(one->path.verdict, Verdict::diverged) << what << ": " << one->path.message;
      EXPECT_TRUE(one->path.finished() || !one->path.message.empty()) << what;
      failed += one->path.finished() ? 0 : 1;
      total += one->steps;
    }
    if (!here.path.finished() || !there.path.finished()) continue;
    const double ratio = double(here.steps) / double(std::max(there.steps, 1L));
    if (ratio > worst) worst = ratio, worst_what = what;
  }
  std::cout << "worst ratio of steps " << worst << " (" << worst_what << "), " << failed << " of 2000 runs failed, " << total
            << " steps\n";
}

/// What energy–momentum promises, checked at every step.
struct EnergyKept {
  const System& system;
  double kinetic = 0.0, last = 0.0, first = 0.0, step = 0.0, whole = 0.0, potential = 0.0;
  bool begun = false;

  void see(const Progress& p) {
    const double T = system.kinetic_energy(instant(p.state)), V = system.potential_energy(instant(p.state));
    kinetic = std::max(kinetic, T);
    const Vector f = system.force(instant(p.state));
    potential = std::max(potential, std::abs(V) + f.cwiseAbs().dot(p.state.q.cwiseAbs()));
    if (!begun) first = last = T + V;
    begun = true;
    // Round-off of V is that of its terms.
    const double scale = kinetic + 1e-4 * potential;
    if (scale > 0.0) step = std::max(step, std::abs(T + V - last) / scale);
    if (scale > 0.0) whole = std::abs(T + V - first) / scale;
    last = T + V;
  }
};

struct Worst {
  double step = 0.0, whole = 0.0;
  int failed = 0, runs = 0;
};

void keep_energy(const System& system, const State& start, double h, double end, const std::string& what, Worst& worst) {
  EnergyKept kept{system};
  const Trajectory path =
      simulate(system, start, EnergyMomentum{}, Multipliers{},
               {.step = h, .end = end, .every = 0, .observers = {[&](const Progress& p) { kept.see(p); }}});
  EXPECT_LE(kept.step, 1e-10) << what << ", h = " << h;
  EXPECT_LE(kept.whole, 1e-9) << what << ", h = " << h;
  EXPECT_TRUE(path.verdict == Verdict::reached || path.verdict == Verdict::failed) << what << ": " << path.message;
  worst.step = std::max(worst.step, kept.step);
  worst.whole = std::max(worst.whole, kept.whole);
  worst.failed += path.finished() ? 0 : 1;
  ++worst.runs;
}

TEST(RandomModels, NoAcceptedStepOfEnergyMomentumBreaksItsPromiseOnHundredMechanisms) {
  Worst worst;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomModel model = random_model(5000 + seed, seed % 2 == 0 ? testing::Family::tree : testing::Family::loop,
                                           {.place = 0.0, .spread = 1e4});
    for (const double h : {0.1, 0.05, 0.02, 0.01, 0.005}) keep_energy(model.system, model.start, h, 2.0, model.what, worst);
  }
  std::cout << "energy of energy-momentum: worst step " << worst.step << ", worst run " << worst.whole
            << " of the kinetic energy; " << worst.failed << " of " << worst.runs << " runs failed\n";
}

TEST(RandomModels, FoldedPendulumAndHorizontalChainKeepTheirEnergyOrSayWhereNot) {
  Worst worst;
  System folded(Points{.count = 2, .dim = 2});
  folded.add(Gravity{}).add(Pin{.point = 0}).add(Distance{.from = 0, .to = 1, .length = 0.5});
  keep_energy(folded, at_rest(folded, Vector{{1.0, 0.0, 0.5, 0.0}}), 0.1, 10.0, "folded double pendulum", worst);
  const Model links = chain({.links = 200, .length = 0.05, .mass = 0.05});
  for (const double h : {5e-3, 2e-3, 1e-3}) keep_energy(links.system, links.start, h, 5.0, "chain of 200", worst);
  std::cout << "worst step " << worst.step << ", worst run " << worst.whole << ", " << worst.failed << " of " << worst.runs
            << " failed\n";
}

}  // namespace
}  // namespace taut
