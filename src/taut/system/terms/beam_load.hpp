#pragma once

#include <functional>
#include <taut/system/system.hpp>

namespace taut {

/// A force on one point that is a given function of time.
template <int Dim> struct PointForce {
  static constexpr int width = Dim;
  static constexpr bool given = true;
  int point;
  std::function<std::array<double, 3>(double t)> newtons;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  template <class T> Local<T, width> force(const T& t, const Local<T, width>&, const Local<T, width>&) const {
    const std::array<double, 3> f = newtons(plain(t));
    Local<T, width> Q;
    for (int d = 0; d < Dim; ++d) Q[d] = T(f[d]);
    return Q;
  }
  std::string name() const { return message("force on point {}", point); }
};

/// A force at a node of a beam that turns with it: Q = along·x′ + across·x′⊥, the second in the plane only.
template <int Dim> struct FollowerForce {
  static constexpr int width = 2 * Dim;
  int position, tangent;
  double along, across;

  std::array<int, width> stencil() const { return point_stencil<Dim>(position, tangent); }
  template <class T> Local<T, width> force(const T&, const Local<T, width>& q, const Local<T, width>&) const {
    Local<T, width> Q;
    for (int d = 0; d < Dim; ++d) {
      Q[d] = along * q[Dim + d];
      Q[Dim + d] = T(0.0);
    }
    if constexpr (Dim == 2) {
      Q[0] += -across * q[3];
      Q[1] += across * q[2];
    }
    return Q;
  }
  std::string name() const { return message("follower force on point {}", position); }
};

/// The load ∫f(s,t)·ψ ds on one cubic Hermite element, by Gauss points; a follower load is given along (x′, x′⊥).
template <int Dim, bool follower> struct ElementLoad {
  static constexpr int width = 4 * Dim;
  static constexpr bool given = !follower;
  struct Point {
    double s, weight;
    std::array<double, 4> shape, slope;
  };
  std::array<int, 4> at;
  std::array<Point, 5> points;
  std::function<std::array<double, 3>(double s, double t)> load;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < Dim; ++d) index[k * Dim + d] = at[k] + d;
    return index;
  }
  template <class T> Local<T, width> force(const T& t, const Local<T, width>& q, const Local<T, width>&) const {
    Local<T, width> Q;
    Q.fill(T(0.0));
    for (const Point& point : points) {
      const std::array<double, 3> f = load(point.s, plain(t));
      Local<T, Dim> local;
      for (int d = 0; d < Dim; ++d) {
        if constexpr (follower) {
          local[d] = T(0.0);
          for (int k = 0; k < 4; ++k) local[d] += point.slope[k] * q[k * Dim + d];
        } else {
          local[d] = T(f[d]);
        }
      }
      if constexpr (follower && Dim == 2) {
        local = {f[0] * local[0] - f[1] * local[1], f[0] * local[1] + f[1] * local[0]};
      } else if constexpr (follower) {
        for (T& component : local) component *= f[0];
      }
      for (int k = 0; k < 4; ++k)
        for (int d = 0; d < Dim; ++d) Q[k * Dim + d] += (point.weight * point.shape[k]) * local[d];
    }
    return Q;
  }
  std::string name() const { return message("load on the beam at s = {}", points[2].s); }
};

extern template class DynamicsTerms<PointForce<2>>;
extern template class DynamicsTerms<PointForce<3>>;
extern template class DynamicsTerms<FollowerForce<2>>;
extern template class DynamicsTerms<FollowerForce<3>>;
extern template class DynamicsTerms<ElementLoad<2, false>>;
extern template class DynamicsTerms<ElementLoad<3, false>>;
extern template class DynamicsTerms<ElementLoad<2, true>>;
extern template class DynamicsTerms<ElementLoad<3, true>>;

}  // namespace taut
