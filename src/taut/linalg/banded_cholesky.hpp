#pragma once

#include <taut/base/large_vector.hpp>
#include <vector>

namespace taut {

/// L D Lᵀ of a symmetric positive definite matrix whose entries lie within b of the diagonal, O(n b²), without pivoting.
/// A small dense matrix is the case b = n − 1.
class BandedCholesky {
 public:
  /// position[i] is the place of unknown i in the ordering whose band is narrow.
  BandedCholesky(int half_bandwidth, const std::vector<int>& position);

  /// Where entry (i, j) or (j, i), in the given numbering, is to be written.
  int slot(int i, int j) const;
  LargeVector<double>& values() { return values_; }

  /// Factors what values() holds. False if a pivot lost 13 digits against its diagonal entry: the matrix is singular, or nearly so.
  bool factor();
  void solve(double* b);  ///< in place, in the given numbering

 private:
  bool factor_tridiagonal();
  void solve_tridiagonal(double* x) const;

  int size_, band_;
  bool in_order_ = true;
  std::vector<int> position_;
  LargeVector<double> values_;  // row i from column i − b to i; the factor afterwards, with 1/D on the diagonal
  LargeVector<double> ordered_;
};

}  // namespace taut
