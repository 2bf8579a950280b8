#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = (|x_to − x_from|² − l²)/2 in Dim dimensions, so that λ = tension / l.
template <int Dim> struct DistanceIn {
  static constexpr int width = 2 * Dim;
  static constexpr int rows = 1;
  int from, to;
  double length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(from, to); }
  Span<2, Dim> span() const { return {.c = {-1.0, 1.0}, .length = length}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& x) const { return {span().value(x)}; }
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
