#pragma once

#include <optional>
#include <taut/step/acceleration_problem.hpp>
#include <taut/step/elimination.hpp>
#include <taut/step/nearest.hpp>
#include <taut/step/step_solver.hpp>
#include <taut/system/state.hpp>

namespace taut {

/// The equations of motion in index-1 form at an instant, and projections onto the constraints: what explicit schemes need.
///
///     M a + Gᵀλ = f − p_q v − p_t,   G a = −γ            accelerations and multipliers
///     min |x − q|_M  with  g(x) = 0                      nearest positions
///     min |x − v|_M  with  G x + g_t = 0                 nearest velocities
///
/// Each is a KKT system. Where the method is Multipliers and the system small, or its mass lumped, an Elimination forms G M⁻¹Gᵀ instead, which for a
/// chain is tridiagonal; otherwise, and where that turns out singular (dependent constraints), the StepSolver takes over.
/// Which constraints depend on others is decided at states only, where the constraints hold, and taken for granted at the stages between them: rows that
/// repeat each other are independent, barely, wherever they do not hold, and accelerations by them would be those of another mechanism.
/// Inequalities are taken as equalities by nobody: systems that have them are refused before.
class IndexOne {
 public:
  IndexOne(const System& system, const SolverMethod& method);

  /// Goes on from a state, which holds the constraints: before stages are asked for.
  void begin(const State& now);

  /// At a stage, or, with inspect, at a state.
  SolveReport accelerate(const Instant& at, double* a, double* lambda);
  SolveReport accelerate(const Instant& at, Vector& a, Vector& lambda) { return accelerate(at, a.data(), lambda.data()); }
  void inspect(const Instant& at);

  /// The stages of an explicit step from this one on, and then its end: see Elimination. After begin(). False where it fails, which the report explains.
  bool run(const StageSums& sums, double t, double h, const StagePlaces& places, int from, double* lambda,
           SolveReport& report);
  const Instant& failed_at() const { return failed_at_; }  ///< where that could not go on

  /// All of a step at once, where an elimination does that; false where it must be taken in its parts: begin(), run(), settle(), find_momentum().
  bool step(const StageSums& sums, const ExplicitStep& step, const StagePlaces& places, SolveReport& report) {
    return eliminates_ && elimination_->step(sums, step, places, report);
  }

  /// Projects q and then v; afterwards a and lambda are those of the projected state.
  SolveReport settle(double t, double size, Vector& q, Vector& v, Vector& a, Vector& lambda);

  SolveReport project_velocity(double t, const Vector& q, Vector& v);

  void find_momentum(State& state) const;  ///< p from q and v, into the memory it has

  const std::vector<int>& dependent() const { return solver_.dependent(); }

 private:
  SolveReport accelerate_by_solver(const Instant& at, double* a, double* lambda);
  void look_at_rank() { eliminates_ = elimination_ && solver_.dependent().empty(); }  ///< after whatever may have changed it
  bool known_at(const Vector& q) const { return inspected_.size() == q.size() && inspected_ == q; }

  const System& system_;
  struct General {  // made when it is first needed
    explicit General(const System& system);
    std::shared_ptr<const Assembly> assembly;
    AccelerationProblem acceleration;
    Nearest nearest;
  };
  General& general();

  StepSolver solver_;
  std::optional<General> general_;
  std::unique_ptr<Elimination> elimination_;
  bool eliminates_ = false;  // no constraint depends on others
  Instant failed_at_{};
  Vector a_, lambda_;
  Vector inspected_;  // where the rank was decided
};

}  // namespace taut
