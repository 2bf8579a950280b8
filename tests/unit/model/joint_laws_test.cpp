#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <taut/study/inspect.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"

/// Every type of joint against coordinates of its own freedom, or an exact law; gears, bushings, contacts and forces that follow.
namespace taut {
namespace {

ModelFile model_of(const std::string& text) { return parse_model(text, "m.yaml", {}); }

State end_of(const ModelFile& model, double end = 1.5) {
  const Trajectory path = simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                                   {.end = end, .rtol = 1e-12, .every = 0});
  EXPECT_TRUE(path.finished()) << path.message;
  return path.last;
}

double output_of(const ModelFile& model, const std::string& name, const State& state) {
  for (const NamedExpression& one : model.outputs)
    if (one.name == name) return one.at(state);
  ADD_FAILURE() << "no output " << name;
  return 0.0;
}

/// The same outputs of bodies and joints as of expressions of fewest coordinates.
void expect_same_motion(const std::string& bodies, const std::string& fewest, double end = 1.5) {
  const ModelFile a = model_of(bodies), b = model_of(fewest);
  const State at_a = end_of(a, end), at_b = end_of(b, end);
  ASSERT_FALSE(a.outputs.empty());
  for (const NamedExpression& one : a.outputs)
    EXPECT_NEAR(one.at(at_a), output_of(b, one.name, at_b), 1e-9) << one.name << " of " << a.name;
}

// In space, without a word: body of 2 kg with moments 0.2, 0.3, 0.4 whose centre is at (0.5, 0, 0); axis (0, 0.6, 0.8), which passes through the origin at right angles
// to it. a x c = (0, 0.4, -0.3): the height of the centre is -0.3 sin phi. The moment about the axis is 0.36*0.3 + 0.64*0.4 + 2*0.25.
const std::string tilted =
    "dimension: 3\ngravity: 9.81\nbodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], at: [0.5, 0, 0]}}\n";

TEST(JointLaws, HingeInSpaceIsAPendulum) {
  expect_same_motion("name: hinge\n" + tilted + R"yaml(
joints: [{type: hinge, between: [ground, b], at: [0, 0, 0], axis: [0, 0.6, 0.8], angle: phi}]
initial: {phi': 0.7}
outputs: {angle: phi, rate: phi', z: b.z}
)yaml",
                     R"yaml(
parameters: {J: 0.36*0.3 + 0.64*0.4 + 2*0.25}
coordinates: [phi]
kinetic: "J*phi'^2/2"
potential: "-2*9.81*0.3*sin(phi)"
initial: {phi': 0.7}
outputs: {angle: phi, rate: phi', z: "-0.3*sin(phi)"}
)yaml");
}

TEST(JointLaws, SliderSwingsOnItsSpring) {
  for (const char* dim : {"2", "3"}) {
    const bool plane = dim[0] == '2';
    const ModelFile model =
        model_of(std::string("dimension: ") + dim + "\ngravity: 9.81\n" +
                 (plane ? "bodies: {b: {mass: 2, inertia: 0.3, at: [1, 0]}}\n"
                        : "bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], at: [1, 0, 0]}}\n") +
                 "joints: [{type: slider, between: [ground, b], axis: " + (plane ? "[0.6, 0.8]" : "[0, 0.6, 0.8]") +
                 ", travel: s, stiffness: 50, rest: 0}]\ninitial: {s': 0.4}\noutputs: {s: s}\n");
    const double w = 5.0, rest = -2.0 * 9.81 * 0.8 / 50.0, t = 1.5;
    EXPECT_NEAR(output_of(model, "s", end_of(model)), rest - rest * std::cos(w * t) + 0.4 / w * std::sin(w * t), 1e-9)
        << dim;
  }
}

TEST(JointLaws, CylinderAndScrewTurnAndTravel) {
  const std::string lagrangian = R"yaml(
parameters: {J: 0.36*0.3 + 0.64*0.4 + 2*0.25}
coordinates: [phi, s]
kinetic: "J*phi'^2/2 + s'^2"
potential: "2*9.81*(0.8*s - 0.3*sin(phi))"
)yaml";
  expect_same_motion("name: cylindrical\n" + tilted + R"yaml(
joints: [{type: cylindrical, between: [ground, b], at: [0, 0, 0], axis: [0, 0.6, 0.8], angle: phi, travel: s}]
initial: {phi': 0.7, s': 1}
outputs: {angle: phi, way: s}
)yaml",
                     lagrangian + "initial: {phi': 0.7, s': 1}\noutputs: {angle: phi, way: s}\n");
  expect_same_motion(
      "name: screw\n" + tilted + R"yaml(
joints: [{type: screw, between: [ground, b], at: [0, 0, 0], axis: [0, 0.6, 0.8], angle: phi, travel: s, pitch: 0.3}]
initial: {phi': 0.7}
outputs: {angle: phi, way: s}
)yaml",
      lagrangian +
          "constraints: [\"s = 0.3*phi/(2*pi)\"]\ninitial: {phi': 0.7, s': \"0.3*0.7/(2*pi)\"}\noutputs: {angle: "
          "phi, way: s}\n");
}

/// R = Rx(α) Ry(β): ω in axes of the body is (α' cos β, β', α' sin β).
TEST(JointLaws, UniversalJointIsTwoAngles) {
  expect_same_motion(R"yaml(
name: universal
dimension: 3
gravity: 9.81
bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], at: [0, 0, -0.5], spin: [0.6, 0.9, 0]}}
joints: [{type: universal, between: [ground, b], at: [0, 0, 0], axis: [[1, 0, 0], [0, 1, 0]]}]
outputs: {x: b.x, y: b.y, z: b.z}
)yaml",
                     R"yaml(
coordinates: [al, be]
kinetic: "(0.7*(al'*cos(be))^2 + 0.8*be'^2 + 0.4*(al'*sin(be))^2)/2"
potential: "-2*9.81*0.5*cos(al)*cos(be)"
initial: {al': 0.6, be': 0.9}
outputs: {x: "-0.5*sin(be)", y: "0.5*cos(be)*sin(al)", z: "-0.5*cos(al)*cos(be)"}
)yaml");
}

TEST(JointLaws, PlanarJointFallsAlongItsPlane) {
  const ModelFile model = model_of(R"yaml(
dimension: 3
gravity: 9.81
bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], velocity: [0.3, 0.8, -0.6], spin: [0, 1.2, 1.6]}}
joints: [{type: planar, between: [ground, b], axis: [0, 0.6, 0.8], angle: phi}]
outputs: {x: b.x, y: b.y, z: b.z, angle: phi}
)yaml");
  const State end = end_of(model);
  const double t = 1.5, fall = t + 0.5 * 9.81 * 0.6 * t * t;  // along (0, 0.8, -0.6)
  EXPECT_NEAR(output_of(model, "x", end), 0.3 * t, 1e-9);
  EXPECT_NEAR(output_of(model, "y", end), 0.8 * fall, 1e-9);
  EXPECT_NEAR(output_of(model, "z", end), -0.6 * fall, 1e-9);
  EXPECT_NEAR(output_of(model, "angle", end), 2.0 * t, 1e-9);
}

TEST(JointLaws, LineInThePlaneIsACartWithAPendulum) {
  expect_same_motion(R"yaml(
name: line in the plane
gravity: 9.81
bodies: {b: {mass: 2, inertia: 0.3, at: [0, -0.5], spin: 2, points: {top: [0, 0.5]}}}
points: {O: [0, 0]}
joints: [{type: line, between: [O, b.top], axis: [0.8, 0.6], travel: s}]
initial: {s': 0.5}
outputs: {x: b.x, y: b.y, way: s}
)yaml",
                     R"yaml(
coordinates: [s, phi]
let: {x: "0.8*s + 0.5*sin(phi)", y: "0.6*s - 0.5*cos(phi)"}
kinetic: "(0.8*s' + 0.5*cos(phi)*phi')^2 + (0.6*s' + 0.5*sin(phi)*phi')^2 + 0.3*phi'^2/2"
potential: "2*9.81*y"
initial: {s': 0.5, phi': 2}
outputs: {x: x, y: y, way: s}
)yaml");
}

/// A symmetric top whose foot slides, on a line or in a plane: Euler's angles and the place of the foot.
TEST(JointLaws, LineAndPlaneInSpaceLetTheFootOfATopSlide) {
  const auto bodies = [](const std::string& joint) {
    return R"yaml(
name: foot on a line or plane
dimension: 3
gravity: 9.81
bodies:
  top: {mass: 1.5, inertia: [0.2, 0.2, 0.05], at: [0, "-0.4*sin(0.6)", "0.4*cos(0.6)"], rotation: {axis: [1, 0, 0], angle: 0.6},
        spin: [0, "-20*sin(0.6)", "20*cos(0.6) + 0.5"], velocity: ["0.2*sin(0.6)", 0, 0], points: {foot: [0, 0, -0.4]}}
points: {O: [0, 0, 0]}
)yaml" + joint;
  };
  const auto angles = [](const std::string& also) {
    return R"yaml(
coordinates: [theta, phi, psi, x, y]
let:
  vx: "x' + 0.4*(cos(phi)*sin(theta)*phi' + sin(phi)*cos(theta)*theta')"
  vy: "y' + 0.4*(sin(phi)*sin(theta)*phi' - cos(phi)*cos(theta)*theta')"
kinetic: "0.75*(vx^2 + vy^2 + (0.4*sin(theta)*theta')^2) + 0.1*(theta'^2 + (phi'*sin(theta))^2) + 0.025*(psi' + phi'*cos(theta))^2"
potential: "1.5*9.81*0.4*cos(theta)"
outputs: {x: x, y: y, z: "0.4*cos(theta)"}
)yaml" + also;
  };
  const std::string watched = "outputs: {x: top.foot.x, y: top.foot.y, z: top.z}\n";
  // Velocities at the start: the foot at rest along the line, or in the plane.
  expect_same_motion(bodies("joints: [{type: plane, between: [O, top.foot], axis: [0, 0, 1]}]\n") + watched,
                     angles("initial: {theta: 0.6, phi': 0.5, psi': 20}\n"), 0.8);
  expect_same_motion(bodies("joints: [{type: line, between: [O, top.foot], axis: [1, 0, 0]}]\n") + watched,
                     angles("constraints: [\"y = 0\"]\ninitial: {theta: 0.6, phi': 0.5, psi': 20}\n"), 0.8);
}

TEST(JointLaws, WeldedBodiesAreOne) {
  for (const bool plane : {true, false}) {
    const std::string text = plane ? R"yaml(
gravity: 9.81
bodies: {a: {mass: 2, inertia: 0.4, at: [0.5, 0]}, b: {mass: 1, inertia: 0.1, at: [0.9, 0.3], rotation: 0.4}}
joints:
  - {type: hinge, between: [ground, a], at: [0, 0], angle: phi}
  - {type: weld, between: [a, b]}
outputs: {angle: phi, rate: phi'}
)yaml"
                                   : R"yaml(
dimension: 3
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 2, inertia: [0.2, 0.3, 0.4], at: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.08, 0.09, 0.1], at: [0.9, 0.3, 0.2], rotation: {axis: [0, 0, 1], angle: 0.4}}
joints:
  - {type: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], angle: phi}
  - {type: weld, between: [a, b]}
outputs: {angle: phi, rate: phi'}
)yaml";
    expect_same_motion("name: weld\n" + text, R"yaml(
parameters: {J: 0.4 + 2*0.25 + 0.1 + 0.9^2 + 0.3^2}
coordinates: [phi]
kinetic: "J*phi'^2/2"
potential: "9.81*(2*0.5*sin(phi) + 0.9*sin(phi) + 0.3*cos(phi))"
outputs: {angle: phi, rate: phi'}
)yaml");
  }
}

/// A ground that goes up and down as it turns: forces and moments of a weld are those of the motion; a pendulum on it is one with a driven pivot.
TEST(JointLaws, GroundMovesAndTurnsWithTime) {
  const ModelFile led = model_of(R"yaml(
dimension: 3
bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], at: [0, 0, 0]}}
points: {P: ["0.3*t^2", 0, 0]}
joints: [{type: weld, name: W, between: [P, b], turning: {axis: [0, 1, 0], angle: "0.4*t^3"}}]
outputs: {x: b.x, q0: b.q0, fx: W.fx, my: W.my}
)yaml");
  State end = end_of(led);
  EXPECT_NEAR(output_of(led, "x", end), 0.3 * 2.25, 1e-10);
  EXPECT_NEAR(output_of(led, "q0", end), std::cos(0.2 * std::pow(1.5, 3)), 1e-10);
  Vector a(led.system.size());
  end.lambda.resize(led.system.constraint_count());
  IndexOne(led.system, Multipliers{}).accelerate(instant(end), a, end.lambda);
  EXPECT_NEAR(output_of(led, "fx", end), 2.0 * 0.6, 1e-8);
  EXPECT_NEAR(output_of(led, "my", end), 0.3 * 0.4 * 6.0 * 1.5, 1e-8);

  expect_same_motion(R"yaml(
name: driven pivot
gravity: 9.81
bodies: {b: {mass: 2, inertia: 0.5, at: [1, 0]}}
points: {P: [0, "0.1*sin(5*t)"]}
joints: [{type: hinge, between: [P, b], angle: phi, turning: {angle: "0.5*t"}}]
initial: {phi': 0}
outputs: {angle: "phi + 0.5*t"}
)yaml",
                     R"yaml(
coordinates: [th]
let: {vy: "0.5*cos(5*t) + cos(th)*th'", vx: "-sin(th)*th'"}
kinetic: "vx^2 + vy^2 + 0.25*th'^2"
potential: "2*9.81*(0.1*sin(5*t) + sin(th))"
outputs: {angle: th}
initial: {th': 0.5}
)yaml");
}

TEST(Gears, WheelsInMeshRackAndPlanetsMoveAsOneInertia) {
  // A torque on the first of two wheels, 20 and 40 teeth: J = J₁ + J₂/4. A pinion on a rack: J + m r².
  const ModelFile wheels = model_of(R"yaml(
bodies: {a: {mass: 1, inertia: 0.2}, b: {mass: 1, inertia: 0.8, at: [1, 0]}, rack: {mass: 3, inertia: 1, at: [0, -0.1]}}
joints:
  - {type: hinge, between: [ground, a], at: [0, 0], angle: phi, torque: 0.5}
  - {type: hinge, between: [ground, b], at: [1, 0], angle: chi}
  - {type: slider, between: [ground, rack], axis: [1, 0], travel: s}
gears:
  - {between: [phi, chi], teeth: [20, 40], name: mesh}
  - {between: [phi, s], radius: 0.1}
outputs: {phi: phi, chi: chi, s: s, force: mesh.lambda}
)yaml");
  const State end = end_of(wheels);
  const double w = 0.5 / (0.2 + 0.25 * 0.8 + 3.0 * 0.01), turned = 0.5 * w * 1.5 * 1.5;
  EXPECT_NEAR(output_of(wheels, "phi", end), turned, 1e-9);
  EXPECT_NEAR(output_of(wheels, "chi", end), -0.5 * turned, 1e-9);
  EXPECT_NEAR(output_of(wheels, "s", end), 0.1 * turned, 1e-9);
  EXPECT_NEAR(std::abs(output_of(wheels, "force", end)), 0.8 * 0.5 * w, 1e-8);

  // Planet of 15 teeth between sun (20) and fixed ring (50): the carrier turns 20/70 as fast as the sun (Willis).
  const ModelFile planets = model_of(R"yaml(
bodies:
  sun: {mass: 1, inertia: 0.1}
  carrier: {mass: 1, inertia: 0.3}
  planet: {mass: 0.5, inertia: 0.02, at: [0.35, 0]}
joints:
  - {type: hinge, between: [carrier, ground], at: [0, 0], angle: ring}
  - {type: hinge, between: [carrier, sun], at: [0, 0], angle: s}
  - {type: hinge, between: [carrier, planet], at: [0.35, 0], angle: p}
gears:
  - {between: [s, p], teeth: [20, 15]}
  - {between: [p, ring], teeth: [15, -50]}
initial: {s': 5}
outputs: {sun: sun.w, carrier: carrier.w}
)yaml");
  const State turning = end_of(planets, 0.7);
  EXPECT_NEAR(output_of(planets, "carrier", turning) / output_of(planets, "sun", turning), 20.0 / 70.0, 1e-10);
}

TEST(Gears, BadInputIsNamed) {
  const std::string two = R"yaml(
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0]}}
joints: [{type: hinge, between: [ground, a], at: [0, 0], angle: phi}, {type: hinge, between: [ground, b], at: [1, 0], angle: chi}]
)yaml";
  const auto expect = [&](const std::string& gear, const std::string& part) {
    const std::string found = testing::error_of([&] { model_of(two + "gears: [" + gear + "]\n"); });
    EXPECT_NE(found.find(part), std::string::npos) << "\"" << found << "\" should say: " << part;
  };
  expect("{between: [phi, ph], ratio: 2}", "there is no angle or travel of a joint 'ph'");
  expect("{between: [phi, phi], ratio: 2}", "both coordinates are the same");
  expect("{between: [phi, chi]}", "needs a `ratio`");
  expect("{between: [phi, chi], ratio: 0}", "must not be zero");
  expect("{between: [phi, chi], ratio: 1, radius: 2}", "is enough");
}

TEST(Bushings, ContactsAndForcesNameWhatIsWrong) {
  const std::string two = "bodies: {a: {mass: 1, inertia: 1, axes: {up: [0, 1]}}, b: {mass: 1, inertia: 1, at: [1, 0]}}\n";
  const auto expect = [&](const std::string& more, const std::string& part) {
    const std::string found = testing::error_of([&] { model_of(two + more); });
    EXPECT_NE(found.find(part), std::string::npos) << "\"" << found << "\" should say: " << part;
  };
  const std::string bushing = "joints: [{type: bushing, between: [a, b], at: [0, 0], ";
  expect(bushing + "damping: [1, 1, 1]}]\n", "needs its `stiffness`");
  expect(bushing + "stiffness: [1, 1]}]\n", "needs 3 numbers");
  expect(bushing + "stiffness: [1, 1, -1]}]\n", "must not be negative");
  expect(bushing + "stiffness: [1, 1, 1], angle: phi}]\n", "has only `stiffness` and `damping`");
  expect("joints: [{type: weld, between: [a, b], turning: {angle: t}}]\n", "the ground or a point");
  expect("joints: [{type: weld, between: [ground, b], turning: {axis: [0, 1]}}]\n", "needs an `angle`");
  expect("contacts: [{between: [a, b]}]\n", "needs a `radius`, or the `normal` of a plane");
  expect("contacts: [{between: [a, b], normal: a.side}]\n", "axis of a");
  expect("contacts: [{between: [a, b], normal: [0, 1], inside: true}]\n", "turn its normal round");
  expect("contacts: [{between: [a, b], radius: [1, 1], inside: true}]\n", "two radii that differ");
  expect("forces: {a.nose.f1: 1}\n", "a.nose.f1");
  expect("forces: {a.f3: 1}\n", "a.f3");
}

/// A bar falls onto a stop and comes back with e times its rate.
TEST(Joints, LimitsThrowBackWithRestitution) {
  const ModelFile model = model_of(R"yaml(
bodies: {bar: {mass: 2, inertia: 0.5, at: [1, 0]}}
joints: [{type: hinge, between: [ground, bar], at: [0, 0], angle: phi, limits: [-0.5, 0.5]}]
initial: {phi': 2}
outputs: {rate: phi'}
)yaml");
  const Trajectory path =
      simulate(model.system, model.start.state, MoreauJean{.restitution = 0.7}, Multipliers{}, {.step = 1e-3, .end = 0.4});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_NEAR(output_of(model, "rate", path.last), -0.7 * 2.0, 2e-3);  // of first order in the step
}

TEST(Bushings, SwingAsTheirSpringsAndKeepMomenta) {
  // A way along an axis of the bushing is a harmonic motion; a turn about one has the energy κ sin²φ/2.
  const std::string body = R"yaml(
dimension: 3
bodies: {b: {mass: 2, inertia: [0.2, 0.3, 0.4], velocity: [0.3, 0, 0], spin: [0, 0, 1.5]}}
joints: [{type: bushing, between: [ground, b], at: [0, 0, 0], stiffness: [50, 60, 70, 1, 2, 3], damping: [4, 0, 0, 0, 0, 0.1]}]
outputs: {x: b.x, c: b.q0}
)yaml";
  const ModelFile model = model_of(body);
  const State end = end_of(model);
  const double t = 1.5, w = std::sqrt(25.0 - 1.0);  // ẍ + 2ẋ + 25x = 0
  EXPECT_NEAR(output_of(model, "x", end), 0.3 / w * std::exp(-t) * std::sin(w * t), 1e-9);
  const ModelFile angle = model_of(R"yaml(
coordinates: [phi]
kinetic: "0.2*phi'^2"
potential: "1.5*sin(phi)^2"
forces: {phi: "-0.1*cos(phi)^2*phi'"}
initial: {phi': 1.5}
outputs: {c: "cos(phi/2)"}
)yaml");
  EXPECT_NEAR(output_of(model, "c", end), output_of(angle, "c", end_of(angle)), 1e-9);

  // Two bodies that fly, with a bushing between them: energy and momenta, in the plane and in space.
  for (const char* text : {R"yaml(
bodies:
  a: {mass: 2, inertia: 0.7, at: [0, 0.2], rotation: 0.4, spin: 1.3, velocity: [0.2, -0.1]}
  b: {mass: 1, inertia: 0.3, at: [1.1, 0.5], rotation: -0.3}
joints: [{type: bushing, between: [a, b], at: [0.6, 0.4], axis: [0.6, 0.8], stiffness: [20, 30, 2]}]
)yaml",
                           R"yaml(
dimension: 3
bodies:
  a: {mass: 2, inertia: [0.5, 0.7, 0.9], at: [0, 0.2, 0.1], rotation: {axis: [1, 2, 3], angle: 0.4}, spin: [0.9, -0.4, 0.8]}
  b: {mass: 1, inertia: [0.3, 0.2, 0.25], at: [1.1, 0.5, -0.2]}
joints: [{type: bushing, between: [a, b], at: [0.6, 0.4, 0], axis: [0.6, 0, 0.8], stiffness: [20, 30, 25, 1, 2, 3]}]
)yaml"}) {
    const ModelFile flying = model_of(text);
    const Trajectory path =
        simulate(flying.system, flying.start.state, EnergyMomentum{}, Multipliers{}, {.step = 0.02, .end = 2.0});
    ASSERT_TRUE(path.finished()) << path.message;
    const Certificate c = certificate(flying.system, path);
    EXPECT_LE(c.energy.deviation, 1e-11);
    for (const Conserved& one : c.momenta) EXPECT_LE(one.deviation, 1e-11) << one.name;
  }
}

TEST(Contacts, BallsCollideByNewtonsLaw) {
  // Masses 2 and 1 along x, with 1 m/s towards each other's place; restitution 0.6.
  const ModelFile model = model_of(R"yaml(
dimension: 3
bodies:
  a: {mass: 2, shape: {sphere: 0.1}, velocity: [1, 0, 0]}
  b: {mass: 1, shape: {sphere: 0.2}, at: [0.8, 0, 0]}
contacts: [{between: [a, b], radius: [0.1, 0.2], name: touch}]
)yaml");
  const Trajectory path =
      simulate(model.system, model.start.state, MoreauJean{.restitution = 0.6}, Multipliers{}, {.step = 0.01, .end = 1.0});
  ASSERT_TRUE(path.finished()) << path.message;
  const double together = 2.0 / 3.0;
  EXPECT_NEAR(path.last.v[0], together - 0.6 / 3.0, 1e-9);
  EXPECT_NEAR(path.last.v[12], together + 0.6 * 2.0 / 3.0, 1e-9);
}

TEST(Contacts, StayInsideAndAboveAPlaneOfABody) {
  const auto gap = [](const std::string& contact) {
    const ModelFile model = model_of(R"yaml(
gravity: 9.81
bodies:
  table: {mass: 2, inertia: 0.4, rotation: 30 deg, axes: {up: [0, 1]}}
  ball: {mass: 1, inertia: 0.1, at: [0, 1]}
contacts: [)yaml" + contact + "]\n");
    return model.system.constraint_values(0.0, model.start.state.q)[model.system.constraint_count() - 1];
  };
  EXPECT_NEAR(gap("{between: [table, ball], radius: 0.2, normal: table.up}"), std::cos(std::numbers::pi / 6.0) - 0.2, 1e-12);
  EXPECT_NEAR(gap("{between: [table, ball], radius: 0.2, normal: [0, 1]}"), 0.8, 1e-12);
  EXPECT_NEAR(gap("{between: [table, ball], radius: [3, 1], inside: true}"), (4.0 - 1.0) / 4.0, 1e-12);
  EXPECT_NEAR(gap("{between: [table, ball], radius: [0.3, 0.2]}"), 0.5, 1e-12);
}

TEST(Forces, FollowTheBodyTheyActOn) {
  // A thrust along the body's own x, a metre beside the centre: the spin grows, ω = F t/J, the angle by half of F t²/J; work is force times way of the point.
  const ModelFile plane = model_of(R"yaml(
bodies: {b: {mass: 2, inertia: 0.5, points: {jet: [0, -1]}}}
forces: {b.jet.f1: 0.3}
outputs: {angle: b.angle, vx: b.vx, vy: b.vy}
)yaml");
  const State end = end_of(plane);
  EXPECT_NEAR(output_of(plane, "angle", end), 0.5 * 0.6 * 1.5 * 1.5, 1e-9);
  double vx = 0.0, vy = 0.0;  // ∫ F/m (cos θ, sin θ) dt by Simpson's rule
  constexpr int n = 2000;
  for (int k = 0; k <= n; ++k) {
    const double t = 1.5 * k / n, weight = (k == 0 || k == n ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) * 1.5 / (3.0 * n);
    vx += weight * 0.15 * std::cos(0.3 * t * t);
    vy += weight * 0.15 * std::sin(0.3 * t * t);
  }
  EXPECT_NEAR(output_of(plane, "vx", end), vx, 1e-9);
  EXPECT_NEAR(output_of(plane, "vy", end), vy, 1e-9);

  // A moment about the axis of symmetry of a body that tumbles: its own spin grows evenly, whatever the axis does.
  const ModelFile space = model_of(R"yaml(
dimension: 3
bodies: {b: {mass: 2, inertia: [0.2, 0.5, 0.5], spin: [1, 2, 3]}}
forces: {b.m1: 0.3, b.f2: 0.4}
outputs: {own: b.w1}
)yaml");
  EXPECT_NEAR(output_of(space, "own", end_of(space)), 1.0 + 0.3 / 0.2 * 1.5, 1e-9);
}

TEST(Joints, WhatIsHeldTwiceIsSaidInTheWordsOfTheJoint) {
  const ModelFile door = model_of(R"yaml(
dimension: 3
bodies: {door: {mass: 20, inertia: [3, 2, 1], at: [0.5, 0, 1]}}
joints:
  - {type: hinge, name: A, between: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1], angle: phi}
  - {type: hinge, name: B, between: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}
)yaml");
  const Inspection found = inspect(door);
  EXPECT_EQ(found.degrees_of_freedom, 1);
  EXPECT_EQ(found.gruebler, -4);
  const std::vector<std::string> expected{"hinge B: place along x is held already", "hinge B: place along y is held already",
                                          "hinge B: place along z is held already",
                                          "hinge B: rotation about x is held already",
                                          "hinge B: rotation about y is held already"};
  EXPECT_EQ(found.words, expected);
}

TEST(Joints, AnglesGivenFarAwayAreMet) {
  // A chain of three, placed stretched; the angles are those of the turn and not half a turn off.
  const ModelFile model = model_of(R"yaml(
bodies:
  a: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {out: [0.5, 0]}}
  b: {mass: 1, inertia: 0.1, at: [1.5, 0], points: {out: [0.5, 0]}}
  c: {mass: 1, inertia: 0.1, at: [2.5, 0], points: {out: [0.5, 0]}}
joints:
  - {type: hinge, between: [ground, a], at: [0, 0], angle: A}
  - {type: hinge, between: [a.out, b], angle: B}
  - {type: hinge, between: [c, b.out], angle: C}
initial: {A: 170 deg, B: -100 deg, C: -150 deg, A': 2}
outputs: {x: c.out.x, y: c.out.y}
)yaml");
  const auto at = [](double degrees) { return std::polar(1.0, degrees * std::numbers::pi / 180.0); };
  const std::complex<double> tip = at(170.0) + at(70.0) + at(220.0);
  EXPECT_NEAR(output_of(model, "x", model.start.state), tip.real(), 1e-12);
  EXPECT_NEAR(output_of(model, "y", model.start.state), tip.imag(), 1e-12);
}

}  // namespace
}  // namespace taut
