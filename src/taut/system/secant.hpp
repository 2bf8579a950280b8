#pragma once

#include <taut/system/autodiff.hpp>

namespace taut {

/// Discrete differentiation: a quantity at both ends of a step, and its secant slopes s in N variables π, so that
///
///     y(b) − y(a) = s·(b − a)                                                              exactly
///
/// The rules are those of derivatives with means in place of values: products s = x̄ s_y + ȳ s_x, reciprocals −s/(x_a x_b), functions of one variable
/// by their divided difference. So a function evaluated with Secant has its discrete gradient: nowhere 0/0, the same for both directions of the step,
/// ∇φ in the middle for quadratic φ, and with the symmetries of φ where the π have them. Over Dual the slopes of that gradient come too.
/// Trap: it depends on how φ is written, though by O(|b − a|²) only.
template <int N, class T = double> struct Secant {
  T start{}, end{};
  std::array<T, N> slope{};

  Secant() = default;
  Secant(double constant) : start(constant), end(constant) {}  // NOLINT: a constant does not change
  static Secant variable(const T& a, const T& b, int index) {
    Secant x;
    x.start = a;
    x.end = b;
    x.slope[index] = T(1.0);
    return x;
  }

  /// f(x) from its values at both ends and its divided difference between them.
  Secant chain(const T& at_start, const T& at_end, const T& quotient) const {
    Secant y;
    y.start = at_start;
    y.end = at_end;
    for (int i = 0; i < N; ++i) y.slope[i] = quotient * slope[i];
    return y;
  }

  Secant& operator+=(const Secant& b) {
    start += b.start;
    end += b.end;
    for (int i = 0; i < N; ++i) slope[i] += b.slope[i];
    return *this;
  }
  Secant& operator-=(const Secant& b) {
    start -= b.start;
    end -= b.end;
    for (int i = 0; i < N; ++i) slope[i] -= b.slope[i];
    return *this;
  }
  Secant& operator*=(double b) {
    start *= b;
    end *= b;
    for (int i = 0; i < N; ++i) slope[i] *= b;
    return *this;
  }
  friend Secant operator+(Secant a, const Secant& b) { return a += b; }
  friend Secant operator-(Secant a, const Secant& b) { return a -= b; }
  friend Secant operator*(Secant a, double b) { return a *= b; }
  friend Secant operator*(double a, Secant b) { return b *= a; }
  friend Secant operator-(Secant a) { return a *= -1.0; }
  friend Secant operator*(const Secant& a, const Secant& b) {
    Secant y;
    y.start = a.start * b.start;
    y.end = a.end * b.end;
    const T x = 0.5 * (a.start + a.end), z = 0.5 * (b.start + b.end);
    for (int i = 0; i < N; ++i) y.slope[i] = x * b.slope[i] + z * a.slope[i];
    return y;
  }
  friend Secant operator/(const Secant& a, const Secant& b) {
    const T first = 1.0 / b.start, last = 1.0 / b.end;
    return a * b.chain(first, last, -(first * last));
  }
};

}  // namespace taut
