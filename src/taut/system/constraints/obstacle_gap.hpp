#pragma once

#include <taut/system/constraints/segment_gap.hpp>
#include <vector>

namespace taut {

/// What stands in the way and does not move: everything nearer than a radius to a line of straight pieces. Hollow, it is everything else.
struct Obstacle {
  std::vector<std::array<double, 3>> axis;  ///< one point: a sphere; two: a cylinder with round ends; more: a bent one
  double radius;                            ///< m
  bool hollow = false;                      ///< a sphere, or a bore, inside of which things stay
};

/// The nearest place of a straight piece a + s u to the axis of an obstacle: the squared distance, s, and the way from the axis to it.
template <class T, std::size_t Dim> struct NearestToAxis {
  T square, s;
  std::array<T, Dim> apart;
};
template <std::size_t Dim, class T>
NearestToAxis<T, Dim> nearest_to_axis(const Obstacle& obstacle, const std::array<T, Dim>& a, const std::array<T, Dim>& u) {
  NearestToAxis<T, Dim> best{};
  const std::size_t pieces = std::max<std::size_t>(1, obstacle.axis.size() - 1);
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto &from = obstacle.axis[k], &to = obstacle.axis[std::min(k + 1, obstacle.axis.size() - 1)];
    std::array<T, Dim> b, w;
    for (std::size_t c = 0; c < Dim; ++c) {
      b[c] = T(from[c]);
      w[c] = T(to[c] - from[c]);
    }
    const auto [s, t] = nearest_places(a, u, b, w, 0.0);
    NearestToAxis<T, Dim> here{T(0.0), s, {}};
    for (std::size_t c = 0; c < Dim; ++c) {
      here.apart[c] = (a[c] + s * u[c]) - (b[c] + t * w[c]);
      here.square += here.apart[c] * here.apart[c];
    }
    if (k == 0 || here.square < best.square) best = here;
  }
  return best;
}

/// How far a tube around the nearest place is from an obstacle, with d the distance from the axis:
///
///     d − (R + r)  outside,      (c² − d²)/2c  inside, with the clearance c = R − r
///
/// The square has its slope on the axis too, where a thing inside may well be.
template <class T> T gap_to(const Obstacle& obstacle, double radius, const T& square) {
  using std::sqrt;
  if (!obstacle.hollow) return sqrt(square) - (obstacle.radius + radius);
  const double clearance = obstacle.radius - radius;
  return (0.5 / clearance) * (clearance * clearance - square);
}

/// g ≥ 0 of gap_to for a straight piece, or with one end for a point: λ < 0 is the force with which the obstacle pushes.
template <int Dim, int Ends> struct ObstacleGap {
  static constexpr int width = Ends * Dim, rows = 1;
  std::array<int, Ends> at;  ///< first coordinates
  double radius;             ///< of the tube, m
  std::shared_ptr<const Obstacle> obstacle;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < width; ++k) index[std::size_t(k)] = at[std::size_t(k / Dim)] + k % Dim;
    return index;
  }
  Set set() const { return Set::nonnegative; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& q) const {
    std::array<T, std::size_t(Dim)> a, u;
    for (std::size_t k = 0; k < Dim; ++k) {
      a[k] = q[k];
      u[k] = Ends == 1 ? T(0.0) : q[(Ends - 1) * Dim + k] - a[k];
    }
    return {gap_to(*obstacle, radius, nearest_to_axis(*obstacle, a, u).square)};
  }
  std::string name() const { return message("obstacle of coordinate {}", at[0]); }
};

}  // namespace taut
