#include <gtest/gtest.h>

#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "swing.hpp"

/// Single laws of events: order, direction, simultaneity, halved steps, Zeno, jumps that nobody declared.
namespace taut {
namespace {

const Integrator dop853 = RungeKutta{dormand_prince8()};

struct Told {
  std::size_t event;
  double t;
  State after;
};

Observer tell(std::vector<Told>& to) {
  return [&to](const Progress& p) {
    if (p.happened != nullptr) to.push_back({p.happened->event, p.happened->t, p.happened->after});
  };
}

/// Masses that fall from heights, each without any other.
System falling(int count) {
  System system(Points{.count = count, .dim = 1});
  system.add(Gravity{});
  return system;
}

std::function<double(const State&)> height(int i) {
  return [i](const State& s) { return s.q[i]; };
}

TEST(Events, AfterAHalvedStepAreToldAtTheirTime) {
  // V = 2/sqrt(x) from x = 1 with x' = −3: H = 6.5, and x = 0.8 is reached at ∫ dx/|x'|, |x'| = sqrt(13 − 4/sqrt(x)).
  double exact = 0.0;
  constexpr int pieces = 1000;
  for (int i = 0; i < pieces; ++i) exact += 0.2 / pieces / std::sqrt(13.0 - 4.0 / std::sqrt(0.8 + 0.2 * (i + 0.5) / pieces));
  EXPECT_NEAR(exact, 0.0675, 5e-5);
  const ModelFile model =
      parse_model("coordinates: [x]\nkinetic: \"x'^2/2\"\npotential: \"2/sqrt(x)\"\ninitial: {x: 1, \"x'\": -3}\n", "well");
  for (const bool stops : {false, true})
    for (const char* name : {"midpoint", "spark2", "energy-momentum", "newmark"}) {
      std::vector<Told> told;
      Event event{.name = "near", .when = [](const State& s) { return s.q[0] - 0.8; }, .direction = -1};
      if (stops) event.then = [](Moment& m) { m.stop = "near"; };
      const Trajectory path = simulate(model.system, model.start.state, integrator_named(name), Multipliers{},
                                       {.step = 0.7, .end = 0.7, .events = {event}, .observers = {tell(told)}});
      ASSERT_EQ(told.size(), 1u) << name << ": " << path.message;
      EXPECT_NEAR(told[0].t, exact, 2e-3) << name;
      EXPECT_NEAR(told[0].after.q[0], 0.8, 1e-10) << name;
    }
}

TEST(Events, OfOneStepHappenInTheOrderOfTheirTimes) {
  // Three masses from 3, 1 and 2 m, all down within one step; the second one stops nothing but itself.
  for (const bool acts : {false, true})
    for (const double direction : {1.0, -1.0}) {
      const System system = falling(3);
      const State start = state_at(system, 0.0, Vector{{3.0, 1.0, 2.0}}, Vector::Zero(3));
      std::vector<Told> told;
      std::vector<Event> events;
      for (int i = 0; i < 3; ++i) {
        events.push_back({.name = message("mass {}", i), .when = height(i)});
        if (acts) events.back().then = [i](Moment& m) { m.state.v[i] = -0.5 * m.state.v[i]; };
      }
      simulate(system, start, Spark{3}, Multipliers{},
               {.step = 1.0, .end = direction, .events = events, .observers = {tell(told)}});
      ASSERT_GE(told.size(), 3u);
      const std::size_t order[] = {1, 2, 0};
      const double heights[] = {1.0, 2.0, 3.0};
      std::vector<Told> first;
      for (const Told& one : told)
        if (std::none_of(first.begin(), first.end(), [&](const Told& known) { return known.event == one.event; }))
          first.push_back(one);
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(first[k].event, order[k]);
        EXPECT_NEAR(first[k].t, direction * std::sqrt(2.0 * heights[k] / 9.81), 1e-12);
      }
    }
}

TEST(Events, AtOneTimeAllHappen) {
  // Two balls dropped from one height hit the ground together, and neither falls through it; a third is watched only.
  for (const char* name : {"dop853", "spark3", "midpoint", "rattle", "newmark", "houbolt"}) {
    const System system = falling(3);
    const State start = at_rest(system, Vector{{1.0, 1.0, 1.0}});
    std::vector<Told> told;
    std::vector<Event> events;
    for (int i = 0; i < 3; ++i) {
      events.push_back({.name = message("ball {}", i), .when = height(i), .direction = -1});
      if (i < 2) events.back().then = [i](Moment& m) { m.state.v[i] = -m.state.v[i]; };
    }
    const Trajectory path = simulate(system, start, integrator_named(name), Multipliers{},
                                     {.step = 0.01, .end = 1.2, .events = events, .observers = {tell(told)}});
    EXPECT_TRUE(path.finished()) << name << ": " << path.message;
    int count[3] = {0, 0, 0};
    for (const Told& one : told) ++count[one.event];
    for (int i = 0; i < 3; ++i) EXPECT_EQ(count[i], 1) << name << ", ball " << i;
    EXPECT_GT(path.last.q[0], 0.0) << name;
    EXPECT_NEAR(path.last.q[0], path.last.q[1], 1e-9) << name;
  }
}

TEST(Events, OfATimeAndOfAPlaceDoNotDisturbEachOther) {
  // Something acts at 0.45 s; what is set for 0.8 s happens then, and not before.
  for (const char* name : {"dop853", "spark3", "midpoint", "houbolt"}) {
    const System system = falling(1);
    std::vector<Told> told;
    const auto reflect = [](Moment& m) { m.state.v = -m.state.v; };
    const Event impact{.name = "impact", .when = height(0), .direction = -1, .then = reflect};
    const Event kick{.name = "kick", .at = 0.8, .then = reflect}, jump = jump_at(0.9);
    simulate(system, at_rest(system, Vector{{1.0}}), integrator_named(name), Multipliers{},
             {.step = 0.01, .end = 1.0, .events = {kick, impact, jump}, .observers = {tell(told)}});
    ASSERT_EQ(told.size(), 3u) << name;
    EXPECT_EQ(told[0].event, 1u) << name;
    EXPECT_NEAR(told[0].t, std::sqrt(2.0 / 9.81), 1e-3) << name;
    EXPECT_EQ(told[1].event, 0u) << name;
    EXPECT_EQ(told[1].t, 0.8) << name;
    EXPECT_EQ(told[2].t, 0.9) << name;
  }
}

TEST(Events, GoOneWayWhereTheyAreAskedTo) {
  const System system = falling(1);
  const State start = state_at(system, 0.0, Vector{{0.0}}, Vector{{5.0}});  // up to 1.27 m and down again, at 1 m twice
  const double up = (5.0 - std::sqrt(25.0 - 2.0 * 9.81)) / 9.81, down = (5.0 + std::sqrt(25.0 - 2.0 * 9.81)) / 9.81;
  const auto times = [&](int direction, double from, double to) {
    const State begin =
        simulate(system, start, dop853, Multipliers{}, {.end = from == 0.0 ? 1e-9 : from, .rtol = 1e-12}).last;
    std::vector<Told> told;
    const Event event{.name = "one metre", .when = [](const State& s) { return s.q[0] - 1.0; }, .direction = direction};
    simulate(system, from == 0.0 ? start : begin, dop853, Multipliers{},
             {.end = to, .rtol = 1e-10, .events = {event}, .observers = {tell(told)}});
    std::vector<double> out;
    for (const Told& one : told) out.push_back(one.t);
    return out;
  };
  const auto expect = [&](const std::vector<double>& found, const std::vector<double>& exact) {
    ASSERT_EQ(found.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(found[k], exact[k], 1e-10);
  };
  expect(times(1, 0.0, 1.0), {up});
  expect(times(-1, 0.0, 1.0), {down});
  expect(times(0, 0.0, 1.0), {up, down});
  // Backward: rising is rising with time.
  expect(times(1, 1.0, 0.0), {up});
  expect(times(-1, 1.0, 0.0), {down});
}

TEST(Events, OfABallThatHardlyBouncesAreNotLost) {
  // Bounces shrink so fast that round-off hides the second or third; the ball does not fall through the ground for that.
  const System system = falling(1);
  for (const char* name : {"dop853", "spark3", "midpoint", "houbolt"})
    for (const double e : {0.5, 0.1, 0.03, 0.01, 1e-3, 1e-4})
      for (const double floor : {0.0, -3.0, 1e3}) {
        const Event bounce{.name = "bounce",
                           .when = [floor](const State& s) { return s.q[0] - floor; },
                           .direction = -1,
                           .then = [e](Moment& m) { m.state.v *= -e; }};
        const Trajectory path = simulate(system, at_rest(system, Vector{{floor + 1.0}}), integrator_named(name),
                                         Multipliers{}, {.step = 0.03, .end = 4.2, .events = {bounce}});
        EXPECT_EQ(path.verdict, Verdict::failed) << name << " " << e << " " << floor;
        EXPECT_NE(path.message.find("Zeno"), std::string::npos) << name << " " << e << ": " << path.message;
        EXPECT_GE(path.last.q[0], floor - 1e-9) << name << " " << e << " " << floor;
      }
}

TEST(Events, ThatPileUpAreNamedBeforeTheirEnd) {
  const System system = falling(1);
  const Event bounce{.name = "bounce", .when = height(0), .direction = -1, .then = [](Moment& m) { m.state.v *= -0.8; }};
  const double accumulation = 9.0 * std::sqrt(2.0 / 9.81);
  for (const char* name : {"dop853", "spark3", "midpoint", "rattle"})
    for (const bool controlled : {false, true}) {
      const Traits traits = integrator_named(name).traits();
      SimulateOptions options{.step = 0.01, .end = 4.2, .events = {bounce}};
      if (controlled) options.step = 0.0, options.rtol = traits.order == 2 ? 1e-5 : 1e-9;
      const Trajectory path =
          simulate(system, at_rest(system, Vector{{1.0}}), integrator_named(name), Multipliers{}, options);
      EXPECT_EQ(path.verdict, Verdict::failed) << name;
      EXPECT_NE(path.message.find("Zeno"), std::string::npos) << name << ": " << path.message;
      // Before the end, when bounces are shorter than a hundredth of the first.
      EXPECT_LT(path.last.t, accumulation) << name;
      EXPECT_GE(path.last.t, accumulation - 0.1 * std::sqrt(2.0 / 9.81)) << name;
      EXPECT_GE(path.last.q[0], -1e-9) << name;
      EXPECT_LE(path.counts.steps, 20'000) << name;
    }
}

TEST(Events, ThatActWithoutChangingAnythingDoNotChangeTheMotion) {
  // Schemes of several levels must not take the short step to the event for one of theirs.
  for (const NamedIntegrator& scheme : integrators()) {
    if (!takes(scheme, testing::Control::equal)) continue;
    const testing::Kind kind{
        "looks", {{.name = "looks", .when = [](const State& s) { return s.q[0] - 0.5; }, .then = [](Moment&) {}}}};
    const State exact =
        simulate(swing_system(kind), swing_start(kind), dop853, Multipliers{}, {.end = 0.9, .rtol = 1e-12}).last;
    const auto error = [&](double h) {
      const State last = simulate(swing_system(kind), swing_start(kind), scheme.integrator, Multipliers{},
                                  swing_options(kind, {.step = h, .end = 0.9, .every = 0}))
                             .last;
      return (last.q - exact.q).norm();
    };
    // It starts anew there, which costs some accuracy, but no order.
    EXPECT_LE(error(0.0025), error(0.01) / (scheme.integrator.traits().order == 1 ? 3.0 : 8.0) + 1e-10) << scheme.name;
  }
}

TEST(Events, LeaveStatesWithTheirReactions) {
  // A mass on a loose rope is caught: from then on λ = tension/length = v² − g y, also in the record of the event.
  const testing::Kind& hold = testing::kinds()[4];
  for (const NamedIntegrator& scheme : integrators()) {
    if (!takes(scheme, testing::Control::equal)) continue;
    bool seen = false;
    simulate(swing_system(hold), swing_start(hold), scheme.integrator, Multipliers{},
             swing_options(hold, {.step = 0.004,
                                  .end = 1.2,
                                  .observers = {[&](const Progress& p) {
                                    if (p.happened == nullptr || seen) return;
                                    seen = true;
                                    EXPECT_NEAR(p.state.lambda[0], p.state.v.squaredNorm() - 9.81 * p.state.q[1], 1e-6)
                                        << scheme.name;
                                  }}}));
    EXPECT_TRUE(seen) << scheme.name;
  }
}

TEST(Events, SeeTheReactionsOfTheirConstraintsWhicheverActs) {
  // The first rope is cut early; what happens then is set by the tension of the second, 9.81 N times a half.
  const ModelFile model = parse_model(R"yaml(
gravity: 9.81
points: {O: [0, 0], P: [4, 0]}
masses: {A: {mass: 1, at: [0, -1]}, B: {mass: 0.5, at: [4, -1]}, C: {mass: 1, at: [9, 9]}}
rods: [{name: first, between: [O, A]}, {name: second, between: [P, B]}]
events:
  - {name: cut, at: 0.1, then: {release: first}}
  - {name: copy, at: 0.2, then: {"C.x'": "second.tension"}}
run: {until: 0.3, rtol: 1e-9}
)yaml",
                                      "two ropes");
  RunPlan planned = plan(model);
  const Trajectory path = simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_NEAR(path.last.v[4], 0.5 * 9.81, 1e-6);
}

TEST(Events, ConditionsOnTimeInModelFilesAreBreaksByThemselves) {
  // x'' = 0 until 0.3, 2 until 0.7, then −1: x(1) = 0.04 + 0.2·… is elementary.
  const std::string text =
      "coordinates: [x]\nkinetic: \"x'^2/2\"\nforces: {x: \"if(t < a, 0, if(t <= b, 2, -1)) - 4*x\"}\nparameters: {a: 0.3, "
      "b: 0.7}\n"
      "initial: {x: 0.5}\nrun: {until: 1, rtol: 1e-9";
  // Pieces of x'' = c − 4x: x = c/4 + (x0 − c/4) cos 2s + v0/2 sin 2s.
  double x = 0.5, v = 0.0;
  for (const auto& [c, s] : {std::pair{0.0, 0.3}, {2.0, 0.4}, {-1.0, 0.3}}) {
    const double d = x - c / 4.0;
    x = c / 4.0 + d * std::cos(2.0 * s) + v / 2.0 * std::sin(2.0 * s);
    v = -2.0 * d * std::sin(2.0 * s) + v * std::cos(2.0 * s);
  }
  for (const char* scheme : {"dop853", "spark3", "rk4"}) {
    const auto error = [&](const std::string& breaks) {
      const std::string more = std::string(", integrator: ") + scheme + (scheme == std::string("rk4") ? ", step: 0.01" : "");
      const ModelFile model = parse_model(text + more + breaks + "}\n", "jumps");
      RunPlan planned = plan(model);
      const Trajectory path =
          simulate(*planned.system, model.start.state, planned.integrator, planned.method, planned.options);
      EXPECT_TRUE(path.finished()) << path.message;
      EXPECT_EQ(path.counts.jumps, 0);
      return std::max(std::abs(path.last.q[0] - x), std::abs(path.last.v[0] - v));
    };
    EXPECT_EQ(error(""), error(", breaks: [0.3, 0.7]")) << scheme;
    EXPECT_LE(error(""), 1e-7) << scheme;
  }
}

}  // namespace
}  // namespace taut
