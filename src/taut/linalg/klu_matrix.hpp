#pragma once

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

  bool factor() override;
  void solve(const double* b, double* x, int columns) override;
  using Matrix::solve;

 private:
  struct Klu;
  std::unique_ptr<Klu> klu_;
};

}  // namespace taut
