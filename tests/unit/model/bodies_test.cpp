#include <Eigen/LU>
#include <taut/model/body.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using testing::error_of;

ModelFile built(const std::string& text) { return parse_model(text, "m.yaml", {}); }
std::string complaint(const std::string& text) {
  return error_of([&] { built(text); });
}
double value_at(const ModelFile& model, const std::string& name, const State& state) {
  for (const NamedExpression& one : model.outputs)
    if (one.name == name) return one.at(state);
  ADD_FAILURE() << "no output " << name;
  return 0.0;
}

/// Mass, centre and moments by adding up small cubes: an integral of its own, good to a percent or so.
MassDistribution counted(double half, const std::function<bool(const Eigen::Vector3d&)>& inside) {
  constexpr int n = 80;
  const double h = 2.0 * half / n;
  double mass = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (int i = 0; i < n * n * n; ++i) {
    const Eigen::Vector3d x((i % n + 0.5) * h - half, (i / n % n + 0.5) * h - half, (i / n / n + 0.5) * h - half);
    if (!inside(x)) continue;
    mass += h * h * h;
    first += h * h * h * x;
    second += h * h * h * (x.squaredNorm() * Eigen::Matrix3d::Identity() - x * x.transpose());
  }
  const Eigen::Vector3d c = first / mass;
  return {mass, c, second - mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose())};
}

TEST(Bodies, ShapesHaveTheMassAndInertiaOfTheirVolume) {
  const auto expect = [](const SolidShape& shape, const std::function<bool(const Eigen::Vector3d&)>& inside) {
    const MassDistribution exact = shape.mass(), found = counted(1.0, inside);
    EXPECT_NEAR(exact.mass, found.mass, 0.02 * exact.mass) << shape.kind;
    EXPECT_LE((exact.center - found.center).norm(), 0.02) << shape.kind;
    EXPECT_LE((exact.tensor - found.tensor).norm(), 0.03 * exact.tensor.norm()) << shape.kind;
  };
  expect({"box", {0.5, 0.8, 1.2}},
         [](const auto& x) { return std::abs(x[0]) < 0.25 && std::abs(x[1]) < 0.4 && std::abs(x[2]) < 0.6; });
  expect({"sphere", {0.8}}, [](const auto& x) { return x.norm() < 0.8; });
  const auto round = [](const auto& x) { return std::hypot(x[0], x[1]); };
  expect({"cylinder", {0.4, 1.5}}, [&](const auto& x) { return round(x) < 0.4 && std::abs(x[2]) < 0.75; });
  expect({"capsule", {0.35, 1.0}},
         [&](const auto& x) { return std::hypot(round(x), std::max(0.0, std::abs(x[2]) - 0.5)) < 0.35; });
  expect({"box", {0.5, 0.3, 0.4}, {0.2, -0.3, 0.1}, turn({0, 0, 1}, 0.5)}, [](const Eigen::Vector3d& x) {
    const Eigen::Vector3d own = turn({0, 0, 1}, -0.5) * (x - Eigen::Vector3d(0.2, -0.3, 0.1));
    return std::abs(own[0]) < 0.25 && std::abs(own[1]) < 0.15 && std::abs(own[2]) < 0.2;
  });
}

TEST(Bodies, SumOfShapesIsTheWhole) {
  const ModelFile halves = built(R"yaml(
dimension: 3
bodies:
  b: {density: 3, shape: [{box: [1, 0.4, 0.2], at: [-0.5, 0, 0]}, {box: [1, 0.4, 0.2], at: [0.5, 0, 0]}]}
)yaml");
  const ModelFile whole = built("dimension: 3\nbodies: {b: {density: 3, shape: {box: [2, 0.4, 0.2]}}}\n");
  State at = whole.start.state;
  for (Eigen::Index i = 0; i < at.v.size(); ++i) at.v[i] = std::sin(1.0 + double(i));
  EXPECT_LE((halves.system.momentum(instant(at)) - whole.system.momentum(instant(at))).norm(), 1e-14);
}

TEST(Bodies, InertiaInOtherAxesMovesTheSame) {
  // The same body, once along its principal axes, once in axes turned by 0.7 about z.
  const std::string run = "outputs: {wx: b.wx, wy: b.wy, wz: b.wz, px: b.p.x, q0: b.q0, q1: b.q1, q2: b.q2, q3: b.q3}\n";
  const ModelFile plain = built(
      "dimension: 3\nbodies: {b: {mass: 1, inertia: [1, 2, 2.5], spin: [0.3, 2, 0.4], points: {p: [1, 0, 0]}, "
      "rotation: {axis: [0, 0, 1], angle: 0.7}}}\n" +
      run);
  const Eigen::Matrix3d R = turn({0, 0, 1}, 0.7), J = R * Eigen::Vector3d(1, 2, 2.5).asDiagonal() * R.transpose();
  const auto number = [](double x) { return Tree(x).word; };
  std::string tensor = "[";
  for (int i = 0; i < 3; ++i)
    tensor += (i > 0 ? ", [" : "[") + number(J(i, 0)) + ", " + number(J(i, 1)) + ", " + number(J(i, 2)) + "]";
  const ModelFile turned =
      built("dimension: 3\nbodies: {b: {mass: 1, inertia: " + tensor + "], spin: [0.3, 2, 0.4], points: {p: [" +
            number(std::cos(0.7)) + ", " + number(std::sin(0.7)) + ", 0]}}}\n" + run);
  const auto end = [](const ModelFile& model) {
    return simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                    {.end = 3.0, .rtol = 1e-11})
        .last;
  };
  const State a = end(plain), b = end(turned);
  for (const char* name : {"wx", "wy", "wz", "px"})
    EXPECT_NEAR(value_at(plain, name, a), value_at(turned, name, b), 1e-9) << name;
  // Quaternions differ by the turn of the own axes: q_plain = q_turned · q(0.7 about z).
  const double c = std::cos(0.35), s = std::sin(0.35);
  const auto q = [&](int k) { return value_at(turned, "q" + std::to_string(k), b); };
  const double product = q(0) * c - q(3) * s;
  EXPECT_NEAR(std::abs(value_at(plain, "q0", a)), std::abs(product), 1e-9);
}

struct JointCase {
  const char *type, *options;
  int plane_freedom, space_freedom;  ///< of the second body against the first; −1: there is none
};
const JointCase joint_cases[] = {{"ball", "", 1, 3},       {"hinge", "axis", 1, 1},        {"weld", "", 0, 0},
                                 {"slider", "axis", 1, 1}, {"cylindrical", "axis", -1, 2}, {"planar", "axis", -1, 3},
                                 {"line", "axis", 2, 4},   {"plane", "axis", -1, 5},       {"universal", "axes", -1, 2},
                                 {"screw", "screw", -1, 1}};

/// Two bodies that fly, joined; no gravity.
std::string joined(const JointCase& joint, int dim, const std::string& more) {
  const bool plane = dim == 2;
  std::string axis;
  if (std::string(joint.options) == "axis" && !(plane && std::string(joint.type) == "hinge"))
    axis = plane ? ", axis: [0.6, 0.8]" : ", axis: [0.36, 0.48, 0.8]";
  if (std::string(joint.options) == "screw") axis = ", axis: [0.36, 0.48, 0.8], angle: phi, travel: s, pitch: 0.3";
  if (std::string(joint.options) == "axes") axis = ", axis: [[1, 0, 0], [0, 0.6, 0.8]]";
  return std::string("dimension: ") + (plane ? "2" : "3") + "\nbodies:\n" +
         (plane ? "  a: {mass: 2, inertia: 0.7, at: [0, 0.2], rotation: 0.4, spin: 1.3, velocity: [0.2, -0.1]}\n"
                  "  b: {mass: 1, inertia: 0.3, at: [1.1, 0.5], rotation: -0.3}\n"
                : "  a: {mass: 2, inertia: [0.5, 0.7, 0.9], at: [0, 0.2, 0.1], rotation: {axis: [1, 2, 3], angle: 0.4}, "
                  "spin: [0.9, -0.4, 0.8], velocity: [0.2, -0.1, 0.3]}\n"
                  "  b: {mass: 1, inertia: [0.3, 0.2, 0.25], at: [1.1, 0.5, -0.2], rotation: {axis: [2, 0, 1], angle: "
                  "-0.6}}\n") +
         "joints:\n  - {type: " + joint.type + ", between: [a, b], at: " + (plane ? "[0.6, 0.4]" : "[0.6, 0.4, 0.1]") +
         axis + more + ", name: J}\n";
}

TEST(Joints, LeaveTheFreedomOfTheirKindAndObeyTheLaws) {
  for (const int dim : {2, 3})
    for (const JointCase& joint : joint_cases) {
      const int freedom = dim == 2 ? joint.plane_freedom : joint.space_freedom;
      const std::string what = std::string(joint.type) + (dim == 2 ? " in the plane" : " in space");
      if (freedom < 0) {
        EXPECT_NE(complaint(joined(joint, dim, "")), "") << what;
        continue;
      }
      const ModelFile model = built(joined(joint, dim, ""));
      const int rigid = dim == 2 ? 3 : 6;
      EXPECT_EQ(model.system.size() - model.system.constraint_count(), rigid + freedom) << what;
      const Eigen::MatrixXd G = model.system.constraint_gradient(0.0, model.start.state.q);
      EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(G).rank(), G.rows()) << what;
      testing::expect_constraint_laws(model.system, model.start.state);
    }
}

TEST(Joints, KeepEnergyAndMomentaWithEnergyMomentum) {
  for (const int dim : {2, 3})
    for (const JointCase& joint : joint_cases) {
      if ((dim == 2 ? joint.plane_freedom : joint.space_freedom) < 0) continue;
      const ModelFile model = built(joined(joint, dim, ""));
      const auto path =
          simulate(model.system, model.start.state, EnergyMomentum{}, Multipliers{}, {.step = 0.02, .end = 4.0});
      ASSERT_TRUE(path.finished()) << joint.type << path.message;
      const Certificate c = certificate(model.system, path);
      EXPECT_LE(c.energy.deviation, 1e-11) << joint.type;
      ASSERT_EQ(c.momenta.size(), dim == 2 ? 3u : 6u) << joint.type;
      for (const Conserved& one : c.momenta) EXPECT_LE(one.deviation, 1e-11) << joint.type << ", " << one.name;
      EXPECT_LE(c.position_residual, 1e-12) << joint.type;
    }
}

/// Reactions do no work: what they do to both sides, over any motion that the joint allows, cancels. λᵀG v = 0 follows from G v = 0; here the sizes are
/// those of Newton's law for the second body alone.
TEST(Joints, ReactionsAreWhatMovesTheSecondBody) {
  for (const int dim : {2, 3})
    for (const JointCase& joint : joint_cases) {
      if ((dim == 2 ? joint.plane_freedom : joint.space_freedom) < 0) continue;
      std::string text = joined(joint, dim, "") + "outputs: {ax: b.x'', ay: b.y'', fx: J.fx, fy: J.fy}\n";
      const ModelFile model = built(text);
      const auto path = simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                                 {.end = 0.5, .rtol = 1e-11});
      ASSERT_TRUE(path.finished()) << joint.type << path.message;
      State state = path.last;
      Derived derived;
      derived.a.resize(model.system.size());
      state.lambda.resize(model.system.constraint_count());
      IndexOne(model.system, Multipliers{}).accelerate(instant(state), derived.a, state.lambda);
      const auto value = [&](const std::string& name) {
        for (const NamedExpression& one : model.outputs)
          if (one.name == name) return one.at(state, derived);
        return 0.0;
      };
      EXPECT_NEAR(value("ax"), value("fx"), 1e-7) << joint.type;  // the second body has one kilogram
      EXPECT_NEAR(value("ay"), value("fy"), 1e-7) << joint.type;
    }
}

TEST(Bodies, PendulumOfABodyIsThatInItsAngle) {
  const ModelFile body = built(R"yaml(
gravity: 9.81
bodies: {bar: {mass: 2, inertia: 0.5, at: [1, 0]}}
joints: [{type: hinge, between: [ground, bar], at: [0, 0], angle: phi, name: A}]
outputs: {phi: phi, w: phi'}
)yaml");
  const ModelFile angle = built(R"yaml(
coordinates: [phi]
kinetic: "2.5*phi'^2/2"
potential: "2*9.81*sin(phi)"
)yaml");
  const auto end = [](const ModelFile& model) {
    return simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                    {.end = 5.0, .rtol = 1e-12})
        .last;
  };
  const State a = end(body), b = end(angle);
  EXPECT_NEAR(value_at(body, "phi", a), b.q[0], 1e-9);
  EXPECT_NEAR(value_at(body, "w", a), b.v[0], 1e-9);
}

/// Jacobi's sn, cn and dn of u, by the arithmetic–geometric mean. M. Abramowitz and I. A. Stegun, Handbook, 16.4.
std::array<double, 3> jacobi(double u, double k) {
  std::vector<double> a{1.0}, c{k};
  double b = std::sqrt(1.0 - k * k);
  while (c.back() > 1e-17) {
    const double mean = 0.5 * (a.back() + b);
    c.push_back(0.5 * (a.back() - b));
    b = std::sqrt(a.back() * b);
    a.push_back(mean);
  }
  double phi = std::ldexp(a.back() * u, int(a.size()) - 1);
  for (std::size_t n = a.size() - 1; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1.0 - k * k * sn * sn)};
}

/// The free rotor in elliptic functions. L. D. Landau and E. M. Lifshitz, Mechanics, § 37.
TEST(Bodies, FreeRotorIsThatOfJacobi) {
  const double I[] = {1.0, 2.0, 3.0}, w[] = {0.8, 0.0, 1.5}, end = 7.0;
  const ModelFile body = built(R"yaml(
dimension: 3
bodies: {r: {mass: 1, inertia: [1, 2, 3], spin: [0.8, 0, 1.5]}}
outputs: {w1: r.w1, w2: r.w2, w3: r.w3}
)yaml");
  const State last =
      simulate(body.system, body.start.state, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = end, .rtol = 1e-12})
          .last;
  double E2 = 0.0, L2 = 0.0;
  for (int i = 0; i < 3; ++i) E2 += I[i] * w[i] * w[i], L2 += I[i] * I[i] * w[i] * w[i];
  ASSERT_GT(L2, E2 * I[1]);
  const double rate = std::sqrt((I[2] - I[1]) * (L2 - E2 * I[0]) / (I[0] * I[1] * I[2])),
               k = std::sqrt((I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0])));
  const auto [sn, cn, dn] = jacobi(rate * end, k);
  EXPECT_NEAR(value_at(body, "w1", last), std::sqrt((E2 * I[2] - L2) / (I[0] * (I[2] - I[0]))) * cn, 1e-10);
  EXPECT_NEAR(value_at(body, "w2", last), std::sqrt((E2 * I[2] - L2) / (I[1] * (I[2] - I[1]))) * sn, 1e-10);
  EXPECT_NEAR(value_at(body, "w3", last), std::sqrt((L2 - E2 * I[0]) / (I[2] * (I[2] - I[0]))) * dn, 1e-10);
}

/// Torques depend on rates of angles that have no inertia: those must be there first.
TEST(Joints, DampedHingesMoveAlikeWithEveryKindOfScheme) {
  const ModelFile body = built(R"yaml(
gravity: 9.81
bodies: {bar: {mass: 2, inertia: 0.5, at: [1, 0]}}
joints: [{type: hinge, between: [ground, bar], at: [0, 0], angle: phi, damping: 1.5, torque: "-0.3*phi'^2", name: A}]
outputs: {phi: phi}
)yaml");
  const ModelFile angle = built(R"yaml(
coordinates: [phi]
kinetic: "2.5*phi'^2/2"
potential: "2*9.81*sin(phi)"
forces: {phi: "-1.5*phi' - 0.3*phi'^2"}
)yaml");
  const auto phi = [](const ModelFile& model, const Integrator& integrator) {
    return simulate(model.system, model.start.state, integrator, Multipliers{}, {.end = 3.0, .rtol = 1e-11}).last.q;
  };
  const double exact = phi(angle, RungeKutta{dormand_prince8()})[0];
  for (const Integrator& integrator : {Integrator(RungeKutta{dormand_prince8()}), Integrator(Spark{.stages = 4})}) {
    const Trajectory path = simulate(body.system, body.start.state, integrator, Multipliers{}, {.end = 3.0, .rtol = 1e-11});
    EXPECT_NEAR(value_at(body, "phi", path.last), exact, 1e-8) << integrator.traits().name;
  }
}

/// Lagrange's top in Euler's angles: another formulation of the same motion.
TEST(Bodies, HeavyTopIsThatInEulersAngles) {
  const ModelFile body = built(R"yaml(
dimension: 3
gravity: 9.81
bodies:
  top: {mass: 1.5, inertia: [0.2, 0.2, 0.05], at: ["0.4*sin(0.6)", 0, "0.4*cos(0.6)"], rotation: {axis: [0, 1, 0], angle: 0.6},
        spin: ["30*sin(0.6)", 0, "30*cos(0.6) + 0.5"], axes: {own: [0, 0, 1]}}
joints: [{type: ball, between: [ground, top], at: [0, 0, 0]}]
outputs: {x: top.own.x, y: top.own.y, z: top.own.z}
)yaml");
  // T = A/2 (θ'² + φ'² sin²θ) + C/2 (ψ' + φ' cos θ)², A about the foot.
  const ModelFile angles = built(R"yaml(
parameters: {A: 0.2 + 1.5*0.16, C: 0.05}
coordinates: [theta, phi, psi]
kinetic: "A/2*(theta'^2 + (phi'*sin(theta))^2) + C/2*(psi' + phi'*cos(theta))^2"
potential: "1.5*9.81*0.4*cos(theta)"
initial: {theta: 0.6, phi': 0.5, psi': 30}
)yaml");
  const auto end = [](const ModelFile& model) {
    return simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                    {.end = 2.0, .rtol = 1e-12})
        .last;
  };
  const State a = end(body), b = end(angles);
  EXPECT_NEAR(value_at(body, "z", a), std::cos(b.q[0]), 1e-9);
  EXPECT_NEAR(value_at(body, "x", a), std::sin(b.q[0]) * std::cos(b.q[1]), 1e-9);
  EXPECT_NEAR(value_at(body, "y", a), std::sin(b.q[0]) * std::sin(b.q[1]), 1e-9);
}

TEST(Joints, CloseByThemselvesAndSayWhatGapes) {
  const std::string bars = R"yaml(
bodies:
  crank: {mass: 1, inertia: 0.1, at: [0, 0.5], rotation: 90 deg, points: {foot: [-0.5, 0], tip: [0.5, 0]}}
  coupler: {mass: 2, inertia: 0.4, at: [1, 1.2], points: {left: [-LONG, 0], right: [LONG, 0]}}
  rocker: {mass: 1.5, inertia: 0.3, at: [2, 0.75], rotation: 90 deg, points: {foot: [-0.75, 0], tip: [0.75, 0]}}
points: {O: [0, 0], P: [2, 0]}
joints:
  - {type: hinge, between: [O, crank.foot], angle: phi}
  - {type: hinge, between: [crank.tip, coupler.left]}
  - {type: hinge, between: [coupler.right, rocker.tip], name: C}
  - {type: hinge, between: [P, rocker.foot]}
initial: {phi: 80 deg, phi': 3}
)yaml";
  const auto with = [&](const std::string& length) {
    std::string text = bars;
    for (std::size_t at = text.find("LONG"); at != std::string::npos; at = text.find("LONG")) text.replace(at, 4, length);
    return text;
  };
  const ModelFile model = built(with("1.03"));
  EXPECT_LE(model.system.constraint_values(0.0, model.start.state.q).norm(), 1e-12);
  EXPECT_LE(model.system.constraint_rates(instant(model.start.state)).norm(), 1e-12);
  EXPECT_NEAR(model.start.state.q[12], 80.0 * std::numbers::pi / 180.0, 1e-14);
  EXPECT_NEAR(model.start.state.v[12], 3.0, 1e-14);
  EXPECT_NE(complaint(with("4")).find("C: place"), std::string::npos) << complaint(with("4"));
}

TEST(Bodies, BadInputIsNamed) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string found = complaint(text);
    EXPECT_NE(found.find(part), std::string::npos) << "\"" << found << "\" should say: " << part;
  };
  const std::string two = "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0], points: {p: [0, 0]}}}\n";
  expect("bodies: {a: {inertia: 1}}\n", "needs a `mass`");
  expect("bodies: {a: {mass: 1}}\n", "needs an `inertia`");
  expect("bodies: {a: {mass: 0, inertia: 1}}\n", "a body without mass has no inertia");
  expect("dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 3]}}\n", "none can be larger than the sum of the other two");
  expect("dimension: 3\nbodies: {a: {mass: 1, inertia: 1, rotation: {axis: [0, 0, 0], angle: 1}}}\n", "must not be zero");
  expect("dimension: 3\nbodies: {a: {mass: 1, inertia: 1, rotation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}}}\n",
         "is no rotation");
  expect("dimension: 3\nbodies: {a: {mass: 1, inertia: 1, rotation: {euler: zzx, angles: [1, 2, 3]}}}\n",
         "is not an order of axes");
  expect("masses: {a: {mass: 1}}\nbodies: {a: {mass: 1, inertia: 1}}\n", "taken already");
  expect("bodies: {a: {mass: 1, shape: {ball: 1}}}\n", "ball");
  expect(two + "joints: [{type: hinge, between: [a, a], at: [0, 0]}]\n", "both sides are the body 'a'");
  expect(two + "joints: [{type: hinge, between: [a, c], at: [0, 0]}]\n", "there is no mass or point 'c'");
  expect(two + "joints: [{type: hinge, between: [a, b]}]\n", "needs a place");
  expect(two + "joints: [{type: slider, between: [a, b]}]\n", "needs an `axis`");
  expect(two + "joints: [{type: screw, between: [a, b], at: [0, 0]}]\n", "screw");
  expect(two + "joints: [{type: slider, between: [a, b], axis: [0, 0]}]\n", "must not be zero");
  expect(two + "joints: [{type: hinge, between: [a, b.p], stiffness: 3}]\n", "needs a name for the `angle`");
  expect(two + "joints: [{type: hinge, between: [a, b.p], angle: x, limits: [2, 1]}]\n", "must be below");
}

}  // namespace
}  // namespace taut
