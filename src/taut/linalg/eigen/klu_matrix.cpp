#include <Eigen/SparseLU>
#include <limits>
#include <taut/linalg/klu_matrix.hpp>
#include <taut/linalg/symbolic.hpp>
#include <taut/linalg/tied_ordering.hpp>

// In place of KLU where there is no SuiteSparse: Eigen's supernodal LU, in an order of our own. Pivots are chosen anew each time.
namespace taut {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

class Lu final : public Eigen::SparseLU<Sparse, Eigen::NaturalOrdering<int>> {
 public:
  /// Smallest over largest pivot.
  double pivot_ratio() {
    double least = std::numeric_limits<double>::infinity(), most = 0.0;
    for (Eigen::Index j = 0; j < cols(); ++j)
      for (SCMatrix::InnerIterator entry(m_Lstore, j); entry; ++entry) {
        if (entry.index() != j) continue;
        least = std::min(least, std::abs(entry.value()));
        most = std::max(most, std::abs(entry.value()));
        break;
      }
    return most > 0.0 ? least / most : 0.0;
  }
};

}  // namespace

struct KluMatrix::Klu {
  Klu(const Layout& layout, std::vector<int> order) : A(layout.size(), layout.size()), from(layout.row_indices().size()) {
    if (order.empty())
      order = layout.coordinates() < layout.size() ? tied_ordering(layout)
                                                   : minimum_degree(layout.column_starts(), layout.row_indices());
    place.resize(layout.size());
    for (int k = 0; k < layout.size(); ++k) place.indices()[order[k]] = k;
    // Which value goes where, once.
    std::vector<Eigen::Triplet<double>> entries;
    for (int j = 0; j < layout.size(); ++j)
      for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
        entries.emplace_back(place.indices()[layout.row_indices()[k]], place.indices()[j], double(k));
    A.setFromTriplets(entries.begin(), entries.end());
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = int(A.valuePtr()[k]);
    lu.analyzePattern(A);
  }

  Sparse A;               // in the order of elimination
  std::vector<int> from;  // of each of its entries: the slot of the layout
  Eigen::PermutationMatrix<Eigen::Dynamic> place;
  Lu lu;
};

KluMatrix::KluMatrix(std::shared_ptr<const Layout> layout, std::vector<int> order)
    : Matrix(std::move(layout)), order_(std::move(order)) {}
KluMatrix::~KluMatrix() = default;

bool KluMatrix::factor() {
  if (!Eigen::Map<const Vector>(values_.data(), Eigen::Index(values_.size())).allFinite()) return false;
  if (!klu_) klu_ = std::make_unique<Klu>(*layout_, order_);
  for (std::size_t k = 0; k < klu_->from.size(); ++k) klu_->A.valuePtr()[k] = values_[std::size_t(klu_->from[k])];
  klu_->lu.factorize(klu_->A);
  const bool good = klu_->lu.info() == Eigen::Success;
  pivot_ratio_ = good ? klu_->lu.pivot_ratio() : 0.0;
  return good && pivot_ratio_ > 0.0;
}

void KluMatrix::solve(const double* b, double* x, int columns) {
  for (int k = 0; k < columns; ++k) {
    const Eigen::Index n = layout_->size();
    const Vector ordered = klu_->place * Eigen::Map<const Vector>(b + k * n, n);
    const Vector found = klu_->lu.solve(ordered);
    Eigen::Map<Vector>(x + k * n, n) = klu_->place.inverse() * found;
  }
}

}  // namespace taut
