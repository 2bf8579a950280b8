#include <Eigen/SparseQR>
#include <algorithm>
#include <taut/linalg/rank.hpp>

namespace taut {

std::vector<int> dependent_rows(const Eigen::SparseMatrix<double, Eigen::RowMajor>& rows, double tolerance) {
  const int count = int(rows.rows());
  Eigen::SparseMatrix<double> columns = rows.transpose();
  for (int j = 0; j < count; ++j) {
    const double length = columns.col(j).norm();
    if (length > 0.0) columns.col(j) /= length;
  }
  columns.makeCompressed();
  // Householder QR in the given order: a column that adds nothing to the span of those before it is moved behind.
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(tolerance);
  qr.compute(columns);
  std::vector<int> dependent;
  for (int k = int(qr.rank()); k < count; ++k) dependent.push_back(qr.colsPermutation().indices()[k]);
  std::sort(dependent.begin(), dependent.end());
  return dependent;
}

}  // namespace taut
