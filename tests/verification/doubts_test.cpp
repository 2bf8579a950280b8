#include <cmath>
#include <numbers>
#include <taut/study/verify.hpp>

#include "laws.hpp"
#include "runs.hpp"

/// What certificates and verifications must not call good, and right motions that they must not doubt.
namespace taut {
namespace {

Grade grade_of(const std::string& text, const Asked& asked = {}) { return run_of(text, asked).certificate.grade; }

TEST(Doubts, WhatStartsFromRestUnderForcesIsNoLeapOverABarrier) {
  // Kinks anywhere in a model have steps looked at for barriers; work is none.
  const std::string hinge =
      "bodies: {b: {mass: 1, inertia: 0.1}}\njoints: [{type: hinge, between: [ground, b], at: [0, 0], angle: phi, torque: ";
  for (const char* torque : {"0.5*t", "0.5", "0.5*t^3"})
    for (const char* scheme : {"", "spark3", "rattle", "midpoint"}) {
      const RunOutcome ended = run_of(hinge + "\"" + torque + "\", friction: [0.1, 0.01]}]\nrun: {until: 2}\n", {scheme});
      EXPECT_EQ(ended.certificate.verdict, Verdict::reached)
          << torque << ", " << scheme << ": " << ended.certificate.message;
    }
  for (const char* force : {"1 + 0*tanh(x)", "t + 0*tanh(x)", "if(x > 0, 0.7, 1)", "1 + 0.2*sign(x)"})
    for (const char* scheme : {"", "spark3", "midpoint", "rattle", "newmark"}) {
      // What starts on a jump of its force has another one at once: schemes that ask at the start cannot begin there.
      const bool on_jump = std::string(force).find("tanh") == std::string::npos;
      if (on_jump && (scheme == std::string("rattle") || scheme == std::string("newmark"))) continue;
      const RunOutcome ended = run_of(point + "forces: {x: \"" + force + "\"}\nrun: {until: 2}\n", {scheme});
      EXPECT_EQ(ended.certificate.verdict, Verdict::reached) << force << ", " << scheme << ": " << ended.certificate.message;
    }
  // Terms linear in v that are no forces at all.
  const RunOutcome ended = run_of(
      "coordinates: [x, y]\nkinetic: \"(x'^2 + y'^2)/2 - 2*x*x'\"\nconstraints: [\"y = tanh(x)\"]\n"
      "initial: {x: 0.5, x': 1, solve: [y, y']}\nrun: {until: 2}\n");
  EXPECT_EQ(ended.certificate.grade, Grade::good) << ended.certificate.summary;
}

TEST(Doubts, DryFrictionStopsWhatSwings) {
  // x = 0.3 + 2.05 cos t until it turns round at t = pi, where x = -1.75: then x = -0.3 - 1.45 cos(t - pi).
  const RunOutcome ended =
      run_of(point + "potential: x^2/2\nforces: {x: -0.3*sign(x')}\ninitial: {x: 2.35}\nrun: {until: 4}\n");
  EXPECT_NEAR(ended.last.q[0], -0.3 - 1.45 * std::cos(4.0 - std::numbers::pi), 1e-6);
}

TEST(Doubts, PotentialsThatJumpByTimeDoWorkThatIsSeen) {
  // x = 0.3 (1 - cos sqrt(20) (t - 1/2)) from the jump on.
  const double exact = 0.3 * (1.0 - std::cos(std::sqrt(20.0) * 1.5));
  for (const char* potential : {"10*(x - 0.3*step(t - 0.5))^2", "if(t < 0.5, 10*x^2, 10*(x - 0.3)^2)"})
    for (const Asked& asked : {Asked{}, Asked{"spark2", 1e-3}, Asked{"midpoint", 1e-3}, Asked{"rk4", 1e-2}}) {
      const RunOutcome ended = run_of(point + "potential: \"" + potential + "\"\nrun: {until: 2}\n", asked);
      EXPECT_NEAR(ended.last.q[0], exact, 2e-5) << asked.integrator;
      EXPECT_EQ(ended.certificate.grade, Grade::good) << asked.integrator << ": " << ended.certificate.summary;
    }
}

TEST(Doubts, EnergiesWithoutVelocitiesCountWhereverTheyStand) {
  // A bead on a hoop that turns: the same equations, whether the part without velocities is kinetic or potential.
  const std::string hoop = "parameters: {w: 4.5}\ncoordinates: [th]\ninitial: {th: 0.2, th': 0.1}\n",
                    kinetic = hoop + "kinetic: \"0.15*th'^2 + 0.15*w^2*sin(th)^2\"\npotential: -0.3*9.81*cos(th)\n",
                    potential = hoop + "kinetic: \"0.15*th'^2\"\npotential: -0.3*9.81*cos(th) - 0.15*w^2*sin(th)^2\n";
  for (const Asked& asked : {Asked{}, Asked{"rk4", 1e-3}, Asked{"midpoint", 1e-3}, Asked{"spark3", 1e-2}}) {
    const RunOutcome one = run_of(kinetic + "run: {until: 4}\n", asked),
                     other = run_of(potential + "run: {until: 4}\n", asked);
    EXPECT_NEAR(one.last.q[0], other.last.q[0], 1e-5) << asked.integrator;
    for (const RunOutcome* ended : {&one, &other})
      EXPECT_EQ(ended->certificate.grade, Grade::good) << asked.integrator << ": " << ended->certificate.summary;
  }
  // Errors are compared with what moves, not with the energy of the frame.
  const Certificate rough = run_of(
                                "parameters: {W: 3}\ncoordinates: [x, y]\n"
                                "kinetic: \"((x' - W*y)^2 + (y' + W*x)^2)/2\"\npotential: \"4*(hypot(x, y) - 1)^2 + y\"\n"
                                "initial: {x: 1, y': 0.5}\nrun: {until: 10}\n",
                                {"houbolt", 0.1})
                                .certificate;
  EXPECT_LT(rough.energy.scale, 30.0);
  EXPECT_NE(rough.grade, Grade::good) << rough.summary;
}

TEST(Doubts, PulsesWrittenAsPowersAreMet) {
  const auto end = [](const std::string& force) {
    return run_of(point + "forces: {x: \"" + force + "\"}\nrun: {until: 10}\n", {.rtol = 1e-6}).last.v[0];
  };
  // The mean of cos^2n over its period is (2n)!/(4^n n!^2).
  const auto mean = [](double n) {
    return std::exp(std::lgamma(2.0 * n + 1.0) - 2.0 * std::lgamma(n + 1.0) - n * std::log(4.0));
  };
  EXPECT_NEAR(end("10*(0.5 + 0.5*cos(2*pi*t))^5000"), 100.0 * mean(5000), 1e-4);
  EXPECT_NEAR(end("10*cos(pi*t)^1000"), 100.0 * mean(500), 1e-4);
  EXPECT_NEAR(end("10*cos(pi*t)^100000"), 100.0 * mean(50000), 1e-4);
}

TEST(Doubts, MotionsThatLeapArePoor) {
  const Certificate aside = run_of(
                                "masses: {A: {mass: 1, velocity: [1, 0]}}\nconstraints: [\"A.y = if(A.x < 1, 0, 0.5)\"]\n"
                                "run: {until: 2}\n",
                                {"midpoint", 0.01})
                                .certificate;
  EXPECT_EQ(aside.grade, Grade::poor) << aside.summary;
  const Certificate wheel = run_of(
                                "bodies: {b: {mass: 2, inertia: 0.3}}\nconstraints: [\"b.x = 0.1*b.angle\", \"b.y = 0\"]\n"
                                "initial: {b.x': 0.2}\nrun: {until: 2}\n",
                                {.rtol = 1e-9})
                                .certificate;
  EXPECT_EQ(wheel.grade, Grade::poor) << wheel.summary;
}

TEST(Doubts, PeriodsWithinAStepAreSeen) {
  for (const char* scheme : {"spark2", "spark4", "spark6"})
    for (const double step : {0.1, 0.5})
      EXPECT_NE(grade_of(point + "potential: 5000*x^2\ninitial: {x: 1}\nrun: {until: 10}\n", {scheme, step}), Grade::good)
          << scheme << ", " << step;
  EXPECT_EQ(grade_of(point + "potential: 5000*x^2\ninitial: {x: 1}\nrun: {until: 10}\n", {"spark3", 2e-3}), Grade::good);
}

TEST(Doubts, AMomentsPeakIsNotWhatMoves) {
  // An orbit that falls almost into the sun.
  EXPECT_EQ(grade_of("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: -1/hypot(x, y)\ninitial: {x: 1, y': 1e-3}\n"
                     "run: {until: 10}\n"),
            Grade::poor);
}

TEST(Doubts, WhatDampingTakesIsNotGoodWhateverItIs) {
  EXPECT_EQ(
      grade_of(point + "potential: \"(1 + 0.9*sin(2*t))*x^2/2\"\ninitial: {x: 1}\nrun: {until: 30}\n", {"houbolt", 1.0}),
      Grade::poor);
}

TEST(Doubts, ImpactsBringNoEnergyIn) {
  // One disk meets another far too deep in a step: it may be told or right, not good and wrong.
  const std::string disks =
      "bodies: {a: {mass: 1, shape: {disk: 0.1}, velocity: [1, 0]}, b: {mass: 3, shape: {disk: 0.1}, at: [1, 0.1]}}\n"
      "contacts: [{between: [a, b], radius: [0.1, 0.1]}]\n"
      "run: {until: 2, integrator: {name: moreau-jean, restitution: 0.7}}\n";
  ModelFile model = parse_model(disks, "disks.yaml");
  model.run.step = 0.2;
  const Certificate told = run_model(model, plan(model)).certificate;
  EXPECT_TRUE(told.energy.rise <= 0.01 * told.energy.scale || told.grade == Grade::fair || told.grade == Grade::poor)
      << told.summary;
}

TEST(Doubts, VerificationSeesWhatSmallerStepsMeet) {
  const auto verified = [](const std::string& text, double step) {
    ModelFile model = parse_model(text, "doubt.yaml");
    model.run.step = step;
    return verify(model, plan(model), {});
  };
  EXPECT_FALSE(verified(point + "forces: {x: \"10*cos(pi*t)^100000\"}\nrun: {until: 10}\n", 0.05).trusted);
  // A barrier that steps do not see: runs agree, and their certificates do not.
  EXPECT_FALSE(verified(point + "potential: exp(-((x - 1)/0.001)^2)\ninitial: {x': 1}\nrun: {until: 3}\n", 0.1).trusted);
}

TEST(Doubts, SpringsInPlaceOfConstraintsHaveReactionsBesideExactOnes) {
  // Two masses hang from each other, the upper rod a spring of 1e-6: 30 N and 20 N.
  ModelFile model = parse_model(
      "gravity: 10\ndamping: 3\npoints: {O: [0, 0]}\n"
      "masses: {A: {mass: 1, at: [0, -1]}, B: {mass: 2, at: [0, -2]}}\n"
      "rods: [{between: [O, A], penalty: 1e-6, name: a}, {between: [A, B], name: b}]\n"
      "outputs: {a: a.tension, b: b.tension}\nrun: {until: 8, step: 1e-3}\n",
      "hanging.yaml");
  const RunPlan planned = plan(model);
  const RunOutcome ended = run_model(model, planned);
  const std::vector<double> found = planned.modes->values(planned.modes->outputs(), ended.last);
  EXPECT_NEAR(found[0], 30.0, 1e-3);
  EXPECT_NEAR(found[1], 20.0, 1e-3);
}

}  // namespace
}  // namespace taut
