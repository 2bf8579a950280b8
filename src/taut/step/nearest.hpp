#pragma once

#include <taut/step/affine_problem.hpp>
#include <taut/step/step_solver.hpp>

namespace taut {

/// Projections onto the constraints in the metric of the mass:
///
///     M(q)(x − q) + Gᵀλ = 0,   g(x) ∈ S              nearest positions; G at q, or at x where it turns
///     M(q)(x − v) + G(q)ᵀμ = 0,   G(q) x + g_t ∈ S   nearest velocities
///
/// M(q) a is p(a) − p(0), so that any kinetic energy serves.
class Nearest {
 public:
  /// The assembly needs curvature where the direction turns.
  explicit Nearest(std::shared_ptr<const Assembly> assembly, bool turning = false)
      : turning_(turning), position_(assembly), velocity_(std::move(assembly)) {}

  /// Where positions and rates must lie, one per constraint: those of the system unless changed.
  std::vector<Set>& position_limits() { return position_.limits; }
  std::vector<Set>& rate_limits() { return velocity_.limits; }

  /// Lets the solver decide which equalities depend on others at q, which holds them.
  void inspect(double t, const Vector& q, StepSolver& solver);

  SolveReport position(double t, double size, Vector& q, StepSolver& solver);
  SolveReport velocity(double t, double size, const Vector& q, Vector& v, StepSolver& solver);

 private:
  void pose_velocity(double t, const Vector& q);

  bool turning_;
  AffineProblem position_, velocity_;
  Vector place_, minus_q_, minus_v_, lambda_;
};

}  // namespace taut
