#pragma once

#include <vector>

namespace taut {

/// Unknowns of a sparse matrix that meet few others, eliminated one by one without pivoting: most of what chains and trees are made of.
///
///     Aᵢⱼ ← Aᵢⱼ − Aᵢᵤ Aᵤⱼ / Aᵤᵤ     for the neighbours i, j of u, which are joined thereby
///
/// Those with two neighbours at most go first, which joins nothing that was not on one way before; no two that meet go in the same round, so that none waits
/// for the numbers of the one before it. What is left are unknowns that meet more, for panels (Supernodal).
class ThinRows {
 public:
  /// Sorted compressed columns of the symmetric pattern, diagonal included. Of a symmetric matrix one triangle is kept.
  ThinRows(bool symmetric, const std::vector<int>& starts, const std::vector<int>& rows);

  const std::vector<int>& left() const { return left_; }  ///< the unknowns that are not eliminated, ascending
  const std::vector<int>& left_starts() const { return left_starts_; }
  const std::vector<int>& left_rows() const { return left_rows_; }  ///< and the pattern among them, after elimination

  int first_left() const { return numbers_; }  ///< where, in the values, the entries of that pattern begin, in its order
  int storage() const { return numbers_ + int(left_rows_.size()); }
  int slot(int i,
           int j) const;  ///< of entry (i, j) in the values; of a symmetric matrix either that or (j, i), which are one

  /// Eliminates in place. The smallest of |pivot| over |diagonal entry|, zero or less, or not a number, where a pivot was no good.
  double eliminate(double* values);

  /// Substitution, on either side of the solution for what is left.
  void forward(const double* values, double* x) const;
  void backward(const double* values, double* x) const;

 private:
  struct Row {
    int unknown, neighbours;
    int numbers;  // where its pivot is, then its column, then, of a matrix that is not symmetric, its row
    int ends;     // where its neighbours begin
  };

  std::vector<std::vector<int>> take(const std::vector<int>& starts, const std::vector<int>& rows);
  template <bool symmetric> double eliminate_as(double* values);

  bool symmetric_;
  int numbers_ = 0;
  std::vector<Row> rows_;
  std::vector<int> ends_, targets_;  // neighbours of each row; where their products go, column by column
  std::vector<int> row_of_;          // of each unknown; −1 − its place where it is left
  std::vector<int> left_, left_starts_, left_rows_;
  std::vector<double> diagonal_;
};

}  // namespace taut
