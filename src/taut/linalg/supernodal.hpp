#pragma once

#include <taut/base/large_vector.hpp>
#include <vector>

namespace taut {

/// L U of a matrix with symmetric pattern, or L Lᵀ of a symmetric one, without pivoting: for matrices that are definite, or quasi-definite, or nearly so.
///
/// Columns with the same rows below the diagonal are stored together as one dense panel, a supernode, and all arithmetic is done by products of such panels:
/// near the speed of dense matrices, however sparse the matrix. CHOLMOD finds the ordering (AMD) and the supernodes; the numbers are ours, because CHOLMOD has
/// no L U and calls a BLAS, of which nobody knows how many threads it takes (docs/decisions/0024-large-nets.md).
class Supernodal {
 public:
  enum class Form { general, symmetric };

  /// Sorted compressed columns of the symmetric pattern, diagonal included.
  Supernodal(Form form, const std::vector<int>& starts, const std::vector<int>& rows);

  int size() const { return size_; }

  /// Factors the matrix with these values, entry by entry of the pattern; of a symmetric one those of the lower triangle count. False if a pivot is zero, not finite, or, for a
  /// symmetric matrix, not positive.
  bool factor(const double* values, const double* diagonal);

  /// The smallest of |pivot| over |entry of the diagonal given|, which may be that of a matrix of which this is what elimination left: how many digits it lost.
  double pivot_ratio() const { return pivot_ratio_; }

  void solve(double* b);  ///< in place, in the given numbering

  void multiply(const double* values, const double* x, double* y) const;  ///< y = A x of a symmetric matrix

  /// Operations of a factor over those of a solution: how many solutions with an old factor cost as much as a new one.
  double factor_over_solve() const { return factor_over_solve_; }

 private:
  struct Node {
    int first, columns;  // places of its columns
    int rows;            // of the panel, its own columns among them
    int list;            // where its rows begin in rows_
    std::size_t lower;   // its panel of L, the factors of the diagonal block on top
    std::size_t upper;   // its panel of Uᵀ, below the diagonal block
  };
  struct Source {
    int value;
    std::size_t target;
  };

  void analyze(const std::vector<int>& starts, const std::vector<int>& rows);
  void find_targets();
  void load(int node, const double* values);
  void update(const Node& from, int done, const Node& to);
  bool eliminate(const Node& node, const double* diagonal);
  void solve_lower(const Node& node, double* x);
  void solve_upper(const Node& node, double* x);

  Form form_;
  int size_;
  std::vector<int> starts_, pattern_;
  std::vector<int> order_, place_;  // unknown at each place; place of each unknown
  std::vector<Node> nodes_;
  std::vector<int> rows_, node_of_;               // places in each panel; supernode of each place
  std::vector<int> lower_starts_, upper_starts_;  // sources of each panel
  std::vector<Source> lower_sources_, upper_sources_;
  UnsetVector<double> lower_, upper_;  // load() writes all of them
  std::vector<double> ordered_, gathered_, product_;
  std::vector<int> map_, next_, head_, done_;
  double pivot_ratio_ = 0.0, factor_over_solve_ = 0.0;
};

}  // namespace taut
