#pragma once

#include <memory>
#include <string>
#include <taut/step/status.hpp>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

class Assembly;

/// A state at (t, q, v), with its momentum.
State state_at(const System& system, double t, const Vector& q, const Vector& v);

/// A state at rest at t = 0.
State at_rest(const System& system, const Vector& q);

/// A constraint that a start does not meet, and how far off: |g|/|G| for positions, |ġ|/|G| for velocities.
struct Violation {
  std::string constraint;
  bool velocity = false;
  double size = 0.0;
  int row = -1;
};

/// Constraints that (q, v) misses by more than the tolerance relative to the size of q and v. Rates of inequalities are not
/// judged: what happens at contact is for an impact law to say.
std::vector<Violation> violations(const System& system, const State& state, double tolerance);

/// Throws InputError where an equation holds with a gradient that is zero there and not elsewhere, as that of a square is: no force could hold it.
void require_gradients(const System& system, const State& state);

/// "'Pin 0' by 0.1 (position), …": for messages.
std::string describe(const std::vector<Violation>& found);

struct ConsistentStart {
  State state;                      ///< the start to use; on failure, where the search ended
  std::vector<Violation> before{};  ///< what was violated
  double moved_q = 0.0;             ///< largest change of a coordinate
  double moved_v = 0.0;
  std::vector<std::string> dependent{};  ///< constraints that repeat others
  Status status = Status::ok;
  std::string trouble{};
};

/// The consistent state nearest to the given one in the metric of the mass: q minimises |q − q₀|_M with g(t,q) ∈ S, then v
/// minimises |v − v₀|_M with G v + g_t = 0. A start that is consistent already is returned untouched, bit for bit.
ConsistentStart consistent_start(const System& system, const State& start);

/// Whether it is consistent already, to a few round-offs.
bool is_consistent(const System& system, const State& start);

/// The first half alone: positions, with the velocities as they are. From afar: where nothing near is found, a longer search comes first.
ConsistentStart consistent_positions(const System& system, const State& start, bool from_afar = true);

/// The same for several states of one system, whose pattern is found once.
class Placing {
 public:
  explicit Placing(const System& system) : system_(system) {}
  ConsistentStart operator()(const State& start, bool from_afar);

 private:
  const System& system_;
  std::shared_ptr<const Assembly> assembly_;  // made when it is first needed
};

/// The second half alone: velocities, at the positions as they are.
ConsistentStart consistent_velocities(const System& system, const State& start);

/// Of the velocities that constraints allow and that give some coordinates those they have, the nearest in the metric of the mass; where there are none, the velocities
/// as they are.
Vector velocities_with(const System& system, const State& state, const std::vector<int>& coordinates);

}  // namespace taut
