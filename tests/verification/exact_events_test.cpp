#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

/// Motions with events whose times and states are elementary, from model files.
namespace taut {
namespace {

struct Instance {
  std::string name;
  double t;
  State before, after;
};

/// Runs a model with its events; an integrator other than its own if there is a name.
Trajectory run(const ModelFile& model, std::vector<Instance>& told) {
  RunPlan planned = plan(model);
  planned.options.observers.emplace_back([&](const Progress& p) {
    if (p.happened != nullptr && p.happened->event < model.events.size())
      told.push_back({model.events[p.happened->event].name, p.happened->t, p.happened->before, p.happened->after});
  });
  return simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
}

ModelFile case_of(const std::string& name, const std::map<std::string, Tree>& run) {
  return read_model(std::string(TAUT_CASES) + "/" + name + ".yaml", {.run = run});
}

TEST(ExactEvents, TenImpactsOfTheBouncingBall) {
  for (const char* scheme : {"dop853", "spark3"}) {
    const ModelFile model = case_of("bouncing_ball", {{"until", "3.99"}, {"integrator", scheme}, {"rtol", "1e-10"}});
    std::vector<Instance> told;
    const Trajectory path = run(model, told);
    ASSERT_TRUE(path.finished()) << scheme << ": " << path.message;
    ASSERT_GE(told.size(), 10u) << scheme;
    const double fall = std::sqrt(2.0 / 9.81);
    double exact = fall, flight = 2.0 * fall, worst = 0.0;
    for (const Instance& one : told) {
      EXPECT_NEAR(one.t, exact, 1e-9) << scheme;
      worst = std::max(worst, std::abs(one.t - exact));
      EXPECT_NEAR(one.after.v[1], -0.8 * one.before.v[1], 1e-14) << scheme;
      flight *= 0.8;
      exact += flight;
    }
    EXPECT_GT(exact, 3.99) << scheme << ": none is missed";
    std::cout << scheme << ": " << told.size() << " impacts, worst time off by " << worst << "\n";
  }
}

TEST(ExactEvents, PendulumWhoseRopeIsCutFliesOnItsParabola) {
  for (const char* scheme : {"dop853", "spark3", "spark4"})
    for (const double cut : {0.0, 0.25, 0.5, 1.1}) {
      const ModelFile model = parse_model(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}}
rods: [{name: rope, between: [O, A]}]
events: [{name: cut, at: cut, then: {release: rope}}]
run: {until: 1.5, rtol: 1e-11, interval: 0.03}
parameters: {cut: )yaml" + std::to_string(cut) +
                                              "}\n",
                                          "cut", {.run = {{"integrator", scheme}}});
      std::vector<Instance> told;
      const Trajectory path = run(model, told);
      ASSERT_TRUE(path.finished()) << scheme << ": " << path.message;
      ASSERT_EQ(told.size(), 1u);
      EXPECT_EQ(told[0].t, cut);
      const State& from = told[0].after;
      EXPECT_NEAR(from.q.norm(), 1.0, 1e-12);
      EXPECT_NEAR(from.v.squaredNorm() / 2.0 + 9.81 * from.q[1], 0.0, 1e-9) << "the swing until then";
      int flown = 0;
      for (int k = 0; k < path.size(); ++k) {
        if (path.t(k) <= cut) continue;
        const double s = path.t(k) - cut;
        EXPECT_NEAR(path.q(k)[0], from.q[0] + s * from.v[0], 1e-10) << scheme << " t = " << path.t(k);
        EXPECT_NEAR(path.q(k)[1], from.q[1] + s * from.v[1] - 0.5 * 9.81 * s * s, 1e-10) << scheme << " t = " << path.t(k);
        EXPECT_EQ(path.lambda(k)[0], 0.0) << scheme;
        ++flown;
      }
      EXPECT_GE(flown, 10);
    }
}

TEST(ExactEvents, RopeSnapsAtItsTension) {
  const ModelFile model = case_of("snapping_rope", {});
  std::vector<Instance> told;
  const Trajectory path = run(model, told);
  ASSERT_TRUE(path.finished()) << path.message;
  ASSERT_EQ(told.size(), 1u);
  // 3 m g sin φ = 20 N, and v² = 2 g sin φ.
  EXPECT_NEAR(-told[0].before.q[1], 20.0 / (3.0 * 9.81), 1e-8);
  EXPECT_NEAR(told[0].before.v.squaredNorm(), 40.0 / 3.0, 1e-7);
  const double s = path.last.t - told[0].t;
  EXPECT_NEAR(path.last.q[1], told[0].after.q[1] + s * told[0].after.v[1] - 0.5 * 9.81 * s * s, 1e-10);
}

TEST(ExactEvents, ClutchLocksWhenMomentaSay) {
  for (const char* scheme : {"spark2", "spark3"}) {
    const ModelFile model = case_of("clutch", {{"integrator", scheme}});
    std::vector<Instance> told;
    const Trajectory path = run(model, told);
    ASSERT_TRUE(path.finished()) << path.message;
    ASSERT_EQ(told.size(), 2u) << scheme;
    EXPECT_EQ(told[0].t, 0.5);
    EXPECT_NEAR(told[1].t, 1.25, 1e-12) << scheme;
    EXPECT_NEAR(path.last.v[0], 25.0, 1e-10) << scheme;
    EXPECT_NEAR(path.last.v[1], 25.0, 1e-10) << scheme;
    // b stands for half a second, is driven by 20/0.6 for 0.75 s, and turns at 25 for the rest.
    EXPECT_NEAR(path.last.q[1], 0.5 * (20.0 / 0.6) * 0.75 * 0.75 + 0.75 * 25.0, 1e-9) << scheme;
  }
}

TEST(ExactEvents, StickAndSlipAlternateAtTheirTimes) {
  const ModelFile model = case_of("stick_slip", {});
  std::vector<Instance> told;
  const Trajectory path = run(model, told);
  ASSERT_TRUE(path.finished()) << path.message;
  // Slipping about 0.04 from 0.06 with 0.1 m/s at ω = 10: cos θ − 2 sin θ = 1, θ = 2π − 2 atan 2, where x = 0.02; sticking over 0.04 at 0.1 m/s.
  const double slip = (2.0 * std::numbers::pi - 2.0 * std::atan(2.0)) / 10.0;
  double t = 0.6;
  std::size_t k = 0;
  for (; t < 4.0; ++k) {
    ASSERT_LT(k, told.size());
    EXPECT_NEAR(told[k].t, t, 1e-7);
    EXPECT_NEAR(told[k].after.q[0], k % 2 == 0 ? 0.06 : 0.02, 1e-8);
    EXPECT_EQ(told[k].name, k % 2 == 0 ? "breaks loose" : "sticks");
    t += k % 2 == 0 ? slip : 0.4;
  }
  EXPECT_EQ(told.size(), k);
}

TEST(ExactEvents, SledIsLetGoHitsTheBarrierAndComesBack) {
  const ModelFile model = case_of("crash_test", {});
  std::vector<Instance> told;
  const Trajectory path = run(model, told);
  ASSERT_EQ(path.verdict, Verdict::stopped) << path.message;
  ASSERT_EQ(told.size(), 3u);
  // 9 m at 2 m/s²: 3 s and 6 m/s; one metre; half a sine of ω = 40; one metre back.
  EXPECT_NEAR(told[0].t, 3.0, 1e-9);
  EXPECT_NEAR(told[1].t, 3.0 + 1.0 / 6.0, 1e-9);
  EXPECT_NEAR(told[2].t, 3.0 + 2.0 / 6.0 + std::numbers::pi / 40.0, 1e-7);
  EXPECT_NEAR(path.last.q[0], 9.0, 1e-10);
  EXPECT_NEAR(path.last.v[0], -6.0, 1e-6);
}

}  // namespace
}  // namespace taut
