#include <algorithm>
#include <taut/linalg/layout.hpp>
#include <taut/step/schur.hpp>

namespace taut {
namespace {

constexpr int widest_band = 40;  // beyond, a sparse KKT matrix fills in far less

}  // namespace

std::optional<Schur> Schur::of(const System& system) {
  if (!system.lumped_mass()) return std::nullopt;
  const Vector zero = Vector::Zero(system.size()), one = Vector::Ones(system.size());
  const Vector mass = system.momentum({0.0, zero.data(), one.data()});
  if (!(mass.array() > 0.0).all()) return std::nullopt;

  // Rows meet in S where they share a coordinate.
  std::vector<std::vector<int>> rows_of(system.size());
  int row = 0;
  for (const auto& block : system.constraints())
    for (int k = 0; k < block->terms(); ++k)
      for (int r = 0; r < block->rows(); ++r, ++row)
        for (int i = 0; i < block->width(); ++i) rows_of[block->stencils()[k * block->width() + i]].push_back(row);
  std::vector<Layout::Entry> entries;
  for (const auto& rows : rows_of) {
    if (int(rows.size()) > 2 * widest_band) return std::nullopt;
    for (const int a : rows)
      for (const int b : rows)
        if (a < b) entries.emplace_back(a, b);
  }
  const Layout layout(system.constraint_count(), std::move(entries));
  if (layout.half_bandwidth() > widest_band) return std::nullopt;
  return Schur(system, mass.cwiseInverse(), BandedCholesky(layout.half_bandwidth(), layout.position()));
}

Schur::Schur(const System& system, Vector weight, BandedCholesky factor)
    : system_(&system), weight_(std::move(weight)), root_(weight_.cwiseSqrt()), factor_(std::move(factor)) {
  struct Place {
    int row, index;
  };
  std::vector<std::vector<Place>> places(system.size());
  starts_.push_back(0);
  for (const auto& block : system.constraints()) {
    const int n = block->width(), m = block->rows();
    std::vector<int> slots(std::size_t(block->terms()) * m * n);
    for (int k = 0; k < block->terms(); ++k)
      for (int r = 0; r < m; ++r) {
        for (int i = 0; i < n; ++i) {
          const int index = int(columns_.size()), coordinate = block->stencils()[k * n + i];
          slots[(std::size_t(k) * m + r) * n + i] = index;
          places[coordinate].push_back({int(starts_.size()) - 1, index});
          columns_.push_back(coordinate);
        }
        starts_.push_back(int(columns_.size()));
      }
    slots_.push_back(std::move(slots));
  }
  gradient_.resize(columns_.size());
  scaled_.resize(columns_.size());

  struct Part {
    int slot, a, b;
  };
  std::vector<Part> parts;
  for (const auto& here : places)
    for (const Place& x : here)
      for (const Place& y : here)
        if (x.row >= y.row) parts.push_back({factor_.slot(x.row, y.row), x.index, y.index});
  std::sort(parts.begin(), parts.end(), [](const Part& x, const Part& y) { return x.slot < y.slot; });
  for (const Part& part : parts) {
    if (products_.empty() || products_.back().slot != part.slot)
      products_.push_back({part.slot, int(pairs_.size()), int(pairs_.size())});
    pairs_.emplace_back(part.a, part.b);
    ++products_.back().last;
  }
}

bool Schur::linearize(double t, const double* q) {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  for (std::size_t b = 0; b < slots_.size(); ++b)
    system_->constraints()[b]->add_gradient(t, q, 1.0, nullptr, slots_[b].data(), gradient_.data());
  for (std::size_t k = 0; k < gradient_.size(); ++k) scaled_[k] = gradient_[k] * root_[columns_[k]];
  auto& values = factor_.values();
  std::fill(values.begin(), values.end(), 0.0);
  for (const Product& product : products_) {
    double sum = 0.0;
    for (int k = product.first; k < product.last; ++k) sum += scaled_[pairs_[k].first] * scaled_[pairs_[k].second];
    values[product.slot] = sum;
  }
  return factor_.factor();
}

void Schur::eliminate(double* f, double* lambda) {
  const int rows = int(starts_.size()) - 1;
  for (int r = 0; r < rows; ++r) {
    double sum = lambda[r];
    for (int k = starts_[r]; k < starts_[r + 1]; ++k) sum += gradient_[k] * weight_[columns_[k]] * f[columns_[k]];
    lambda[r] = sum;
  }
  factor_.solve(lambda);
  for (int r = 0; r < rows; ++r)
    for (int k = starts_[r]; k < starts_[r + 1]; ++k) f[columns_[k]] -= gradient_[k] * lambda[r];
  const int n = int(weight_.size());
  for (int i = 0; i < n; ++i) f[i] *= weight_[i];
}

}  // namespace taut
