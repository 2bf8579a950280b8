#include <taut/linalg/eigenvalues.hpp>

#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using testing::error_of;
using testing::slope;
using Shape = HmmKernel::Shape;
using Macro = Hmm::Macro;
using Micro = Hmm::Micro;

TEST(HmmKernel, HasItsDiscreteMoments) {
  const auto defect = [](const HmmKernel& kernel, int n) {
    const std::vector<double> w = kernel.weights(n);
    const double first = kernel.forward ? 0.0 : -n;
    double largest = 0.0;
    for (int k = 0; k <= kernel.moments; ++k) {
      double sum = k == 0 ? -1.0 : 0.0;
      for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * std::pow((first + double(i)) / n, k);
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  };
  for (const Shape shape : {Shape::polynomial, Shape::exponential})
    for (const int n : {10, 100, 1000}) {
      for (const int moments : {1, 3, 5, 7, 9}) EXPECT_LE(defect({.shape = shape, .moments = moments}, n), 1e-12) << n;
      for (const int moments : {0, 1, 2, 3, 4, 5})
        EXPECT_LE(defect({.shape = shape, .moments = moments, .forward = true}, n), 1e-12) << n << " " << moments;
    }
  EXPECT_LE(defect({.shape = Shape::box, .moments = 1}, 50), 1e-14);
}

/// By a sum of its own, on other points than left_over() takes.
double left_over(const HmmKernel& kernel, double periods) {
  const int n = 1000;
  const std::vector<double> w = kernel.weights(n);
  double largest = 0.0;
  for (double p = periods - 0.5; p <= periods + 0.5; p += 0.02) {
    double sum = 0.0;
    for (int i = -n; i <= n; ++i) sum += w[std::size_t(i + n)] * std::cos(3.14159265358979 * p * i / n);
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

TEST(HmmKernel, SuppressesFastMotionAsIndependentlyComputed) {
  const double periods[] = {6, 8, 10, 12, 16};
  const double polynomial[] = {2e-3, 7e-5, 8e-6, 1e-6, 3e-8}, exponential[] = {8e-3, 2e-3, 4e-4, 9e-5, 9e-6};
  const auto within_two = [](double found, double expected) {
    EXPECT_GE(found, 0.5 * expected);
    EXPECT_LE(found, 2.0 * expected);
  };
  for (int k = 0; k < 5; ++k) {
    within_two(HmmKernel{}.left_over(periods[k]), polynomial[k]);
    within_two(HmmKernel{.shape = Shape::exponential}.left_over(periods[k]), exponential[k]);
    for (const Shape shape : {Shape::polynomial, Shape::exponential, Shape::box})
      EXPECT_NEAR(HmmKernel{.shape = shape}.left_over(periods[k]) / left_over({.shape = shape}, periods[k]), 1.0, 0.02);
  }
  // A plain mean leaves sin x/x, whatever its length.
  within_two(HmmKernel{.shape = Shape::box}.left_over(6), 5e-2);
  within_two(HmmKernel{.shape = Shape::box}.left_over(16), 2e-2);
}

TEST(HmmKernel, SmootherKernelsNeedLongerWindowsAndThenLeaveLess) {
  for (const bool forward : {false, true}) {
    const HmmKernel rough{.smoothness = 2, .forward = forward}, smooth{.smoothness = 9, .forward = forward};
    EXPECT_LT(rough.left_over(4), smooth.left_over(4));
    EXPECT_GT(rough.left_over(24), 30.0 * smooth.left_over(24));
    const double periods = smooth.periods_for(1e-4, 60.0);
    EXPECT_LE(smooth.left_over(periods), 1e-4);
    EXPECT_GT(smooth.left_over(periods - 0.5), 1e-4);
  }
  EXPECT_EQ(HmmKernel{.shape = Shape::box}.periods_for(1e-4, 60.0), 0.0) << "a plain mean is no filter";
}

Model pendulum() {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0});
  State start = at_rest(system, Vector{{1.0, 0.0}});
  return {std::move(system), std::move(start)};
}

Vector constrained_motion(const Model& model, double end) {
  return simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = end, .rtol = 1e-12})
      .last.q;
}

Trajectory run(const Model& model, double epsilon, const Integrator& scheme, double step, double end = 1.0) {
  return simulate(penalized(model.system, epsilon * epsilon), model.start, scheme, Multipliers{},
                  {.step = step, .end = end, .every = 0, .halvings = 0});
}

TEST(Hmm, FrequenciesOfAPenaltyAreThoseOfTheConstraints) {
  const Model model = chain({.links = 3, .angles = {0.3, 1.1, 2.0}});
  const double epsilon = 1e-5;
  const std::vector<double> found = frequencies(penalized(model.system, epsilon * epsilon), instant(model.start));
  const Eigen::MatrixXd G = model.system.constraint_gradient(0.0, model.start.q);  // unit masses
  const Vector squares = symmetric_eigenvalues(G * G.transpose());
  ASSERT_EQ(found.size(), 6u);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[std::size_t(3 + k)] * epsilon / std::sqrt(squares[k]), 1.0, 1e-6);
  EXPECT_LE(found[2], 10.0) << "the others are slow";
}

TEST(Hmm, HasTheOrderOfItsMacroSchemeOnThePendulum) {
  const Model model = pendulum();
  const Vector exact = constrained_motion(model, 1.0);
  struct Case {
    Macro macro;
    Micro micro;
    std::vector<double> steps;
    double order, tolerance;
  };
  for (const Case& one : {Case{Macro::rk4, Micro::verlet, {0.1, 0.05, 0.025}, 3.95, 0.25},
                          Case{Macro::rk4, Micro::damped, {0.1, 0.05, 0.025}, 4.0, 0.3},
                          Case{Macro::ab4, Micro::verlet, {0.02, 0.01, 0.005}, 4.0, 0.4},
                          Case{Macro::rk2, Micro::verlet, {0.01, 0.005, 0.0025}, 2.0, 0.2},
                          Case{Macro::euler, Micro::verlet, {0.004, 0.002, 0.001}, 1.0, 0.2}}) {
    std::vector<double> errors;
    for (const double H : one.steps) {
      const auto path = run(model, 1e-6, Hmm{.macro = one.macro, .micro = one.micro}, H);
      ASSERT_TRUE(path.finished()) << path.message;
      errors.push_back((path.last.q - exact).norm());
    }
    EXPECT_NEAR(slope(one.steps, errors), one.order, one.tolerance)
        << int(one.macro) << int(one.micro) << ": " << errors[0] << " " << errors.back();
  }
}

/// Frequencies that depend on the solution: stages that leave the slow manifold feel a force that is not there.
TEST(Hmm, NeedsItsProjectionsOnTheDoublePendulum) {
  const Model model = chain({.links = 2});
  const Vector exact = constrained_motion(model, 1.0);
  const auto error = [&](const Hmm& scheme, double H) {
    const auto path = run(model, 1e-4, scheme, H);
    EXPECT_TRUE(path.finished()) << path.message;
    return (path.last.q - exact).norm();
  };
  EXPECT_GE(error({.passes = 0}, 0.0125), 0.1);
  EXPECT_LE(error({.passes = 2}, 0.025), 1.5e-4);
  EXPECT_LE(error({}, 0.025), 1.5e-4) << "as many as are needed";
  EXPECT_LE(error({.macro = Macro::ab4, .passes = 0}, 0.0125), 5e-4) << "one micro run per step";
}

/// Three masses, two stiff springs and a soft one: the motion with rods in place of the stiff ones.
TEST(Hmm, AveragesStiffSpringsOfTheUser) {
  System free(Points{.count = 3, .dim = 2, .masses = {2.0, 1.0, 0.5}});
  free.add(Spring{.from = 0, .to = 1, .stiffness = 1e9, .length = 1.0})
      .add(Spring{.from = 1, .to = 2, .stiffness = 4e9, .length = 0.7})
      .add(Spring{.from = 0, .to = 2, .stiffness = 3.0, .length = 1.0});
  System rigid(Points{.count = 3, .dim = 2, .masses = {2.0, 1.0, 0.5}});
  rigid.add(Distance{.from = 0, .to = 1})
      .add(Distance{.from = 1, .to = 2, .length = 0.7})
      .add(Spring{.from = 0, .to = 2, .stiffness = 3.0, .length = 1.0});
  const State start =
      consistent_start(rigid, state_at(rigid, 0, Vector{{0, 0, 1, 0, 1, 0.7}}, Vector{{0, 1, 0, -1, 2, 0.5}})).state;
  const Vector exact = constrained_motion({rigid, start}, 1.0);
  const auto path = simulate(free, start, Hmm{}, Multipliers{}, {.step = 0.02, .end = 1.0, .every = 0, .halvings = 0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE((path.last.q - exact).norm(), 1e-5);
}

/// The first link a spring, the second held exactly: the motion and the reaction of two rods.
TEST(Hmm, HoldsConstraintsExactlyBesideSpringsWithTheOrderOfItsMacroScheme) {
  const Model model = chain({.links = 2});
  const double epsilon = 1e-6;
  const System soft = penalized(model.system, epsilon * epsilon, [](int row) { return row == 0; });
  ASSERT_EQ(soft.constraint_count(), 1);
  // Stretched out, both masses swing on the one spring: ω = 1/(ε √2).
  EXPECT_NEAR(frequencies(soft, instant(model.start)).back() * epsilon * std::sqrt(2.0), 1.0, 1e-6);
  const auto exact = simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{},
                              {.end = 1.0, .rtol = 1e-12, .every = 0});
  const std::vector<double> steps{0.025, 0.0125, 0.00625};
  for (const Macro macro : {Macro::rk4, Macro::ab4}) {
    std::vector<double> errors;
    for (const double H : steps) {
      const auto path = simulate(soft, model.start, Hmm{.macro = macro}, Multipliers{},
                                 {.step = H, .end = 1.0, .every = 0, .halvings = 0});
      ASSERT_TRUE(path.finished()) << path.message;
      errors.push_back((path.last.q - exact.last.q).norm());
      EXPECT_LE(std::abs(soft.constraint_values(1.0, path.last.q)[0]), 1e-14);
      EXPECT_LE(std::abs(soft.constraint_rates(instant(path.last))[0]), 1e-13);
      EXPECT_NEAR(path.last.lambda[0], exact.last.lambda[1], macro == Macro::rk4 ? 1e-3 : 1e-1);
    }
    EXPECT_NEAR(slope(steps, errors), 3.8, 0.35) << errors[0] << " " << errors.back();
    if (macro == Macro::rk4) {
      EXPECT_LE(errors.back(), 1e-6);
    }
  }
}

/// On the slow manifold the springs carry the load: g/ε² is the multiplier.
TEST(Hmm, SpringsShowTheMultiplierOfTheConstraint) {
  System system(Points{.count = 1, .dim = 2, .mass = 2.0});
  system.add(Gravity{.g = 10.0}).add(Pin{.point = 0, .length = 0.5});
  const Model model{system, at_rest(system, Vector{{0.0, -0.5}})};
  const auto path = run(model, 1e-5, Hmm{}, 0.05, 0.5);
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_NEAR(system.constraint_values(0.5, path.last.q)[0] * 1e10, 40.0, 1e-3);  // m g / L
}

/// In equilibrium there is no slow motion to measure the fast one against.
TEST(Hmm, LeavesAtRestWhatRests) {
  for (const double down : {0.0, -1.0}) {  // in the origin, and away from it
    System system(Points{.count = 1, .dim = 2});
    system.add(Gravity{}).add(Pin{.point = 0, .at = {0.0, down + 1.0}});
    for (const Macro macro : {Macro::rk4, Macro::ab4}) {
      const auto path = run({system, at_rest(system, Vector{{0.0, down}})}, 1e-6, Hmm{.macro = macro}, 0.05, 3.0);
      ASSERT_TRUE(path.finished()) << path.message;
      EXPECT_LE((path.last.q - Vector{{0.0, down}}).norm(), 1e-9);
    }
  }
}

TEST(Hmm, RunsBackwardAndInPartsLikeForwardAndInOne) {
  const Model model = chain({.links = 2, .angles = {1.2, 0.4}});
  const System soft = penalized(model.system, 1e-10);
  for (const Macro macro : {Macro::rk4, Macro::ab4}) {
    const Hmm scheme{.macro = macro};
    const auto whole = simulate(soft, model.start, scheme, Multipliers{}, {.step = 0.01, .end = 0.4, .renew = 7});
    ASSERT_TRUE(whole.finished()) << whole.message;
    const auto half = simulate(soft, model.start, scheme, Multipliers{}, {.step = 0.01, .end = 0.2});
    const auto rest = simulate(soft, half.last, scheme, Multipliers{},
                               {.step = 0.01, .end = 0.4, .resume = true, .earlier = half.earlier});
    EXPECT_LE((rest.last.q - whole.last.q).norm(), 1e-10);
    const auto back = simulate(soft, whole.last, scheme, Multipliers{}, {.step = 0.01, .end = 0.0});
    ASSERT_TRUE(back.finished()) << back.message;
    EXPECT_LE((back.last.q - model.start.q).norm(), 1e-4);
  }
  const auto controlled = simulate(soft, model.start, Hmm{}, Multipliers{}, {.step = 0.05, .end = 0.4, .rtol = 1e-5});
  ASSERT_TRUE(controlled.finished()) << controlled.message;
  EXPECT_LE((controlled.last.q - constrained_motion(model, 0.4)).norm(), 1e-4);
}

/// A figure of eight, x⁴ = x² − y²: at its crossing the gradient of the constraint vanishes, and with it the frequency of the spring.
struct OnFigureOfEight {
  static constexpr int width = 2, rows = 1;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const {
    return {q[0] * q[0] * q[0] * q[0] - q[0] * q[0] + q[1] * q[1]};
  }
};

TEST(Hmm, ReportsAFrequencyThatGoesToZeroAtASingularPosition) {
  System system(Points{.count = 1, .dim = 2});
  system.add(OnFigureOfEight{});
  const double x = 0.6, y = x * std::sqrt(1 - x * x);
  const State start = consistent_start(system, state_at(system, 0, Vector{{x, y}}, Vector{{-1.0, -0.4}})).state;
  for (const double epsilon : {1e-4, 1e-5, 1e-6})
    for (const double H : {0.05, 0.02, 0.0123}) {
      // Steps are halved where a step goes wrong, until one ends in the singular place.
      const auto path = simulate(penalized(system, epsilon * epsilon), start, Hmm{}, Multipliers{}, {.step = H, .end = 2.0});
      EXPECT_FALSE(path.finished()) << epsilon << " " << H;
      const bool told = path.message.find("a fast frequency went to zero") != std::string::npos ||
                        path.message.find("a fast frequency fell to ") != std::string::npos;
      EXPECT_TRUE(told) << path.message;
      EXPECT_LE(path.last.q.norm(), 0.3) << "near the crossing, not before: " << path.message;
    }
}

TEST(Hmm, SaysWithNumbersWhatCannotBe) {
  const Model model = chain({.links = 2});
  const auto told = [&](double epsilon, const Hmm& scheme, double H) { return run(model, epsilon, scheme, H).message; };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
  };
  // Slowest fast frequency 0.618/ε: a period of 1.01664e-4 s at ε = 1e-5.
  has(told(1e-5, {.window = 5e-5}, 0.01), "the window of 5e-05 s is shorter than the slowest fast period, 0.000101664 s");
  has(told(1e-5, {.micro_step = 1e-4}, 0.01),
      "the micro step of 0.0001 s is unstable at the fastest frequency, 161803 rad/s");
  has(told(1e-3, {}, 0.01), "the scales overlap: 618.0");
  has(told(1e-3, {}, 0.01), "is too fast for the step of 0.01 s, and its window of 0.086");
  has(told(1.0, {}, 0.01), "there is nothing fast: a step of 0.01 s resolves the highest frequency");
  // Without projections at a small ε the fast motion takes over, and no step of a run may stand for it.
  const std::string blown = told(1e-5, {.passes = 0}, 0.025);
  has(blown, "the multiscale step blew up at t = ");
  has(blown, "after 0 projections the fast motion holds ");
  const auto rigid = simulate(model.system, model.start, Hmm{}, Multipliers{}, {.step = 0.01, .end = 1.0, .halvings = 0});
  has(rigid.message, "which is held exactly; penalise what shall vibrate, with formulation: {penalty: epsilon}");
  has(error_of([&] { Hmm{.kernel = {.shape = Shape::box}}.check(); }), "take the polynomial kernel");
  has(error_of([&] { Hmm{.passes = -3}.check(); }), "passes must lie in [0, 100]");
  has(error_of([&] { Hmm{.resolution = 2.5}.check(); }),
      "resolution must lie in (0, 2), got 2.5; the micro runs are unstable beyond");
  has(error_of([&] { Hmm{.kernel = {.moments = 12}}.check(); }), "moments must lie in [0, 9]");
  has(error_of([&] { Hmm{.tolerance = 0.0}.check(); }), "tolerance must lie in (0, 1)");
}

TEST(Hmm, IsKnownByNameWithAllItsOptions) {
  const NamedOptions options{{"macro", "ab4"},    {"micro", "damped"},   {"kernel", "exponential"}, {"moments", "1"},
                             {"smoothness", "4"}, {"tolerance", "1e-6"}, {"passes", "2"},           {"periods", "12"},
                             {"window", "0.001"}, {"resolution", "0.7"}, {"micro_step", "1e-6"}};
  EXPECT_EQ(integrator_named("hmm", options).traits().levels, 4);
  for (const auto& [name, value] : options) EXPECT_NO_THROW(integrator_named("hmm", {{name, value}})) << name;
  EXPECT_NE(error_of([] { integrator_named("hmm", {{"passes", "1.5"}}); }).find("whole number"), std::string::npos);
  EXPECT_NE(error_of([] { integrator_named("hmm", {{"macro", "rk5"}}); }).find("euler, rk2, rk4, ab4"), std::string::npos);
  EXPECT_NE(error_of([] { integrator_named("hmm", {{"resolution", "3"}}); }).find("unstable"), std::string::npos);
}

}  // namespace
}  // namespace taut
