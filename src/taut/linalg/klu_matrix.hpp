#pragma once

#include <taut/linalg/matrix.hpp>
#include <vector>

namespace taut {

/// SuiteSparse KLU: any sparse matrix, with pivoting. Ordering and block structure are found once, later factors reuse the pivots of the last while they hold.
///
/// Where coordinates are coupled among themselves, KLU's own ordering takes multipliers, whose diagonal is zero, before the coordinates they hold, pivots
/// off the diagonal, and the fill it hoped for is lost: there the order is tied_ordering(), unless one is given.
class KluMatrix final : public Matrix {
 public:
  explicit KluMatrix(std::shared_ptr<const Layout> layout, std::vector<int> order = {});
  ~KluMatrix() override;

  bool factor() override;
  void solve(const double* b, double* x, int columns) override;
  using Matrix::solve;

 private:
  struct Klu;
  std::vector<int> order_;  // given, if any
  std::unique_ptr<Klu> klu_;
};

}  // namespace taut
