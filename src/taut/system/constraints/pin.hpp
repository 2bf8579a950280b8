#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = (|x − a|² − l²)/2 for one point and a place a, in Dim dimensions. Own derivatives: G = (x − a)ᵀ, λ∂²g = λI.
template <int Dim> struct PinIn {
  static constexpr int width = Dim;
  static constexpr int rows = 1;
  int point;
  std::array<double, Dim> at;
  double length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& x) const {
    T square(-length * length);
    for (int i = 0; i < Dim; ++i) square += (x[i] - at[i]) * (x[i] - at[i]);
    return {0.5 * square};
  }
  Local<Local<double, width>, 1> gradient(double, const Local<double, width>& x) const {
    Local<Local<double, width>, 1> G;
    for (int i = 0; i < Dim; ++i) G[0][i] = x[i] - at[i];
    return G;
  }
  Local<Local<double, width>, width> curvature(double, const Local<double, width>&, const Local<double, 1>& lambda) const {
    Local<Local<double, width>, width> H{};
    for (int i = 0; i < Dim; ++i) H[i][i] = lambda[0];
    return H;
  }
  std::string name() const { return message("Pin {}", point); }
};

/// A massless rigid rod from a fixed place to a point: g = (|x − at|² − l²)/2 = 0.
struct Pin {
  int point = 0;
  std::array<double, 3> at{};  ///< the first `dim` numbers count
  double length = 1.0;         ///< m

  template <int Dim> PinIn<Dim> in(const Points&) const {
    require(length > 0.0, "Pin {}: length must be positive, got {}; to hold a point in place use Hold.", point, length);
    std::array<double, Dim> place;
    std::copy_n(at.begin(), Dim, place.begin());
    return {point, place, length};
  }
  std::string name() const { return message("Pin {}", point); }
};

extern template class ConstraintTerms<PinIn<1>>;
extern template class ConstraintTerms<PinIn<2>>;
extern template class ConstraintTerms<PinIn<3>>;

}  // namespace taut
