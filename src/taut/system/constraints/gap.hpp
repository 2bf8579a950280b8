#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = w (q₀ − q₁ − d) ≥ 0, or w (q₀ − d) ≥ 0 with one coordinate: nothing passes through. w is the length that the place stands for, so that −λ is
/// the pressure in N/m, and a penalty with ε a foundation of stiffness 1/ε per metre.
template <int Sides> struct Gap {
  static constexpr int width = Sides;
  static constexpr int rows = 1;
  std::array<int, Sides> coordinates;
  double sign;  ///< −1 turns the inequality round
  double distance, weight;
  std::string label;

  std::array<int, width> stencil() const { return coordinates; }
  Set set() const { return Set::nonnegative; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& q) const {
    T gap = q[0] - distance;
    if constexpr (Sides == 2) gap -= q[1];
    return {(sign * weight) * gap};
  }
  double compliance() const { return weight; }
  std::string name() const { return label; }
};

extern template class ConstraintTerms<Gap<1>>;
extern template class ConstraintTerms<Gap<2>>;

}  // namespace taut
