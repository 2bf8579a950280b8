#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = (|x_to − x_from|² − l²)/2 in Dim dimensions, so that λ = tension / l.
///
/// A hot term with own derivatives: with d = x_to − x_from, G = (−dᵀ, dᵀ) and λ∂²g = λ [I −I; −I I].
template <int Dim> struct DistanceIn {
  static constexpr int width = 2 * Dim;
  static constexpr int rows = 1;
  int from, to;
  double length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(from, to); }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& x) const {
    T square(-length * length);
    for (int i = 0; i < Dim; ++i) {
      const T d = x[Dim + i] - x[i];
      square += d * d;
    }
    return {0.5 * square};
  }
  Local<Local<double, width>, 1> gradient(double, const Local<double, width>& x) const {
    Local<Local<double, width>, 1> G;
    for (int i = 0; i < Dim; ++i) {
      const double d = x[Dim + i] - x[i];
      G[0][i] = -d;
      G[0][Dim + i] = d;
    }
    return G;
  }
  Local<Local<double, width>, width> curvature(double, const Local<double, width>&, const Local<double, 1>& lambda) const {
    Local<Local<double, width>, width> H{};
    for (int i = 0; i < Dim; ++i) {
      H[i][i] = H[Dim + i][Dim + i] = lambda[0];
      H[i][Dim + i] = H[Dim + i][i] = -lambda[0];
    }
    return H;
  }
  std::string name() const { return message("Distance {}-{}", from, to); }
};

/// A massless rigid rod between two points: g = (|x_to − x_from|² − l²)/2 = 0.
struct Distance {
  int from = 0, to = 1;
  double length = 1.0;  ///< m

  template <int Dim> DistanceIn<Dim> in(const Points&) const {
    require(from != to, "Distance {}-{}: needs two different points.", from, to);
    require(length > 0.0, "Distance {}-{}: length must be positive, got {}.", from, to, length);
    return {from, to, length};
  }
  std::string name() const { return message("Distance {}-{}", from, to); }
};

extern template class ConstraintTerms<DistanceIn<1>>;
extern template class ConstraintTerms<DistanceIn<2>>;
extern template class ConstraintTerms<DistanceIn<3>>;

}  // namespace taut
