#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// Through s = |x|², whose discrete gradient is that in the middle: with r the lengths at the ends of a step,
/// [V(r₁) − V(r₀)]/(s₁ − s₀) = ½k (1 − 2l/(r₀ + r₁)) for V = ½ k (|x| − l)². Rotations are kept.
template <class T> T spring_quotient(double stiffness, double length, const T& start, const T& end) {
  using std::sqrt;
  if (length == 0.0) return T(0.5 * stiffness);
  return (0.5 * stiffness) * (1.0 - (2.0 * length) / (sqrt(start) + sqrt(end)));
}

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
    if (length == 0.0) return (0.5 * stiffness) * square;  // without a kink where the ends meet
    const T stretch = sqrt(square) - length;
    return (0.5 * stiffness) * (stretch * stretch);
  }
  template <class T> Local<T, width> discrete(const T&, const Local<T, width>& a, const Local<T, width>& b) const {
    T start(0.0), end(0.0);
    for (int i = 0; i < Dim; ++i) {
      start += (a[Dim + i] - a[i]) * (a[Dim + i] - a[i]);
      end += (b[Dim + i] - b[i]) * (b[Dim + i] - b[i]);
    }
    const T quotient = spring_quotient(stiffness, length, start, end);
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

/// V = ½ k (|x − a| − l)² of one point, in Dim dimensions.
template <int Dim> struct TetherIn {
  static constexpr int width = Dim;
  int point;
  std::array<double, 3> at;
  double stiffness, length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  template <class T> T potential(const T&, const Local<T, width>& x) const {
    using std::sqrt;
    const T square = squared(x);
    if (length == 0.0) return (0.5 * stiffness) * square;
    const T stretch = sqrt(square) - length;
    return (0.5 * stiffness) * (stretch * stretch);
  }
  template <class T> Local<T, width> discrete(const T&, const Local<T, width>& a, const Local<T, width>& b) const {
    const T quotient = spring_quotient(stiffness, length, squared(a), squared(b));
    Local<T, width> gradient;
    for (int i = 0; i < Dim; ++i) gradient[i] = quotient * (a[i] + b[i] - 2.0 * at[i]);
    return gradient;
  }
  std::string name() const { return message("Tether {}", point); }

 private:
  template <class T> T squared(const Local<T, width>& x) const {
    T square(0.0);
    for (int i = 0; i < Dim; ++i) square += (x[i] - at[i]) * (x[i] - at[i]);
    return square;
  }
};

/// A linear spring between a point and a fixed place.
struct Tether {
  int point = 0;
  std::array<double, 3> at{};
  double stiffness = 1.0;  ///< N/m
  double length = 0.0;     ///< at rest, m

  template <int Dim> TetherIn<Dim> in(const Points&) const { return {point, at, stiffness, length}; }
  std::string name() const { return message("Tether {}", point); }
};

extern template class DynamicsTerms<TetherIn<1>>;
extern template class DynamicsTerms<TetherIn<2>>;
extern template class DynamicsTerms<TetherIn<3>>;
extern template class DynamicsTerms<SpringIn<1>>;
extern template class DynamicsTerms<SpringIn<2>>;
extern template class DynamicsTerms<SpringIn<3>>;

}  // namespace taut
