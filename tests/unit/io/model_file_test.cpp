#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "change_at.hpp"
#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using testing::error_of;

ModelFile read(const std::string& text, const ModelOverrides& overrides = {}) {
  return parse_model(text, "m.yaml", overrides);
}
std::string told(const std::string& text, const ModelOverrides& overrides = {}) {
  return error_of([&] { read(text, overrides); });
}

const std::string pendulum = R"yaml(
parameters: {l: 2, g: 9.81}
masses: {A: {mass: 1.5, at: [l, 0]}}
gravity: g
constraints: ["A.x^2 + A.y^2 = l^2"]
run: {until: 1, step: 0.01}
)yaml";

const std::string ellipse = R"yaml(
parameters: {a1: 0.5, a2: 0.25, l1: 1, l2: 0.5, m1: 10, m2: 5, I1: 0.8333, I2: 0.1042, g: 9.82, x0: 0.25, y0: 1, c: 0.5, d: 1.155}
coordinates: [theta1, theta2]
kinetic:
  - "(I1 + m1*a1^2 + m2*l1^2)*theta1'^2/2 + (I2 + m2*a2^2)*theta2'^2/2"
  - "m2*l1*a2*theta1'*theta2'*cos(theta2 - theta1)"
potential: "-g*(m1*a1 + m2*l1)*cos(theta1) - g*m2*a2*cos(theta2)"
forces: {theta1: "if(t <= 4, -30, 0)"}
constraints: ["((l1*cos(theta1) + l2*cos(theta2) - x0)/c)^2 + ((l1*sin(theta1) + l2*sin(theta2) - y0)/d)^2 = 1"]
initial: {theta1: 2.270939955515765, theta2: 0.6591}
run: {until: 1, step: 5e-4}
)yaml";

TEST(ModelFile, EllipseByExpressionsGivesTheNumbersOfTheCompiledOne) {
  const Model compiled = gh95_ellipse();
  ModelFile model = read(ellipse);
  for (const Integrator& integrator : {Integrator(Midpoint{}), Integrator(EnergyMomentum{}), Integrator(Rattle{}),
                                       Integrator(RungeKutta{}), Integrator(Newmark{}), Integrator(GeneralizedAlpha{})}) {
    const SimulateOptions options{.step = 5e-4, .end = 0.25, .every = 0};
    const auto a = simulate(compiled.system, compiled.start, integrator, Multipliers{}, options);
    const auto b = simulate(model.system, model.start.state, integrator, Multipliers{}, options);
    ASSERT_TRUE(b.finished()) << b.message;
    // Schemes that do not enforce G v = 0 carry the last bits of v along.
    const double more = integrator.traits().symplectic ? 1.0 : 20.0;
    EXPECT_LE((a.last.q - b.last.q).norm(), more * 1e-12) << integrator.traits().name;
    EXPECT_LE((a.last.v - b.last.v).norm(), more * 1e-11) << integrator.traits().name;
    EXPECT_LE((a.last.lambda - b.last.lambda).norm(), 1e-7) << integrator.traits().name;
  }
  // And penalised.
  const auto soft = [&](const System& system, const State& start, const Integrator& integrator) {
    return simulate(penalized(system, 1e-4), start, integrator, Multipliers{}, {.step = 1e-4, .end = 0.05, .every = 0})
        .last.q;
  };
  for (const Integrator& integrator : {Integrator(Midpoint{}), Integrator(EnergyMomentum{})})
    EXPECT_LE((soft(compiled.system, compiled.start, integrator) - soft(model.system, model.start.state, integrator)).norm(),
              1e-10);
}

TEST(ModelFile, ExpressionsObeyTheLawsOfTerms) {
  const ModelFile model = read(ellipse);
  const State at = state_at(model.system, 0.3, Vector{{2.1, 0.7}}, Vector{{0.4, -0.9}});
  testing::expect_dynamics_laws(model.system, at);
  testing::expect_constraint_laws(model.system, at);
  const System soft = penalized(model.system, 1e-2);
  testing::expect_dynamics_laws(soft, at, 1e-6);
}

TEST(ModelFile, TheFormOfAConstraintDoesNotChangeTheMotion) {
  std::string other = pendulum;
  other.replace(other.find("A.x^2 + A.y^2 = l^2"), 19, "sqrt(A.x^2 + A.y^2) = l");
  const ModelFile a = read(pendulum), b = read(other);
  for (const NamedIntegrator& named : integrators()) {
    const double h = 2e-3;
    if (!named.integrator.traits().takes_constraints) continue;
    if (named.name.find("-new") != std::string::npos || named.name.find("midpoint-") != std::string::npos) continue;
    const auto p = simulate(a.system, a.start.state, named.integrator, Multipliers{}, {.step = h, .end = 0.4, .every = 0});
    const auto q = simulate(b.system, b.start.state, named.integrator, Multipliers{}, {.step = h, .end = 0.4, .every = 0});
    ASSERT_TRUE(p.finished() && q.finished()) << named.name << p.message << q.message;
    // Directions between two places on the circle differ with the form by O(h^2) in length, which the multiplier takes up.
    EXPECT_LE((p.last.q - q.last.q).norm(), 1e-9) << named.name;
  }
}

TEST(ModelFile, RodsSpringsDampersAndPinsAreWhatTheyAreCalled) {
  ModelFile model = read(R"yaml(
dimension: 2
points: {O: [0, 0], P: ["0.1*sin(t)", 0]}
masses:
  A: {mass: 1, at: [1, 0]}
  B: {mass: 2, at: [2, 0]}
  C: {mass: 1, at: [2, 1]}
rods: [[O, A], {between: [A, B], length: 1}]
springs: [{between: [B, C], stiffness: 10, length: 0.5, damping: 0.3}, {between: [P, C], stiffness: 2, length: 0}]
dampers: [{between: [O, B], damping: 0.7}]
pins: [{mass: A, at: [1, 0]}]
run: {until: 1, rtol: 1e-8}
)yaml");
  const State at = state_at(model.system, 0.4, Vector{{1, 0, 1.9, 0.2, 2.3, 1.1}}, Vector{{0, 0, 0.3, -0.2, 0.1, 0.5}});
  testing::expect_dynamics_laws(model.system, at, 1e-6);
  testing::expect_constraint_laws(model.system, at, 1e-6);
  // The damper pulls B along OB against the rate of its length.
  const double r = std::hypot(1.9, 0.2), rate = (1.9 * 0.3 + 0.2 * -0.2) / r;
  const double spring = std::hypot(0.4, 0.9), stretch_rate = (0.4 * (0.1 - 0.3) + 0.9 * (0.5 + 0.2)) / spring;
  const double pull = 10 * (spring - 0.5) + 0.3 * stretch_rate;
  const Vector f = model.system.force(instant(at));
  EXPECT_NEAR(f[2], -0.7 * rate * 1.9 / r + pull * 0.4 / spring, 1e-12);
  EXPECT_NEAR(f[3], -0.7 * rate * 0.2 / r + pull * 0.9 / spring, 1e-12);
  EXPECT_NEAR(f[4], -pull * 0.4 / spring - 2 * (2.3 - 0.1 * std::sin(0.4)), 1e-12);
}

TEST(ModelFile, ASkateSlidesAcrossTheSlopeAndNotDown) {
  ModelFile model = read(R"yaml(
parameters: {m: 1, I: 0.1, g: 9.81, a: 0.3, w: 2}
coordinates: [x, y, theta]
kinetic: "m*(x'^2 + y'^2)/2 + I*theta'^2/2"
potential: "-m*g*sin(a)*x"
constraints: ["x'*sin(theta) - y'*cos(theta) = 0"]
initial: {"theta'": w}
run: {until: 10, rtol: 1e-11}
)yaml");
  EXPECT_FALSE(model.system.holonomic());
  const auto path =
      simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 10.0, .rtol = 1e-11});
  ASSERT_TRUE(path.finished()) << path.message;
  const double k = 9.81 * std::sin(0.3) / (2 * 2.0 * 2.0), t = 10.0;
  EXPECT_NEAR(path.last.q[0], k * std::pow(std::sin(2 * t), 2), 1e-9);
  EXPECT_NEAR(path.last.q[1], k * (2 * t - 0.5 * std::sin(4 * t)), 1e-9);
  EXPECT_NE(error_of([&] { Midpoint{}.bind(model.system, Multipliers{}); }).find("nonholonomic"), std::string::npos);
  const auto stepped = simulate(model.system, model.start.state, MoreauJean{}, Multipliers{}, {.step = 1e-3, .end = 10.0});
  EXPECT_NEAR(stepped.last.q[1], k * (2 * t - 0.5 * std::sin(4 * t)), 1e-3);
}

TEST(ModelFile, InitialValuesAreFoundWhereAsked) {
  const std::string linkage = R"yaml(
points: {O: [0, 0], C: [4, 0]}
masses: {A: {mass: 1, at: [0, 1]}, B: {mass: 1, at: [3.9, 2.5]}}
rods: [[O, A], {between: [A, B], length: 4}, {between: [B, C], length: 2.5}]
)yaml";
  EXPECT_NE(told(linkage).find("m.yaml: the initial values violate 'rod B-C'"), std::string::npos) << told(linkage);
  const ModelFile found = read(linkage + "initial: {\"A.x'\": 1, solve: [B.x, B.y, \"B.x'\", \"B.y'\"]}\n");
  EXPECT_EQ(found.start.state.q[0], 0.0);
  EXPECT_EQ(found.start.state.q[1], 1.0);
  EXPECT_EQ(found.start.state.v[0], 1.0);
  EXPECT_TRUE(violations(found.system, found.start.state, 1e-12).empty());
  EXPECT_NE(told(linkage + "initial: {A.x: 9, solve: [B.x, B.y]}\n").find("were not"), std::string::npos);
}

TEST(ModelFile, MistakesAreToldWithFileLineAndKey) {
  EXPECT_EQ(told("masses: {A: {mass: 1, at: [1, 0]}}\nrod: [[A, B]]\n"),
            "m.yaml:2: there is no 'rod' here; did you mean 'rods'?");
  EXPECT_EQ(told("coordinates: [x]\nkinetic: \"m*x'^2\"\n"),
            "m.yaml:2: kinetic: unknown symbol 'm', at character 1 of \"m*x'^2\"");
  EXPECT_EQ(told("coordinates: [x]\nkinetic: [1, [2]]\n"),
            "m.yaml:2: kinetic[1]: must be a single value, not a list or a table");
  EXPECT_EQ(told("{"), "m.yaml:1: this is not YAML: end of map flow not found.");
  EXPECT_EQ(told(""), "m.yaml: is empty.");
  EXPECT_EQ(told("name: nothing\n"), "m.yaml: nothing moves: give `masses`, `bodies`, `beams`, `strings` or `coordinates`.");
  EXPECT_EQ(told("coordinates: [x]\npotential: x\n"),
            "m.yaml: the coordinate 'x' has no inertia; it must occur in the `kinetic` energy.");
  EXPECT_EQ(told("coordinates: [x, y]\nkinetic: \"x'^2\"\n"),
            "m.yaml: the coordinate 'y' has no inertia; it must occur in the `kinetic` energy.");
  EXPECT_EQ(told("coordinates: [x]\nkinetic: \"x'^2\"\nrun: {step: -1}\n"), "m.yaml:3: run.step: must be positive, got -1");
  EXPECT_EQ(told("coordinates: [x]\nkinetic: \"x'^2\"\nrun: {integrator: midpont}\n").substr(0, 66),
            "m.yaml:3: run.integrator: there is no integrator 'midpont'; there ");
  EXPECT_EQ(told("coordinates: [x, x]\nkinetic: \"x'^2\"\n"), "m.yaml:1: coordinates[1]: the name 'x' is taken already");
  EXPECT_EQ(told("coordinates: [x]\nkinetic: \"x'^2\"\npotential: \"1/x\"\n").substr(0, 27), "m.yaml: at the start the fo");
  EXPECT_EQ(told("coordinates: [x]\nkinetic: \"x'^2\"\nconstraints: [\"x'^2 <= 1\"]\n"),
            "m.yaml:3: constraints[0]: a velocity occurs in it, and inequalities hold positions only");
  EXPECT_EQ(told(pendulum, {.parameters = {{"ll", "3"}}}), "--set ll: the model has no parameter 'll'; did you mean 'l'?");
  EXPECT_EQ(read(pendulum, {.parameters = {{"l", "3"}}}).start.state.q[0], 3.0);
  EXPECT_EQ(read(pendulum, {.run = {{"step", "1 ms"}}}).run.step, 1e-3);
}

TEST(ModelFile, MasslessCoordinatesOfATransformedModelKeepTheirOrderOfCost) {
  // A lumped mass written as an expression is recognised, so that explicit schemes take the short way.
  const ModelFile model = read("coordinates: [x, y]\nkinetic: \"(x'^2 + 3*y'^2)/2\"\npotential: \"x^2*y\"\n");
  EXPECT_TRUE(model.system.constant_mass());
  EXPECT_TRUE(model.system.lumped_mass());
  const ModelFile other = read("coordinates: [x, y]\nkinetic: \"(x'^2 + x'*y' + 3*y'^2)/2\"\n");
  EXPECT_TRUE(other.system.constant_mass());
  EXPECT_FALSE(other.system.lumped_mass());
  EXPECT_FALSE(read("coordinates: [x]\nkinetic: \"(1 + x^2)*x'^2/2\"\n").system.constant_mass());
  EXPECT_FALSE(read("coordinates: [x]\nkinetic: \"(x' + t)^2/2\"\n").system.constant_mass());
}

TEST(Equilibrium, HangsStretchesAndLeans) {
  const ModelFile model = read(R"yaml(
gravity: 10
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 2, at: [2, 0]}}
rods: [[O, A]]
springs: [{between: [A, B], stiffness: 100, length: 1}]
)yaml");
  const Equilibrium found = equilibrium(model.system, model.start.state);
  ASSERT_EQ(found.status, Status::ok) << found.trouble;
  EXPECT_LE((found.state.q - Vector{{0, -1, 0, -2.2}}).norm(), 1e-9);
  EXPECT_NEAR(found.state.lambda[0], 30.0, 1e-7);
  EXPECT_GT(found.lowest_eigenvalue, 0.0);
  const ModelFile floor = read(
      "gravity: 10\nmasses: {A: {mass: 2, at: [0, 1]}}\nwalls: [{mass: A, normal: [0, 1]}]\nsprings: []\n"
      "forces: {A.x: \"-A.x\"}\n");
  const Equilibrium lying = equilibrium(floor.system, floor.start.state);
  ASSERT_EQ(lying.status, Status::ok) << lying.trouble;
  EXPECT_LE(lying.state.q.norm(), 1e-9);
  EXPECT_NEAR(lying.state.lambda[0], -20.0, 1e-8);
}

/// The beam of the papers from a file is the one of the C++ interface.
TEST(ModelFile, BeamsAreThoseOfTheLibrary) {
  const ModelFile model = parse_model(R"yaml(
gravity: 9.81
beams:
  pipe:
    length: 32.6 m
    elements: 12
    density: 7.67 kg/m
    stiffness: 700 N*m^2
    start: {pinned: [0, 0]}
    end: {pinned: [20, 0], release: 0.05}
    marks: {middle: 16.3}
    forces: [{at: 16.3, force: [0, "-100*t"]}]
    load: ["s", "t"]
initial: {equilibrium: true}
outputs: {tip: pipe.end.y, bend: pipe.middle.curvature, speed: pipe.end.vx}
run: {until: 0.1, step: 0.005, integrator: newmark}
)yaml",
                                      "beam");
  Beam beam({.name = "pipe",
             .length = 32.6,
             .elements = 12,
             .density = 7.67,
             .stiffness = 700.0,
             .start = {.support = BeamEnd::Support::pinned},
             .end = {.support = BeamEnd::Support::pinned, .place = {20.0, 0.0, 0.0}}},
            2);
  System system(Points{.count = 0, .dim = 2}, beam.coordinates());
  beam.add_to(system);
  beam.add_gravity(system, 9.81);
  beam.add_load(system, [](double s, double t) { return std::array<double, 3>{s, t, 0.0}; });
  beam.add_force(system, 6, [](double t) { return std::array<double, 3>{0.0, -100.0 * t, 0.0}; });
  Vector q = Vector::Zero(system.size());
  beam.place(hanging({}, {20.0, 0.0, 0.0}, 32.6, 2), q);
  const State rest = equilibrium(system, at_rest(system, q)).state;
  EXPECT_LE((model.start.state.q - rest.q).norm(), 1e-9);

  ModelFile running = model;
  const RunOutcome outcome = run_model(running, plan(running), {});
  ASSERT_TRUE(outcome.certificate.finished()) << outcome.certificate.message;
  const auto loose =
      std::make_shared<const System>(released(system, [](const std::string& name) { return name == "pipe end"; }));
  const auto path = simulate(system, rest, Newmark{}, Multipliers{}, change_at(0.05, loose, {.step = 0.005, .end = 0.1}));
  EXPECT_LE((outcome.last.q - path.last.q).norm(), 1e-8);
  EXPECT_NEAR(running.outputs[0].at(outcome.last), beam.at(path.last.q.data(), 32.6)[1], 1e-8);
  EXPECT_NEAR(running.outputs[1].at(outcome.last), beam.curvature(path.last.q.data(), 16.3), 1e-7);
}

TEST(ModelFile, StringsMassesAndJoinedBeamsGoTogether) {
  const ModelFile model = parse_model(R"yaml(
gravity: 10
masses: {A: {mass: 2, at: [1, 0]}}
beams:
  left: {length: 1, elements: 3, start: {clamped: [0, 0], direction: [1, 0]}, end: {mass: A}}
  right: {length: 1, elements: 3, start: {beam: left, joint: clamped}, shape: ["1 + s", "0"]}
  side: {length: 1, elements: 2, start: {beam: right, joint: clamped, angle: 90 deg}, shape: ["2", "s"]}
strings:
  u: {length: 1, elements: 4, shape: "x*(1 - x)", ends: [fixed, free]}
  w: {length: 1, elements: 4, ends: [fixed, free], shape: "-x"}
contacts: [{above: u, below: w}, {above: w, below: "-2 - x"}]
couplings: [{between: [u, w], stiffness: 3}]
coordinates: [phi]
kinetic: "phi'^2/2"
initial: {phi: 0.3}
run: {until: 0.02, step: 0.001, integrator: energy-momentum, formulation: {penalty: 1e-3}}
)yaml",
                                      "mixed");
  EXPECT_EQ(model.system.coordinate_name(model.system.size() - 1), "phi");
  EXPECT_EQ(model.start.state.q[model.system.size() - 1], 0.3);
  ModelFile running = model;
  const RunPlan planned = plan(running);
  EXPECT_EQ(planned.system->constraint_count(), 4) << "the clamp stays exact";
  const RunOutcome outcome = run_model(running, planned, {});
  EXPECT_TRUE(outcome.certificate.finished()) << outcome.certificate.message;
}

/// x″ = 1 from t = 0.37 on, and a step that ends there: the exact x is (0.63)²/2 at t = 1.
TEST(ModelFile, DeclaredJumpsReachTheRun) {
  ModelFile model = parse_model(R"yaml(
coordinates: [x]
kinetic: "x'^2/2"
forces: {x: "step(t - 0.37)"}
run: {until: 1, rtol: 1e-6, breaks: [0.8, 0.37], integrator: spark2}
)yaml",
                                "jump");
  const RunPlan planned = plan(model);
  ASSERT_EQ(planned.options.events.size(), 2u) << "the jump in the expression is found as well, and is the declared one";
  EXPECT_NEAR(planned.options.events[0].at, 0.37, 1e-15);
  EXPECT_EQ(planned.options.events[1].at, before_jump(0.8, 0.0, 1.0));
  const RunOutcome outcome = run_model(model, planned, {});
  ASSERT_TRUE(outcome.certificate.finished()) << outcome.certificate.message;
  EXPECT_NEAR(outcome.last.q[0], 0.5 * 0.63 * 0.63, 1e-13);
}

}  // namespace
}  // namespace taut
