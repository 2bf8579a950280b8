#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// V = ½ k (|x_to − x_from| − l)² between two points, in Dim dimensions.
template <int Dim> struct SpringIn {
  static constexpr int width = 2 * Dim;
  int from, to;
  double stiffness, length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(from, to); }
  template <class T> T potential(const T&, const Local<T, width>& x) const {
    using std::sqrt;
    T square(0.0);
    for (int i = 0; i < Dim; ++i) {
      const T d = x[Dim + i] - x[i];
      square += d * d;
    }
    const T stretch = sqrt(square) - length;
    return (0.5 * stiffness) * (stretch * stretch);
  }
  /// Through s = |x_to − x_from|², whose discrete gradient is that in the middle: with r the lengths at the ends,
  /// [V(r₁) − V(r₀)]/(s₁ − s₀) = ½k (1 − 2l/(r₀ + r₁)).
  template <class T> Local<T, width> discrete(const T&, const Local<T, width>& a, const Local<T, width>& b) const {
    using std::sqrt;
    T start(0.0), end(0.0);
    for (int i = 0; i < Dim; ++i) {
      start += (a[Dim + i] - a[i]) * (a[Dim + i] - a[i]);
      end += (b[Dim + i] - b[i]) * (b[Dim + i] - b[i]);
    }
    const T quotient = (0.5 * stiffness) * (1.0 - (2.0 * length) / (sqrt(start) + sqrt(end)));
    Local<T, width> gradient;
    for (int i = 0; i < Dim; ++i) {
      gradient[Dim + i] = quotient * (a[Dim + i] - a[i] + b[Dim + i] - b[i]);
      gradient[i] = -gradient[Dim + i];
    }
    return gradient;
  }
  std::string name() const { return message("Spring {}-{}", from, to); }
};

/// A linear spring between two points.
struct Spring {
  int from = 0, to = 1;
  double stiffness = 1.0;  ///< N/m
  double length = 0.0;     ///< at rest, m

  template <int Dim> SpringIn<Dim> in(const Points&) const { return {from, to, stiffness, length}; }
  std::string name() const { return message("Spring {}-{}", from, to); }
};

extern template class DynamicsTerms<SpringIn<1>>;
extern template class DynamicsTerms<SpringIn<2>>;
extern template class DynamicsTerms<SpringIn<3>>;

}  // namespace taut
