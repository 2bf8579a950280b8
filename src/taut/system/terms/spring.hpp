#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// V = ½ k (|x_to − x_from| − l)² between two points, in Dim dimensions.
template <int Dim> struct SpringIn {
  static constexpr int width = 2 * Dim;
  int from, to;
  double stiffness, length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(from, to); }
  template <class T> T potential(const T&, const Local<T, width>& x) const {
    using std::sqrt;
    T square(0.0);
    for (int i = 0; i < Dim; ++i) {
      const T d = x[Dim + i] - x[i];
      square += d * d;
    }
    const T stretch = sqrt(square) - length;
    return (0.5 * stiffness) * (stretch * stretch);
  }
  std::string name() const { return message("Spring {}-{}", from, to); }
};

/// A linear spring between two points.
struct Spring {
  int from = 0, to = 1;
  double stiffness = 1.0;  ///< N/m
  double length = 0.0;     ///< at rest, m

  template <int Dim> SpringIn<Dim> in(const Points&) const { return {from, to, stiffness, length}; }
  std::string name() const { return message("Spring {}-{}", from, to); }
};

extern template class DynamicsTerms<SpringIn<1>>;
extern template class DynamicsTerms<SpringIn<2>>;
extern template class DynamicsTerms<SpringIn<3>>;

}  // namespace taut
