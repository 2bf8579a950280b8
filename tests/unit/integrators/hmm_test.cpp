#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using Shape = HmmKernel::Shape;

TEST(HmmKernel, HasItsDiscreteMoments) {
  for (const Shape shape : {Shape::polynomial, Shape::exponential})
    for (const int moments : {1, 3, 5, 7})
      for (const int n : {10, 100, 1000}) {
        const std::vector<double> w = HmmKernel{.shape = shape, .moments = moments}.weights(n);
        for (int k = 0; k <= moments; ++k) {
          double sum = 0.0;
          for (int i = -n; i <= n; ++i) sum += w[std::size_t(i + n)] * std::pow(double(i) / n, k);
          EXPECT_NEAR(sum, k == 0 ? 1.0 : 0.0, 1e-12) << n << " " << k;
        }
      }
}

/// What is left of an oscillation with about so many periods in the window: the largest over half a period more or less.
double left_over(Shape shape, double periods) {
  const int n = 1000;
  const std::vector<double> w = HmmKernel{.shape = shape}.weights(n);
  double largest = 0.0;
  for (double p = periods - 0.5; p <= periods + 0.5; p += 0.02) {
    double sum = 0.0;
    for (int i = -n; i <= n; ++i) sum += w[std::size_t(i + n)] * std::cos(3.14159265358979 * p * i / n);
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

TEST(HmmKernel, SuppressesFastMotionAsIndependentlyComputed) {
  const std::vector<double> periods{6, 8, 10, 12, 16};
  const std::vector<double> polynomial{2e-3, 7e-5, 8e-6, 1e-6, 3e-8};
  for (std::size_t k = 0; k < periods.size(); ++k) {
    const double found = left_over(Shape::polynomial, periods[k]);
    EXPECT_GE(found, 0.5 * polynomial[k]) << periods[k];
    EXPECT_LE(found, 3.0 * polynomial[k]) << periods[k];
    EXPECT_GE(left_over(Shape::box, periods[k]), 1e-2) << "a plain mean is no filter";
  }
}

TEST(Hmm, HasOrderFourOnThePendulum) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0});
  const State start = at_rest(system, Vector{{1.0, 0.0}});
  const Vector exact =
      simulate(system, start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 1.0, .rtol = 1e-12}).last.q;
  const std::vector<double> steps{0.1, 0.05, 0.025};
  std::vector<double> errors;
  for (const double H : steps) {
    const auto path = simulate(system, start, Hmm{.epsilon = 1e-5}, Multipliers{}, {.step = H, .end = 1.0, .every = 0});
    ASSERT_TRUE(path.finished) << path.message;
    EXPECT_GT(path.counts.evaluations, 1000);
    errors.push_back((path.last.q - exact).norm());
  }
  EXPECT_NEAR(testing::slope(steps, errors), 3.95, 0.25);
}

/// Frequencies that depend on the solution: stages that leave the slow manifold feel a force that is not there.
TEST(Hmm, NeedsItsProjectionsOnTheDoublePendulum) {
  const Model model = chain({.links = 2});
  const Vector exact =
      simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 1.0, .rtol = 1e-12}).last.q;
  const auto error = [&](int passes, double H) {
    const auto path = simulate(model.system, model.start, Hmm{.epsilon = 1e-4, .passes = passes}, Multipliers{},
                               {.step = H, .end = 1.0, .every = 0});
    EXPECT_TRUE(path.finished) << path.message;
    return (path.last.q - exact).norm();
  };
  EXPECT_GE(error(0, 0.0125), 0.1);
  EXPECT_LE(error(2, 0.025), 1.5e-4);
}

TEST(Hmm, GivesTheMultiplierOfTheConstraint) {
  System system(Points{.count = 1, .dim = 2, .mass = 2.0});
  system.add(Gravity{.g = 10.0}).add(Pin{.point = 0, .length = 0.5});
  const auto path = simulate(system, at_rest(system, Vector{{0.0, -0.5}}), Hmm{.epsilon = 1e-5}, Multipliers{},
                             {.step = 0.05, .end = 0.5});
  ASSERT_TRUE(path.finished) << path.message;
  EXPECT_NEAR(path.last.lambda[0], 40.0, 1e-3);  // m g / L
}

TEST(Hmm, SaysWithNumbersWhatCannotBe) {
  const Model model = chain({.links = 2});
  const auto told = [&](const Hmm& scheme) {
    return simulate(model.system, model.start, scheme, Multipliers{}, {.step = 0.01, .end = 0.1, .halvings = 0}).message;
  };
  EXPECT_NE(told({.epsilon = 1e-3, .window = 1e-3}).find("shorter than the slowest fast period"), std::string::npos)
      << told({.epsilon = 1e-3, .window = 1e-3});
  EXPECT_NE(told({.epsilon = 1e-3, .micro_step = 0.01}).find("unstable at the fastest frequency"), std::string::npos);
  System twice = model.system;
  twice.add(Distance{.from = 0, .to = 1}, "again");
  EXPECT_NE(simulate(twice, model.start, Hmm{}, Multipliers{}, {.step = 0.01, .end = 0.1, .halvings = 0})
                .message.find("goes to zero"),
            std::string::npos);
  System free(Points{.count = 1, .dim = 2});
  EXPECT_NE(testing::error_of([&] { Hmm{}.bind(free, Multipliers{}); }).find("no constraint to penalise"),
            std::string::npos);
}

}  // namespace
}  // namespace taut
