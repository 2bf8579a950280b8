#pragma once

#include <memory>
#include <taut/system/system.hpp>

namespace taut {

/// Inextensibility of a curve at one place: g = w/2 (|x′|² − 1) with x′ = Σ cₖ qₖ linear in the coordinates, and w the weight of the place in a
/// quadrature along the curve, so that λ is the tension there, in newtons, and a penalty with ε is an axial stiffness EA = 1/ε.
/// A slack one only forbids |x′| > 1: a cable that does not push.
template <int Shapes, int Dim> struct Stretch {
  static constexpr int width = Shapes * Dim;
  static constexpr int rows = 1;
  std::array<int, Shapes> at;  ///< the first coordinate of each shape function
  std::array<double, Shapes> c;
  double weight;
  double s;  ///< arc length of the place, for messages
  bool slack;
  std::shared_ptr<const std::string> curve;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < Shapes; ++k)
      for (int d = 0; d < Dim; ++d) index[k * Dim + d] = at[k] + d;
    return index;
  }
  Set set() const { return slack ? Set::nonpositive : Set::zero; }
  Span<Shapes, Dim> span() const { return {.c = c, .length = 1.0, .weight = weight}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, width>& q) const { return {span().value(q)}; }
  double compliance() const { return weight; }
  std::string name() const { return message("length of {} at s = {}", *curve, s); }
};

extern template class ConstraintTerms<Stretch<1, 2>>;
extern template class ConstraintTerms<Stretch<1, 3>>;
extern template class ConstraintTerms<Stretch<4, 2>>;
extern template class ConstraintTerms<Stretch<4, 3>>;

}  // namespace taut
