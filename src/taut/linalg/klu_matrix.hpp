#pragma once

#include <klu.h>

#include <taut/linalg/matrix.hpp>

namespace taut {

/// SuiteSparse KLU: any sparse matrix, with pivoting. Ordering and block structure are found once, later factors reuse the pivots of the last while they hold.
///
/// Where coordinates are coupled among themselves, KLU's own ordering takes multipliers, whose diagonal is zero, before the coordinates they hold, pivots
/// off the diagonal, and the fill it hoped for is lost: there the order is tied_ordering().
class KluMatrix final : public Matrix {
 public:
  explicit KluMatrix(std::shared_ptr<const Layout> layout);
  ~KluMatrix() override;
  KluMatrix(const KluMatrix&) = delete;
  KluMatrix& operator=(const KluMatrix&) = delete;

  bool factor() override;
  void solve(const double* b, double* x, int columns) override;
  using Matrix::solve;

 private:
  int* columns() { return const_cast<int*>(layout_->column_starts().data()); }  // KLU's C interface is not const
  int* rows() { return const_cast<int*>(layout_->row_indices().data()); }
  void analyze();
  bool measure();

  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace taut
