#pragma once

#include <Eigen/Core>
#include <limits>
#include <numeric>
#include <taut/system/block.hpp>
#include <vector>

/// Discrete gradients where values and derivatives are at hand but no template over the scalar: minimal coordinates, expressions.
namespace taut::detail {

/// A discrete gradient with its slope in a parameter x of the step, from values and slopes given at the ends and the middle.
/// See discrete_gradient.hpp for the formula; d is the difference of the ends, and dd·1 its slope.
template <int n> struct DiscreteParts {
  using Column = Eigen::Matrix<double, n, 1>;
  using Square = Eigen::Matrix<double, n, n>;
  Column d;
  double start, end;                  // φ
  Column start_slope{}, end_slope{};  // of φ at the ends, in x
  Column gradient;                    // ∇φ in the middle
  Square gradient_slope{};            // in x
  double dd = 0.0;

  double share() const {
    const double bracket = end - start - gradient.dot(d);
    const double noise = 4.0 * std::numeric_limits<double>::epsilon() * (std::abs(start) + std::abs(end));
    return std::abs(bracket) <= noise || d.isZero(0.0) ? 0.0 : bracket / d.squaredNorm();
  }
  Column value() const { return gradient + share() * d; }
  Square slope() const {
    const double s = share();
    Square out = gradient_slope;
    if (s == 0.0) return out;
    const Column bracket = end_slope - start_slope - gradient_slope.transpose() * d - dd * gradient;
    out += d * ((bracket - 2.0 * s * dd * d) / d.squaredNorm()).transpose();
    out.diagonal().array() += s * dd;
    return out;
  }
};

/// Slots that make add_slopes write a small column-major matrix.
inline std::vector<int> transposed_slots(int n) {
  std::vector<int> slots(std::size_t(n) * n);
  for (int i = 0; i < n * n; ++i) slots[i] = i / n + n * (i % n);
  return slots;
}

/// φ = τ − V between the ends of a step, with τ = ½ [T(v0 + v1) − T(v0) − T(v1)]. Since f(q, v) = ∂T/∂q − ∂V/∂q, its gradient is
/// ½ [f(v0 + v1) − f(v0) − f(v1) + f(0)] + f(0). The Lagrangian offers kinetic, potential, add and add_slopes as DynamicsBlock does, on
/// n neighbouring coordinates; slopes are those in v1, on which q1 depends by dq, and are left out for dq = 0.
template <int N, class Lagrangian>
DiscreteParts<N> lagrangian_parts(const Lagrangian& lagrangian, const Segment& step, double dq, int n) {
  using Column = Eigen::Matrix<double, N, 1>;
  const Column zero = Column::Zero(n);
  const Eigen::Map<const Column> q0(step.q0, n), q1(step.q1, n), v0(step.v0, n), v1(step.v1, n);
  const Column middle = 0.5 * (q0 + q1), sum = v0 + v1;
  const auto at = [&](const auto& q, const auto& v) { return Instant{step.t, q.data(), v.data()}; };
  const auto value = [&](const auto& q) {
    return 0.5 * (lagrangian.kinetic(at(q, sum)) - lagrangian.kinetic(at(q, v0)) - lagrangian.kinetic(at(q, v1))) -
           lagrangian.potential(at(q, zero));
  };
  const auto gradient = [&](const auto& q) {
    Column f = Column::Zero(n);
    lagrangian.add(at(q, sum), 0.0, 0.5, f.data());
    lagrangian.add(at(q, v0), 0.0, -0.5, f.data());
    lagrangian.add(at(q, v1), 0.0, -0.5, f.data());
    lagrangian.add(at(q, zero), 0.0, 1.5, f.data());
    return f;
  };
  DiscreteParts<N> out{.d = q1 - q0, .start = value(q0), .end = value(q1), .gradient = gradient(middle)};
  if (dq == 0.0) return out;

  const auto in_v1 = [&](const auto& q) {
    Column p = Column::Zero(n);
    lagrangian.add(at(q, sum), 0.5, 0.0, p.data());
    lagrangian.add(at(q, v1), -0.5, 0.0, p.data());
    return p;
  };
  out.gradient_slope.setZero(n, n);
  const std::vector<int> slots = transposed_slots(n);
  const auto slope = [&](const Column& v, double factor, double along_v) {
    lagrangian.add_slopes(at(middle, v), {.momentum = 0.0, .force = factor, .dq = 0.5 * dq, .dv = along_v}, slots.data(),
                          out.gradient_slope.data());
  };
  slope(sum, 0.5, 1.0);
  slope(v0, -0.5, 0.0);
  slope(v1, -0.5, 1.0);
  slope(zero, 1.5, 0.0);
  out.start_slope = in_v1(q0);
  out.end_slope = in_v1(q1) + dq * gradient(q1);
  out.dd = dq;
  return out;
}

/// One constraint between the ends of a step, from value(q), gradient(q) and add_curvature(q, weight, slots, values); slopes are those in q1.
template <int N, class Value, class Gradient, class Curvature>
DiscreteParts<N> constraint_parts(const Value& value, const Gradient& gradient, const Curvature& add_curvature,
                                  const double* q0, const double* q1, bool slopes, int n) {
  using Column = Eigen::Matrix<double, N, 1>;
  const Eigen::Map<const Column> a(q0, n), b(q1, n);
  const Column middle = 0.5 * (a + b);
  DiscreteParts<N> out{.d = b - a, .start = value(q0), .end = value(q1), .gradient = gradient(middle.data())};
  if (!slopes) return out;
  out.gradient_slope.setZero(n, n);
  const std::vector<int> slots = transposed_slots(n);
  add_curvature(middle.data(), 0.5, slots.data(), out.gradient_slope.data());
  out.start_slope.setZero(n);
  out.end_slope = gradient(q1);
  out.dd = 1.0;
  return out;
}

/// Scatters a small matrix: values[slots] += A, row by row.
template <class Small> void scatter(const Small& A, double weight, const int* slots, double* values) {
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j) values[slots[i * A.cols() + j]] += weight * A(i, j);
}

}  // namespace taut::detail
