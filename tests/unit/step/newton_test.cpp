#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <taut/step/newton.hpp>

namespace taut {
namespace {

/// One equation in one unknown.
class Scalar final : public NewtonProblem {
 public:
  Scalar(std::function<double(double)> f, std::function<double(double)> df) : f_(std::move(f)), df_(std::move(df)) {}
  void residual(const Vector& z, Vector& r) override { r = Vector::Constant(1, f_(z[0])); }
  bool linearize(const Vector& z) override {
    slope_ = df_(z[0]);
    return slope_ != 0.0;
  }
  void solve(const Vector& r, Vector& dz) override { dz = r / slope_; }
  double size(const Vector& dz) const override { return std::abs(dz[0]); }
  double threshold(double size_of_z, double tolerance) const override { return tolerance * (1.0 + size_of_z); }

 private:
  std::function<double(double)> f_, df_;
  double slope_ = 0.0;
};

TEST(Newton, ConvergesQuadraticallyWithAFreshMatrix) {
  Scalar cube([](double x) { return x * x * x - 2.0; }, [](double x) { return 3 * x * x; });
  Vector z = Vector::Constant(1, 1.5);
  const NewtonReport report = Newton({.refresh = Refresh::iteration}).solve(cube, z);
  EXPECT_EQ(report.status, Status::ok);
  EXPECT_NEAR(z[0], std::cbrt(2.0), 1e-14);
  EXPECT_LE(report.iterations, 6);
}

TEST(Newton, KeepsTheMatrixFromOneSolveToTheNext) {
  double right = 2.0;
  Scalar cube([&](double x) { return x * x * x - right; }, [](double x) { return 3 * x * x; });
  Newton newton;
  Vector z = Vector::Constant(1, 1.26);
  EXPECT_GE(newton.solve(cube, z).factorizations, 1);
  right = 2.001;
  const NewtonReport again = newton.solve(cube, z);
  EXPECT_EQ(again.status, Status::ok);
  EXPECT_EQ(again.factorizations, 0);
  EXPECT_NEAR(z[0], std::cbrt(2.001), 1e-13);
}

TEST(Newton, DampingFindsTheRootOfArctangentFromFarAway) {
  Scalar arc([](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); });
  Vector z = Vector::Constant(1, 20.0);
  EXPECT_EQ(Newton().solve(arc, z).status, Status::ok);
  EXPECT_NEAR(z[0], 0.0, 1e-12);
  Vector wild = Vector::Constant(1, 20.0);
  EXPECT_NE(Newton({.damping = false}).solve(arc, wild).status, Status::ok);
}

TEST(Newton, TellsNanSingularAndSlowApart) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Scalar undefined([&](double) { return nan; }, [](double) { return 1.0; });
  Scalar flat([](double) { return 1.0; }, [](double) { return 0.0; });
  Scalar rootless([](double x) { return x * x + 1.0; }, [](double x) { return 2 * x; });
  Vector z = Vector::Constant(1, 0.7);
  EXPECT_EQ(Newton().solve(undefined, z).status, Status::not_finite);
  EXPECT_EQ(Newton().solve(flat, z).status, Status::singular);
  EXPECT_EQ(Newton().solve(rootless, z).status, Status::slow);
}

TEST(Newton, StepsBackFromTheEdgeOfTheDomain) {
  // log x = −3 from x = 0.9: the full correction leads to x < 0, where the logarithm is not a number.
  Scalar logarithm([](double x) { return std::log(x) + 3.0; }, [](double x) { return 1 / x; });
  Vector z = Vector::Constant(1, 0.9);
  EXPECT_EQ(Newton().solve(logarithm, z).status, Status::ok);
  EXPECT_NEAR(z[0], std::exp(-3.0), 1e-12);
}

TEST(Newton, EndsAfterTheAllowedIterations) {
  Scalar slow([](double x) { return std::pow(x, 9); }, [](double x) { return 9 * std::pow(x, 8); });
  Vector z = Vector::Constant(1, 1.0);
  const NewtonReport report = Newton({.max_iterations = 5, .refresh = Refresh::iteration}).solve(slow, z);
  EXPECT_EQ(report.status, Status::slow);
  EXPECT_LE(report.iterations, 6);
}

}  // namespace
}  // namespace taut
