#pragma once

#include <array>
#include <cmath>
#include <taut/taut.hpp>

namespace taut::testing {

/// ψ of a double spherical pendulum with unit rods: polar angles from −z and azimuths to two points.
struct Spherical {
  static constexpr int coordinates = 4;
  template <class T> std::array<T, 6> operator()(const std::array<T, 4>& u) const {
    using std::cos, std::sin;
    const T x = sin(u[0]) * cos(u[1]), y = sin(u[0]) * sin(u[1]), z = -cos(u[0]);
    return {x, y, z, x + sin(u[2]) * cos(u[3]), y + sin(u[2]) * sin(u[3]), z - cos(u[2])};
  }
};

/// ψ of a plane double pendulum with unit links, angles from −y.
struct PlaneAngles {
  static constexpr int coordinates = 2;
  template <class T> std::array<T, 4> operator()(const std::array<T, 2>& u) const {
    using std::cos, std::sin;
    const T x = sin(u[0]), y = -cos(u[0]);
    return {x, y, x + sin(u[1]), y - cos(u[1])};
  }
};

/// Two unit masses on unit rods hung from the origin.
inline System double_pendulum(int dim) {
  System system(Points{.count = 2, .dim = dim});
  system.add(Gravity{}).add(Pin{.point = 0}).add(Distance{.from = 0, .to = 1});
  return system;
}

/// The double spherical pendulum of Lauer, Betsch and Steinmann with the data fixed in our corrections.
inline Model lbs_pendulum() {
  System system = double_pendulum(3);
  State start = state_at(system, 0.0, Vector{{1, 0, 0, 2, 0, 0}}, Vector{{0, 1, 0, 0, 2.5, 0}});
  return {std::move(system), std::move(start)};
}

}  // namespace taut::testing
