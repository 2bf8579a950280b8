#include <klu.h>

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

struct KluMatrix::Klu {
  Klu(const Layout& layout, std::vector<int> order)
      : size(layout.size()),
        columns(const_cast<int*>(layout.column_starts().data())),  // KLU's C interface is not const
        rows(const_cast<int*>(layout.row_indices().data())) {
    klu_defaults(&common);
    if (order.empty() && layout.coordinates() < size && couples_coordinates(layout)) order = tied_ordering(layout);
    if (!order.empty()) {
      std::vector<int> same = order;
      common.btf = 0;
      symbolic = klu_analyze_given(size, columns, rows, order.data(), same.data(), &common);
    } else {
      symbolic = klu_analyze(size, columns, rows, &common);
    }
    if (symbolic == nullptr) throw std::bad_alloc();
  }
  ~Klu() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;

  bool measured() { return klu_rcond(symbolic, numeric, &common) && common.rcond > 0.0; }
  bool refactor(double* values) {
    return numeric != nullptr && klu_refactor(columns, rows, values, symbolic, numeric, &common) && measured() &&
           common.rcond > reused_pivots_floor;
  }
  bool factor(double* values) {
    klu_free_numeric(&numeric, &common);
    numeric = klu_factor(columns, rows, values, symbolic, &common);
    return numeric != nullptr && measured();
  }

  int size;
  int *columns, *rows;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
};

KluMatrix::KluMatrix(std::shared_ptr<const Layout> layout, std::vector<int> order)
    : Matrix(std::move(layout)), order_(std::move(order)) {}
KluMatrix::~KluMatrix() = default;

bool KluMatrix::factor() {
  if (!Eigen::Map<const Vector>(values_.data(), Eigen::Index(values_.size())).allFinite()) return false;
  if (!klu_) klu_ = std::make_unique<Klu>(*layout_, order_);
  const bool good = klu_->refactor(values_.data()) || klu_->factor(values_.data());
  pivot_ratio_ = klu_->common.rcond;
  return good;
}

void KluMatrix::solve(const double* b, double* x, int columns) {
  if (x != b) std::copy_n(b, std::ptrdiff_t(columns) * layout_->size(), x);
  klu_solve(klu_->symbolic, klu_->numeric, layout_->size(), columns, x, &klu_->common);
}

}  // namespace taut
