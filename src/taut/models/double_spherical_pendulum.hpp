#pragma once

#include <taut/models/model.hpp>
#include <taut/system/reduced.hpp>

namespace taut {

/// Two unit masses on unit rods hung from the origin, in Cartesian coordinates, stretched out along x with v = (0, 1, 0) and (0, 2.5, 0): the
/// double spherical pendulum of the poster by Lauer, Betsch and Steinmann, which prints no data; these give E = 3.625 and L_z = 6.
Model double_spherical_pendulum();

/// q = ψ(u) for the same: of each rod the polar angle from −z and the azimuth.
struct SphericalAngles {
  static constexpr int coordinates = 4;
  template <class T> std::array<T, 6> operator()(const std::array<T, 4>& u) const {
    using std::cos, std::sin;
    const T x = sin(u[0]) * cos(u[1]), y = sin(u[0]) * sin(u[1]), z = -cos(u[0]);
    return {x, y, z, x + sin(u[2]) * cos(u[3]), y + sin(u[2]) * sin(u[3]), z - cos(u[2])};
  }
};

/// The same system and start in these angles.
Model double_spherical_pendulum_in_angles();

extern template System reduced(const System&, const SphericalAngles&, const Vector&);
extern template void lift(const SphericalAngles&, const Vector&, const Vector&, Vector&, Vector&);

}  // namespace taut
