#pragma once

#include <taut/linalg/definite_factor.hpp>
#include <taut/linalg/matrix.hpp>
#include <vector>

namespace taut {

/// A large sparse KKT matrix by its Schur complement. With x the coordinates, λ the multipliers, and A = D + E, D diagonal,
///
///     [ D + E   Bᵀ ]            S = K − C D⁻¹Bᵀ
///     [ C       K  ]
///
/// S, whose pattern is that of constraints that meet at a point, is factored by panels; it has no zeros on its diagonal, so that no pivoting disturbs the
/// ordering, and its factors have a tenth of the entries of those of the whole. What couples coordinates directly, E (turning rods, springs; in a step it has a factor
/// h²), is left to GMRES, preconditioned by the matrix without it: x + D̂⁻¹E x = D̂⁻¹b takes a few rounds while h² E is not far larger than the mass.
/// Coordinates at which many constraints meet are kept beside the multipliers.
///
/// Where this does not work (no inertia at a coordinate, E too large), the whole matrix is factored with pivoting.
class ReducedMatrix final : public Matrix {
 public:
  /// Whether the pattern is one for it: every multiplier must meet a coordinate that can be eliminated.
  static bool takes(const Layout& layout);

  explicit ReducedMatrix(std::shared_ptr<const Layout> layout);

  bool factor() override;
  void solve(const double* b, double* x, int columns) override;
  void correct(const double* b, double* x, int columns) override;
  using Matrix::correct;
  using Matrix::solve;

  bool whole() const {
    return whole_ != nullptr && rounds_whole_ > 0;
  }  ///< whether the last factor is that of the whole matrix

 private:
  void find_pattern();
  bool gather();  // false where elimination by the diagonal will not do
  bool factor_whole();
  void precondition(double* z);
  void apply_coupling(const double* x, double* y) const;
  bool iterate(double* z, double tolerance);
  void solve(const double* b, double* x, int columns, double tolerance);
  void solve_once(const double* b, double* x, double tolerance);

  std::vector<int> eliminated_, kept_;  // unknowns

  // Row and column of each eliminated coordinate, in the unknowns that are kept.
  std::vector<int> starts_, neighbours_;            // places among the kept
  std::vector<int> row_slots_, column_slots_;       // in the values of the matrix
  std::vector<double> row_values_, column_values_;  // of Bᵀ over D, and of C
  std::vector<int> diagonal_slots_;
  std::vector<double> inverse_;
  std::vector<int> products_;                    // slots of S for each pair of neighbours
  std::vector<std::pair<int, int>> kept_slots_;  // in the matrix, in S

  // E, what is not zero of it.
  std::vector<int> coupling_starts_, coupling_columns_, coupling_slots_;
  std::vector<int> active_starts_, active_columns_;
  std::vector<double> active_values_;

  std::unique_ptr<DefiniteFactor> schur_;
  std::vector<Vector> basis_;
  Vector scratch_, residual_, correction_;
  std::unique_ptr<Matrix> whole_;
  int rounds_whole_ = 0;  // factors of the whole matrix until elimination is tried again
};

}  // namespace taut
