#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = n·x − d ≥ 0 for one point in Dim dimensions.
template <int Dim> struct HalfSpaceIn {
  static constexpr int width = Dim;
  static constexpr int rows = 1;
  int point;
  std::array<double, Dim> normal;
  double offset;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  Set set() const { return Set::nonnegative; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& x) const {
    T sum(-offset);
    for (int i = 0; i < Dim; ++i) sum += normal[i] * x[i];
    return {sum};
  }
  std::string name() const { return message("HalfSpace of point {}", point); }
};

/// Keeps a point on one side of a plane, n·x ≥ offset: a floor or a wall.
struct HalfSpace {
  int point = 0;
  std::array<double, 3> normal{0.0, 1.0, 0.0};  ///< the first `dim` numbers count; into the allowed side
  double offset = 0.0;

  template <int Dim> HalfSpaceIn<Dim> in(const Points&) const {
    std::array<double, Dim> n;
    std::copy_n(normal.begin(), Dim, n.begin());
    return {point, n, offset};
  }
  std::string name() const { return message("HalfSpace of point {}", point); }
};

extern template class ConstraintTerms<HalfSpaceIn<1>>;
extern template class ConstraintTerms<HalfSpaceIn<2>>;
extern template class ConstraintTerms<HalfSpaceIn<3>>;

}  // namespace taut
