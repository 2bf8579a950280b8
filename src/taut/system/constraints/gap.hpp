#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// g = q₀ − q₁ − d ≥ 0, or q₀ − d ≥ 0 with one coordinate: nothing passes through, and −λ is the force. The place stands for a length w: a penalty
/// with ε is a foundation of stiffness 1/ε per metre.
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
    return {sign * gap};
  }
  double compliance() const { return 1.0 / weight; }
  std::string name() const { return label; }
};

extern template class ConstraintTerms<Gap<1>>;
extern template class ConstraintTerms<Gap<2>>;

}  // namespace taut
