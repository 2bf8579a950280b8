#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <taut/system/autodiff.hpp>

/// f(z) = asin(√z)/√(z(1 − z)) = θ/sin θ for z = sin²(θ/2), its derivatives and divided differences.
namespace taut::turn {

constexpr double turn_series = 0.1;  // 26 terms reach round-off there

/// Coefficients of the series of f⁽ᵒʳᵈᵉʳ⁾, from that of z⁰ on, with some more for its derivatives.
template <int order>
constexpr auto turn_terms = [] {
  std::array<double, 28> out{};
  double one = 1.0;
  for (int k = 0; k < order + int(out.size()); ++k) {
    double falling = 1.0;
    for (int i = 0; i < order; ++i) falling *= k - i;
    if (k >= order) out[std::size_t(k - order)] = falling * one;
    one *= (2.0 * k + 2.0) / (2.0 * k + 3.0);
  }
  return out;
}();
constexpr int enough_terms(double z) { return z < 1e-3 ? 7 : (z < 0.02 ? 12 : 26); }  // to round-off

/// By f = Σ cₖzᵏ, c₀ = 1, cₖ₊₁ = cₖ (2k + 2)/(2k + 3), near z = 0; elsewhere by 2z(1 − z) f′ = 1 − (1 − 2z) f and its derivatives
/// 2z(1 − z) f⁽ⁿ⁺¹⁾ = 2n² f⁽ⁿ⁻¹⁾ − (2n + 1)(1 − 2z) f⁽ⁿ⁾.
template <int order> double turn_ratio(double z) {
  if (!(z < 1.0)) return std::numeric_limits<double>::quiet_NaN();
  if (z < turn_series) {
    double sum = 0.0;
    for (int k = enough_terms(z) - 1; k >= 0; --k) sum = sum * z + turn_terms<order>[std::size_t(k)];
    return sum;
  }
  const double w = 2.0 * z * (1.0 - z), u = 1.0 - 2.0 * z;
  double before = 0.0, here = std::asin(std::sqrt(z)) / std::sqrt(z * (1.0 - z));
  for (int n = 0; n < order; ++n) {
    const double next = ((n == 0 ? 1.0 : 2.0 * n * n * before) - (2.0 * n + 1.0) * u * here) / w;
    before = here;
    here = next;
  }
  return here;
}
template <int order, Differentiable X> X turn_ratio(const X& z) {
  if constexpr (requires { z.bend; })
    return z.chain({turn_ratio<order>(z.value), turn_ratio<order + 1>(z.value), turn_ratio<order + 2>(z.value)});
  else
    return z.chain({turn_ratio<order>(z.value), turn_ratio<order + 1>(z.value), {}});
}
/// The divided difference of the series, and its slope in the end: Horner's scheme carries both along.
template <int order, class T> T turn_difference(double start, const T& end) {
  const double z = plain(end);
  double value = 0.0, quotient = 0.0, slope = 0.0;
  for (int k = enough_terms(std::max(start, z)) + 1; k >= 0; --k) {
    slope = slope * z + quotient;
    quotient = quotient * z + value;
    value = value * start + turn_terms<order>[std::size_t(k)];
  }
  if constexpr (std::is_same_v<T, double>)
    return quotient;
  else
    return end.chain({quotient, slope, {}});
}
/// The divided difference: by the series; the quotient; or where both ends are near each other the mean of the derivative by three Gauss points.
template <int order, class A, class T> T turn_quotient(const A& start, const T& end, const A& first, const T& last) {
  if constexpr (std::is_same_v<A, double>)
    if (std::max(plain(start), plain(end)) < turn_series) return turn_difference<order>(start, end);
  const T way = end - start;
  constexpr double near = 0.02;  // of the way to z = 1: beyond it the quotient is exact to 1e-14, within it the quadrature
  if (std::abs(plain(way)) > near * (1.0 - std::max(plain(start), plain(end)))) return (last - first) / way;
  T quotient(0.0);
  const double off = std::sqrt(0.15);
  for (const auto& [node, weight] : {std::pair(0.5 - off, 5.0 / 18.0), {0.5, 8.0 / 18.0}, {0.5 + off, 5.0 / 18.0}})
    quotient += weight * turn_ratio<order + 1>(T(start + node * way));
  return quotient;
}

}  // namespace taut::turn
