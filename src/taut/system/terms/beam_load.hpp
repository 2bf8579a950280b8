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

/// The same on an element of a rod, along its directors: ∫(Σ fᵢ(s,t) dᵢ)·ψ ds. Between the nodes d₃ is the tangent of the cubic, and d₁, d₂ are what lies across it of their weighted means; with
/// the means alone loads that follow would be of order 2. So they are where the rod shears, whose tangent is not d₃.
struct DirectorLoad {
  static constexpr int width = 24;
  struct Point {
    double s, xi, weight;
    std::array<double, 4> shape, slope;
  };
  std::array<int, 8> at;  ///< first coordinates of x, d₁, d₂, d₃ of both nodes
  std::array<Point, 5> points;
  bool shears;
  std::function<std::array<double, 3>(double s, double t)> load;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (std::size_t k = 0; k < width; ++k) index[k] = at[k / 3] + int(k % 3);
    return index;
  }
  template <class T> Local<T, width> force(const T& t, const Local<T, width>& q, const Local<T, width>&) const {
    Local<T, width> Q;
    Q.fill(T(0.0));
    for (const Point& point : points) {
      const std::array<double, 3> f = load(point.s, plain(t));
      Local<T, 3> tangent, sum;
      for (std::size_t c = 0; c < 3; ++c) {
        tangent[c] = shears ? mean(point, q, 2, c) : T(0.0);
        for (std::size_t k = 0; !shears && k < 4; ++k) tangent[c] += point.slope[k] * q[first[k] + c];
        sum[c] = T(0.0);
      }
      tangent = unit(tangent);
      for (std::size_t i = 0; i < 3; ++i) {
        if (f[i] == 0.0) continue;
        Local<T, 3> d;
        T along(0.0);
        for (std::size_t c = 0; c < 3; ++c) along += mean(point, q, i, c) * tangent[c];
        for (std::size_t c = 0; c < 3; ++c) d[c] = i == 2 ? tangent[c] : mean(point, q, i, c) - along * tangent[c];
        d = unit(d);
        for (std::size_t c = 0; c < 3; ++c) sum[c] += f[i] * d[c];
      }
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t c = 0; c < 3; ++c) Q[first[k] + c] += (point.weight * point.shape[k]) * sum[c];
    }
    return Q;
  }
  std::string name() const { return message("load on the rod at s = {}", points[2].s); }

 private:
  static constexpr std::array<std::size_t, 4> first{0, 9, 12, 21};  // of x, d₃, x₊, d₃₊
  template <class T> static T mean(const Point& point, const Local<T, width>& q, std::size_t i, std::size_t c) {
    return (1.0 - point.xi) * q[3 + 3 * i + c] + point.xi * q[15 + 3 * i + c];
  }
  template <class T> static Local<T, 3> unit(const Local<T, 3>& a) {
    using std::sqrt;
    const T size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    return {a[0] / size, a[1] / size, a[2] / size};
  }
};

extern template class DynamicsTerms<PointForce<2>>;
extern template class DynamicsTerms<PointForce<3>>;
extern template class DynamicsTerms<FollowerForce<2>>;
extern template class DynamicsTerms<FollowerForce<3>>;
extern template class DynamicsTerms<ElementLoad<2, false>>;
extern template class DynamicsTerms<ElementLoad<3, false>>;
extern template class DynamicsTerms<ElementLoad<2, true>>;
extern template class DynamicsTerms<ElementLoad<3, true>>;
extern template class DynamicsTerms<DirectorLoad>;

}  // namespace taut
