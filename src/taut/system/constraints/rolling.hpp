#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// An upright disk that rolls without slipping: x′ = R φ′ cos θ and y′ = R φ′ sin θ, with its heading θ and the angle φ it has rolled.
struct RollingDisk {
  static constexpr int width = 4;
  static constexpr int rows = 2;
  int x = 0, y = 1, heading = 2, roll = 3;
  double radius = 1.0;  ///< m

  std::array<int, width> stencil() const { return {x, y, heading, roll}; }
  template <class T> Local<T, rows> rate(const T&, const Local<T, width>& q, const Local<T, width>& v) const {
    using std::cos, std::sin;
    return {v[0] - radius * v[3] * cos(q[2]), v[1] - radius * v[3] * sin(q[2])};
  }
  std::string name() const { return "rolling disk"; }
};

/// Two wheels on one axle about (x, y), each turning by itself: the axle does not slip along itself, and each wheel rolls,
///
///     x′ sin θ − y′ cos θ = 0,      x′ cos θ + y′ sin θ ∓ (b/2) θ′ = R φ′      left, right
struct WheelPair {
  static constexpr int width = 5;
  static constexpr int rows = 3;
  int x = 0, y = 1, heading = 2, left = 3, right = 4;
  double radius = 1.0, track = 1.0;  ///< m; b is the track

  std::array<int, width> stencil() const { return {x, y, heading, left, right}; }
  template <class T> Local<T, rows> rate(const T&, const Local<T, width>& q, const Local<T, width>& v) const {
    using std::cos, std::sin;
    const T c = cos(q[2]), s = sin(q[2]), forward = v[0] * c + v[1] * s, turning = (0.5 * track) * v[2];
    return {v[0] * s - v[1] * c, forward - turning - radius * v[3], forward + turning - radius * v[4]};
  }
  std::string name() const { return "wheel pair"; }
};

/// A ball that rolls on a horizontal table which turns about the vertical through the origin at the rate Ω (0: a plane at rest). With the spatial angular velocity
/// ω = 2 ė e* of its orientation e, a unit quaternion in four neighbouring coordinates,
///
///     x′ − R ω_y = −Ω y,      y′ + R ω_x = Ω x
///
/// Trap: the quaternion needs UnitQuaternion beside it, and inertia: for a ball T = 2 I |ė|², a mass of 4 I on each of its components.
struct RollingBall {
  static constexpr int width = 6;
  static constexpr int rows = 2;
  int x = 0, y = 1, orientation = 2;  ///< of the scalar part; the vector part follows
  double radius = 1.0;                ///< m
  double table = 0.0;                 ///< Ω, rad/s

  std::array<int, width> stencil() const { return {x, y, orientation, orientation + 1, orientation + 2, orientation + 3}; }
  template <class T> Local<T, rows> rate(const T&, const Local<T, width>& q, const Local<T, width>& v) const {
    const T omega_x = 2.0 * (q[2] * v[3] - v[2] * q[3] - v[4] * q[5] + v[5] * q[4]);
    const T omega_y = 2.0 * (q[2] * v[4] - v[2] * q[4] - v[5] * q[3] + v[3] * q[5]);
    return {v[0] - radius * omega_y + table * q[1], v[1] + radius * omega_x - table * q[0]};
  }
  std::string name() const { return "rolling ball"; }
};

/// (|e|² − 1)/2 = 0 for four neighbouring coordinates: they are an orientation.
struct UnitQuaternion {
  static constexpr int width = 4;
  static constexpr int rows = 1;
  int first = 0;

  std::array<int, width> stencil() const { return {first, first + 1, first + 2, first + 3}; }
  template <class T> Local<T, rows> value(const T&, const Local<T, width>& e) const {
    return {0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0)};
  }
  std::string name() const { return "unit quaternion"; }
};

extern template class VelocityTerms<RollingDisk>;
extern template class VelocityTerms<WheelPair>;
extern template class VelocityTerms<RollingBall>;
extern template class ConstraintTerms<UnitQuaternion>;

}  // namespace taut
