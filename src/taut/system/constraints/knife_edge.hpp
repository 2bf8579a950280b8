#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// A blade that slides along itself and not sideways, at a distance ahead of the point (x, y) of a body with the given heading θ:
///
///     k = x′ sin θ − y′ cos θ − ahead·θ′ = 0
///
/// ψ is the sideways force. A skate has the blade at its centre of mass; Chaplygin's sleigh has it elsewhere, and then turns until it goes straight on, blade
/// behind. Coordinates by their numbers.
struct KnifeEdge {
  static constexpr int width = 3;
  static constexpr int rows = 1;
  int x = 0, y = 1, heading = 2;
  double ahead = 0.0;  ///< m

  std::array<int, width> stencil() const { return {x, y, heading}; }
  template <class T> Local<T, rows> rate(const T&, const Local<T, width>& q, const Local<T, width>& v) const {
    using std::cos, std::sin;
    return {v[0] * sin(q[2]) - v[1] * cos(q[2]) - ahead * v[2]};
  }
  std::string name() const { return "knife edge"; }
};

extern template class VelocityTerms<KnifeEdge>;

}  // namespace taut
