#include <cmath>
#include <numbers>
#include <taut/model/run_model.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/yaml/read_model.hpp>

/// Bodies and joints of people who do not know how the program works: in other units, driven, in steps far too long, met by contacts and events on the
/// way. Each is right, or told.
namespace taut {
namespace {

RunOutcome motion_of(const std::string& text, const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
  const ModelFile model = parse_model(text, "stranger.yaml", {.parameters = parameters});
  return run_model(model, plan(model));
}

TEST(StrangerBodies, WhatOnlyTurnsTellsThatStepsAreTooLong) {
  const std::string wheel =
      "bodies: {f: {mass: 1, inertia: 0.5, spin: W, points: {c: [0, 0]}}}\n"
      "joints: [{type: hinge, between: [ground, f.c], angle: a}]\nrun: {until: 1, step: h, integrator: ";
  for (const auto& [scheme, spin, step] : {std::tuple{"newmark", "100", "0.02"},
                                           {"midpoint", "100", "0.007"},
                                           {"rattle", "100", "0.007"},
                                           {"spark3", "150", "0.02"},
                                           {"energy-momentum", "100", "0.007"}})
    EXPECT_NE(motion_of("parameters: {W: 1, h: 1}\n" + wheel + scheme + "}\n", {{"W", spin}, {"h", step}}).certificate.grade,
              Grade::good)
        << scheme;
  EXPECT_EQ(
      motion_of("parameters: {W: 1, h: 1}\n" + wheel + "midpoint}\n", {{"W", "100"}, {"h", "0.001"}}).certificate.grade,
      Grade::good);
}

TEST(StrangerBodies, GradesDoNotDependOnTheUnitOfLength) {
  const std::string pendulum =
      "parameters: {L: 1, h: 0.1}\ngravity: 9.81*L\n"
      "bodies: {b: {mass: 1, inertia: 0.3*L^2, at: [L, 0], points: {c: [-L, 0]}}}\n"
      "joints: [{type: hinge, between: [ground, b.c]}]\nrun: {until: 5, step: h, integrator: newmark}\n";
  for (const char* step : {"0.05", "0.1", "0.2"}) {
    const Certificate metres = motion_of(pendulum, {{"h", step}}).certificate;
    for (const char* length : {"1e-3", "1e3"}) {
      const Certificate other = motion_of(pendulum, {{"h", step}, {"L", length}}).certificate;
      EXPECT_EQ(other.grade, metres.grade) << step << " " << length << ": " << other.summary << "; " << metres.summary;
      EXPECT_NEAR(other.velocity_share, metres.velocity_share, 1e-6 * metres.velocity_share);
    }
  }
}

TEST(StrangerBodies, MechanismsOfAnySizeRun) {
  // The same pendulum with a named angle, 1e-5 to 1e5 m long, over the same share of its period.
  const std::string pendulum =
      "parameters: {L: 1}\ngravity: 9.81\nbodies: {b: {mass: L^3, inertia: L^5/3, at: [L, 0], points: {c: [-L, 0]}}}\n"
      "joints: [{type: hinge, between: [ground, b.c], angle: p}]\n"
      "run: {until: 2*sqrt(L), step: 0.01*sqrt(L), integrator: ";
  for (const char* scheme : {"midpoint", "newmark", "energy-momentum", "gcn", "spark2"}) {
    const double reached = motion_of(pendulum + scheme + "}\n").last.q[4];
    for (const char* length : {"1e-5", "1e-3", "1e3", "1e5"})
      EXPECT_NEAR(motion_of(pendulum + scheme + "}\n", {{"L", length}}).last.q[4], reached, 1e-6) << scheme << " " << length;
  }
}

TEST(StrangerBodies, WhatIsMetOnTheWayIsNotPassed) {
  const RunOutcome balls = motion_of(
      "masses: {a: {mass: 1, at: [0, 0], velocity: [1, 0]}, b: {mass: 3, at: [1, 0]}}\n"
      "contacts: [{between: [a, b], radius: [0.1, 0.1]}]\nrun: {until: 2, formulation: {penalty: 1e-6}}\n");
  EXPECT_NEAR(balls.last.v[0], -0.5, 1e-6);
  EXPECT_NEAR(balls.last.v[2], 0.5, 1e-6);
  const RunOutcome barrier = motion_of(
      "coordinates: [x]\nkinetic: x'^2/2\npotential: \"10*exp(-((x-5)/0.01)^2)\"\ninitial: {x': 1}\nrun: {until: 10}\n");
  EXPECT_NEAR(barrier.last.v[0], -1.0, 1e-6);
  const RunOutcome window = motion_of(
      "bodies: {a: {mass: 1, inertia: 1, velocity: [1, 0]}}\nevents: [{name: window, when: \"abs(a.x - 5) - 0.03\"}]\n"
      "run: {until: 12}\n");
  ASSERT_EQ(window.events.size(), 2U);
  EXPECT_NEAR(window.events[0].t, 4.97, 1e-9);
  EXPECT_NEAR(window.events[1].t, 5.03, 1e-9);
}

TEST(StrangerBodies, AnEventTurnsABodyByTheAngleOfItsJoint) {
  const RunOutcome wheel = motion_of(
      "bodies: {f: {mass: 1, inertia: 0.5, spin: 3, points: {c: [0, 0]}}}\n"
      "joints: [{name: H, type: hinge, between: [ground, f.c], angle: a}]\n"
      "events:\n  - {name: hit, when: \"a - 1\", direction: rising, then: {a': \"-0.5*a'\"}}\n"
      "  - {name: back, when: \"a + 1\", direction: falling, then: {a': \"-0.5*a'\"}}\n"
      "run: {until: 3, rtol: 1e-9}\n");
  // 1/3 s to the first, 4/3 s back to the second; then 0.75 rad/s.
  ASSERT_EQ(wheel.events.size(), 2U);
  EXPECT_NEAR(wheel.events[1].t, 5.0 / 3.0, 1e-8);
  EXPECT_NEAR(wheel.last.q[4], -1.0 + 0.75 * (3.0 - 5.0 / 3.0), 1e-8);
}

TEST(StrangerBodies, AnAngleHalfATurnAwayIsPoor) {
  const std::string wheel =
      "parameters: {h: 1}\nbodies: {f: {mass: 1, inertia: 0.5, points: {c: [0, 0]}}}\n"
      "joints: [{name: H, type: hinge, between: [ground, f.c], angle: a, motion: \"3*t\"}]\n"
      "run: {until: 30, step: h, integrator: spark2}\n";
  EXPECT_EQ(motion_of(wheel, {{"h", "1.2"}}).certificate.grade, Grade::poor);
  EXPECT_NE(motion_of(wheel, {{"h", "0.1"}}).certificate.grade, Grade::poor);
}

TEST(StrangerBodies, AnglesOfJointsAreExactInEveryFormulation) {
  const std::string joints =
      "dimension: 3\ngravity: 9.81\nbodies:\n"
      "  a: {mass: 1, inertia: [.1, .2, .25], at: [.5, 0, 0], points: {o: [-.5, 0, 0], e: [.5, 0, 0]}}\n"
      "  b: {mass: .5, inertia: [.05, .04, .03], at: [1, .3, 0], points: {o: [0, -.3, 0]}}\n"
      "joints:\n  - {name: A, type: hinge, between: [ground, a.o], axis: [0, 1, 0], angle: p}\n"
      "  - {name: B, type: ball, between: [a.e, b.o]}\nrun: {until: 1, rtol: 1e-9, formulation: ";
  const double exact = motion_of(joints + "multipliers}\n").last.q[12];
  EXPECT_NEAR(motion_of(joints + "{penalty: 1e-8}}\n").last.q[12], exact, 1e-5);
}

TEST(StrangerBodies, StabilityOfWhatIsDrivenIsNotKnown) {
  // Hangs stable for Ω² < g/l only; with time at rest Ω does not count.
  const ModelFile model = parse_model(
      "dimension: 3\ngravity: 9.81\npoints: {O: [0, 0, 0]}\n"
      "bodies: {p: {mass: 2, inertia: [1e-3, 1e-3, 1e-3], at: [0, 0, -1], points: {a: [0, 0, 1]}}}\n"
      "joints: [{type: hinge, between: [O, p.a], axis: [0, 1, 0], angle: phi, turning: {axis: [0, 0, 1], angle: \"6*t\"}}]\n"
      "run: {until: 3}\n",
      "stranger.yaml");
  const Equilibrium rest = equilibrium(model.system, model.start.state);
  ASSERT_EQ(rest.status, Status::ok);
  const Stability found = stability(model.system, rest.state);
  EXPECT_TRUE(found.frozen);
  EXPECT_FALSE(found.stable());
  EXPECT_FALSE(found.unstable());
}

TEST(StrangerBodies, ALightBeamWithABodyRunsWithNothingSaid) {
  // A slow swing of the body, 0.3 cos 2t, beside waves along the beam that are ten million times as fast.
  const RunOutcome swing = motion_of(
      "dimension: 3\nbeams: {b: {length: 1, elements: 4, density: 1e-3, EI: 100, GJ: 2,\n"
      "  start: {clamped: [0, 0, 0], direction: [0, 0, -1], roll: [0, 1, 0]}}}\n"
      "bodies: {h: {mass: 5, inertia: [.3, .3, .5], at: [0, 0, -1], spin: [0, 0, 0.3]}}\n"
      "joints: [{type: weld, between: [b.end, h]}]\noutputs: {w: h.wz}\nrun: {until: 3}\n");
  EXPECT_EQ(swing.certificate.verdict, Verdict::reached);
  EXPECT_LE(swing.certificate.counts.steps, 2000);
}

}  // namespace
}  // namespace taut
