#include <taut/study/lane_driver.hpp>

namespace taut {
namespace {

const char* const landing = R"code(
// On the way to the first zero of what ends a run: steps from the same state, of lengths between two that lie on either side of it.
struct Landing {
  V before[EVENTS + 1], low = B(0.0), high = B(0.0), at_low = B(0.0), at_high = B(0.0), aim = B(0.0), passes = B(0.0), which = B(0.0);
  Mask on = ~ALL;
};

// After a step of dt at whose end the functions are `ends`: which lanes are there. Others go on: those that have crossed, to a shorter step.
INLINE Mask landed(Landing& l, Mask taken, V t, V dt, const V* ends) {
  // Of those that may cross, each counted below zero where it comes from, the one that is farthest: above zero once any has crossed.
  V before = B(-1e300), after = B(-1e300);
  for (int k = 0; k < EVENTS; ++k) {
    const V from = l.before[k], to = ends[k];
    const Mask up = from < 0.0, may = (direction(k) >= 0 ? up : ~ALL) | (direction(k) <= 0 ? (from > 0.0) : ~ALL);
    before = may ? larger(-magnitude(from), before) : before;
    const V off = up ? to : -to;
    const Mask farther = may & (off > after);
    after = farther ? off : after;
    l.which = farther ? B(double(k)) : l.which;
  }
  const Mask crossed = taken & ~l.on & (after >= 0.0);
  for (int k = 0; k < EVENTS; ++k) l.before[k] = taken & ~l.on & ~crossed ? ends[k] : l.before[k];
  l.low = crossed ? B(0.0) : l.low;
  l.at_low = crossed ? before : l.at_low;
  l.passes = crossed ? B(0.0) : l.passes;
  // Regula falsi; the end that stays counts half, so that it does not stay (Illinois).
  const Mask again = l.on & ~crossed, short_of = again & (after < 0.0);
  const Mask beyond = (again & ~short_of) | crossed;
  l.at_high = short_of ? 0.5 * l.at_high : l.at_high;
  l.at_low = again & ~short_of ? 0.5 * l.at_low : l.at_low;
  l.low = short_of ? dt : l.low;
  l.at_low = short_of ? after : l.at_low;
  l.high = beyond ? dt : l.high;
  l.at_high = beyond ? after : l.at_high;
  l.passes = l.passes + 1.0;
  l.on = l.on | crossed;
  const V width = l.high - l.low, share = l.at_low / (l.at_low - l.at_high);
  const V aim = l.low + width * smaller(larger(share, B(0.001)), B(0.999));
  const Mask there = again & ((magnitude(aim - dt) <= 1e-14 * (magnitude(t) + dt)) | (after == 0.0) | (l.passes > 60.0));
  l.aim = l.on ? aim : l.aim;
  return there;
}

// Where within a step of dt, at whose end nothing has crossed, something has: at a quarter of it, or where the functions turn, by the cubic through both ends.
// The share of the step, or 1.
INLINE V crossing_within(const Landing& l, V t, V dt, const V* q, const V* v, const V* q1, const V* v1, const V* c, const V* ends) {
  V seen[5][EVENTS + 1], qs[N], vs[N], first = B(1.0), turns = B(1.0);
  const auto see = [&](V s, V* out) {
    const V r = 1.0 - s;
    for (int i = 0; i < N; ++i) {
      qs[i] = r * r * (1.0 + 2.0 * s) * q[i] + s * r * r * dt * v[i] + s * s * (3.0 - 2.0 * s) * q1[i] - s * s * r * dt * v1[i];
      vs[i] = 6.0 * s * r / dt * (q1[i] - q[i]) + r * (1.0 - 3.0 * s) * v[i] + s * (3.0 * s - 2.0) * v1[i];
    }
    happens(t + s * dt, qs, vs, c, out);
  };
  // Below zero where it comes from.
  const auto may = [&](int k) { return (direction(k) >= 0 ? l.before[k] < 0.0 : ~ALL) | (direction(k) <= 0 ? l.before[k] > 0.0 : ~ALL); };
  const auto side = [&](int k, V x) { return l.before[k] < 0.0 ? x : -x; };
  for (int k = 0; k < EVENTS; ++k) seen[0][k] = l.before[k], seen[4][k] = ends[k];
  for (int part = 3; part > 0; --part) {
    see(B(0.25 * part), seen[part]);
    for (int k = 0; k < EVENTS; ++k) first = may(k) & (side(k, seen[part][k]) >= 0.0) ? B(0.25 * part) : first;
  }
  for (int part = 3; part > 0; --part)
    for (int k = 0; k < EVENTS; ++k) {
      const V a = side(k, seen[part - 1][k]), b = side(k, seen[part][k]), d = side(k, seen[part + 1][k]);
      const V bend = a - 2.0 * b + d, slope = 0.5 * (d - a);
      const Mask near = may(k) & (bend < 0.0) & (magnitude(slope) <= magnitude(bend)) & (b - 0.5 * slope * slope / bend > 0.5 * bend);
      turns = near ? 0.25 * part - 0.25 * slope / bend : turns;
    }
  const Mask turning = (turns > 0.02) & (turns < 0.98) & (turns < first);
  if (any(turning)) {
    see(turns, seen[1]);
    for (int k = 0; k < EVENTS; ++k) first = turning & may(k) & (side(k, seen[1][k]) >= 0.0) & (turns < first) ? turns : first;
  }
  return first;
}
)code";

}  // namespace

std::string lane_landing() { return landing; }

}  // namespace taut
