#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// Which two places of two straight pieces, a and b, are nearest: a₀ + s(a₁ − a₀) and b₀ + t(b₁ − b₀), with s and t in [0, 1].
///
/// What is least is |a − b|² + μ|a₁ − a₀|²(s − ½)² + ν|b₁ − b₀|²(t − ½)². Without μ the places of pieces side by side would be anywhere and jump from end to
/// end; with it they move as smoothly as the pieces do, and where pieces cross they are off by some μ of the distance along them, which the distance
/// between them does not notice. One of μ and ν may be 0. A piece of no length is a point, and the place nearest to that is itself.
template <class T> struct NearestPlaces {
  static constexpr double middling = 0.01;  ///< μ
  T s, t;
};
template <class T, std::size_t Dim>
NearestPlaces<T> nearest_places(const std::array<T, Dim>& a, const std::array<T, Dim>& u, const std::array<T, Dim>& b,
                                const std::array<T, Dim>& w, double nu = NearestPlaces<T>::middling) {
  constexpr double mu = NearestPlaces<T>::middling;
  T uu(0.0), ww(0.0), uw(0.0), ur(0.0), wr(0.0);
  for (std::size_t k = 0; k < Dim; ++k) {
    const T r = a[k] - b[k];
    uu += u[k] * u[k];
    ww += w[k] * w[k];
    uw += u[k] * w[k];
    ur += u[k] * r;
    wr += w[k] * r;
  }
  const auto clamped = [](const T& x) { return x < 0.0 ? T(0.0) : x > 1.0 ? T(1.0) : x; };
  if (!(ww > 0.0)) return {uu > 0.0 ? clamped(-ur / uu) : T(0.0), T(0.0)};
  if (!(uu > 0.0)) return {T(0.0), clamped(wr / ww)};
  const T A = (1.0 + mu) * uu, E = (1.0 + nu) * ww, p = 0.5 * mu * uu - ur, f = 0.5 * nu * ww + wr;
  const T s = clamped((p * E + uw * f) / (A * E - uw * uw)), t = (f + s * uw) / E;
  if (!(t < 0.0) && !(t > 1.0)) return {s, t};
  const T end = clamped(t);
  return {clamped((p + end * uw) / A), end};
}

/// g = |a − b| − d ≥ 0 for the nearest places of two pieces: tubes that do not go through each other. λ < 0 is the force with which they push.
template <int Dim> struct SegmentGap {
  static constexpr int width = 4 * Dim, rows = 1;
  std::array<int, 4> at;  ///< first coordinates of a₀, a₁, b₀, b₁
  double distance;        ///< sum of both radii
  std::string label{};

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (std::size_t k = 0; k < width; ++k) index[k] = at[k / Dim] + int(k % Dim);
    return index;
  }
  Set set() const { return Set::nonnegative; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& q) const {
    std::array<T, std::size_t(Dim)> a, u, b, w;
    for (std::size_t k = 0; k < Dim; ++k) {
      a[k] = q[k];
      u[k] = q[Dim + k] - a[k];
      b[k] = q[2 * Dim + k];
      w[k] = q[3 * Dim + k] - b[k];
    }
    const auto [s, t] = nearest_places(a, u, b, w);
    T square(0.0);
    for (std::size_t k = 0; k < Dim; ++k) {
      const T d = (a[k] + s * u[k]) - (b[k] + t * w[k]);
      square += d * d;
    }
    using std::sqrt;
    return {sqrt(square) - distance};
  }
  std::string name() const { return label; }
};

}  // namespace taut
