#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/linalg/banded_lu.hpp>
#include <taut/linalg/klu_matrix.hpp>
#include <taut/linalg/level_matrix.hpp>
#include <taut/linalg/matrix.hpp>
#include <taut/linalg/reduced_matrix.hpp>
#include <vector>

namespace taut {
namespace {

/// Elimination with partial pivoting in plain loops, column by column, that leaves out what is zero. For a dozen or two of unknowns, as small
/// mechanisms have, twice as fast as Eigen's: half of [M Gᵀ; G 0] is zero, and nothing is gained by blocks.
class SmallMatrix final : public Matrix {
 public:
  static constexpr int most = 32;
  explicit SmallMatrix(std::shared_ptr<const Layout> layout) : Matrix(std::move(layout)), swaps_(layout_->size()) {}

  bool factor() override {
    const int n = layout_->size();
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
    for (int k = 0; k < n; ++k) {
      double* pivot_column = values_.data() + k * n;
      int best = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(pivot_column[i]) > std::abs(pivot_column[best])) best = i;
      const double pivot = pivot_column[best];
      if (!(std::abs(pivot) > 0.0) || !std::isfinite(pivot)) return false;
      smallest = std::min(smallest, std::abs(pivot));
      largest = std::max(largest, std::abs(pivot));
      swaps_[k] = best;
      if (best != k)
        for (int j = 0; j < n; ++j) std::swap(values_[j * n + k], values_[j * n + best]);
      for (int i = k + 1; i < n; ++i) pivot_column[i] /= pivot;
      for (int j = k + 1; j < n; ++j) {
        double* column = values_.data() + j * n;
        const double factor = column[k];
        if (factor == 0.0) continue;
        for (int i = k + 1; i < n; ++i) column[i] -= factor * pivot_column[i];
      }
    }
    pivot_ratio_ = n == 0 ? 1.0 : smallest / largest;
    return true;
  }

  using Matrix::solve;
  void solve(const double* b, double* x, int columns) override {
    const int n = layout_->size();
    if (x != b) std::copy_n(b, n * columns, x);
    for (int c = 0; c < columns; ++c) solve_in_place(x + c * n);
  }

 private:
  void solve_in_place(double* x) const {
    const int n = layout_->size();
    for (int k = 0; k < n; ++k) std::swap(x[k], x[swaps_[k]]);
    for (int k = 0; k < n; ++k) {
      const double* column = values_.data() + k * n;
      const double factor = x[k];
      if (factor == 0.0) continue;
      for (int i = k + 1; i < n; ++i) x[i] -= factor * column[i];
    }
    for (int k = n - 1; k >= 0; --k) {
      const double* column = values_.data() + k * n;
      const double factor = x[k] /= column[k];
      for (int i = 0; i < k; ++i) x[i] -= factor * column[i];
    }
  }

  std::vector<int> swaps_;
};

class DenseMatrix final : public Matrix {
 public:
  explicit DenseMatrix(std::shared_ptr<const Layout> layout)
      : Matrix(std::move(layout)), lu_(layout_->size()), buffer_(layout_->size()) {}

  bool factor() override {
    const int n = layout_->size();
    lu_.compute(Eigen::Map<const Eigen::MatrixXd>(values_.data(), n, n));
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
    for (int i = 0; i < n; ++i) {
      const double pivot = std::abs(lu_.matrixLU()(i, i));
      if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
      smallest = std::min(smallest, pivot);
      largest = std::max(largest, pivot);
    }
    pivot_ratio_ = n == 0 ? 1.0 : smallest / largest;
    return true;
  }

  using Matrix::solve;
  void solve(const double* b, double* x, int columns) override {
    const int n = layout_->size();
    for (int c = 0; c < columns; ++c) {
      buffer_.noalias() = lu_.permutationP() * Eigen::Map<const Vector>(b + c * n, n);
      lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(buffer_);
      lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(buffer_);
      Eigen::Map<Vector>(x + c * n, n) = buffer_;
    }
  }

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Vector buffer_;
};

class BandedMatrix final : public Matrix {
 public:
  explicit BandedMatrix(std::shared_ptr<const Layout> layout)
      : Matrix(std::move(layout)), lu_(layout_->half_bandwidth(), layout_->position()) {}

  bool factor() override {
    const bool good = lu_.factor(values_.data());
    pivot_ratio_ = lu_.pivot_ratio();
    return good;
  }

  using Matrix::solve;
  void solve(const double* b, double* x, int columns) override { lu_.solve(b, x, columns); }

 private:
  BandedLu lu_;
};

}  // namespace

std::unique_ptr<Matrix> Matrix::on(std::shared_ptr<const Layout> layout, std::vector<int> order) {
  if (layout->kind() == Layout::Kind::sparse) return std::make_unique<KluMatrix>(std::move(layout), std::move(order));
  return on(std::move(layout));
}

std::unique_ptr<Matrix> Matrix::on(std::shared_ptr<const Layout> layout) {
  switch (layout->kind()) {
    case Layout::Kind::dense:
      if (layout->size() <= SmallMatrix::most) return std::make_unique<SmallMatrix>(std::move(layout));
      return std::make_unique<DenseMatrix>(std::move(layout));
    case Layout::Kind::banded:
      return std::make_unique<BandedMatrix>(std::move(layout));
    case Layout::Kind::levels:
      return std::make_unique<LevelMatrix>(std::move(layout));
    case Layout::Kind::sparse:
      if (ReducedMatrix::takes(*layout)) return std::make_unique<ReducedMatrix>(std::move(layout));
      return std::make_unique<KluMatrix>(std::move(layout));
  }
  return nullptr;
}

}  // namespace taut
