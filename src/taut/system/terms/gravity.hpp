#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// V = w·x of one coordinate: a constant force −w.
struct Weight {
  static constexpr int width = 1;
  static constexpr bool given = true, constant = true;
  int coordinate;
  double newtons;

  std::array<int, 1> stencil() const { return {coordinate}; }
  template <class T> T potential(const T&, const Local<T, 1>& x) const { return newtons * x[0]; }
  std::string name() const { return message("weight on coordinate {}", coordinate); }
};

/// Uniform gravity on every point, along the last axis downward (−y in the plane, −z in space).
struct Gravity {
  double g = 9.81;  ///< m/s²

  template <int Dim> std::vector<Weight> in(const Points& points) const {
    std::vector<Weight> all;
    for (int k = 0; k < points.count; ++k) all.push_back({k * Dim + Dim - 1, points.mass_of(k) * g});
    return all;
  }
  std::string name() const { return "Gravity"; }
};

extern template class DynamicsTerms<Weight>;

}  // namespace taut
