#include <cmath>
#include <numbers>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"
#include "laws.hpp"

/// Everyday models of people who do not know how the program works: forces that begin later or elsewhere, loads on what rests, dry friction,
/// steps far too long. Each is right, or told.
namespace taut {
namespace {

struct Asked {
  std::string integrator{};
  double step = 0.0, rtol = 1e-8;
  bool reversible = false;
};

RunOutcome run_of(const std::string& text, const Asked& asked = {}) {
  ModelFile model = parse_model(text, "stranger.yaml");
  model.run.integrator = asked.integrator;
  model.run.step = asked.step;
  model.run.rtol = asked.step > 0.0 ? 0.0 : asked.rtol;
  if (asked.reversible) model.run.control = "reversible";
  return run_model(model, plan(model));
}

const std::string point = "coordinates: [x]\nkinetic: x'^2/2\n";

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
      EXPECT_EQ(told.grade, Grade::unverified) << asked.integrator << ": " << told.summary << "\n" << text;
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
  const std::string comet =
      "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: -1/hypot(x, y)\n"
      "initial: {x: 0.001, y': sqrt(1999)}\nrun: {until: 20*pi}\n";
  const ModelFile model = parse_model(comet, "comet.yaml");
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
  const std::string kepler =
      "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: -1/hypot(x, y)\n"
      "initial: {x: 0.1, y': sqrt(19)}\nrun: {until: 20*pi}\n";
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

}  // namespace
}  // namespace taut
