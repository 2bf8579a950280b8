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

TEST(StrangerBodies, BushingsDampWhatMovesOnBothSides) {
  // x'' = -2 (x' - P'), as the damper of a slider has it.
  const std::string moving = "points: {P: [\"0.3*sin(3*t)\", 0]}\nbodies: {a: {mass: 2, inertia: 0.3}}\n";
  const RunOutcome bushing =
                       motion_of(moving +
                                 "joints: [{type: bushing, name: j, between: [P, a], axis: [1, 0], stiffness: [0, 0, 0], "
                                 "damping: [4, 4, 1]}]\nrun: {until: 2, rtol: 1e-10}\n"),
                   slider = motion_of(moving +
                                      "joints: [{type: slider, between: [P, a], axis: [1, 0], travel: s, damping: 4}]\n"
                                      "run: {until: 2, rtol: 1e-10}\n");
  // x' + 2x = 2P + const with x(0) = x'(0) = 0, by the formula for P = 0.3 sin 3t.
  const double t = 2.0, w = 3.0, c = 2.0, P = 0.3;
  const double exact = P * c / (c * c + w * w) * (c * std::sin(w * t) - w * std::cos(w * t) + w * std::exp(-c * t));
  EXPECT_NEAR(bushing.last.q[0], exact, 1e-9);
  EXPECT_NEAR(slider.last.q[0], exact, 1e-9);
}

TEST(StrangerBodies, WheelsRollAboutTheirMiddleWhereverTheirMassIs) {
  const std::string wheel =
      "gravity: 9.81\nbodies: {w: {mass: 2, inertia: 0.02, center: [0.06, 0], at: [0, 0.1], spin: -3, "
      "points: {hub: [0, 0]}}}\nrun: {until: 2, rtol: 1e-9}\noutputs: {h: w.hub.y}\n";
  for (const char* body : {"w", "w.hub"}) {
    const ModelFile model = parse_model(wheel + "rolling: [{body: " + body + ", radius: 0.1}]\n", "wheel.yaml");
    const RunPlan planned = plan(model);
    const RunOutcome ended = run_model(model, planned);
    EXPECT_NEAR(planned.modes->values(planned.modes->outputs(), ended.last)[0], 0.1, 1e-12) << body;
    EXPECT_EQ(ended.certificate.grade, Grade::good) << ended.certificate.summary;
    EXPECT_GT(std::abs(ended.last.q[1] - 0.1), 1e-3);  // the mass goes up and down
  }
}

TEST(StrangerBodies, QuaternionsAreSmoothWhereTheyAreSmall) {
  // A spring towards no turn, by 6 (q1^2 + q2^2 + q3^2) = 3/2 angle^2 for small angles: frequencies sqrt(3/J).
  const ModelFile model = parse_model(
      "dimension: 3\nbodies: {s: {mass: 1, inertia: [1, 1.5, 2]}}\npoints: {O: [0, 0, 0]}\n"
      "joints: [{type: ball, between: [O, s]}]\n"
      "potential: \"6*(s.q1^2 + s.q2^2 + s.q3^2)\"\nrun: {until: 1}\n",
      "attitude.yaml");
  const std::vector<double> found = stability(model.system, model.start.state).frequencies();
  ASSERT_EQ(found.size(), 3U);
  for (const auto& [k, inertia] : {std::pair{0U, 2.0}, {1U, 1.5}, {2U, 1.0}})
    EXPECT_NEAR(found[k], std::sqrt(3.0 / inertia) / (2.0 * std::numbers::pi), 1e-6);
  // Half a turn and more about any axis: q is (cos, sin u) of half the angle, its first part not negative.
  for (const char* axis : {"1, 0, 0", "0, 1, 0", "0, 0, 1", "0.48, 0.6, 0.64"})
    for (const double angle : {1e-9, 0.3, 2.0, 3.0, 3.3, 5.0}) {
      ModelFile turned =
          parse_model(message("dimension: 3\nbodies: {s: {mass: 1, inertia: [1, 1.5, 2], rotation: "
                              "{axis: [{}], angle: {}}}}\nrun: {until: 1}\noutputs: {a: s.q0, b: s.q1, c: s.q2, "
                              "d: s.q3}\n",
                              axis, angle),
                      "turned.yaml");
      ModelModes modes(turned, {});
      const std::vector<double> q = modes.values(modes.outputs(), turned.start.state);
      const double side = std::cos(0.5 * angle) < 0.0 ? -1.0 : 1.0;
      EXPECT_NEAR(q[0], side * std::cos(0.5 * angle), 1e-14) << axis << ", " << angle;
      EXPECT_NEAR(std::hypot(q[1], q[2], q[3]), std::abs(std::sin(0.5 * angle)), 1e-14) << axis << ", " << angle;
    }
}

TEST(StrangerBodies, StartsInAStraightLineBendToWhereTheyShould) {
  const RunOutcome pendulum = motion_of(
      "gravity: 9.81\nbodies: {a: {mass: 1, inertia: 0.1, at: [0.5, 0]}}\n"
      "joints: [{type: hinge, between: [ground, a], at: [0, 0]}]\ninitial: {a.x: 0.3}\nrun: {until: 1e-6}\n");
  EXPECT_NEAR(pendulum.last.q[0], 0.3, 1e-9);
  EXPECT_NEAR(std::abs(pendulum.last.q[1]), 0.4, 1e-9);
  const RunOutcome crank = motion_of(
      "bodies:\n  c: {mass: 1, inertia: 0.01, at: [0.15, 0], points: {p: [-0.15, 0], q: [0.15, 0]}}\n"
      "  r: {mass: 1, inertia: 0.1, at: [0.8, 0], points: {p: [-0.5, 0], q: [0.5, 0]}}\n"
      "  s: {mass: 1, inertia: 0.1, at: [1.3, 0]}\njoints:\n"
      "  - {type: hinge, between: [ground, c.p], at: [0, 0], angle: p}\n  - {type: hinge, between: [c.q, r.p]}\n"
      "  - {type: hinge, between: [r.q, s]}\n  - {type: slider, between: [ground, s], axis: [1, 0], travel: x}\n"
      "initial: {x: -0.2}\nrun: {until: 1e-3}\n");
  EXPECT_EQ(crank.certificate.grade, Grade::good) << crank.certificate.summary;
}

TEST(StrangerBodies, PartsWithDensitiesOfTheirOwnNeedNoOther) {
  const ModelFile model =
      parse_model("dimension: 3\nbodies: {a: {shape: [{box: [1, 0.5, 0.2], density: 3}]}}\nrun: {until: 1}\n", "box.yaml");
  EXPECT_NEAR(model.system.mass(instant(model.start.state))(0, 0), 0.3, 1e-12);
}

TEST(StrangerBodies, VelocitiesOfMassesHaveBothNamesEverywhere) {
  const RunOutcome ended = motion_of(
      "masses: {A: {mass: 1}}\ninitial: {A.vx: 2}\n"
      "events: [{name: stop, at: 1, then: {A.vx: 0, A.y': 1}}]\nrun: {until: 2}\n");
  EXPECT_NEAR(ended.last.q[0], 2.0, 1e-9);
  EXPECT_NEAR(ended.last.q[1], 1.0, 1e-9);
}

}  // namespace
}  // namespace taut
