#pragma once

#include <memory>
#include <string>
#include <taut/base/vector.hpp>
#include <taut/step/step_problem.hpp>
#include <taut/system/system.hpp>

namespace taut {

struct SolveReport;

/// ALG2, the Uzawa–Douglas–Rachford splitting of Glowinski and Le Tallec 1989, as in (2)–(5) of Basting, Quaini, Glowinski and Čanić 2013: for
/// linear dynamics K x + Σ w DᵀΛ = b and lengths |D x| = l with constant D,
///
///     p  = l P/|P|,   P = r D x + Λ                       a vector for each constraint, one by one
///     (K + r Σ w DᵀD) x = b + Σ w Dᵀ(r p − Λ)             one banded Cholesky factor for the whole run
///     Λ ← Λ + r (D x − p)
///
/// where Λ = λ D x. Where the reaction is not along the new vector y = D x but along d = βy + e (a centred one, β = ½), p is the d ∥ P whose y has
/// the length l, which is p = (P̂·y₋)P̂ for e = ½y₋; nothing else changes. Convergence needs r above the largest compression −λ and is
/// best for r near the tension. Forces that are not linear in q, in dynamics, are those at the guess of the scheme, which is an extrapolation
/// (4.8 of Glowinski and Holmström 1995): the matrix stays. Over-relaxation takes ωp + (1 − ω)D x for p; Anderson acceleration makes of the sweeps a quasi-Newton method.
struct Splitting {
  enum class Stop {
    error,  ///< the error left, estimated from how corrections shrink, is below the tolerance
    change  ///< (5): the last change of x is, in the norm of L² (that of the mass); it says little where sweeps converge slowly
  };
  enum class Start {
    warm,  ///< from the guess of the scheme, and Λ of the step before
    cold   ///< from where the step begins, given coordinates at their new values, with Λ = 0: what the papers' figures show
  };
  double r = 0.0;  ///< N; 0 has it chosen: tried out on the first step of a motion; at rest balanced between D x and p
  double tolerance = 1e-10;  ///< of q, against its norm
  double power = 0.0;        ///< of the step h: the tolerance is tolerance·h^power; 4 keeps schemes of second order so
  Stop stop = Stop::error;
  Start start = Start::warm;
  double relaxation = 1.0;  ///< ω in (0, 2)
  double update = 1.0;     ///< ρ/r in Λ ← Λ + ρ(D x − p), between 0 and (1 + √5)/2: ρₙ of (85), where r is 1/ε
  int anderson = 10;       ///< vectors kept; 0 is the papers' algorithm
  int max_sweeps = 20000;  ///< per problem
};

class SplittingSolver {
 public:
  explicit SplittingSolver(const Splitting& options);
  ~SplittingSolver();
  SplittingSolver(SplittingSolver&&) noexcept;

  /// Throws InputError where the problem is not of this form, with what works.
  SolveReport solve(StepProblem& problem, Vector& x, Vector& lambda);

  double r() const;  ///< as given, or as chosen last

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace taut
