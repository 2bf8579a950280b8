#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using testing::error_of;

ModelFile read(const std::string& text, const ModelOverrides& overrides = {}) {
  return parse_model(text, "m.yaml", overrides);
}
std::string told(const std::string& text) {
  return error_of([&] { read(text); });
}

State somewhere(const System& system) {
  Vector q(system.size()), v(system.size());
  for (int i = 0; i < system.size(); ++i) {
    q[i] = 0.4 + 0.9 * std::sin(1.0 + 2.1 * i);
    v[i] = std::cos(0.3 + 1.7 * i);
  }
  return state_at(system, 0.2, q, v);
}

/// The same motion, to round-off.
void expect_same_motion(const System& a, const System& b) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.constraint_count(), b.constraint_count());
  const State at = somewhere(a);
  EXPECT_LE((a.momentum(instant(at)) - b.momentum(instant(at))).norm(), 1e-12);
  EXPECT_LE((a.force(instant(at)) - b.force(instant(at))).norm(), 1e-11 * (1.0 + a.force(instant(at)).norm()));
  EXPECT_LE((a.constraint_values(at.t, at.q) - b.constraint_values(at.t, at.q)).norm(), 1e-12);
}

TEST(Repeat, SaysAChainThatIsTheOneWrittenOut) {
  const ModelFile once = read(R"yaml(
parameters: {N: 3, l: 0.5}
gravity: 9.81
points: {P0: [0, 0]}
masses: {"P{i}": {repeat: {i: 1..N}, mass: "{i}", at: ["{i}*l", 0]}}
rods: [{repeat: {i: 1..N}, do: ["P{i-1}", "P{i}"]}]
outputs: {tip: "P{N}.y"}
)yaml");
  const ModelFile all = read(R"yaml(
gravity: 9.81
points: {P0: [0, 0]}
masses: {P1: {mass: 1, at: [0.5, 0]}, P2: {mass: 2, at: [1, 0]}, P3: {mass: 3, at: [1.5, 0]}}
rods: [[P0, P1], [P1, P2], [P2, P3]]
)yaml");
  expect_same_motion(once.system, all.system);
  EXPECT_EQ(once.system.constraint_name(2), "rod P2-P3");
  EXPECT_EQ(once.outputs[0].inputs, std::vector<int>{1 + 5});
  EXPECT_EQ(read("parameters: {N: 3}\ncoordinates: [{repeat: {i: 1..N}, do: \"x{i}\"}]\n"
                 "kinetic: [{repeat: {i: 1..N}, do: \"x{i}'^2\"}]\n",
                 {.parameters = {{"N", "7"}}})
                .system.size(),
            7);
}

TEST(Repeat, TakesPairsConditionsAndSteps) {
  const std::string head = "coordinates: [a1, a2, a3]\nkinetic: \"a1'^2 + a2'^2 + a3'^2\"\n";
  const ModelFile pairs = read(head + "potential: [{repeat: {i: 1..3, j: i+1..3}, do: \"{i}*{j}*(a{i} - a{j})^2\"}]\n");
  const ModelFile other =
      read(head + "potential: [{repeat: {i: 1..3, j: 1..3}, if: i < j, do: \"{i*j}*(a{i} - a{j})^2\"}]\n");
  const ModelFile plain = read(head + "potential: \"2*(a1 - a2)^2 + 3*(a1 - a3)^2 + 6*(a2 - a3)^2\"\n");
  expect_same_motion(pairs.system, plain.system);
  expect_same_motion(other.system, plain.system);
  const ModelFile steps = read(head + "potential: [{repeat: {i: 1..3..2}, do: \"a{i}^2*{i-2}\"}]\n");
  expect_same_motion(steps.system, read(head + "potential: \"-a1^2 + a3^2\"\n").system);
}

TEST(Repeat, TellsWhatIsWrongWithTheLine) {
  const std::string head = "coordinates: [x]\nkinetic: \"x'^2\"\n";
  EXPECT_EQ(told(head + "constraints:\n  - {repeat: {i: 1}, do: \"x = {i}\"}\n"),
            "m.yaml:4: constraints: the range of 'i' must read first..last or first..last..step, got \"1\"");
  EXPECT_EQ(told(head + "outputs: {\"a{i}\": x}\n"), "m.yaml:3: outputs: unknown symbol 'i', in \"i\"");
  EXPECT_EQ(told(head + "outputs: {a: \"x{1\"}\n"), "m.yaml:3: outputs: a '}' is missing in \"x{1\"");
  EXPECT_NE(told(head + "outputs: {\"a{i}\": {repeat: {i: 1..1e8}, do: x}}\n").find("more than 2000000 entries"),
            std::string::npos);
  EXPECT_NE(told(head + "outputs: {\"a{i}\": {repeat: {i: 1..2.5}, do: x}}\n").find("needs whole numbers"),
            std::string::npos);
  EXPECT_NE(told(head + "outputs: {a: {repeat: {i: 1..2}, do: x}}\n").find("is given twice"), std::string::npos);
  EXPECT_NE(told(head + "outputs: {a: {repeat: {i: 1..2}}}\n").find("neither beside `repeat` nor under `do`"),
            std::string::npos);
}

TEST(Let, NamesExpressionsInAnyOrder) {
  const ModelFile named = read(R"yaml(
coordinates: [x, y]
kinetic: "(x'^2 + y'^2)/2"
let: {square: r^2, r: "hypot(x, y)", push: "-x'*r"}
potential: "square"
forces: {x: push}
initial: {x: 1}
)yaml");
  const ModelFile plain = read(R"yaml(
coordinates: [x, y]
kinetic: "(x'^2 + y'^2)/2"
potential: "hypot(x, y)^2"
forces: {x: "-x'*hypot(x, y)"}
initial: {x: 1}
)yaml");
  expect_same_motion(named.system, plain.system);
  EXPECT_NE(told("coordinates: [x]\nkinetic: \"x'^2\"\nlet: {a: b, b: a}\n").find("m.yaml:3: let.a: unknown symbol 'b'"),
            std::string::npos);
}

const std::string by_angles = R"yaml(
parameters: {l: 0.8, m: 1.5, M: 0.7}
gravity: 9.81
coordinates: [a, b]
masses:
  B: {mass: M, at: ["A.x + l*sin(b)", "A.y - l*cos(b)"]}
  A: {mass: m, at: ["l*sin(a)", "-l*cos(a)"]}
)yaml";

TEST(PlacedMass, HasTheInertiaAndWeightOfItsPlace) {
  const ModelFile placed = read(by_angles + "initial: {a: 1, b: 0.5}\n");
  const ModelFile plain = read(R"yaml(
parameters: {l: 0.8, m: 1.5, M: 0.7}
coordinates: [a, b]
kinetic: "(m + M)*l^2*a'^2/2 + M*l^2*b'^2/2 + M*l^2*a'*b'*cos(a - b)"
potential: "-9.81*l*((m + M)*cos(a) + M*cos(b))"
initial: {a: 1, b: 0.5}
)yaml");
  expect_same_motion(placed.system, plain.system);
  testing::expect_dynamics_laws(placed.system, somewhere(placed.system), 1e-6);
}

TEST(PlacedMass, TakesSpringsDampersForcesAndConstraints) {
  const ModelFile placed = read(by_angles + R"yaml(
points: {O: [2, 0]}
springs: [{between: [O, A], stiffness: 3, length: 0.5}]
dampers: [{between: [O, A], damping: 0.4}]
forces: {A.x: "2*t", A.y: "-A.vy"}
rods: [{between: [O, B], length: 1.1}]
walls: [{mass: A, normal: [0, 1], offset: -3}]
initial: {a: 1, b: 0.5, solve: all}
)yaml");
  const ModelFile plain = read(by_angles + R"yaml(
let: {r: "hypot(2 - A.x, A.y)", c: "-0.4*(-(2 - A.x)*A.vx + A.y*A.vy)/r"}
potential: "1.5*(r - 0.5)^2"
forces:
  a: "(-c*(2 - A.x)/r + 2*t)*l*cos(a) + (c*A.y/r - A.vy)*l*sin(a)"
constraints: ["((2 - B.x)^2 + B.y^2 - 1.21)/2 = 0", "A.y >= -3"]
initial: {a: 1, b: 0.5, solve: all}
)yaml");
  expect_same_motion(placed.system, plain.system);
}

TEST(RodWithMass, SwingsAsACompoundPendulum) {
  // Rod of mass 3 and length 2 with 1 kg at its end, horizontal: l φ″ = −g (M + m/2)/(M + m/3).
  ModelFile model = read(R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [2, 0]}}
rods: [{between: [O, A], mass: 3, name: rope}]
outputs: {a: A.ay, b: "A.y''", T: kinetic, V: potential, E: energy, pull: rope.tension}
run: {until: 1, rtol: 1e-9}
)yaml");
  ModelModes modes(model);
  EXPECT_NEAR(modes.value(model.outputs[0], model.start.state), -9.81 * 2.5 / 2.0, 1e-12);
  EXPECT_NEAR(modes.value(model.outputs[1], model.start.state), -9.81 * 2.5 / 2.0, 1e-12);
  const RunPlan planned = plan(model);
  MemoryRecorder recorder;
  const RunOutcome outcome = run_model(model, planned, {.recorder = &recorder});
  ASSERT_TRUE(outcome.certificate.finished());
  const Recording run = recorder.take();
  ASSERT_GT(run.records, 3);
  for (long r = 0; r < run.records; ++r) {
    EXPECT_NEAR(run.outputs[std::size_t(6 * r + 4)], 0.0, 1e-6);
    EXPECT_EQ(run.outputs[std::size_t(6 * r + 2)], run.energy[std::size_t(2 * r)]);
  }
}

TEST(RodWithMass, IsTheSameBetweenPlacedMasses) {
  const ModelFile points = read(R"yaml(
gravity: 9.81
masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 2, at: [2, 0.5]}}
rods: [{between: [A, B], mass: 3}]
)yaml");
  const ModelFile placed = read(R"yaml(
gravity: 9.81
coordinates: [ax, ay, bx, by]
masses: {A: {mass: 1, at: [ax, ay]}, B: {mass: 2, at: [bx, by]}}
rods: [{between: [A, B], mass: 3}]
initial: {ax: 1, bx: 2, by: 0.5}
)yaml");
  expect_same_motion(points.system, placed.system);
}

/// Points that repel each other on a sphere: the least energy of eight is known (Thomson's problem, J. J. Thomson 1904; 19.675287861).
TEST(Repeat, LetsFeketesPointsFindTheirPlaces) {
  ModelFile model = read_model(std::string(TAUT_CASES) + "/fekete.yaml");
  const RunPlan planned = plan(model);
  const RunOutcome outcome = run_model(model, planned);
  ASSERT_TRUE(outcome.certificate.finished());
  EXPECT_NEAR(planned.modes->value(planned.modes->outputs()[0], outcome.last), 19.675287861, 1e-6);
}

TEST(Damping, IsInProportionToTheMomentum) {
  const std::string body = R"yaml(
masses: {A: {mass: 2, at: [1, 0]}, B: {mass: 3, at: [2, 0]}}
rods: [{between: [A, B], mass: 0.6}]
coordinates: [x]
kinetic: "x'^2*(1 + x^2)"
)yaml";
  const ModelFile damped = read("damping: 0.3\n" + body), free = read(body);
  const State at = somewhere(free.system);
  const Vector expected = free.system.force(instant(at)) - 0.3 * free.system.momentum(instant(at));
  EXPECT_LE((damped.system.force(instant(at)) - expected).norm(), 1e-12);
}

TEST(Events, WatchAccelerationsAndEnergies) {
  // x = cos t: x″ = −1/2 and kinetic energy 3/8 at t = π/3.
  ModelFile model = read(R"yaml(
coordinates: [x]
kinetic: "x'^2/2"
potential: "x^2/2"
initial: {x: 1}
events: [{name: slow, when: "x'' > -0.5"}, {name: half, when: "kinetic > 0.375", then: stop}]
run: {until: 3, rtol: 1e-11}
)yaml");
  const RunOutcome outcome = run_model(model, plan(model));
  ASSERT_EQ(outcome.events.size(), 2u);
  EXPECT_NEAR(outcome.events[0].t, std::acos(0.5), 1e-8);
  EXPECT_NEAR(outcome.last.t, std::acos(0.5), 1e-8);
}

TEST(Events, MayNotChangeHowManyThereAre) {
  ModelFile model = read(R"yaml(
parameters: {N: 2}
coordinates: [{repeat: {i: 1..N}, do: "x{i}"}]
kinetic: [{repeat: {i: 1..N}, do: "x{i}'^2"}]
events: [{at: 0.5, then: {N: 3}}]
run: {until: 1, rtol: 1e-6}
)yaml");
  const Certificate c = run_model(model, plan(model)).certificate;
  EXPECT_EQ(c.verdict, Verdict::failed);
  EXPECT_NE(c.message.find("number of coordinates"), std::string::npos) << c.message;
}

}  // namespace
}  // namespace taut
