#include <algorithm>
#include <new>
#include <taut/linalg/klu_matrix.hpp>
#include <taut/linalg/tied_ordering.hpp>

namespace taut {
namespace {

/// Old pivots are trusted while no pivot fell below this share of the largest; then pivots are chosen anew.
constexpr double reused_pivots_floor = 1e-10;

bool couples_coordinates(const Layout& layout) {
  for (int j = 0; j < layout.coordinates(); ++j)
    for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
      if (const int i = layout.row_indices()[k]; i != j && i < layout.coordinates()) return true;
  return false;
}

}  // namespace

KluMatrix::KluMatrix(std::shared_ptr<const Layout> layout) : Matrix(std::move(layout)) { klu_defaults(&common_); }

void KluMatrix::analyze() {
  if (layout_->coordinates() < layout_->size() && couples_coordinates(*layout_)) {
    std::vector<int> order = tied_ordering(*layout_), same = order;
    common_.btf = 0;
    symbolic_ = klu_analyze_given(layout_->size(), columns(), rows(), order.data(), same.data(), &common_);
  } else {
    symbolic_ = klu_analyze(layout_->size(), columns(), rows(), &common_);
  }
  if (symbolic_ == nullptr) throw std::bad_alloc();
}

KluMatrix::~KluMatrix() {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
}

bool KluMatrix::factor() {
  if (!Eigen::Map<const Vector>(values_.data(), Eigen::Index(values_.size())).allFinite()) return false;
  if (symbolic_ == nullptr) analyze();
  if (numeric_ != nullptr && klu_refactor(columns(), rows(), values_.data(), symbolic_, numeric_, &common_) && measure() &&
      pivot_ratio_ > reused_pivots_floor) {
    return true;
  }
  klu_free_numeric(&numeric_, &common_);
  numeric_ = klu_factor(columns(), rows(), values_.data(), symbolic_, &common_);
  return numeric_ != nullptr && measure();
}

void KluMatrix::solve(const double* b, double* x, int columns) {
  if (x != b) std::copy_n(b, std::ptrdiff_t(columns) * layout_->size(), x);
  klu_solve(symbolic_, numeric_, layout_->size(), columns, x, &common_);
}

bool KluMatrix::measure() {
  const bool good = klu_rcond(symbolic_, numeric_, &common_) && common_.rcond > 0.0;
  pivot_ratio_ = common_.rcond;
  return good;
}

}  // namespace taut
