#pragma once

#include <algorithm>
#include <memory>
#include <taut/base/large_vector.hpp>
#include <taut/base/vector.hpp>
#include <taut/linalg/layout.hpp>
#include <vector>

namespace taut {

/// A square matrix on a Layout that is filled by slots, factored in place with pivoting, and then solves.
///
///     matrix->clear();  matrix->values()[layout.slot(i, j)] += …;  matrix->factor();  matrix->solve(b, x);
///
/// Nothing is allocated after the first factor, which makes the symbolic analysis (KLU keeps its own memory and reuses it). Which factorisation a pattern
/// gets is decided here and nowhere else: docs/decisions/0004-linear-algebra.md and 0024-large-nets.md.
class Matrix {
 public:
  static std::unique_ptr<Matrix> on(std::shared_ptr<const Layout> layout);

  /// As above; where the pattern asks for a sparse factorisation it eliminates in the order given.
  static std::unique_ptr<Matrix> on(std::shared_ptr<const Layout> layout, std::vector<int> order);
  virtual ~Matrix() = default;

  const Layout& layout() const { return *layout_; }
  double* values() { return values_.data(); }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }

  /// Factors in place; false if a pivot is zero or not finite. The values are lost, and those that are left must stay until the last solve.
  virtual bool factor() = 0;

  /// Smallest over largest pivot of the last factor, or over the diagonal entry it began as: a cheap warning sign of dependent rows, not a condition number.
  double pivot_ratio() const { return pivot_ratio_; }

  /// x = A⁻¹ b for so many columns, in the given numbering; x may be b.
  virtual void solve(const double* b, double* x, int columns) = 0;
  void solve(const Vector& b, Vector& x) {
    x.resize(b.size());
    solve(b.data(), x.data(), 1);
  }

  /// The same to three digits or so, for corrections whose error the next one corrects; where that is no cheaper it is the same.
  virtual void correct(const double* b, double* x, int columns) { solve(b, x, columns); }
  void correct(const Vector& b, Vector& x) {
    x.resize(b.size());
    correct(b.data(), x.data(), 1);
  }

 protected:
  explicit Matrix(std::shared_ptr<const Layout> layout)
      : layout_(std::move(layout)), values_(std::size_t(layout_->storage()), 0.0) {}

  std::shared_ptr<const Layout> layout_;
  LargeVector<double> values_;
  double pivot_ratio_ = 0.0;
};

}  // namespace taut
