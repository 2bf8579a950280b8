#pragma once

#include <Eigen/SparseCore>
#include <taut/linalg/rank.hpp>
#include <taut/step/step_solver.hpp>

namespace taut {

/// The equations of all methods in z = (x, Λ), as Newton sees them.
class StepSolver::Kkt final : public NewtonProblem {
 public:
  void bind(StepProblem& problem);

  void residual(const Vector& z, Vector& r) override;

  bool linearize(const Vector& z) override;

  /// The rank is known to be full: pivots like the last are a matter of units, and only those far smaller are looked into again.
  bool trust();

  double pivots() const { return ratio_; }  ///< of the last matrix that Newton made

  /// Whether the pivots at z let one doubt that the equalities are independent.
  bool doubtful(const Vector& z);

  /// Which equalities depend on others at z.
  std::vector<int> dependent_at(const Vector& z, double tolerance);

  /// c over the size of its row: how far x is from the constraint, nearly.
  double distance(const Vector& z, int row);

  void solve(const Vector& r, Vector& dz) override { linear() ? matrix_->solve(r, dz) : matrix_->correct(r, dz); }
  double size(const Vector& dz) const override { return largest_entry(dz.data(), n_); }
  double threshold(double size_of_z, double tolerance) const override;
  double stagnation(double size_of_z) const override {
    constexpr double share = 1e-11;  // of the configuration: far below any tolerance of a step, far above honest round-off
    return share * (size_of_z + problem_->natural_size());
  }
  bool linear() const override { return problem_->linear() && !held && shift == 0.0; }
  bool switched() const override { return switched_; }

  void assemble(const Vector& z, const Vector& row_weight);

  /// Ĉ of the matrix just assembled (not yet factored).
  Eigen::SparseMatrix<double, Eigen::RowMajor> gradient() { return lower_rows(*matrix_, n_); }

  void set_aside(const std::vector<int>& rows);
  const std::vector<char>& aside() const { return aside_; }

  /// Shifts Λ within the null space of Bᵀ to least norm. Each dependent row j gives one null vector eⱼ − y with
  /// B̂ᵀy = B̂ⱼᵀ over the independent rows, and one solve with the KKT matrix gives y.
  void take_least_norm(Vector& z);

  /// |S| = largest eigenvalue of Ĉ K⁻¹ B̂ᵀ by power iteration; a dozen rounds are within a few percent of it.
  void measure_dual_norm(const Vector& z);

  /// How far c and λ are from c ∈ S, λ ∈ N_S(c): an inequality that pushes must be met with equality.
  double complementarity(const Vector& z) const;

  void measure_violation(SolveReport& report) const;

  // The method's part in the rows.
  double shift = 0.0;  // ε in the scaled unknowns
  bool held = false;
  std::vector<int> dependent;
  bool inspected = false;  // the rank is that of a configuration which holds the constraints
  bool rebuilt = false;
  double dual_norm = 0.0;

  int unknowns() const { return n_; }
  int constraints() const { return m_; }
  bool unilateral() const;
  StepProblem& problem() const { return *problem_; }
  Vector& center() { return center_; }
  const Vector& c() const { return c_; }
  const Vector& active() const { return on_; }  // 1 for each row that holds its constraint, 0 for the others

 private:
  Vector equality_rows() const;

  /// Without constraints, pivots far apart mean that something has no inertia, unless they are not with every unknown in units of its own. The matrix is
  /// factored again.
  bool units_alone(const Vector& z);

  StepProblem* problem_ = nullptr;
  int n_ = 0, m_ = 0;
  double ratio_ = 0.0, suspicious_ = 0.0;  // of pivots
  std::unique_ptr<Matrix> matrix_;
  std::vector<int> diagonal_;
  std::vector<char> aside_;
  Vector c_, center_, on_, factored_on_, scratch_;
  bool switched_ = false;
  bool equalities_ = true, plain_ = true;
};

}  // namespace taut
