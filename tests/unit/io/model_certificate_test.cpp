#include <gtest/gtest.h>

#include <sstream>
#include <taut/model/run_model.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

namespace taut {
namespace {

Certificate certificate_of(const std::string& text, const std::string& integrator = {}, double interval = 0.0) {
  ModelFile model = parse_model(text, "model.yaml");
  if (!integrator.empty()) model.run.integrator = integrator;
  if (interval > 0.0) model.run.interval = interval;
  return run_model(model, plan(model), {}).certificate;
}

const char* const dropped_pendulum = R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}}
rods: [[O, A]]
run: {until: 5, rtol: 1e-6, integrator: dop853}
)yaml";

/// Table 2 of Glowinski and Holmström has 11 mm at ε = 1e-7; every hundredth step sees 4.6 of it.
TEST(ModelCertificate, SeesEveryStepAndNotRecordsOnly) {
  ModelFile model = read_model(std::string(TAUT_CASES) + "/gh95_wall.yaml");
  ASSERT_GT(model.run.every, 1);
  model.run.until = 2.0;  // the first contact is at 1.509
  const Certificate rare = run_model(model, plan(model), {}).certificate;
  model.run.every = 1;
  const Certificate all = run_model(model, plan(model), {}).certificate;
  EXPECT_EQ(rare.penetration, all.penetration);
  EXPECT_EQ(rare.energy.deviation, all.energy.deviation);
  EXPECT_NEAR(rare.penetration, 0.011392404, 2e-5);
}

TEST(ModelCertificate, EnergyIsThatOfTheStepsWhereRecordsLieBetweenThem) {
  const Certificate plain = certificate_of(dropped_pendulum), marked = certificate_of(dropped_pendulum, {}, 0.01);
  EXPECT_EQ(marked.energy.deviation, plain.energy.deviation);
  EXPECT_LE(plain.energy.deviation, 1e-4);
}

/// In coordinates that turn with w, T has parts of degree 0, 1 and 2 in the velocities, and H = v·p − L is not T + V.
TEST(ModelCertificate, EnergyIsHForEveryKineticEnergy) {
  const Certificate c = certificate_of(R"yaml(
parameters: {w: 0.7}
coordinates: [x, y]
kinetic: "((x' - w*y)^2 + (y' + w*x)^2)/2"
potential: "2*x^2 + y^2"
initial: {x: 1, "y'": 0.5}
run: {until: 20, rtol: 1e-11}
)yaml");
  EXPECT_TRUE(c.conservative);
  EXPECT_NEAR(c.energy.start, 0.125 - 0.245 + 2.0, 1e-14);
  EXPECT_LE(c.energy.deviation, 1e-8);
  EXPECT_EQ(c.grade, Grade::good) << c.summary;
}

TEST(ModelCertificate, CallsNothingConservativeThatIsDriven) {
  for (const char* run :
       {"{until: 2, rtol: 1e-6}", "{until: 2, step: 1e-3, integrator: midpoint, formulation: {penalty: 1e-4}}"}) {
    const ModelFile model = parse_model(std::string(R"yaml(
gravity: 9.81
masses: {A: {mass: 1, at: [0, 0], velocity: [1, 0]}, B: {mass: 1, at: [0, -1], velocity: [1, 0]}}
rods: [[A, B]]
pins: [{mass: A, at: ["sin(t)", "0"]}]
run: )yaml") + run,
                                        "driven");
    ModelFile running = model;
    const Certificate c = run_model(running, plan(running), {}).certificate;
    EXPECT_FALSE(c.conservative) << run;
    // A support that moves works through its reaction, which is not known; as a spring it is a potential that changes with time.
    EXPECT_EQ(c.balance.name.empty(), std::string(run).find("penalty") == std::string::npos) << c.summary;
    EXPECT_EQ(c.grade, c.balance.name.empty() ? Grade::unverified : Grade::good) << c.summary;
    EXPECT_FALSE(conserves_energy(model.system, model.start.state, 2.0));
  }
}

TEST(ModelCertificate, ShowsTheEnergyThatASchemeKeepsInItsOwnForm) {
  for (const char* name : {"gcn", "three-level"}) {
    const Certificate c = certificate_of(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 1, at: [2, 0]}}
rods: [[O, A], [A, B]]
run: {until: 5, step: 0.01}
)yaml",
                                         name);
    EXPECT_FALSE(c.own_energy.name.empty()) << name;
    EXPECT_LE(c.own_energy.relative(), 1e-10) << name;
    EXPECT_GT(c.energy.relative(), 1e-4) << name << ": that of the reported velocities is another";
    EXPECT_EQ(c.grade, Grade::good) << c.summary;
  }
}

TEST(ModelCertificate, ASpringToAFixedPointKeepsAngularMomentumUnderEnergyMomentum) {
  const Certificate c = certificate_of(R"yaml(
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1.3, 0], velocity: [0, 1]}}
springs: [{between: [O, A], stiffness: 50, length: 1}]
run: {until: 10, step: 0.02, integrator: energy-momentum}
)yaml");
  ASSERT_EQ(c.momenta.size(), 1u);
  EXPECT_LE(c.momenta[0].deviation, 1e-11);
  EXPECT_LE(c.energy.deviation, 1e-11);
}

TEST(ModelCertificate, BeginsWithAJudgementInPlainWordsAndUnits) {
  const auto text = [](const Certificate& c) {
    std::ostringstream out;
    out << c;
    return out.str();
  };
  const std::string good = text(certificate_of(dropped_pendulum));
  EXPECT_EQ(good.rfind("good: energy within ", 0), 0u) << good;
  EXPECT_NE(good.find(" J of "), std::string::npos) << good;
  EXPECT_NE(good.find("constraints within "), std::string::npos) << good;
  EXPECT_NE(good.find(" m, as expected at rtol"), std::string::npos) << good;
  ModelFile coarse = parse_model(dropped_pendulum, "coarse");
  coarse.run.rtol = 0.0;
  coarse.run.step = 0.3;
  coarse.run.integrator = "midpoint";
  const Certificate c = run_model(coarse, plan(coarse), {}).certificate;
  EXPECT_TRUE(c.grade == Grade::fair || c.grade == Grade::poor) << c.summary;
  EXPECT_NE(c.summary.find("halve the step"), std::string::npos) << c.summary;
}

}  // namespace
}  // namespace taut
