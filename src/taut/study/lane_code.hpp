#pragma once

#include <taut/integrators/runge_kutta.hpp>
#include <taut/study/lane_driver.hpp>
#include <taut/study/lane_equations.hpp>

namespace taut {

/// What a kernel takes and gives for each lane, in this order; the names are those of the code.
struct LaneLayout {
  int n = 0, rows = 0, watched = 0, numbers = 0;
  long operations =
      0;  ///< of a step: sums, products, quotients and functions, each counted as one; those of the certificate are left out
  int inputs() const { return first_number() + numbers; }
  int outputs() const { return first_watched() + 5 * watched; }

  // Inputs: start and end time, step (0: by tolerance), number of steps (by tolerance: the longest step, 0 any), rtol, atol, then q, v and the numbers.
  static constexpr int t_start = 0, t_end = 1, step = 2, steps = 3, rtol = 4, atol = 5, first_state = 6;
  int first_number() const { return first_state + 2 * n; }

  // Outputs: how it ended, when, steps taken and rejected, energies, residuals, then q, v, and of what is watched its value at the end, the least
  // with its time, the largest with its time.
  enum Out {
    status,
    t,
    taken,
    rejected,
    energy,
    deviation,
    scale,
    first_mean,
    last_mean,
    g,
    rate,
    gap,
    rate_gap,
    speed,
    size
  };
  static constexpr int out_state = 15;
  int first_watched() const { return out_state + 2 * n; }
};

/// How a lane ended; `stopped` + k by the k-th event.
enum class LaneStatus { reached = 0, not_finite = 1, step_too_small = 2, not_solved = 3, stopped = 4 };

/// What steps: an explicit Runge–Kutta scheme on the index-1 form with projections, as RungeKutta has it, or an implicit one, which has no tableau.
struct LaneStepping {
  LaneScheme scheme = LaneScheme::stages;
  ExplicitTableau tableau{};
  bool adaptive = false;  ///< steps by tolerance; otherwise equal ones
};

/// The code of a kernel in C++, for as many runs at once as a vector of the processor holds. Everything that depends on numbers alone is computed once per run; S = G M⁻¹Gᵀ and M are factored as LDLᵀ written out, without what is
/// zero. Lanes do not feel each other: what one does is the same in whatever company. `groups`: of coordinates whose errors are measured
/// together.
std::string lane_code(LaneForms forms, const LaneStepping& stepping, const std::vector<int>& groups, LaneTarget target,
                      LaneLayout& layout);

}  // namespace taut
