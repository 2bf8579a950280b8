#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <taut/taut.hpp>

/// Plane mechanisms drawn by chance: points, rods (trees and closed loops), springs, generalised coordinates. The same seed gives the same mechanism on
/// every machine, at whatever place it stands.
namespace taut::testing {

/// D. E. Knuth's MMIX generator; the upper bits are good, and no library has a say in them.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1442695040888963407ULL) {
    for (int i = 0; i < 4; ++i) next();
  }
  double unit() { return double(next() >> 11) * 0x1p-53; }  ///< in [0, 1)
  double between(double low, double high) { return low + (high - low) * unit(); }
  double power(double low, double high) { return low * std::pow(high / low, unit()); }  ///< evenly in the logarithm
  int whole(int low, int high) { return low + int(unit() * (high - low + 1)); }
  bool chance(double share) { return unit() < share; }

 private:
  std::uint64_t next() { return state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL; }
  std::uint64_t state_;
};

/// T = ½ m (1 + c cos(q − a)) q̇² with V = ½ k (q − a)², or k (1 − cos(q − a)).
struct Coordinate {
  static constexpr int width = 1;
  int number;
  double m, c, k, a;
  bool swings;

  std::array<int, 1> stencil() const { return {number}; }
  template <class T> T kinetic(const T&, const Local<T, 1>& q, const Local<T, 1>& v) const {
    using std::cos;
    return (0.5 * m) * ((1.0 + c * cos(q[0] - a)) * (v[0] * v[0]));
  }
  template <class T> T potential(const T&, const Local<T, 1>& q) const {
    using std::cos;
    const T x = q[0] - a;
    return swings ? k * (1.0 - cos(x)) : (0.5 * k) * (x * x);
  }
  std::string name() const { return message("coordinate {}", number); }
};

struct RandomModel {
  System system;
  State start;
  double length;     ///< of a run: some times in which it crosses itself
  std::string what;  ///< for messages
};

enum class Family { free_points, tree, loop, coordinates };
inline constexpr Family families[] = {Family::free_points, Family::tree, Family::loop, Family::coordinates};
inline constexpr const char* family_names[] = {"free points", "tree", "loop", "coordinates"};

struct RandomOptions {
  double place = 0.0;       ///< of its first point, or what its coordinates start from
  double spread = 1e12;     ///< largest ratio of two masses
  bool coordinates = true;  ///< some besides the points
};

namespace detail {

/// Masses from 1e-6 to 1e6, of one size or of all sizes.
inline std::vector<double> draw_masses(Draw& draw, int count, double spread) {
  const bool alike = draw.chance(0.5);
  const double scale = draw.power(1e-6, 1e6), most = alike ? std::min(spread, 100.0) : spread;
  std::vector<double> masses;
  for (int i = 0; i < count; ++i)
    masses.push_back(std::clamp(scale * draw.power(1.0 / std::sqrt(most), std::sqrt(most)), 1e-6, 1e6));
  return masses;
}

/// Places of points around the first, at (0, 0): a path in the plane, or the corners of a polygon.
inline std::vector<std::array<double, 2>> draw_places(Draw& draw, Family family, int count) {
  std::vector<std::array<double, 2>> at{{0.0, 0.0}};
  for (int i = 1; i < count; ++i) {
    const double angle =
        family == Family::loop ? 2.0 * std::numbers::pi * (i + draw.between(-0.2, 0.2)) / count : draw.between(0.0, 6.28);
    const double l = draw.between(0.5, 1.5);
    const std::array<double, 2> from =
        family == Family::loop ? std::array{-1.0, 0.0} : at[std::size_t(draw.whole(0, i - 1))];
    at.push_back({from[0] + l * std::cos(angle), from[1] + l * std::sin(angle)});
  }
  return at;
}

}  // namespace detail

inline RandomModel random_model(std::uint64_t seed, Family family, const RandomOptions& options) {
  Draw draw(seed);
  const bool pure = family == Family::coordinates;
  const int points = pure ? 0 : (family == Family::loop ? draw.whole(3, 6) : draw.whole(1, 5));
  const int others = pure ? draw.whole(1, 3) : (options.coordinates && draw.chance(0.2) ? 1 : 0);
  const std::vector<double> masses = detail::draw_masses(draw, points + others, options.spread);
  const double lightest = *std::min_element(masses.begin(), masses.end());
  const auto stiffness = [&] { return lightest * draw.power(0.1, 100.0); };

  System system =
      pure ? System(others)
           : System(Points{.count = points, .dim = 2, .masses = {masses.begin(), masses.begin() + points}}, others);
  Vector q(system.size()), v(system.size());
  if (!pure) {
    auto at = detail::draw_places(draw, family, points);
    const double turn = draw.between(0.0, 6.28), x = options.place * std::cos(turn), y = options.place * std::sin(turn);
    for (int i = 0; i < points; ++i) {
      q[2 * i] = at[i][0] + x;
      q[2 * i + 1] = at[i][1] + y;
    }
    const auto apart = [&](int i, int k) { return std::hypot(q[2 * i] - q[2 * k], q[2 * i + 1] - q[2 * k + 1]); };
    if (draw.chance(0.8)) system.add(Gravity{});
    if (family == Family::loop)
      for (int i = 0; i < points; ++i)
        system.add(Distance{.from = i, .to = (i + 1) % points, .length = apart(i, (i + 1) % points)});
    if (family == Family::tree)
      for (int i = 1; i < points; ++i) {
        const int from = draw.whole(0, i - 1);
        if (apart(from, i) > 0.1) system.add(Distance{.from = from, .to = i, .length = apart(from, i)});
      }
    // Held by a rod, by a spring, or by nothing.
    const double hold = draw.unit(), l = draw.between(0.5, 1.5), angle = draw.between(0.0, 6.28);
    const std::array<double, 3> support{q[0] + l * std::cos(angle), q[1] + l * std::sin(angle)};
    const double held = std::hypot(q[0] - support[0], q[1] - support[1]);
    const double k = stiffness(), rest = draw.chance(0.5) ? 0.0 : l;
    if (family != Family::free_points && hold < 0.5) {
      system.add(Pin{.point = 0, .at = support, .length = held});
    } else if (hold < 0.8) {
      system.add(Tether{.point = 0, .at = support, .stiffness = k, .length = rest});
    }
    for (int i = 2; i < points; ++i)
      if (const double spring = stiffness(); draw.chance(0.4) && apart(0, i) > 0.3)
        system.add(Spring{.from = 0, .to = i, .stiffness = spring, .length = apart(0, i) * (draw.chance(0.5) ? 0.0 : 0.8)});
  }
  for (int i = 0; i < others; ++i) {
    const int number = 2 * points + i;
    const double offset = draw.chance(0.5) ? 0.0 : draw.between(-1.0, 1.0), m = masses[std::size_t(points + i)];
    system.add(Coordinate{number, m, draw.chance(0.5) ? 0.0 : draw.between(-0.5, 0.5), m * draw.power(0.1, 100.0),
                          options.place + offset, draw.chance(0.5)});
    q[number] = options.place;
  }
  const double speed = draw.chance(0.2) ? 0.0 : draw.power(0.01, 10.0);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = speed * draw.between(-1.0, 1.0);
  const ConsistentStart found = consistent_velocities(system, state_at(system, 0.0, q, v));
  require(found.status == Status::ok, "random model {}: {}", seed, found.trouble);
  return {std::move(system), found.state, 2.0,
          message("{} {} of {} points and {} coordinates at {}, speed {}", family_names[int(family)], seed, points, others,
                  options.place, speed)};
}

}  // namespace taut::testing
