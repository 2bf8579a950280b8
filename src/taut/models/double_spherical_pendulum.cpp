#include <numbers>
#include <taut/models/double_spherical_pendulum.hpp>
#include <taut/simulate/start.hpp>
#include <taut/system/constraints/distance.hpp>
#include <taut/system/constraints/pin.hpp>
#include <taut/system/terms/gravity.hpp>

namespace taut {

template System reduced(const System&, const SphericalAngles&, const Vector&);
template void lift(const SphericalAngles&, const Vector&, const Vector&, Vector&, Vector&);

Model double_spherical_pendulum() {
  System system(Points{.count = 2, .dim = 3});
  system.add(Gravity{.g = 9.81}).add(Pin{.point = 0}).add(Distance{.from = 0, .to = 1});
  State start = state_at(system, 0.0, Vector{{1, 0, 0, 2, 0, 0}}, Vector{{0, 1, 0, 0, 2.5, 0}});
  return {std::move(system), std::move(start)};
}

Model double_spherical_pendulum_in_angles() {
  const double right_angle = 0.5 * std::numbers::pi;
  const Vector u{{right_angle, 0, right_angle, 0}}, w{{0, 1, 0, 1.5}};
  System system = reduced(double_spherical_pendulum().system, SphericalAngles{}, u);
  State start = state_at(system, 0.0, u, w);
  return {std::move(system), std::move(start)};
}

}  // namespace taut
