#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <type_traits>

/// Forward differentiation of fixed size, for the stencil of one term.
///
///     Dual<N>    value and gradient in N variables; over any scalar T, so that it nests
///     Hyper<N>   value, gradient and the lower half of the Hessian in N variables
///
/// A function f acts on both through its jet (f, f′, f″) at the value: Dual uses the first two, Hyper all three.
/// Why an own type and not a library: docs/decisions/0003-forward-differentiation.md, with the measurement.
namespace taut {

/// Operators of a differentiable X, found through X alone: plain numbers never meet them. Those with double keep constants cheap.
template <class X> struct Arithmetic {
  friend X operator+(X a, const X& b) { return a += b; }
  friend X operator-(X a, const X& b) { return a -= b; }
  friend X operator*(X a, const X& b) { return a *= b; }
  friend X operator/(const X& a, const X& b) { return a * reciprocal(b); }
  friend X operator+(X a, double b) { return a += b; }
  friend X operator+(double a, X b) { return b += a; }
  friend X operator-(X a, double b) { return a -= b; }
  friend X operator-(double a, const X& b) { return a + (-b); }
  friend X operator*(X a, double b) { return a *= b; }
  friend X operator*(double a, X b) { return b *= a; }
  friend X operator/(X a, double b) { return a *= 1.0 / b; }
  friend X operator/(double a, const X& b) { return a * reciprocal(b); }
  friend X operator-(X a) { return a *= -1.0; }
  friend X operator+(const X& a) { return a; }
  friend X& operator+=(X& a, double b) {
    a.value += b;
    return a;
  }
  friend X& operator-=(X& a, double b) {
    a.value -= b;
    return a;
  }

  // Order of values, for branches; the derivative is that of the branch taken.
  friend bool operator<(const X& a, const X& b) { return plain(a) < plain(b); }
  friend bool operator>(const X& a, const X& b) { return plain(a) > plain(b); }
  friend bool operator<(const X& a, double b) { return plain(a) < b; }
  friend bool operator>(const X& a, double b) { return plain(a) > b; }
  friend bool operator<=(const X& a, double b) { return plain(a) <= b; }
  friend bool operator>=(const X& a, double b) { return plain(a) >= b; }
};

template <int N, class T = double> struct Dual : Arithmetic<Dual<N, T>> {
  T value{};
  std::array<T, N> slope{};

  Dual() = default;
  Dual(const T& v) : value(v) {}  // NOLINT: a constant is a Dual with zero slope
  template <class S>
  requires(std::is_arithmetic_v<S> && !std::same_as<S, T>) Dual(S v) : value(T(double(v))) {}  // NOLINT

  static Dual variable(const T& v, int index) {
    Dual x(v);
    x.slope[index] = T(1.0);
    return x;
  }

  /// f(x) from f, f′ at the value.
  Dual chain(const std::array<T, 3>& jet) const {
    Dual y(jet[0]);
    for (int i = 0; i < N; ++i) y.slope[i] = jet[1] * slope[i];
    return y;
  }

  Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) slope[i] += b.slope[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) slope[i] -= b.slope[i];
    return *this;
  }
  Dual& operator*=(const Dual& b) {
    for (int i = 0; i < N; ++i) slope[i] = slope[i] * b.value + value * b.slope[i];
    value *= b.value;
    return *this;
  }
  Dual& operator*=(double b) {
    value *= b;
    for (int i = 0; i < N; ++i) slope[i] *= b;
    return *this;
  }
};

template <int N> struct Hyper : Arithmetic<Hyper<N>> {
  static constexpr int pairs = N * (N + 1) / 2;
  double value = 0.0;
  std::array<double, N> slope{};
  std::array<double, pairs> bend{};  ///< ∂²/∂i∂j for i ≥ j at i(i+1)/2 + j

  Hyper() = default;
  template <class S>
  requires std::is_arithmetic_v<S> Hyper(S v) : value(double(v)) {}  // NOLINT: a constant is a Hyper with zero slope

  static Hyper variable(double v, int index) {
    Hyper x(v);
    x.slope[index] = 1.0;
    return x;
  }

  double second(int i, int j) const { return i >= j ? bend[i * (i + 1) / 2 + j] : bend[j * (j + 1) / 2 + i]; }

  /// f(x) from f, f′, f″ at the value: f′ ∂²x + f″ ∂x ∂xᵀ.
  Hyper chain(const std::array<double, 3>& jet) const {
    Hyper y(jet[0]);
    for (int i = 0, k = 0; i < N; ++i) {
      y.slope[i] = jet[1] * slope[i];
      for (int j = 0; j <= i; ++j, ++k) y.bend[k] = jet[1] * bend[k] + jet[2] * slope[i] * slope[j];
    }
    return y;
  }

  Hyper& operator+=(const Hyper& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) slope[i] += b.slope[i];
    for (int k = 0; k < pairs; ++k) bend[k] += b.bend[k];
    return *this;
  }
  Hyper& operator-=(const Hyper& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) slope[i] -= b.slope[i];
    for (int k = 0; k < pairs; ++k) bend[k] -= b.bend[k];
    return *this;
  }
  Hyper& operator*=(const Hyper& b) {
    for (int i = 0, k = 0; i < N; ++i)
      for (int j = 0; j <= i; ++j, ++k)
        bend[k] = bend[k] * b.value + slope[i] * b.slope[j] + slope[j] * b.slope[i] + value * b.bend[k];
    for (int i = 0; i < N; ++i) slope[i] = slope[i] * b.value + value * b.slope[i];
    value *= b.value;
    return *this;
  }
  Hyper& operator*=(double b) {
    value *= b;
    for (int i = 0; i < N; ++i) slope[i] *= b;
    for (int k = 0; k < pairs; ++k) bend[k] *= b;
    return *this;
  }
};

template <class T> struct IsDifferentiable : std::false_type {};
template <int N, class T> struct IsDifferentiable<Dual<N, T>> : std::true_type {};
template <int N> struct IsDifferentiable<Hyper<N>> : std::true_type {};

template <class X>
concept Differentiable = IsDifferentiable<X>::value;

/// The plain number at the bottom of any nesting.
inline double plain(double x) { return x; }
template <Differentiable X> double plain(const X& x) { return plain(x.value); }

/// Jets: f, f′, f″ at x, over any scalar.
namespace jet {
using std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::log, std::pow, std::sin, std::sinh, std::sqrt,
    std::tan, std::tanh;

template <class T> std::array<T, 3> reciprocal(const T& x) {
  const T r = 1.0 / x, r2 = r * r;
  return {r, -r2, 2.0 * (r2 * r)};
}
template <class T> std::array<T, 3> sine(const T& x) {
  const T s = sin(x), c = cos(x);
  return {s, c, -s};
}
template <class T> std::array<T, 3> cosine(const T& x) {
  const T s = sin(x), c = cos(x);
  return {c, -s, -c};
}
template <class T> std::array<T, 3> tangent(const T& x) {
  const T y = tan(x), d = 1.0 + y * y;
  return {y, d, 2.0 * (y * d)};
}
template <class T> std::array<T, 3> arcsine(const T& x) {
  const T w = 1.0 / (1.0 - x * x), d = sqrt(w);
  return {asin(x), d, x * (w * d)};
}
template <class T> std::array<T, 3> arccosine(const T& x) {
  const T w = 1.0 / (1.0 - x * x), d = sqrt(w);
  return {acos(x), -d, -(x * (w * d))};
}
template <class T> std::array<T, 3> arctangent(const T& x) {
  const T d = 1.0 / (1.0 + x * x);
  return {atan(x), d, -2.0 * (x * (d * d))};
}
template <class T> std::array<T, 3> hyperbolic_sine(const T& x) {
  const T s = sinh(x);
  return {s, cosh(x), s};
}
template <class T> std::array<T, 3> hyperbolic_cosine(const T& x) {
  const T c = cosh(x);
  return {c, sinh(x), c};
}
template <class T> std::array<T, 3> hyperbolic_tangent(const T& x) {
  const T y = tanh(x), d = 1.0 - y * y;
  return {y, d, -2.0 * (y * d)};
}
template <class T> std::array<T, 3> root(const T& x) {
  const T s = sqrt(x), d = 0.5 / s;
  return {s, d, -0.5 * (d / x)};
}
template <class T> std::array<T, 3> exponential(const T& x) {
  const T e = exp(x);
  return {e, e, e};
}
template <class T> std::array<T, 3> logarithm(const T& x) {
  const T r = 1.0 / x;
  return {log(x), r, -(r * r)};
}
template <class T> std::array<T, 3> power(const T& x, double n) {
  const T second = n == 1.0 || n == 0.0 ? T(0.0) : (n * (n - 1.0)) * pow(x, n - 2.0);
  const T first = n == 0.0 ? T(0.0) : n * pow(x, n - 1.0);
  return {pow(x, n), first, second};
}
}  // namespace jet

template <Differentiable X> X reciprocal(const X& x) { return x.chain(jet::reciprocal(x.value)); }
template <Differentiable X> X sin(const X& x) { return x.chain(jet::sine(x.value)); }
template <Differentiable X> X cos(const X& x) { return x.chain(jet::cosine(x.value)); }
template <Differentiable X> X tan(const X& x) { return x.chain(jet::tangent(x.value)); }
template <Differentiable X> X asin(const X& x) { return x.chain(jet::arcsine(x.value)); }
template <Differentiable X> X acos(const X& x) { return x.chain(jet::arccosine(x.value)); }
template <Differentiable X> X atan(const X& x) { return x.chain(jet::arctangent(x.value)); }
template <Differentiable X> X sinh(const X& x) { return x.chain(jet::hyperbolic_sine(x.value)); }
template <Differentiable X> X cosh(const X& x) { return x.chain(jet::hyperbolic_cosine(x.value)); }
template <Differentiable X> X tanh(const X& x) { return x.chain(jet::hyperbolic_tangent(x.value)); }
template <Differentiable X> X sqrt(const X& x) { return x.chain(jet::root(x.value)); }
template <Differentiable X> X exp(const X& x) { return x.chain(jet::exponential(x.value)); }
template <Differentiable X> X log(const X& x) { return x.chain(jet::logarithm(x.value)); }
template <Differentiable X> X pow(const X& x, double n) { return x.chain(jet::power(x.value, n)); }
template <Differentiable X> X abs(const X& x) { return x < 0.0 ? -x : x; }

/// Whether no derivative of x is other than zero.
inline bool is_constant(double) { return true; }
template <Differentiable X> bool is_constant(const X& x) {
  const auto zero = [](const auto& entry) { return plain(entry) == 0.0 && is_constant(entry); };
  bool constant = is_constant(x.value);
  for (const auto& entry : x.slope) constant = constant && zero(entry);
  if constexpr (requires { x.bend; })
    for (const double entry : x.bend) constant = constant && entry == 0.0;
  return constant;
}

/// The derivatives of x with another value.
inline double with_value(double, double value) { return value; }
template <Differentiable X> X with_value(X x, double value) {
  x.value = with_value(x.value, value);
  return x;
}

// Functions of two variables, by those of one; values are those of the standard library to the last bit.

/// By the arctangent of whichever quotient is below one; both branches have the derivatives (x dy − y dx)/(x² + y²).
template <Differentiable X> X atan2(const X& y, const X& x) {
  const bool flat = std::abs(plain(y)) <= std::abs(plain(x));
  return with_value(flat ? atan(y / x) : -atan(x / y), std::atan2(plain(y), plain(x)));
}
template <Differentiable X> X atan2(const X& y, double x) { return atan2(y, X(x)); }
template <Differentiable X> X atan2(double y, const X& x) { return atan2(X(y), x); }

/// Squares are taken of numbers near one.
template <Differentiable X> X hypot(const X& x, const X& y) {
  const double size = std::max(std::abs(plain(x)), std::abs(plain(y)));
  const X a = x / size, b = y / size;
  return with_value(size * sqrt(a * a + b * b), std::hypot(plain(x), plain(y)));
}
template <Differentiable X> X hypot(const X& x, double y) { return hypot(x, X(y)); }
template <Differentiable X> X hypot(double x, const X& y) { return hypot(X(x), y); }

/// x^y = x^n·exp((y − n) log x) with n the value of y: the first factor has the derivatives in x at fixed y, which a negative x has too, the second is one.
template <Differentiable X> X pow(const X& x, const X& y) {
  const double n = plain(y);
  if (is_constant(y) || plain(x) == 0.0) return pow(x, n);
  return pow(x, n) * exp((y - n) * log(x));
}
template <Differentiable X> X pow(double x, const X& y) { return pow(X(x), y); }

}  // namespace taut
