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
          std::tan, std::tanh, std::abs;                           \
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

TEST(Autodiff, WholePowersAreSmoothAtZero) {
  const auto y = pow(Hyper<1>::variable(0.0, 0), 2.0);
  EXPECT_EQ(y.slope[0], 0.0);
  EXPECT_EQ(y.second(0, 0), 2.0);
  EXPECT_EQ(pow(Hyper<1>::variable(0.0, 0), 1.0).slope[0], 1.0);
}

}  // namespace
}  // namespace taut
