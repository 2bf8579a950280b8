#pragma once

#include <algorithm>
#include <optional>
#include <taut/base/large_vector.hpp>
#include <taut/base/vector.hpp>
#include <taut/linalg/supernodal.hpp>
#include <taut/linalg/thin_rows.hpp>
#include <vector>

namespace taut {

/// A sparse matrix with symmetric pattern that is definite, or quasi-definite, or nearly so, factored without pivoting: unknowns that meet few others one by one
/// (ThinRows), the rest by panels (Supernodal).
///
///     factor.values()[factor.slot(i, j)] += …;  factor.factor();  factor.solve(b);
class DefiniteFactor {
 public:
  using Form = Supernodal::Form;

  /// Sorted compressed columns of the symmetric pattern, diagonal included.
  DefiniteFactor(Form form, const std::vector<int>& starts, const std::vector<int>& rows);

  int slot(int i, int j) const { return thin_.slot(i, j); }  ///< of a symmetric matrix either that or (j, i), which are one
  LargeVector<double>& values() { return values_; }

  /// Factors what values() holds, which is lost. False if a pivot is zero or not finite; of a symmetric matrix, if one lost 13 digits against its diagonal entry.
  bool factor();

  /// The same for a symmetric matrix that differs little from the one factored last: where a factor of the panels costs much more than solutions with it, the old one is kept, to
  /// precondition conjugate gradients.
  bool approach();

  /// The smallest of |pivot| over |diagonal entry|: how many digits elimination lost. Of kept panels, when they were factored.
  double pivot_ratio() const { return std::min(thin_ratio_, panels_ratio_); }

  bool solve(double* b) {
    return solve(b, false);
  }  ///< in place; false, after approach() alone, where the matrix turns out singular
  void solve_roughly(double* b) { solve(b, true); }  ///< with the panels at hand, of this matrix or of one near by

 private:
  bool eliminate_thin();
  bool factor_panels();
  bool solve_left(bool roughly);
  bool solve(double* b, bool roughly);
  bool iterate(Vector& x);

  double lost_;  // pivots below this share of their diagonal entry are none
  ThinRows thin_;
  LargeVector<double> values_;
  std::optional<Supernodal> panels_;  // none where nothing is left
  std::vector<int> diagonal_slots_;
  double thin_ratio_ = 0.0, panels_ratio_ = 1.0;
  bool factored_ = false, old_ = false;  // whether there is a factor of the panels, and whether it is that of another matrix
  Vector diagonal_, left_, right_, residual_, direction_, image_, preconditioned_;
};

}  // namespace taut
