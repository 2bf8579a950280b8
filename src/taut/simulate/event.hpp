#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// A step that ends where forces jump ends this share of the time before, and the next begins as much after it: times of stages are sums, with their round-off,
/// and must not fall on the other side.
constexpr double jump_hair = 8.0 * std::numeric_limits<double>::epsilon();
inline double before_jump(double t, double from, double to) { return t - std::copysign(jump_hair * std::abs(t), to - from); }
/// From there to the other side, on the way to a later time.
inline double past_jump(double t, double to) {
  return std::nextafter(t + std::copysign(2.0 * jump_hair * std::abs(t), to - t), to);
}

/// Numbers on which the system of the moment depends: which supports are held, parameters that change. What they mean is known to
/// SimulateOptions::system_of alone; a checkpoint holds them.
using Mode = std::vector<double>;

/// The moment of an event, for the event to change.
struct Moment {
  const System& system;
  State& state;  ///< q and v may be set; they are then projected onto the constraints of the system that goes on
  Mode& mode;
  std::string& stop;  ///< a reason written here ends the run, at this state
};

/// Something that happens at a time, or where a function of the state crosses zero.
///
/// A crossing is located on the dense motion of the step that holds it. Where the event does something, the step is taken again to end there, the change is
/// made, positions and velocities are projected onto the constraints of the system that goes on, and the scheme starts anew. Where it does nothing it is
/// recorded, and the steps do not feel it.
struct Event {
  std::string name{};
  double at =
      std::numeric_limits<double>::quiet_NaN();  ///< a time; a step ends there and the next begins anew: forces may jump
  std::function<double(const State&)> when{};    ///< or a zero of this
  int direction = 0;                             ///< with `when`: 1 where it grows with time, −1 where it falls, 0 both
  bool reactions = false;                        ///< `when` looks at λ, which are then found at each place looked at
  std::function<void(Moment&)> then{};           ///< what happens; nothing: a break (`at`), a record (`when`)

  bool timed() const { return !std::isnan(at); }
  bool acts() const { return timed() || bool(then); }
};

/// That forces jump at a time.
inline Event jump_at(double t) { return {.name = "jump", .at = t}; }

/// What an event did.
struct Happened {
  std::size_t event = 0;  ///< its number
  double t = 0.0;
  State before, after;   ///< equal where nothing was changed
  double impulse = 0.0;  ///< largest change of a momentum
  bool acted = false;    ///< otherwise it was recorded only
};

}  // namespace taut
