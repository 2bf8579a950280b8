#pragma once

#include <taut/base/large_vector.hpp>
#include <vector>

namespace taut {

/// LU with partial pivoting of a matrix whose entries lie within b of the diagonal, O(n b²).
///
/// Row i is stored contiguously from column i − b to i + b: entry (i, j) at values[i (2b + 1) + j − i + b]. Elimination works in a window of a
/// few rows that stays in the cache, so that a long band is read once and its factors are written once. For the narrow bands of chains and
/// beams the loops are unrolled at compile time; LAPACK's gbtrf and gbtrs take three to six times as long there
/// (docs/decisions/0004-linear-algebra.md has the measurement).
class BandedLu {
 public:
  /// position[i] is the place of unknown i in the ordering whose band is narrow.
  BandedLu(int half_bandwidth, const std::vector<int>& position);

  bool factor(const double* values);

  /// In the given numbering, for one right side or for several, each a column of n entries; x may be b. Several at once read the factors once.
  void solve(const double* b, double* x, int columns = 1);
  double pivot_ratio() const { return pivot_ratio_; }

 private:
  int size_, band_;
  LargeVector<int> order_;               // unknown at each place
  LargeVector<unsigned char> exchange_;  // row swapped with i in step i, as an offset 0..b
  LargeVector<double> lower_, upper_;
  LargeVector<double> ordered_;
  std::vector<double> window_;
  double pivot_ratio_ = 0.0;
};

}  // namespace taut
