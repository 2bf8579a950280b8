#pragma once

#include <taut/models/model.hpp>

/// The seven-body mechanism (Andrews' squeezer): a crank driven by a constant torque moves three loops, in the angles β, θ, γ, φ, δ, ω, ε and with six
/// constraints; one degree of freedom, which turns fast. G. C. Andrews, M. K. Ormrod, ASME 1986; W. Schiehlen (ed.), Multibody Systems Handbook (1990);
/// Test Set for IVP Solvers. As a model file: cases/andrews.yaml.
namespace taut {

/// Crank (β) and coupler (θ from it): T = ½ a β̇² + b β̇θ̇ + ½ c θ̇², with an arm r and the centre of mass of the coupler at s from its end.
struct CrankAndCoupler {
  static constexpr int width = 2;
  double crank, mass, inertia;  ///< moment of the crank; the coupler's mass, and its moment about the centre of mass
  double r, s;

  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T kinetic(const T&, const Local<T, 2>& q, const Local<T, 2>& w) const {
    using std::cos;
    const T turn = (mass * r * s) * cos(q[1]);
    return 0.5 * (crank + inertia + mass * (r * r + s * s) - 2.0 * turn) * (w[0] * w[0]) +
           (inertia + mass * s * s - turn) * (w[0] * w[1]) + (0.5 * (inertia + mass * s * s)) * (w[1] * w[1]);
  }
  std::string name() const { return "crank and coupler"; }
};

/// Two bodies in a row: the second angle turns the far body and the near end, the first the near body against it.
struct TwoInARow {
  static constexpr int width = 2;
  int first;                  ///< coordinate of the near angle; that of the far one follows it
  double far, mass, inertia;  ///< moment of the far body; the near one's mass, and its moment about the centre of mass
  double r, s;                ///< lengths of the far and of the near arm

  std::array<int, 2> stencil() const { return {first, first + 1}; }
  template <class T> T kinetic(const T&, const Local<T, 2>& q, const Local<T, 2>& w) const {
    using std::sin;
    const T turn = (mass * r * s) * sin(q[0]);
    return (0.5 * (inertia + mass * s * s)) * (w[0] * w[0]) + (inertia + mass * s * s + turn) * (w[0] * w[1]) +
           0.5 * (far + inertia + mass * (r * r + s * s) + 2.0 * turn) * (w[1] * w[1]);
  }
  std::string name() const { return "two bodies in a row"; }
};

/// The body on γ with its spring to a fixed point: ½ k (|spring end| − l)².
struct SprungBody {
  static constexpr int width = 1;
  double inertia, k, l;
  double along, across;  ///< of the spring's end on the body
  double x, y;           ///< hinge of the body, seen from the fixed point

  std::array<int, 1> stencil() const { return {2}; }
  std::array<double, 1> mass() const { return {inertia}; }
  template <class T> T potential(const T&, const Local<T, 1>& q) const {
    using std::cos, std::sin, std::sqrt;
    const T dx = along * cos(q[0]) + across * sin(q[0]) + x, dy = along * sin(q[0]) - across * cos(q[0]) + y;
    const T stretch = sqrt(dx * dx + dy * dy) - l;
    return (0.5 * k) * (stretch * stretch);
  }
  std::string name() const { return "sprung body"; }
};

struct CrankTorque {
  static constexpr int width = 1;
  double newton_metres;

  std::array<int, 1> stencil() const { return {0}; }
  template <class T> Local<T, 1> force(const T&, const Local<T, 1>&, const Local<T, 1>&) const { return {T(newton_metres)}; }
  std::string name() const { return "torque on the crank"; }
};

/// The end of the coupler, r e(β) − d e(β + θ) with e = (cos, sin), is where a body of length s, turned by γ, holds it.
struct LoopOverOne {
  static constexpr int width = 3, rows = 2;
  double r, d, s, x, y;

  std::array<int, 3> stencil() const { return {0, 1, 2}; }
  template <class T> Local<T, 2> value(const T&, const Local<T, 3>& q) const {
    using std::cos, std::sin;
    return {r * cos(q[0]) - d * cos(q[0] + q[1]) - s * sin(q[2]) - x,
            r * sin(q[0]) - d * sin(q[0] + q[1]) + s * cos(q[2]) - y};
  }
  std::string name() const { return "loop over one body"; }
};

/// … and where two in a row hold it: near e(a + b) or its normal, then far e(b) or its normal.
struct LoopOverTwo {
  static constexpr int width = 4, rows = 2;
  int first;  ///< coordinate of a
  double r, d, x, y;
  double near, near_normal, far, far_normal;

  std::array<int, 4> stencil() const { return {0, 1, first, first + 1}; }
  template <class T> Local<T, 2> value(const T&, const Local<T, 4>& q) const {
    using std::cos, std::sin;
    const T both = q[2] + q[3];
    return {r * cos(q[0]) - d * cos(q[0] + q[1]) + near * cos(both) - near_normal * sin(both) + far * cos(q[3]) -
                far_normal * sin(q[3]) - x,
            r * sin(q[0]) - d * sin(q[0] + q[1]) + near * sin(both) + near_normal * cos(both) + far * sin(q[3]) +
                far_normal * cos(q[3]) - y};
  }
  std::string name() const { return "loop over two bodies"; }
};

/// With the data of the Handbook, at rest.
Model seven_body();

extern template class DynamicsTerms<CrankAndCoupler>;
extern template class DynamicsTerms<TwoInARow>;
extern template class DynamicsTerms<SprungBody>;
extern template class DynamicsTerms<CrankTorque>;
extern template class ConstraintTerms<LoopOverOne>;
extern template class ConstraintTerms<LoopOverTwo>;

}  // namespace taut
