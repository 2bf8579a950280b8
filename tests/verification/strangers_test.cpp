#include <cmath>
#include <numbers>
#include <taut/simulate/continuation.hpp>

#include "error_of.hpp"
#include "laws.hpp"
#include "runs.hpp"

/// Everyday models of people who do not know how the program works: forces that begin later or elsewhere, loads on what rests, dry friction,
/// steps far too long. Each is right, or told.
namespace taut {
namespace {

/// Kepler's problem from the pericentre.
std::string ten_orbits(const std::string& eccentricity) {
  return "parameters: {e: " + eccentricity +
         "}\ncoordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: -1/hypot(x, y)\n"
         "initial: {x: 1 - e, y': sqrt((1 + e)/(1 - e))}\nrun: {until: 20*pi}\n";
}

TEST(Strangers, ForcesThatBeginLaterOrElsewhereAreNoFaultOfTheScheme) {
  const std::vector<std::string> models{
      "masses: {A: {mass: 1, at: [0, 1], velocity: [1, 0]}}\ngravity: 9.81\n"
      "forces: {A.y: \"if(A.y < 0, -1000*A.y - 5*A.vy, 0)\"}\nrun: {until: 3}\n",
      "masses: {A: {mass: 1, velocity: [3, 1]}}\nforces: {A.x: \"if(A.x > 2, 50, 0)\"}\nrun: {until: 5}\n",
      "masses: {A: {mass: 1, velocity: [1, 0]}, B: {mass: 1, at: [1, 0]}}\n"
      "springs: [{between: [A, B], stiffness: 10, length: 1}]\nforces: {A.x: \"if(t > 3, if(t < 3.2, 1, 0), 0)\"}\n"
      "run: {until: 10}\n",
      point + "forces: {x: step(t - 1.3)*2}\nrun: {until: 5}\n",
      point + "forces: {x: \"if(t > 4.9, 1e-3, 0)\"}\nrun: {until: 5}\n"};
  for (const std::string& text : models)
    for (const Asked& asked : {Asked{}, Asked{"spark3", 0.01}, Asked{"energy-momentum", 0.01}, Asked{"midpoint", 0.01}}) {
      const Certificate told = run_of(text, asked).certificate;
      // Equal steps of 10 ms do not see when the floor of the first is met.
      const bool coarse = &text == models.data() && asked.step > 0.0 && told.grade == Grade::unverified;
      EXPECT_TRUE(coarse || told.grade == Grade::good) << asked.integrator << ": " << told.summary << "\n" << text;
      EXPECT_FALSE(told.conservative) << asked.integrator << ": " << text;
    }
}

TEST(Strangers, JumpsByTimeAreMetWhereverStepsEnd) {
  const std::string text = point + "forces: {x: step(t - 1.3)*2}\nrun: {until: 5}\n";
  for (const char* name :
       {"dop853", "dopri5", "rk4", "newmark", "generalized-alpha", "midpoint", "spark2", "energy-momentum"})
    for (const double step : {0.5, 0.1, 0.013, 0.01})
      EXPECT_NEAR(run_of(text, {name, step}).last.q[0], 3.7 * 3.7, 1e-10) << name << " " << step;
}

TEST(Strangers, LoadsThatGrowFromNothingOnWhatRests) {
  struct Load {
    std::string text;
    double exact;
  };
  // 10(1 − cos t) on ω² = 10: x = 1 − 10/9 cos t + 1/9 cos(√10 t).
  const double w = std::sqrt(10.0);
  const std::vector<Load> loads{{point + "forces: {x: t^6}\nrun: {until: 10}\n", 1e8 / 56.0},
                                {point + "forces: {x: 1e-12*t^2}\nrun: {until: 10}\n", 1e-8 / 12.0},
                                {point + "potential: 5*x^2\nforces: {x: 10*(1 - cos(t))}\nrun: {until: 10}\n",
                                 1.0 - 10.0 / 9.0 * std::cos(10.0) + std::cos(10.0 * w) / 9.0}};
  for (const Load& one : loads)
    for (const char* name : {"", "dop853", "spark3"}) {
      const RunOutcome found = run_of(one.text, {name});
      EXPECT_TRUE(found.certificate.finished()) << name << ": " << found.certificate.summary << "\n" << one.text;
      EXPECT_NEAR(found.last.q[0], one.exact, 1e-6 * std::abs(one.exact)) << name << ": " << one.text;
      EXPECT_LE(found.certificate.counts.steps, 1000) << name << ": " << one.text;
    }
}

TEST(Strangers, ReversibleStepsFollowTheTolerance) {
  const std::string text =
      "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}}\nrods: [[O, A]]\n"
      "run: {until: 20}\n";
  const auto steps = [&](double rtol) {
    return run_of(text, {.integrator = "spark3", .rtol = rtol, .reversible = true}).certificate.counts.steps;
  };
  const long coarse = steps(1e-4), fine = steps(1e-8);
  EXPECT_LE(coarse, 20 * 50);  // some dozens in a period of 2.4 s
  EXPECT_GE(fine, 2 * coarse);
}

TEST(Strangers, TenOrbitsOfACometAreNoLongRun) {
  const ModelFile model = parse_model(ten_orbits("0.999"), "comet.yaml");
  EXPECT_NE(plan(model).choice.find("dop853"), std::string::npos) << plan(model).choice;
}

TEST(Strangers, DryFrictionBySignIsToldWithAWayOut) {
  for (const std::string& force : {std::string("-3*sign(x')"), std::string("\"if(x' > 0, -3, 3)\"")}) {
    const Certificate told = run_of(point + "initial: {x': 5}\nforces: {x: " + force + "}\nrun: {until: 5}\n").certificate;
    EXPECT_EQ(told.verdict, Verdict::failed) << force;
    EXPECT_NE(told.message.find("tanh(x'/w)"), std::string::npos) << told.message;
    EXPECT_NEAR(told.t_end, 5.0 / 3.0, 0.05);
  }
}

TEST(Strangers, EquationThatIsASquareIsRefused) {
  const std::string text =
      "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
      "constraints: [(x^2 + y^2 - 1)^2 = 0]\ninitial: {x: 1}\nrun: {until: 1}\n";
  const std::string told = testing::error_of([&] { run_of(text); });
  EXPECT_NE(told.find("without a square"), std::string::npos) << told;
}

TEST(Strangers, MechanismThatBeginsInASingularPositionIsTold) {
  // A mass between two rods that are stretched out cannot move at all; of a flat parallelogram there are two ways to go.
  const std::string stretched =
      "points: {O: [0, 0], P: [2, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}}\nrods: [[O, A], [A, P]]\n"
      "run: {until: 0.01}\n";
  const std::string flat =
      "points: {O: [0, 0], P: [2, 0]}\nmasses: {A: {mass: 1, at: [1, 0], velocity: [0, 1]}, B: {mass: 1, at: [3, 0], "
      "velocity: [0, 1]}}\nrods: [[O, A], [A, B], [B, P]]\nrun: {until: 0.1}\n";
  for (const std::string& text : {stretched, flat}) {
    const Certificate told = run_of(text, {"spark3", 0.0, 1e-6}).certificate;
    ASSERT_FALSE(told.singular.empty()) << told.summary;
    EXPECT_EQ(told.singular.front(), 0.0);
    EXPECT_NE(told.grade, Grade::good);
  }
  // The same rod twice is no such place.
  const Certificate twice =
      run_of(
          "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}}\nrods: [[O, A], [A, O]]\n"
          "run: {until: 1}\n")
          .certificate;
  EXPECT_TRUE(twice.singular.empty());
  EXPECT_EQ(twice.grade, Grade::good) << twice.summary;
}

TEST(Strangers, AKeptEnergyIsNoProofOfAMotion) {
  const std::string gyroscopic =
      "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: x^2/2 + y^2\n"
      "forces: {x: 1000*y', y: -1000*x'}\ninitial: {x: 1, y': 1}\nrun: {until: 20}\n";
  const std::string kepler = ten_orbits("0.9");
  const std::string stiff = point + "potential: 100*x^4\ninitial: {x: 1}\nrun: {until: 5}\n";
  const std::vector<std::pair<std::string, Asked>> runs{
      {gyroscopic, {"gcn", 0.05}},        {gyroscopic, {"gcn", 1.0}},        {kepler, {"three-level", 0.5}},
      {kepler, {"energy-momentum", 0.5}}, {stiff, {"energy-momentum", 0.5}}, {stiff, {"energy-momentum", 0.05}}};
  for (const auto& [text, asked] : runs) {
    const Certificate told = run_of(text, asked).certificate;
    EXPECT_NE(told.grade, Grade::good) << asked.integrator << " " << asked.step << ": " << told.summary;
  }
  // With a step that follows the motion they are good.
  EXPECT_EQ(run_of(stiff, {"energy-momentum", 0.005}).certificate.grade, Grade::good);
  EXPECT_EQ(run_of(kepler, {"energy-momentum", 0.001}).certificate.grade, Grade::good);
}

TEST(Strangers, BeamsOfAnyMeshKeepTheirEnergy) {
  for (const int elements : {10, 60, 300, 1000}) {
    const RunOutcome found =
        run_of("gravity: 9.81\nbeams: {pipe: {length: 32.6, elements: " + std::to_string(elements) +
                   ", density: 7.67, stiffness: 700, start: {pinned: [0, 0]}, end: {pinned: [20, 0], release: 0}}}\n"
                   "initial: {equilibrium: true}\nrun: {until: 0.1}\n",
               {"energy-momentum", 0.01});
    EXPECT_EQ(found.certificate.grade, Grade::good) << elements << ": " << found.certificate.summary;
    EXPECT_LE(found.certificate.energy.relative(), 1e-11) << elements;
  }
}

TEST(Strangers, ShortPulsesAreNotPassed) {
  // x″ = −x + F exp(−((t − a)/w)²) from rest, by the convolution: an impulse F w √π at a, weaker by exp(−w²/4).
  for (const auto& [a, w] : {std::pair(5.03, 1e-5), {5.03, 1e-3}, {5.03, 0.05}, {5.0, 1e-4}, {2.5, 1e-5}}) {
    const std::string text = message("exp(-((t - {})/{})^2)/{}", a, w, w);
    const RunOutcome ended = run_of(point + "potential: x^2/2\nforces: {x: \"" + text + "\"}\nrun: {until: 10}\n");
    EXPECT_EQ(ended.certificate.verdict, Verdict::reached) << w << ": " << ended.certificate.message;
    const double exact = std::sqrt(std::numbers::pi) * std::exp(-0.25 * w * w) * std::sin(10.0 - a);
    EXPECT_NEAR(ended.last.q[0], exact, 1e-6) << w;
    EXPECT_FALSE(ended.certificate.conservative) << w;
  }
}

TEST(Strangers, PulsesShorterThanEqualStepsAreTold) {
  for (const double a : {5.03, 5.0}) {
    const std::string text =
        message("coordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2 - x*1e4*exp(-((t - {})/1e-4)^2)\n", a);
    const Certificate told = run_of(text + "initial: {x: 1}\nrun: {until: 10}\n", {"midpoint", 0.01}).certificate;
    EXPECT_EQ(told.grade, Grade::poor) << told.summary;
  }
}

/// An event changes what it names and nothing else: velocities stay. A mass that is a function of time keeps momenta.
TEST(Strangers, MassesThatChangeKeepVelocitiesAtEventsAndMomentaInTime) {
  const std::string drag =
      "parameters: {m: 1}\ncoordinates: [x]\nkinetic: m*x'^2/2\nforces: {x: -0.1*x'}\ninitial: {x': 1}\n"
      "events: [{at: 1, then: {m: 2}}]\nrun: {until: 3}\n";
  const std::string jump = "coordinates: [x]\nkinetic: \"if(t < 1, 1, 2)*x'^2/2\"\ninitial: {x': 1}\nrun: {until: 3}\n";
  const std::string body =
      "parameters: {J: 1}\nbodies: {a: {mass: 1, inertia: J, at: [1, 0], spin: 1}}\n"
      "joints: [{type: hinge, between: [ground, a], at: [0, 0], angle: phi}]\n"
      "events: [{at: 1, then: {J: 3}}]\nrun: {until: 3}\n";
  const double slowed = std::exp(-0.1), exact = 10.0 * (1.0 - slowed) + 20.0 * slowed * (1.0 - std::exp(-0.1));
  for (const char* name : {"midpoint", "spark2", "spark3", "rattle", "energy-momentum", "newmark", "gcn", "houbolt",
                           "generalized-alpha", "rk4", "dop853"}) {
    const RunOutcome dragged = run_of(drag, {name, 0.01}), jumped = run_of(jump, {name, 0.01});
    EXPECT_NEAR(dragged.last.q[0], exact, 1e-4) << name;
    if (name != std::string("houbolt")) {
      const Vector q = run_of(body, {name, 0.01}).last.q;
      EXPECT_NEAR(q[q.size() - 1], 3.0, 1e-3) << name << ", the angle";
    }
    EXPECT_NEAR(jumped.last.q[0], 2.0, name == std::string("houbolt") ? 2e-2 : 1e-9) << name;
    EXPECT_LE(int(dragged.certificate.grade), int(Grade::unverified)) << dragged.certificate.summary;
  }
}

TEST(Strangers, EventsThatLastAPartOfAStepAreMet) {
  struct Case {
    std::string when;
    double count;
  };
  for (const Case& one :
       {Case{"sin(100*t) > 0.99999", 159.0}, Case{"sin(1000*t) > 0.9", 1592.0}, Case{"x > 0.9999999", 1.0}}) {
    const RunOutcome ended = run_of(
        "parameters: {n: 0}\ncoordinates: [x]\nkinetic: x'^2/2\npotential: x^2/2\ninitial: {x': 1}\noutputs: {n: n}\n"
        "events: [{when: \"" +
            one.when + "\", then: {n: n + 1}}]\nrun: {until: " + (one.count > 1.0 ? "10" : "5") + "}\n",
        {.rtol = 1e-9});
    EXPECT_EQ(double(ended.events.size()), one.count) << one.when << ": " << ended.certificate.summary;
  }
}

TEST(Strangers, JumpsByTimeCostNoSchemeItsOrder) {
  const std::string jump = point + "forces: {x: \"step(t - 1.3)*2\"}\nrun: {until: 5}\n";
  for (const char* scheme :
       {"gcn", "houbolt", "newmark", "three-level", "generalized-alpha", "midpoint", "energy-momentum", "rk4"})
    for (const double h : {0.1, 0.07})
      EXPECT_NEAR(run_of(jump, {scheme, h}).last.q[0], 3.7 * 3.7, 1e-9) << scheme << " " << h;
}

TEST(Strangers, WhatCannotMoveIsTold) {
  const std::string stretched =
      "gravity: 9.81\npoints: {O: [0, 0], P: [2, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}}\nrods: [[O, A], [A, P]]\n";
  const std::string three =
      "dimension: 3\ngravity: 9.81\npoints: {O: [0, 0, 0], P: [3, 0, 0]}\n"
      "masses: {A: {mass: 1, at: [1, 0, 0]}, B: {mass: 1, at: [2, 0, 0]}}\nrods: [[O, A], [A, B], [B, P]]\n";
  for (const std::string& model : {stretched, three})
    for (const char* scheme : {"", "midpoint", "energy-momentum"}) {
      const RunOutcome ended = run_of(model + "run: {until: 1}\n", {scheme, *scheme == 0 ? 0.0 : 0.01});
      EXPECT_EQ(ended.certificate.verdict, Verdict::failed);
      EXPECT_NE(ended.certificate.message.find("nothing can move"), std::string::npos) << ended.certificate.message;
    }
  // The same with one more bar of a parallelogram, which can.
  const std::string bars =
      "gravity: 9.81\npoints: {O: [0, 0], P: [1, 0]}\nmasses: {A: {mass: 1, at: [0, -1], velocity: [1, 0]}, B: {mass: 1, "
      "at: "
      "[1, -1], velocity: [1, 0]}}\nrods: [[O, A], [P, B], [A, B]]\nrun: {until: 1}\n";
  EXPECT_EQ(run_of(bars).certificate.verdict, Verdict::reached);
}

TEST(Strangers, AMotionThatBecomesFastIsFollowed) {
  const std::string faster = "parameters: {w: 1}\n" + point + "potential: w^2*x^2/2\ninitial: {x: 1}\n";
  const RunOutcome event = run_of(faster + "events: [{at: 10, then: {w: 1e6}}]\nrun: {until: 10.001}\n");
  EXPECT_EQ(event.certificate.verdict, Verdict::reached) << event.certificate.message;
  const double x = std::cos(10.0), v = -std::sin(10.0), w = 1e6, t = 10.001 - 10.0;
  EXPECT_NEAR(event.last.q[0], x * std::cos(w * t) + v / w * std::sin(w * t), 1e-5);
}

TEST(Strangers, ThinObstaclesAreMetByEvents) {
  // A parabola that grazes a peg of 5 cm; free motion through many marks; marks by time.
  const std::string thrown =
      "masses: {A: {mass: 1, at: [0, 0], velocity: [4, 4.905]}}\ngravity: 9.81\n"
      "events: [{name: peg, when: (A.x - 2)^2 + (A.y - 1.25)^2 - 0.0025, then: record}]\nrun: {until: 1}\n";
  EXPECT_EQ(run_of(thrown).events.size(), 2u);
  const std::string marks =
      point + "initial: {x': 1}\nevents: [{name: mark, when: sin(20*x), then: record}]\nrun: {until: 9.9}\n";
  EXPECT_EQ(run_of(marks).events.size(), 63u) << "20·9.9/pi";
  const std::string ticks =
      point + "initial: {x': 1}\nevents: [{name: tick, when: sin(100*t), then: record}]\nrun: {until: 1.02}\n";
  EXPECT_EQ(run_of(ticks).events.size(), 32u);
  std::string counted = "parameters: {n: 0}\n" + ticks;
  counted.replace(counted.find("record"), 6, "{n: n + 1}");
  EXPECT_EQ(run_of(counted).events.size(), 32u);
  const std::string teeth =
      point +
      "initial: {x': 1}\nevents: [{name: tooth, when: sin(20*x), direction: rising, then: record}]\nrun: {until: 100}\n";
  EXPECT_EQ(run_of(teeth).events.size(), 318u);
}

TEST(Strangers, DampersAreSeenInEveryUnit) {
  for (const double size : {1e-6, 1.0, 1e6, 1e9}) {
    const std::string model = message("masses: {A: {mass: 1, at: [{}, 0]}}\npoints: {O: [0, 0]}\n", size) +
                              "springs: [{between: [O, A], stiffness: 3, length: 0, damping: 0.1}]\nrun: {until: 10}\n";
    EXPECT_FALSE(run_of(model).certificate.conservative) << size;
  }
}

TEST(Strangers, AStiffDamperDoesNotThrowTheFirstStepAway) {
  // m z″ + 0.1 z′ + z = x, x″ = −x − 2z, from a balance of forces on z; x(10) by the eigenvalues.
  const std::string model =
      "parameters: {m: 1e-9}\ncoordinates: [x, z]\nkinetic: x'^2/2 + m*z'^2/2\nforces: {x: -x - 2*z, z: x - z - 0.1*z'}\n"
      "initial: {x: 1, z': 10}\nrun: {until: 10}\n";
  EXPECT_NEAR(run_of(model, {"generalized-alpha", 0.02}).last.q[0], -0.507602, 1e-2);
}

TEST(Strangers, ReversibleStepsDoNotWanderInOneDimension) {
  for (const char* potential : {"x^2/2", "x^2/2 + x^4/4", "-cos(x)"}) {
    const std::string model = point + "potential: " + potential + "\ninitial: {x: 1}\nrun: {until: 20000}\n";
    const Certificate found = run_of(model, {.integrator = "spark3", .rtol = 1e-6, .reversible = true}).certificate;
    EXPECT_LE(found.energy.deviation, 1e-5) << potential;
    EXPECT_LE(found.counts.largest_step, 2.0 * 20000.0 / double(found.counts.steps)) << potential;
  }
}

TEST(Strangers, AKinkOfWhatIsDrivenIsAnImpulse) {
  // A pendulum hung on 0.3 |sin 2t|: at each kink the rod takes the mass along at once. Schemes agree with each other, to their orders.
  const std::string model =
      "gravity: 9.81\npoints: {P: [\"0.3*abs(sin(2*t))\", 0]}\nmasses: {A: {mass: 1, at: [0, -1]}}\nrods: [[P, A]]\n"
      "initial: {solve: all}\nrun: {until: 5}\n";
  const Vector exact = run_of(model, {.rtol = 1e-11}).last.q;
  for (const auto& [scheme, error] :
       {std::pair{"rk4", 1e-6}, {"dop853", 1e-6}, {"spark2", 1e-6}, {"midpoint", 1e-3}, {"newmark", 1e-3}})
    EXPECT_LE((run_of(model, {scheme, 0.01}).last.q - exact).norm(), error) << scheme;
}

TEST(Strangers, BallsDoNotFlyThroughEachOther) {
  // A ball of 100 m/s meets one at rest, in steps of ten diameters: they exchange their velocities at x = 5.4.
  const std::string balls =
      "masses: {A: {mass: 1, at: [0, 0], velocity: [100, 0]}, B: {mass: 1, at: [5.5, 0]}}\n"
      "contacts: [{between: [A, B], radius: [0.05, 0.05]}]\n"
      "run: {until: 0.1, step: 0.01, integrator: {name: moreau-jean, restitution: 1}}\n";
  const ModelFile model = parse_model(balls, "balls.yaml");
  const RunOutcome ended = run_model(model, plan(model));
  EXPECT_NEAR(ended.last.q[0], 5.4, 0.1) << ended.certificate.message;
  EXPECT_NEAR(ended.last.q[2], 10.1, 0.1);
}

TEST(Strangers, NoStepLeapsOverABarrier) {
  // 12.5 J against 2000 J: it turns round, from wherever it comes. Schemes whose stages may lie before and behind know the energy to some hundredths.
  for (const auto& [scheme, error] :
       {std::pair{"", 1e-2}, {"dop853", 1e-2}, {"dopri5", 1e-2}, {"rk4", 1e-2}, {"spark3", 0.06}, {"midpoint", 0.06}})
    for (const double from : {-20.0, -17.3, -11.0, -5.0, -3.1, -2.2})
      for (const double rtol : {1e-6, 1e-8, 1e-10}) {
        const std::string barrier =
            point + message("potential: \"max(0, 0.2 - abs(x))^2*5e4\"\ninitial: {x: {}, x': 5}\nrun: {until: 10}\n", from);
        EXPECT_NEAR(run_of(barrier, {.integrator = scheme, .rtol = rtol}).last.v[0], -5.0,
                    rtol < 1e-6 ? std::max(error - 9e-3, 1e-3) : error)
            << scheme << ", " << from << ", " << rtol;
      }
}

TEST(Strangers, ConditionsOnTimeHoldHoweverShort) {
  for (const char* width : {"1e-2", "1e-5", "1e-8"})
    for (const char* force : {"if((t - 3.3333)*(3.3333 + w - t) >= 0, 1/w, 0)", "if((t - 3.3333)^2 < w^2, 0.5/w, 0)",
                              "if(abs((t - 3.3333)/w) < 1, 0.5/w, 0)", "max(0, 1 - ((t - 3.3333)/w)^2)*3/4/w"})
      for (const char* scheme : {"", "spark3", "midpoint"}) {
        const std::string text =
            message("parameters: {w: {}}\n", width) + point + "forces: {x: \"" + force + "\"}\nrun: {until: 10}\n";
        EXPECT_NEAR(run_of(text, {.integrator = scheme}).last.v[0], 1.0, 1e-5) << scheme << ", " << width << ", " << force;
      }
}

TEST(Strangers, TailsOfPulsesAreNotCutOff) {
  const std::string text = point + "forces: {x: \"exp(-((t - 3.3333)/w)^2)/(w*sqrt(pi))\"}\nrun: {until: 10}\n";
  for (const char* width : {"1e-1", "1e-2", "1e-4"})
    for (const char* scheme : {"", "spark2", "spark3", "dop853"})
      EXPECT_NEAR(run_of(message("parameters: {w: {}}\n", width) + text, {.integrator = scheme}).last.v[0], 1.0, 1e-7)
          << scheme << ", " << width;
}

TEST(Strangers, AnEventIsNotMovedToAnotherThatActs) {
  // x = t; sin 200x rises through zero 127 times after the start, and is elsewhere at t = 3, where something acts.
  const std::string text = point +
                           "initial: {x': 1}\nevents: [{name: a, when: x - 3, then: {x': x'}}, "
                           "{name: c, when: sin(200*x), direction: rising, then: record}]\nrun: {until: 4}\n";
  for (const char* scheme : {"", "dop853", "rk4", "spark3", "midpoint"}) {
    long count = 0;
    for (const auto& one : run_of(text, {.integrator = scheme}).events) {
      if (one.name != "c") continue;
      EXPECT_NEAR(std::sin(200.0 * one.t), 0.0, 1e-6) << scheme << ", " << one.t;
      ++count;
    }
    EXPECT_EQ(count, 127) << scheme;
  }
}

TEST(Strangers, WhatIsNoNumberCrossesNothing) {
  // x = cos t: the conditions turn false on the way, and then their functions are no numbers.
  for (const char* when : {"sqrt(x) > 0.5", "log(x) > -0.5"}) {
    const std::string text = point + "potential: x^2/2\ninitial: {x: 1}\nevents: [{name: half, when: \"" + when +
                             "\", then: stop}]\nrun: {until: 4}\n";
    const RunOutcome ended = run_of(text);
    EXPECT_TRUE(ended.events.empty()) << when;
    EXPECT_EQ(ended.certificate.verdict, Verdict::reached) << when;
  }
}

TEST(Strangers, ConstraintsMayBeWrittenInAnyUnit) {
  for (const char* scale : {"1e-20", "1", "1e8", "1e12", "1e20"}) {
    const std::string text = message("parameters: {s: {}}\n", scale) +
                             "gravity: 9.81\nmasses: {A: {mass: 1, at: [1, 0]}}\n"
                             "constraints: [\"s*(A.x^2 + A.y^2) = s\"]\nrun: {until: 3}\n";
    for (const auto& [asked, exact] : {std::pair{Asked{"midpoint", 0.01}, 2e-3}, {Asked{.rtol = 1e-9}, 1e-6}}) {
      const RunOutcome ended = run_of(text, asked);
      EXPECT_NEAR(ended.last.q[0], -0.1766518, exact) << scale;
      EXPECT_LE(ended.certificate.gap, 1e-12) << scale;
      EXPECT_LE(ended.certificate.energy.scale, 20.0) << scale;
      EXPECT_EQ(ended.certificate.grade, Grade::good) << scale << ": " << ended.certificate.summary;
    }
  }
}

TEST(Strangers, WhatLiesOnAFloorDoesNotBrakeWhatTurnsElsewhere) {
  const std::string text =
      "gravity: 9.81\npoints: {O: [0, 0]}\nbodies:\n  puck: {mass: 1, shape: {disk: 0.1}, at: [0, 0.1]}\n"
      "  rotor: {mass: 1, inertia: 0.5, at: [3, 0], spin: 10}\njoints: [{type: hinge, between: [ground, rotor], at: [3, "
      "0]}]\n"
      "contacts: [{between: [O, puck], normal: [0, 1], radius: 0.1}]\noutputs: {w: rotor.w}\nrun: {until: 2}\n";
  const ModelFile model = parse_model(text, "rotor.yaml");
  double before = 0.0;
  for (const double step : {4e-3, 2e-3}) {
    const double off = 10.0 - NamedExpression(model.outputs[0]).at(run_of(text, {"moreau-jean", step}).last);
    EXPECT_LE(std::abs(off), 2e-3);
    if (before != 0.0) EXPECT_NEAR(before / off, 8.0, 4.5);  // of order two at least
    before = off;
  }
}

TEST(Strangers, BushingsTellWhatTheyCarry) {
  const std::string text =
      "gravity: 9.81\nbodies: {a: {mass: 2, inertia: 0.3, points: {f: [-0.3, 0.2]}}}\n"
      "joints: [{type: bushing, between: [ground, a.f], stiffness: [1000, 1000, 30], damping: [100, 100, 3], name: J}]\n"
      "outputs: {fx: J.fx, fy: J.fy, m: J.m, ax: \"a.f.x - a.x\", ay: \"a.f.y - a.y\"}\nrun: {until: 30}\n";
  const ModelFile model = parse_model(text, "bushing.yaml");
  const State last = run_of(text).last;  // at rest
  const auto output = [&](std::size_t k) { return NamedExpression(model.outputs[k]).at(last); };
  EXPECT_NEAR(output(0), 0.0, 1e-5);
  EXPECT_NEAR(output(1), 19.62, 1e-5);
  EXPECT_NEAR(output(2) + output(3) * output(1) - output(4) * output(0), 0.0, 1e-5);  // about the centre
}

TEST(Strangers, EquilibriaAtTheOriginAreFound) {
  const std::string hung =
      "gravity: 9.81\nmasses: {A: {mass: 1, at: [0, 0]}}\npoints: {T: [0, 1]}\n"
      "springs: [{between: [A, T], stiffness: 10}]\ninitial: {equilibrium: true}\nrun: {until: 1}\n";
  EXPECT_NEAR(parse_model(hung, "hung.yaml").start.state.q[1], -0.981, 1e-9);
  const ModelFile model =
      parse_model("parameters: {F: 0}\n" + point + "potential: 10*x^2 - F*x\nrun: {until: 1}\n", "pull.yaml");
  const EquilibriumBranch branch = continuation(
      [&](double F) {
        return model.with({{"F", F}}).system;
      },
      model.start.state, 0.0, 6.0);
  ASSERT_TRUE(branch.finished) << branch.trouble;
  EXPECT_NEAR(branch.points.back().state.q[0], 0.3, 1e-9);
}

TEST(Strangers, WhatStandsBehindAModelIsNotLost) {
  const std::string model = point + "run: {until: 1}\n";
  EXPECT_NO_THROW(parse_model(model + "---\n", "model.yaml"));
  EXPECT_NO_THROW(parse_model(model + "...\n# nothing\n", "model.yaml"));
  EXPECT_THROW(parse_model(model + "---\nforces: {x: 1}\n", "model.yaml"), InputError);
  EXPECT_THROW(parse_model(model + "...\nnonsense\n", "model.yaml"), InputError);
  EXPECT_THROW(parse_model("{coordinates: [x], kinetic: \"x'^2/2\"}\n, forces: {x: 1}}\n", "model.yaml"), InputError);
  EXPECT_THROW(parse_model("{coordinates: [x], kinetic: \"x'^2/2\"}}\n", "model.yaml"), InputError);
}

TEST(Strangers, AMotionThatIsLostIsPoorWhateverIsKept) {
  const std::string blow_up = point + "potential: -x^4/4\ninitial: {x: 1, x': 1}\nrun: {until: 3}\n";
  EXPECT_GE(run_of(blow_up, {"gcn", 0.01}).certificate.grade, Grade::poor);
  const std::string damped =
      "points: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [1, 0], velocity: [1, 0]}}\n"
      "forces: {A.x: 10}\nrun: {until: 10}\n";
  for (const char* c : {"500", "1e4", "1e8"})
    EXPECT_GE(run_of(message("dampers: [{between: [O, A], damping: {}}]\n", c) + damped, {"gcn", 0.01}).certificate.grade,
              Grade::poor)
        << c;
}

}  // namespace
}  // namespace taut
