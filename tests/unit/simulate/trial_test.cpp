#include <taut/simulate/trial.hpp>
#include <taut/taut.hpp>

#include "laws.hpp"

namespace taut {
namespace {

/// A light body on a slow one, by a spring and by a damper that grows with the way of the slow one: at the start, where it is at zero, it does nothing.
struct GrowingDamper {
  static constexpr int width = 2;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    return 0.5 * (q[0] - 1.0) * (q[0] - 1.0) + 0.5 * (q[1] - q[0]) * (q[1] - q[0]);
  }
  template <class T> Local<T, 2> force(const T&, const Local<T, 2>& q, const Local<T, 2>& v) const {
    const T pull = 30.0 * q[0] * q[0] * (v[0] - v[1]);
    return {-pull, pull};
  }
};

System light_on_slow() {
  System system(2);
  system.add(PointMass<1>{0, 1.0}).add(PointMass<1>{1, 1e-3}).add(GrowingDamper{});
  return system;
}

Choice chosen_by_cost(const System& system, const State& start, double end) {
  return choose_by_cost(system, start, choose(character(system, start, end), false), {.end = end, .rtol = 1e-8});
}

TEST(Trial, FindsDampersThatAreNotFeltAtTheStart) {
  const System system = light_on_slow();
  const State start = state_at(system, 0.0, Vector{{0.0, 0.0}}, Vector{{1.0, 1.0}});
  const Character of = character(system, start, 5.0);
  ASSERT_EQ(choose(of, false).name, "dop853") << "nothing of it is seen there";
  const Choice found = chosen_by_cost(system, start, 5.0);
  EXPECT_EQ(found.name, "spark3") << found.reason;
  EXPECT_NE(found.reason.find("because a trial foretells"), std::string::npos) << found.reason;
  EXPECT_EQ(found.reason, chosen_by_cost(system, start, 5.0).reason) << "counted, not timed";

  // The choice pays.
  const SimulateOptions options{.end = 5.0, .rtol = 1e-8, .every = 0};
  const auto quick = simulate(system, start, RungeKutta{dormand_prince8()}, Multipliers{}, options);
  const auto steady = simulate(system, start, integrator_named(found.name, found.options), Multipliers{}, options);
  ASSERT_TRUE(steady.finished()) << steady.message;
  EXPECT_LE(10 * steady.counts.steps, quick.counts.steps);
  EXPECT_LE((steady.last.q - quick.last.q).norm(), 1e-5);
}

/// Of a motion that goes on as it begins.
TEST(Trial, WorkComesTrueWithinAFactorOfTwo) {
  const Model model = chain({.links = 2});
  const SimulateOptions options{.end = 30.0, .rtol = 1e-8, .every = 0};
  for (const Choice& scheme : {Choice{.name = "dop853", .reason = {}}, Choice{.name = "spark3", .reason = {}}}) {
    const auto counts = simulate(model.system, model.start, integrator_named(scheme.name), Multipliers{}, options).counts;
    const double work = scheme.name == "dop853" ? double(counts.evaluations)
                                                : double(counts.newton_iterations) * newton_weight(model.system);
    const double foretold = foretell(model.system, model.start, scheme, options, 100).work;
    EXPECT_LE(foretold, 2.0 * work) << scheme.name;
    EXPECT_GE(foretold, 0.5 * work) << scheme.name;
  }
}

TEST(Trial, TakesExplicitStepsForNonholonomicConstraintsWhereTheyAreLessWork) {
  System system(3);
  system.add(PointMass<1>{0, 1.0}).add(PointMass<1>{1, 1.0}).add(PointMass<1>{2, 0.1}).add(KnifeEdge{});
  const State start = state_at(system, 0.0, Vector{{0.0, 0.0, 0.0}}, Vector{{1.0, 0.0, 2.0}});
  ASSERT_EQ(choose(character(system, start, 5.0), false).name, "spark3");
  const Choice found = chosen_by_cost(system, start, 5.0);
  EXPECT_EQ(found.name, "dop853") << found.reason;
  EXPECT_NE(found.reason.find("trial"), std::string::npos) << found.reason;
}

TEST(Trial, LeavesAloneWhatIsNoMatterOfCost) {
  const Choice reversible{.name = "spark3", .reversible = true, .reason = "spark3, because it is asked for"};
  const Model model = chain({.links = 2});
  EXPECT_EQ(choose_by_cost(model.system, model.start, reversible, {.end = 1.0, .rtol = 1e-8}).reason, reversible.reason);
}

}  // namespace
}  // namespace taut
