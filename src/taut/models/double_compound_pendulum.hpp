#pragma once

#include <taut/models/model.hpp>

/// The double compound pendulum of Glowinski and Holmström 1995, section 2: two rigid links, angles θ₁, θ₂ from the x axis, along
/// which gravity pulls; link 1 is hinged at the origin, the tip of link 2 is at l₁(cos, sin)(θ₁) + l₂(cos, sin)(θ₂).
namespace taut {

struct CompoundLinks {
  static constexpr int width = 2;
  double a1, a2;  ///< hinge to centre of mass, m
  double l1, l2;  ///< lengths, m
  double m1, m2;  ///< kg
  double I1, I2;  ///< about the centres of mass, kg m²
  double g = 9.81;

  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T kinetic(const T&, const Local<T, 2>& q, const Local<T, 2>& w) const {
    using std::cos;
    return (0.5 * (I1 + m1 * a1 * a1 + m2 * l1 * l1)) * (w[0] * w[0]) + (0.5 * (I2 + m2 * a2 * a2)) * (w[1] * w[1]) +
           (m2 * l1 * a2) * (w[0] * w[1] * cos(q[1] - q[0]));
  }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    using std::cos;
    return (-g * (m1 * a1 + m2 * l1)) * cos(q[0]) - (g * m2 * a2) * cos(q[1]);
  }
  std::string name() const { return "links of the double compound pendulum"; }
};

/// g = l₁ sin θ₁ + l₂ sin θ₂ − d ≤ 0: the tip stays in front of a wall at y = d.
struct TipBeforeWall {
  static constexpr int width = 2, rows = 1;
  double l1, l2, d;

  std::array<int, 2> stencil() const { return {0, 1}; }
  Set set() const { return Set::nonpositive; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const {
    using std::sin;
    return {l1 * sin(q[0]) + l2 * sin(q[1]) - d};
  }
  std::string name() const { return "tip before the wall"; }
};

/// (x − x₀)²/c² + (y − y₀)²/d² = 1 for the tip (x, y): equation (44).
struct TipOnEllipse {
  static constexpr int width = 2, rows = 1;
  double l1, l2, x0, y0, c, d;

  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const {
    using std::cos, std::sin;
    const T x = (l1 * cos(q[0]) + l2 * cos(q[1]) - x0) / c;
    const T y = (l1 * sin(q[0]) + l2 * sin(q[1]) - y0) / d;
    return {x * x + y * y - 1.0};
  }
  std::string name() const { return "tip on the ellipse"; }
};

/// A constant torque on the first link until a given time: equations (42), (45).
struct TorqueUntil {
  static constexpr int width = 1;
  double newton_metres, until;

  std::array<int, 1> stencil() const { return {0}; }
  template <class T> Local<T, 1> force(const T& t, const Local<T, 1>&, const Local<T, 1>&) const {
    return {T(t <= until ? newton_metres : 0.0)};
  }
  std::string name() const { return "torque on the first link"; }
};

/// Table 1: falls against the wall; the wall is an inequality, to be penalised.
Model gh95_wall();

/// Table 3 with the semi-axes in their right places and θ₁(0) moved onto the ellipse (the printed 2.271 misses it by 1.8e-4).
Model gh95_ellipse();

extern template class DynamicsTerms<CompoundLinks>;
extern template class DynamicsTerms<TorqueUntil>;
extern template class ConstraintTerms<TipBeforeWall>;
extern template class ConstraintTerms<TipOnEllipse>;

}  // namespace taut
