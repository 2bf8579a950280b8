#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <taut/system/autodiff.hpp>
#include <vector>

namespace taut {
namespace {

// Each function once, over any scalar.
struct Function {
  std::string name;
  double at;
  std::function<double(double)> plain;
  std::function<Hyper<1>(Hyper<1>)> hyper;
  std::function<Dual<1, Hyper<1>>(Dual<1, Hyper<1>>)> nested;
};

#define TAUT_FUNCTION(at, expression)                            \
  Function {                                                     \
#expression, at, [](auto x) {                                  \
      using std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::log, std::pow, std::sin, std::sinh, std::sqrt, \
          std::tan, std::tanh, std::abs, std::atan2, std::hypot;   \
      return expression;                                           \
    },                                                             \
        [](auto x) { return expression; }, [](auto x) { return expression; } \
  }

std::vector<Function> functions() {
  return {TAUT_FUNCTION(0.7, sin(x)),
          TAUT_FUNCTION(0.7, cos(x)),
          TAUT_FUNCTION(0.7, tan(x)),
          TAUT_FUNCTION(0.4, asin(x)),
          TAUT_FUNCTION(0.4, acos(x)),
          TAUT_FUNCTION(0.4, atan(x)),
          TAUT_FUNCTION(0.7, sinh(x)),
          TAUT_FUNCTION(0.7, cosh(x)),
          TAUT_FUNCTION(0.7, tanh(x)),
          TAUT_FUNCTION(1.7, sqrt(x)),
          TAUT_FUNCTION(0.7, exp(x)),
          TAUT_FUNCTION(1.7, log(x)),
          TAUT_FUNCTION(1.3, pow(x, 2.5)),
          TAUT_FUNCTION(1.3, pow(x, x)),
          TAUT_FUNCTION(1.3, pow(1.7, x)),
          TAUT_FUNCTION(0.8, pow(2.0 - x * x, 1.0 + sin(x))),
          TAUT_FUNCTION(0.4, atan2(x, 0.9)),
          TAUT_FUNCTION(0.9, atan2(0.4, -x)),
          TAUT_FUNCTION(0.4, atan2(x * x - 2.0, x)),
          TAUT_FUNCTION(0.7, hypot(x, 1.3)),
          TAUT_FUNCTION(0.7, hypot(-2.0, x)),
          TAUT_FUNCTION(0.7, hypot(x * x - 3.0, x)),
          TAUT_FUNCTION(-0.7, abs(x) * x),
          TAUT_FUNCTION(1.3, 1.0 / x),
          TAUT_FUNCTION(0.9, x / (2.0 - x)),
          TAUT_FUNCTION(0.9, (x - 3.0) * x + 2.0 - x),
          TAUT_FUNCTION(0.9, -x * (4.0 + x) / 2.0)};
}

TEST(Autodiff, DerivativesToThirdOrderMatchDifferencesForEveryFunction) {
  for (const Function& f : functions()) {
    const double x = f.at, h = 1e-4;
    const Hyper<1> y = f.hyper(Hyper<1>::variable(x, 0));
    EXPECT_DOUBLE_EQ(y.value, f.plain(x)) << f.name;
    EXPECT_NEAR(y.slope[0], (f.plain(x + h) - f.plain(x - h)) / (2 * h), 1e-6) << f.name;
    const Hyper<1> up = f.hyper(Hyper<1>::variable(x + h, 0)), down = f.hyper(Hyper<1>::variable(x - h, 0));
    EXPECT_NEAR(y.second(0, 0), (up.slope[0] - down.slope[0]) / (2 * h), 1e-6) << f.name;
    Dual<1, Hyper<1>> z(Hyper<1>::variable(x, 0));
    z.slope[0] = Hyper<1>(1.0);
    const auto w = f.nested(z);
    EXPECT_NEAR(w.slope[0].value, y.slope[0], 1e-13 * (1 + std::abs(y.slope[0]))) << f.name;
    EXPECT_NEAR(w.slope[0].second(0, 0), (up.bend[0] - down.bend[0]) / (2 * h), 1e-5) << f.name;
  }
}

TEST(Autodiff, MixedSecondDerivativesOfAProductOfThree) {
  using X = Hyper<3>;
  const X a = X::variable(2.0, 0), b = X::variable(3.0, 1), c = X::variable(5.0, 2);
  const X y = a * b * c;
  EXPECT_EQ(y.second(0, 1), 5.0);
  EXPECT_EQ(y.second(2, 0), 3.0);
  EXPECT_EQ(y.second(1, 2), 2.0);
  EXPECT_EQ(y.second(1, 1), 0.0);
}

TEST(Autodiff, AngleAndRadiusArePolarCoordinates) {
  using std::cos, std::sin;
  using X = Hyper<2>;
  // On all sides of the origin, and of the diagonals where the branches meet: r cos φ = x and r sin φ = y with all derivatives, and values to the last bit.
  for (int k = 0; k < 16; ++k) {
    const double turn = 0.1 + 0.39269908169872414 * k, a = 1.7 * std::cos(turn), b = 1.7 * std::sin(turn);
    const X x = X::variable(a, 0), y = X::variable(b, 1), phi = atan2(y, x), r = hypot(x, y);
    EXPECT_EQ(phi.value, std::atan2(b, a));
    EXPECT_EQ(r.value, std::hypot(a, b));
    for (const X& zero : {r * cos(phi) - x, r * sin(phi) - y}) {
      for (const double entry : zero.slope) EXPECT_NEAR(entry, 0.0, 1e-14);
      for (const double entry : zero.bend) EXPECT_NEAR(entry, 0.0, 1e-14);
    }
  }
}

TEST(Autodiff, RadiiNeitherOverflowNorVanish) {
  using X = Dual<2>;
  for (const double size : {1e-200, 1e200}) {
    const X r = hypot(X::variable(3.0 * size, 0), X::variable(-4.0 * size, 1));
    EXPECT_DOUBLE_EQ(r.value, 5.0 * size);
    EXPECT_DOUBLE_EQ(r.slope[0], 0.6);
    EXPECT_DOUBLE_EQ(r.slope[1], -0.8);
  }
}

TEST(Autodiff, PowersTakeExponentsThatVary) {
  using X = Hyper<2>;
  const double a = 1.3, b = -2.4, p = std::pow(a, b), l = std::log(a);
  const X y = pow(X::variable(a, 0), X::variable(b, 1));
  EXPECT_EQ(y.value, p);
  EXPECT_NEAR(y.slope[0], b * p / a, 1e-14);
  EXPECT_NEAR(y.slope[1], p * l, 1e-14);
  EXPECT_NEAR(y.second(0, 0), b * (b - 1.0) * p / (a * a), 1e-13);
  EXPECT_NEAR(y.second(0, 1), p / a * (1.0 + b * l), 1e-14);
  EXPECT_NEAR(y.second(1, 1), p * l * l, 1e-14);
  // A constant exponent asks for no logarithm.
  const X cube = pow(X::variable(-2.0, 0), X(3.0));
  EXPECT_EQ(cube.value, -8.0);
  EXPECT_EQ(cube.slope[0], 12.0);
  EXPECT_EQ(cube.second(0, 0), -12.0);
}

TEST(Autodiff, WholePowersAreSmoothAtZero) {
  const auto y = pow(Hyper<1>::variable(0.0, 0), 2.0);
  EXPECT_EQ(y.slope[0], 0.0);
  EXPECT_EQ(y.second(0, 0), 2.0);
  EXPECT_EQ(pow(Hyper<1>::variable(0.0, 0), 1.0).slope[0], 1.0);
}

}  // namespace
}  // namespace taut
