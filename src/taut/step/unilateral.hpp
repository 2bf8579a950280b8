#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <taut/linalg/matrix.hpp>
#include <taut/step/newton.hpp>
#include <taut/step/step_problem.hpp>
#include <vector>

namespace taut {

struct SolveReport;

/// Step problems with inequalities, whatever rows depend on each other: contacts that repeat each other, more contacts at a corner than coordinates.
///
/// Each Newton step is a linear complementarity problem in Λ with the matrix S = Ĉ K⁻¹B̂ᵀ, and each of these is made strictly monotone by
///
///     w = ĉ − δ(Λ − Λₖ) ∈ S,   Λ ∈ N_S(w),        Λₖ₊₁ = Λ,   Λ₀ = 0           the proximal method of multipliers
///
/// with δ = 1e-9 of the diagonal of S. Two or three rounds take ĉ to round-off; where rows depend on each other the first round shares the load among
/// them, so that Σδ|Λ|² is least among the multipliers with the right signs: equal contacts push equally, however their equations are scaled. Contacts
/// that cannot all be met leave ĉ behind in every round.
///
/// The set of active rows follows by principal pivoting: all rows that are wrong change at once while their number falls, and
/// otherwise once those of S of the inequalities alone, which is dense and small, and then only the last of them, which ends for every such matrix. Changing all at once for ever, which is what semismooth Newton does, goes round in circles
/// where many rows meet their bounds together, as all of a slack cable do at the start.
/// J. J. Júdice, F. M. Pires, Comput. Oper. Res. 21 (1994); R. T. Rockafellar, Math. Oper. Res. 1 (1976).
class UnilateralSolver {
 public:
  /// z = (x, Λ) from its guess to the solution; rows in `aside` do not act.
  SolveReport solve(StepProblem& problem, const std::vector<char>& aside, const NewtonOptions& options, Vector& z);

 private:
  bool linearize(const Vector& z);  ///< R, ĉ, Ĉ and δ at z
  bool pivot(const Vector& z);      ///< from the active rows at hand to those of the linear problem at z; the step is in dz_
  bool step(const Vector& z);       ///< dz_ for the active rows at hand
  bool estimate(const Vector& z);   ///< active rows of the linear problem at z by the dense S of the inequalities alone
  bool wrong(const Vector& z, int row) const;
  double excess_of(int row, double w) const;

  StepProblem* problem_ = nullptr;
  int n_ = 0, m_ = 0, factorizations_ = 0;
  std::unique_ptr<Matrix> matrix_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> C_;
  Vector r_, c_, delta_, center_, row_size_, on_, rhs_, dz_, w_;
  std::vector<char> aside_;
  double largest_ = 0.0;  // multiplier
  double size_ = 0.0;     // of x
};

}  // namespace taut
