#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = (|x − a|² − l²)/2 for one point and a place a, in Dim dimensions.
template <int Dim> struct PinIn {
  static constexpr int width = Dim;
  static constexpr int rows = 1;
  int point;
  std::array<double, Dim> at;
  double length;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  Span<1, Dim> span() const { return {.c = {1.0}, .a = at, .length = length}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& x) const { return {span().value(x)}; }
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
