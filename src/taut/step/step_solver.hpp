#pragma once

#include <memory>
#include <string>
#include <taut/step/newton.hpp>
#include <taut/step/splitting.hpp>
#include <taut/step/step_problem.hpp>
#include <variant>
#include <vector>

namespace taut {

class UnilateralSolver;

/// Newton on the KKT system in (x, λ); for inequalities semismooth, which is a primal–dual active set method, and where that fails
/// UnilateralSolver.
struct Multipliers {
  NewtonOptions newton{};
};

/// Hestenes–Powell: solve R + Bᵀ(λ + c/ε) = 0 for x, update λ, repeat. (8)–(11) of Glowinski and Holmström 1995.
///
/// First-order update (10): λ ← λ + c/ε, which contracts like 1/(1 + S/ε) with S = C K⁻¹Bᵀ; second-order update (11):
/// λ ← λ + [C H⁻¹Bᵀ]⁻¹ c with H = K + BᵀC/ε, which converges like Newton.
struct AugmentedLagrangian {
  enum class Update { first_order, second_order };
  double epsilon = 0.0;  ///< 0 takes one percent of |S|, which contracts well whatever h and the units are
  Update update = Update::first_order;
  double tolerance = 1e-10;  ///< of every constraint, in its own units (rates: times h)
  double settled =
      1e-10;  ///< and of the change of x by the last update, against x: for small h it is this that makes λ right
  int max_updates = 500;  ///< per problem
  NewtonOptions newton{};
};

/// The first-order dual iteration: solve R + Bᵀλ = 0 for x at fixed λ, then λ ← λ + ω/|S| c. It needs no matrix but K, and
/// as many iterations as S = C K⁻¹Bᵀ is badly conditioned: a method to compare with, and for few constraints.
struct Uzawa {
  double relaxation = 1.0;   ///< ω in (0, 2)
  double tolerance = 1e-10;  ///< of every constraint, in its own units (rates: times h)
  double settled = 1e-10;    ///< and of the change of x by the last update, against x
  int max_updates = 20000;   ///< per problem
  NewtonOptions newton{};
};

using SolverMethod = std::variant<Multipliers, AugmentedLagrangian, Uzawa, Splitting>;
std::string name_of(const SolverMethod& method);

struct SolveReport {
  Status status = Status::ok;
  int newton_iterations = 0;
  int multiplier_updates = 0;  ///< inner solutions, or sweeps, each followed by an update of λ; 0 for Multipliers
  int factorizations = 0;
  double correction = 0.0;   ///< last change of x
  double contraction = 0.0;  ///< of the corrections (Newton), or of the updates
  double violation = 0.0;    ///< largest distance of c to its set
  int worst_constraint = -1;
  double compression = 0.0;  ///< where Splitting failed for it: the largest −λ, which r must exceed
  const char* advice = "";   ///< of the method, where updates of the multipliers do not converge
};

/// Solves step problems by one method and keeps what can be kept between them: the matrix, its factor, the rank.
///
/// All methods are one Newton iteration on z = (x, Λ), Λ = force_scale · λ, that differ in the row of each constraint only:
///
///     c − ε(λ̂ − λₖ) = 0    active: ε = 0 for Multipliers, λ̂ = λₖ + c/ε for AugmentedLagrangian
///     λ̂ − λₖ = 0           held: Uzawa
///     λ̂ = 0                inactive inequality, or a constraint that depends on others
///
/// Redundant and consistent constraints are the normal case. Which equalities depend on others is a question to a configuration that holds them, because
/// near it rows that repeat each other are independent, barely, and would lock what is free to move: it is asked at the first solution, by
/// inspect(), and wherever pivots warn. Dependent rows are set aside (and named by dependent()), and the multiplier of least norm is returned;
/// afterwards the rows set aside must hold by themselves. Where they do not, the rank has changed on the way and is looked at again, or the constraints
/// contradict each other. Inequalities are never set aside. What a provisional problem teaches is forgotten after it.
class StepSolver {
 public:
  explicit StepSolver(const SolverMethod& method);
  ~StepSolver();
  StepSolver(StepSolver&&) noexcept;
  StepSolver& operator=(StepSolver&&) noexcept;

  /// From the guess in x and lambda to the solution; on failure both are as the last iteration left them.
  SolveReport solve(StepProblem& problem, Vector& x, Vector& lambda);

  /// Decides which equalities depend on others, at an x whose configuration holds the constraints.
  void inspect(StepProblem& problem, const Vector& x);

  const std::vector<int>& dependent() const;
  const SolverMethod& method() const { return method_; }

 private:
  class Kkt;
  void bind(StepProblem& problem, const Vector& x, const Vector* lambda);
  SolveReport split(StepProblem& problem, Vector& x, Vector& lambda);
  SolveReport attempt(Vector& z);
  SolveReport iterate_updates(Vector& z, double tolerance, int max_updates);
  SolveReport look_into(SolveReport report, const Vector& x, const Vector& lambda);
  bool find_rank(const Vector& z, double tolerance);  ///< whether it is another than before
  double dual_norm(const Vector& z);                  ///< |S|, measured once
  bool dependent_hold(const Vector& z, SolveReport& report);

  SolverMethod method_;
  Newton newton_;
  std::unique_ptr<Kkt> kkt_;
  std::unique_ptr<SplittingSolver> splitting_;
  std::unique_ptr<UnilateralSolver> unilateral_;  // made when it is first needed
  Vector z_, center_step_;
};

}  // namespace taut
