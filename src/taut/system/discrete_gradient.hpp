#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <taut/system/autodiff.hpp>

namespace taut {

/// Gonzalez' discrete gradient of a scalar function φ between a and b:
///
///     ∇̄φ = ∇φ(z) + [φ(b) − φ(a) − ∇φ(z)·d]/|d|² · d,      z = (a + b)/2,   d = b − a
///
/// so that d·∇̄φ = φ(b) − φ(a) exactly; ∇̄φ = ∇φ(z) + O(|d|²), and for quadratic φ it is ∇φ(z). Over any scalar X, so that its own slopes
/// come by differentiation too. Trap: the bracket is 0/0 for b → a. Once it is no larger than the round-off of φ it carries no
/// information and is dropped.
/// O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449–467.
template <int n, class X, class Function>
std::array<X, n> discrete_gradient(const Function& phi, const std::array<X, n>& a, const std::array<X, n>& b) {
  using Y = Dual<n, X>;
  std::array<Y, n> z;
  for (int i = 0; i < n; ++i) {
    z[i] = Y(X(0.5 * (a[i] + b[i])));
    z[i].slope[i] = X(1.0);
  }
  std::array<X, n> gradient = phi(z).slope;
  const X start = phi(a), end = phi(b);
  X bracket = end - start, square(0.0);
  for (int i = 0; i < n; ++i) {
    const X d = b[i] - a[i];
    bracket -= gradient[i] * d;
    square += d * d;
  }
  const double noise = 4.0 * std::numeric_limits<double>::epsilon() * (std::abs(plain(start)) + std::abs(plain(end)));
  if (std::abs(plain(bracket)) <= noise || plain(square) == 0.0) return gradient;
  const X share = bracket / square;
  for (int i = 0; i < n; ++i) gradient[i] += share * (b[i] - a[i]);
  return gradient;
}

}  // namespace taut
