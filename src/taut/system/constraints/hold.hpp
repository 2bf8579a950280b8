#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = x − a(t) for one point, Dim rows: the point follows a given motion.
///
/// Motion is any type with  template <class T> std::array<T, 3> operator()(const T& t) const;  its velocity and acceleration
/// come from differentiation. A fixed place is a constant motion.
template <int Dim, class Motion> struct HoldIn {
  static constexpr int width = Dim;
  static constexpr int rows = Dim;
  int point;
  Motion motion;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  template <class T> Local<T, rows> value(const T& t, const Local<T, width>& x) const {
    const std::array<T, 3> place = motion(t);
    Local<T, rows> g;
    for (int i = 0; i < Dim; ++i) g[i] = x[i] - place[i];
    return g;
  }
  std::string name() const { return message("Hold {}", point); }
};

/// A place that does not move.
struct Place {
  std::array<double, 3> at{};
  template <class T> std::array<T, 3> operator()(const T&) const { return {T(at[0]), T(at[1]), T(at[2])}; }
};

/// Holds a point at a place, or drives it along a motion a(t): x = a(t), a rheonomic constraint.
template <class Motion = Place> struct Hold {
  int point = 0;
  Motion motion{};

  template <int Dim> HoldIn<Dim, Motion> in(const Points&) const { return {point, motion}; }
  std::string name() const { return message("Hold {}", point); }
};

extern template class ConstraintTerms<HoldIn<1, Place>>;
extern template class ConstraintTerms<HoldIn<2, Place>>;
extern template class ConstraintTerms<HoldIn<3, Place>>;

}  // namespace taut
