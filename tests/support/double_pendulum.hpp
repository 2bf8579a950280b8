#pragma once

#include <array>
#include <cmath>
#include <taut/taut.hpp>

namespace taut::testing {

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

}  // namespace taut::testing

namespace taut {
extern template System reduced(const System&, const testing::PlaneAngles&, const Vector&);
extern template void lift(const testing::PlaneAngles&, const Vector&, const Vector&, Vector&, Vector&);
}  // namespace taut
