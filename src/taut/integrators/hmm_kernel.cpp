#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/base/vector.hpp>
#include <taut/integrators/hmm_kernel.hpp>

namespace taut {

std::vector<double> HmmKernel::weights(int n) const {
  require(n >= 1, "HmmKernel: needs at least one point on each side, got {}.", n);
  require(moments >= 0 && moments <= 9 && smoothness >= 0 && smoothness <= 30,
          "HmmKernel: moments must lie in [0, 9] and smoothness in [0, 30], got {} and {}.", moments, smoothness);
  require(!forward || moments <= 5, "HmmKernel: ahead of its place a kernel has at most 5 vanishing moments, got {}.",
          moments);
  require(!forward || shape != Shape::box, "HmmKernel: a box has no moments to look back from ahead; take another shape.");
  const int first = forward ? 0 : -n, count = n - first + 1;
  const auto place = [&](int i) { return double(first + i) / n; };            // s
  const auto within = [&](double s) { return forward ? 2.0 * s - 1.0 : s; };  // u
  const auto bell = [&](double u) {
    const double rest = 1.0 - u * u;
    if (shape == Shape::box) return 1.0;
    if (rest <= 0.0) return 0.0;
    return shape == Shape::polynomial ? std::pow(rest, smoothness + 1) : std::exp(-5.0 / rest);
  };
  // w = bell(u) Σ aⱼ uʲ; around zero even powers make the odd moments vanish by themselves.
  const int stride = forward ? 1 : 2, unknowns = shape == Shape::box ? 1 : moments / stride + 1;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(unknowns, unknowns);
  for (int i = 0; i < count; ++i) {
    const double s = place(i), u = within(s), b = bell(u);
    for (int k = 0; k < unknowns; ++k)
      for (int j = 0; j < unknowns; ++j) A(k, j) += b * std::pow(s, stride * k) * std::pow(u, stride * j);
  }
  Vector right = Vector::Zero(unknowns);
  right[0] = 1.0;
  const Eigen::FullPivLU<Eigen::MatrixXd> factor(A);
  Vector a = factor.solve(right);
  a += factor.solve(right - A * a);  // the powers are nearly dependent: once more for the last digits
  std::vector<double> out(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const double u = within(place(i));
    double sum = 0.0;
    for (int j = unknowns - 1; j >= 0; --j) sum = sum * (stride == 1 ? u : u * u) + a[j];
    out[std::size_t(i)] = bell(u) * sum;
  }
  return out;
}

double HmmKernel::left_over(double periods) const {
  periods = std::min(periods, 1000.0);   // more leave less than round-off, except of a box
  const int n = 60 + int(10 * periods);  // well beyond two points per period
  const std::vector<double> w = weights(n);
  const double length = forward ? n : 2.0 * n;
  double largest = 0.0;
  for (double p = periods - 0.5; p <= periods + 0.5; p += 0.05) {
    const std::complex<double> turn = std::polar(1.0, 2.0 * std::numbers::pi * p / length);
    std::complex<double> sum = 0.0, at = 1.0;
    for (const double one : w) {
      sum += one * at;
      at *= turn;
    }
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

double HmmKernel::periods_for(double part, double most) const {
  for (double periods = 2.0; periods <= most; periods += 0.5)
    if (left_over(periods) <= part) return periods;
  return 0.0;
}

}  // namespace taut
