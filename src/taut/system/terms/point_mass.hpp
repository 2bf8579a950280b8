#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// T = ½ m |v|² of one point; constant mass.
template <int Dim> struct PointMass {
  static constexpr int width = Dim;
  int point;
  double kilograms;

  std::array<int, width> stencil() const { return point_stencil<Dim>(point); }
  std::array<double, Dim> mass() const {
    std::array<double, Dim> m;
    m.fill(kilograms);
    return m;
  }
  std::string name() const { return message("mass of point {}", point); }
};

/// The masses of all points of the system.
struct PointMasses {
  template <int Dim> std::vector<PointMass<Dim>> in(const Points& points) const {
    std::vector<PointMass<Dim>> all;
    for (int k = 0; k < points.count; ++k) all.push_back({k, points.mass_of(k)});
    return all;
  }
  std::string name() const { return "PointMasses"; }
};

extern template class DynamicsTerms<PointMass<1>>;
extern template class DynamicsTerms<PointMass<2>>;
extern template class DynamicsTerms<PointMass<3>>;

}  // namespace taut
