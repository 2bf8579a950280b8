#pragma once

#include <string>
#include <taut/integrators/catalog.hpp>

namespace taut {

/// What a system is like, as far as it matters for the choice of a scheme.
struct Character {
  bool inequalities = false;  ///< held exactly
  bool nonholonomic = false;
  bool conservative = false;  ///< no force but ∂L/∂q, and neither energies nor constraints depend on time
  double pace = 0.0;          ///< Ω of the motion at the start, see Pace
  double fastest = 0.0;       ///< the largest frequency or rate of decay of small changes at the start
  double periods = 0.0;       ///< of the pace, in the time of the run

  /// Small changes die or swing a hundred times faster than the motion goes on: explicit steps would follow them, not the motion.
  bool stiff() const { return fastest > 100.0 * pace; }
  /// So long that errors which add up would matter more than those of a step.
  bool long_run() const { return periods > 1000.0; }
};

/// At the start, for a run to the end.
Character character(const System& system, const State& start, double end);

/// A scheme for a system of this character, by its name in the catalogue.
struct Choice {
  std::string name;
  NamedOptions options{};
  bool reversible = false;  ///< control the step reversibly
  std::string reason;       ///< "dop853, because …"
};

/// With a fixed step, or with steps by tolerance.
Choice choose(const Character& character, bool fixed_step);

}  // namespace taut
