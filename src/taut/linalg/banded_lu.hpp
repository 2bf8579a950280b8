#pragma once

#include <taut/base/large_vector.hpp>
#include <vector>

namespace taut {

/// LU with partial pivoting of a matrix whose entries lie within b of the diagonal, O(n b²).
///
/// Row i is stored contiguously from column i − b to i + 2b (the last b columns receive the fill of row exchanges):
/// entry (i, j) at values[i (3b + 1) + j − i + b]. For the narrow bands of chains and beams the loops are
/// unrolled at compile time; LAPACK's gbtrf and gbtrs take three to six times as long there
/// (docs/decisions/0004-linear-algebra.md has the measurement).
class BandedLu {
 public:
  /// position[i] is the place of unknown i in the ordering whose band is narrow.
  BandedLu(int half_bandwidth, const std::vector<int>& position);

  bool factor(double* values);             ///< the values are lost
  void solve(const double* b, double* x);  ///< in the given numbering; x may be b
  double pivot_ratio() const { return pivot_ratio_; }

 private:
  int size_, band_;
  LargeVector<int> order_;               // unknown at each place
  LargeVector<unsigned char> exchange_;  // row swapped with i in step i, as an offset 0..b
  LargeVector<double> lower_, upper_;
  LargeVector<double> ordered_;
  double pivot_ratio_ = 0.0;
};

}  // namespace taut
