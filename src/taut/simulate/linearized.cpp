#include <taut/simulate/linearized.hpp>

namespace taut {
namespace {

using Entry = Eigen::Triplet<double>;

/// Entries in the order of their slots; add(values) writes the values.
class Entries {
  /// The next slot, for an entry (i, j).
  auto slot() {
    where_.clear();
    return [this](int i, int j) {
      where_.emplace_back(i, j);
      return int(where_.size()) - 1;
    };
  }

 public:
  template <class Block, class Add> void square(const Block& block, const Add& add) {
    take(square_slots(block, slot()), add);
  }
  template <class Add> void gradient(const ConstraintBlock& block, int first, const Add& add) {
    take(gradient_slots(block, first, slot()), add);
  }
  template <class Sparse> Sparse matrix(int rows, int columns) const {
    Sparse out(rows, columns);
    out.setFromTriplets(all_.begin(), all_.end());
    return out;
  }

 private:
  template <class Add> void take(const std::vector<int>& slots, const Add& add) {
    values_.assign(where_.size(), 0.0);
    add(slots.data(), values_.data());
    for (std::size_t k = 0; k < where_.size(); ++k) all_.emplace_back(where_[k].first, where_[k].second, values_[k]);
  }

  std::vector<std::pair<int, int>> where_;
  std::vector<double> values_;
  std::vector<Entry> all_;
};

}  // namespace

Linearized linearized(const System& system, const State& at) {
  const int n = system.size();
  Entries M, D, K, G;
  for (const auto& block : system.dynamics()) {
    const auto slopes = [&](const SlopeWeights& weights) {
      return [&, weights](const int* slots, double* values) { block->add_slopes(instant(at), weights, slots, values); };
    };
    M.square(*block, slopes({.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}));
    D.square(*block, slopes({.momentum = 1.0, .force = 0.0, .dq = 1.0, .dv = 0.0}));
    D.square(*block, slopes({.momentum = 0.0, .force = -1.0, .dq = 0.0, .dv = 1.0}));
    K.square(*block, slopes({.momentum = 0.0, .force = -1.0, .dq = 1.0, .dv = 0.0}));
  }
  int first = 0;
  for (const auto& block : system.constraints()) {
    K.square(*block, [&](const int* slots, double* values) {
      block->add_curvature(at.t, at.q.data(), at.lambda.data() + first, 1.0, slots, values);
    });
    G.gradient(*block, first, [&](const int* slots, double* values) {
      block->add_gradient(at.t, at.q.data(), 1.0, nullptr, slots, values);
    });
    first += block->terms() * block->rows();
  }
  using Sparse = Eigen::SparseMatrix<double>;
  const std::vector<Set> sets = system.sets();
  const auto acts = [&](int row) { return sets[std::size_t(row)] == Set::zero || at.lambda[row] != 0.0; };
  return {.M = M.matrix<Sparse>(n, n),
          .D = D.matrix<Sparse>(n, n),
          .K = K.matrix<Sparse>(n, n),
          .G = rows_of(G.matrix<SparseRows>(system.constraint_count(), n), acts)};
}

}  // namespace taut
