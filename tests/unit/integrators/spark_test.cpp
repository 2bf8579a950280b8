#include <taut/integrators/spark_tableau.hpp>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include "driven_pendulum.hpp"
#include "laws.hpp"

namespace taut {
namespace {

TEST(SparkTableau, SatisfiesTheConditionsOfItsDefinition) {
  for (int s = 1; s <= 6; ++s) {
    const SparkTableau& t = spark_tableau(s);
    // Quadrature: Gauss to degree 2s − 1, Lobatto with s + 1 nodes to 2s − 1.
    for (int k = 1; k <= 2 * s; ++k) {
      double gauss = 0.0, lobatto = 0.0;
      for (int j = 0; j < s; ++j) gauss += t.b[j] * std::pow(t.c[j], k - 1);
      for (int j = 0; j <= s; ++j) lobatto += t.lobatto_b[j] * std::pow(t.lobatto_c[j], k - 1);
      EXPECT_NEAR(gauss, 1.0 / k, 1e-15);
      EXPECT_NEAR(lobatto, 1.0 / k, 1e-15);
    }
    for (int k = 1; k <= s; ++k)
      for (int i = 0; i < s; ++i) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) sum += t.A(i, j) * std::pow(t.c[j], k - 1);
        EXPECT_NEAR(sum, std::pow(t.c[i], k) / k, 1e-15);
      }
    // Symplectic: bᵢaᵢⱼ + bⱼaⱼᵢ = bᵢbⱼ, and bᵢãᵢⱼ + b̃ⱼāⱼᵢ = bᵢb̃ⱼ.
    for (int i = 0; i < s; ++i) {
      for (int j = 0; j < s; ++j) EXPECT_NEAR(t.b[i] * t.A(i, j) + t.b[j] * t.A(j, i), t.b[i] * t.b[j], 1e-16);
      for (int j = 0; j <= s; ++j)
        EXPECT_NEAR(t.b[i] * t.tilde(i, j) + t.lobatto_b[j] * t.bar(j, i), t.b[i] * t.lobatto_b[j], 1e-16);
      EXPECT_NEAR(t.tilde(i, 0), t.lobatto_b[0], 1e-15);
      EXPECT_NEAR(t.tilde(i, s), 0.0, 1e-15);
    }
    EXPECT_LE((t.Q * t.alpha).row(s).norm(), 1e-14) << "gamma is orthogonal to alpha";
    EXPECT_LE(((t.Q * t.alpha).topRows(s) - t.A).norm(), 1e-14) << "Q~ alpha is A";
  }
  const SparkTableau& two = spark_tableau(2);
  EXPECT_NEAR(two.bar(1, 0), 0.25 + std::sqrt(3.0) / 8, 1e-15);
  EXPECT_NEAR(two.tilde(0, 1), 1.0 / 3 - std::sqrt(3.0) / 6, 1e-15);
}

TEST(SparkTableau, OtherFamiliesMeetTheirTextbookCoefficients) {
  const double r6 = std::sqrt(6.0);
  const SparkTableau& iia = spark_tableau(3, SparkFamily::radau_iia);
  EXPECT_NEAR(iia.c[0], (4 - r6) / 10, 1e-16);
  EXPECT_NEAR(iia.b[1], (16 + r6) / 36, 1e-16);
  EXPECT_NEAR(iia.A(0, 0), (88 - 7 * r6) / 360, 1e-16);
  EXPECT_NEAR(iia.A(0, 1), (296 - 169 * r6) / 1800, 1e-16);
  EXPECT_LE((iia.A.row(2).transpose() - iia.b).norm(), 1e-15) << "stiffly accurate";
  const SparkTableau& ia = spark_tableau(3, SparkFamily::radau_ia);
  EXPECT_NEAR(ia.A(1, 1), (88 + 7 * r6) / 360, 1e-15);
  EXPECT_NEAR(ia.A(0, 1), (-1 - r6) / 18, 1e-15);
  const SparkTableau& c = spark_tableau(3, SparkFamily::lobatto_iiic);
  Eigen::Matrix3d expected;
  expected << 1.0 / 6, -1.0 / 3, 1.0 / 6, 1.0 / 6, 5.0 / 12, -1.0 / 12, 1.0 / 6, 2.0 / 3, 1.0 / 6;
  EXPECT_LE((c.A - expected).norm(), 1e-15);
  for (int s = 2; s <= 6; ++s) {
    const SparkTableau& d = spark_tableau(s, SparkFamily::lobatto_iiid);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) EXPECT_NEAR(d.b[i] * d.A(i, j) + d.b[j] * d.A(j, i), d.b[i] * d.b[j], 1e-15) << s;
  }
}

/// A smooth potential on the second point, far from quadratic.
struct Hollow {
  static constexpr int width = 3;
  std::array<int, 3> stencil() const { return {3, 4, 5}; }
  template <class T> T potential(const T&, const Local<T, 3>& x) const {
    using std::sin;
    return 2.0 * x[0] * x[0] * x[0] + 5.0 * sin(2.0 * x[1]) * x[2] + 3.0 * x[2] * x[2];
  }
};

TEST(Spark, OtherFamiliesHaveTheOrderOfTheirTraits) {
  // With gravity alone the forces are constant and every family shows 2s.
  Model model = double_spherical_pendulum();
  model.system.add(Hollow{});
  const auto exact =
      simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.step = 1e-3, .end = 0.5}).last;
  for (const SparkFamily family :
       {SparkFamily::radau_iia, SparkFamily::radau_ia, SparkFamily::lobatto_iiic, SparkFamily::lobatto_iiid})
    for (const int s : {2, 3, 4}) {
      const Spark scheme{s, family};
      const int order = scheme.traits().order;
      const std::vector<double> steps =
          order > 4 ? std::vector{1.0 / 40, 1.0 / 48, 1.0 / 56, 1.0 / 64} : std::vector{1.0 / 80, 1.0 / 160, 1.0 / 320};
      std::vector<double> q, lambda;
      for (const double h : steps) {
        const auto path = simulate(model.system, model.start, scheme, Multipliers{}, {.step = h, .end = 0.5});
        ASSERT_TRUE(path.finished()) << path.message;
        q.push_back(std::hypot((path.last.q - exact.q).norm(), (path.last.v - exact.v).norm()));
        lambda.push_back((path.last.lambda - exact.lambda).norm());
        EXPECT_LE(certificate(model.system, path).position_residual, 1e-13);
        EXPECT_LE(certificate(model.system, path).velocity_residual, 1e-12);
      }
      EXPECT_NEAR(testing::slope(steps, q), order, 0.25) << scheme.traits().name << " " << q[0] << " " << q.back();
      EXPECT_GE(testing::slope(steps, lambda), order - 0.3) << scheme.traits().name;
    }
}

TEST(Spark, WithOneStageIsTheMidpointScheme) {
  const Model model = double_spherical_pendulum();
  const SimulateOptions options{.step = 0.01, .end = 5.0, .every = 0};
  const auto a = simulate(model.system, model.start, Spark{1}, Multipliers{}, options);
  const auto b = simulate(model.system, model.start, Midpoint{}, Multipliers{}, options);
  EXPECT_LE((a.last.q - b.last.q).norm(), 1e-12);
}

/// Mixed, nonholonomic and rheonomic problems, from expressions.
struct Problem {
  std::string name, text;
  double end;
};
const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{{"skate", R"yaml(
coordinates: [x, y, theta]
kinetic: "(x'^2 + y'^2)/2 + 0.05*theta'^2"
potential: "-3*x"
constraints: ["x'*sin(theta) - y'*cos(theta) = 0"]
initial: {"theta'": 2}
)yaml",
                                         1.25},
                                        {"turntable", R"yaml(
# a ball rolling on a table that turns: position, and the spin about its horizontal axes
coordinates: [x, y, a, b]
kinetic: "(x'^2 + y'^2)/2 + 0.2*(a'^2 + b'^2)"
constraints: ["x' - b' = -2*y", "y' + a' = 2*x"]
initial: {x: 1, "x'": 0.3, solve: ["a'", "b'"]}
)yaml",
                                         1.25},
                                        {"sleigh", R"yaml(
# two masses on a rod that slides along itself only at the first
masses: {A: {mass: 1, at: [0, 0], velocity: [0.5, 0]}, B: {mass: 0.7, at: [1, 0], velocity: [0.5, 1]}}
rods: [[A, B]]
constraints: ["A.x'*(B.y - A.y) - A.y'*(B.x - A.x) = 0"]
potential: "A.x^2/2 + 0.3*B.y"
)yaml",
                                         1.25},
                                        {"driven", driven_pendulum, 1.25}};
  return all;
}

TEST(Spark, HasOrderTwoSOnNonholonomicMixedAndRheonomicProblemsWithExactConstraints) {
  for (const Problem& problem : problems()) {
    const ModelFile model = parse_model(problem.text, problem.name);
    const auto exact = simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                                {.step = 1e-3, .end = problem.end})
                           .last;
    for (const int s : {1, 2, 3}) {
      // The turntable is linear and gentle: of order 6 it is at round-off with the steps of the others.
      const std::vector<double> steps = s == 3 && problem.name == "turntable" ? std::vector{0.625, 1.25 / 3, 0.3125}
                                        : s == 3                              ? std::vector{1.0 / 16, 1.0 / 20, 1.0 / 24}
                                                                              : std::vector{1.0 / 40, 1.0 / 80, 1.0 / 160};
      std::vector<double> q, lambda;
      for (const double h : steps) {
        const auto path =
            simulate(model.system, model.start.state, Spark{s}, Multipliers{}, {.step = h, .end = problem.end});
        ASSERT_TRUE(path.finished()) << problem.name << ": " << path.message;
        q.push_back(std::hypot((path.last.q - exact.q).norm(), (path.last.v - exact.v).norm()));
        lambda.push_back((path.last.lambda - exact.lambda).norm());
        const Certificate c = certificate(model.system, path);
        EXPECT_LE(c.position_residual, 1e-13) << problem.name;
        EXPECT_LE(c.velocity_residual, 1e-12) << problem.name;
      }
      EXPECT_NEAR(testing::slope(steps, q), 2 * s, 0.15) << problem.name << " " << s << " " << q[0] << " " << q.back();
      EXPECT_GE(testing::slope(steps, lambda), 2 * s - 0.2) << problem.name << " " << s;
    }
  }
}

TEST(Spark, FullAndModifiedNewtonGiveTheSameSteps) {
  const Multipliers full{.newton = {.refresh = Refresh::iteration}};
  std::vector<Model> models{double_spherical_pendulum(), gh95_ellipse(), chain({.links = 20})};
  for (const Problem& problem : problems()) {
    ModelFile file = parse_model(problem.text, problem.name);
    models.push_back({std::move(file.system), file.start.state});
  }
  for (std::size_t k = 0; k < models.size(); ++k)
    for (int s = 1; s <= 4; ++s) {
      const SimulateOptions options{.step = 0.01, .end = 0.1};
      const auto a = simulate(models[k].system, models[k].start, Spark{s}, Multipliers{}, options);
      const auto b = simulate(models[k].system, models[k].start, Spark{s}, full, options);
      ASSERT_TRUE(a.finished() && b.finished()) << k << " " << s << " " << a.message << b.message;
      const double size = std::max(1.0, a.last.q.lpNorm<Eigen::Infinity>());
      EXPECT_LE((a.last.q - b.last.q).lpNorm<Eigen::Infinity>(), 1e-13 * size) << k << " " << s;
      EXPECT_LE((a.last.v - b.last.v).lpNorm<Eigen::Infinity>(), 1e-12 * size) << k << " " << s;
      EXPECT_LE(b.counts.newton_most, 7) << "converges like Newton's method; problem " << k << ", s = " << s;
    }
}

TEST(Spark, TakesSpringsFarStifferThanItsStepResolves) {
  // Two stiff springs in place of rods: with h = 0.01 their oscillations take 1e-4 to 1e-3 of it.
  const Model held = double_spherical_pendulum();
  const State rods = simulate(held.system, held.start, Spark{2}, Multipliers{}, {.step = 0.01, .end = 1.0}).last;
  for (const double epsilon : {1e-8, 1e-10}) {
    const System soft = penalized(held.system, epsilon);
    for (const int s : {1, 2, 3}) {
      const auto path = simulate(soft, held.start, Spark{s}, Multipliers{}, {.step = 0.01, .end = 1.0});
      ASSERT_TRUE(path.finished()) << path.message;
      EXPECT_LE(path.counts.retried, 10);
      // What the springs were excited by at the start stays: damped by no Gauss scheme, and of one sign for even s.
      EXPECT_LE((path.last.q - rods.q).norm(), s == 1 ? 2e-2 : (s == 2 ? 1e-3 : 1e-4)) << s << " " << epsilon;
    }
  }
}

TEST(Spark, FindsDependentConstraints) {
  Model model = double_spherical_pendulum();
  model.system.add(Distance{.from = 0, .to = 1}, "again");
  const auto path = simulate(model.system, model.start, Spark{2}, Multipliers{}, {.step = 1e-2, .end = 0.5});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_EQ(path.dependent, std::vector<std::string>{"again"});
  EXPECT_NEAR(path.last.lambda[1], path.last.lambda[2], 1e-8);
}

TEST(Spark, EnergyDoesNotDriftOverALongRun) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0});
  const State start = at_rest(system, Vector{{std::sin(2.0), -std::cos(2.0)}});
  const auto path = simulate(system, start, Spark{2}, Multipliers{}, {.step = 0.05, .end = 100.0});
  const Certificate c = certificate(system, path);
  EXPECT_LE(c.energy.deviation, 1e-3);
  EXPECT_LE(std::abs(c.energy.drift), 1e-2 * c.energy.deviation);
}

/// x'² + y'² = c²z'² without springs: the direction of (x', y') stays, and d'Alembert's principle along it, with Chetaev's forces, gives
/// z'' = −g/(1 + c²): uniform acceleration.
TEST(Spark, AppellAndHamelsMechanismFallsUniformlyWithEveryScheme) {
  const double c = 1.5, g = 9.81, end = 0.7;
  const ModelFile model = parse_model(R"yaml(
coordinates: [x, y, z]
kinetic: "(x'^2 + y'^2 + z'^2)/2"
potential: "9.81*z"
constraints: ["x'^2 + y'^2 = 2.25*z'^2"]
initial: {"x'": 0.9, "y'": 1.2, "z'": -1}
)yaml",
                                      "appell");
  EXPECT_TRUE(model.system.turns());
  const double z = -end - 0.5 * g / (1.0 + c * c) * end * end, s = -c * z;
  const std::pair<Integrator, double> schemes[] = {
      {Spark{1}, 1e-5}, {Spark{2}, 1e-8}, {Spark{4}, 1e-10}, {RungeKutta{dormand_prince8()}, 1e-12}};
  for (const auto& [scheme, bound] : schemes) {
    const auto path = simulate(model.system, model.start.state, scheme, Multipliers{}, {.step = 0.05, .end = end});
    ASSERT_TRUE(path.finished()) << path.message;
    const Vector exact{{0.6 * s, 0.8 * s, z}};
    EXPECT_LE((path.last.q - exact).norm(), bound) << scheme.traits().name;
    EXPECT_LE(std::abs(model.system.constraint_rates(instant(path.last))[0]), 1e-13) << scheme.traits().name;
  }
}

/// A free relativistic particle in one dimension under a constant force: p = F t, x = (√(c⁴ + (c F t)²) − c²)/F for m = 1.
TEST(Spark, RelativisticParticleFollowsTheHyperbola) {
  const ModelFile model = parse_model("coordinates: [x]\nkinetic: \"-4*sqrt(1 - x'^2/4)\"\npotential: \"-3*x\"\n", "fast");
  EXPECT_FALSE(model.system.quadratic());
  const double exact = (std::sqrt(16.0 + 36.0) - 4.0) / 3.0;
  const auto error = [&](const Integrator& scheme, double h) {
    const auto path = simulate(model.system, model.start.state, scheme, Multipliers{}, {.step = h, .end = 1.0});
    EXPECT_TRUE(path.finished()) << path.message;
    return std::abs(path.last.q[0] - exact);
  };
  EXPECT_LE(error(Spark{3}, 0.05), 1e-9);
  EXPECT_LE(error(RungeKutta{dormand_prince8()}, 0.02), 1e-12);
  for (const Integrator& scheme : {Integrator(Spark{1}), Integrator(Midpoint{}), Integrator(Rattle{})})
    EXPECT_NEAR(std::log2(error(scheme, 0.02) / error(scheme, 0.01)), 2.0, 0.1) << scheme.traits().name;
  for (const Integrator& scheme : {Integrator(Gcn{}), Integrator(Newmark{}), Integrator(EnergyMomentum{})}) {
    try {
      scheme.bind(model.system, Multipliers{});
      ADD_FAILURE() << scheme.traits().name << " takes p for M v";
    } catch (const InputError& told) {
      EXPECT_NE(std::string(told.what()).find("spark1"), std::string::npos) << told.what();
    }
  }
}

}  // namespace
}  // namespace taut
