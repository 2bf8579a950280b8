#include <algorithm>
#include <limits>
#include <taut/linalg/layout.hpp>
#include <taut/step/schur.hpp>
#include <tuple>

namespace taut {
namespace {

constexpr int widest_band = 40;  // beyond, panels fill in far less
constexpr int most_at_a_point =
    80;  // constraints; they are all joined in S, where the KKT matrix has the point between them

}  // namespace

std::optional<Schur> Schur::of(const System& system) {
  if (!system.lumped_mass()) return std::nullopt;
  const std::vector<Set> sets = system.sets();
  if (std::find(sets.begin(), sets.end(), Set::whole) != sets.end()) return std::nullopt;  // rows that do not act
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
  for (std::size_t i = 0; i < rows_of.size(); ++i) {
    const std::vector<int>& rows = rows_of[i];
    if (int(rows.size()) > most_at_a_point) return std::nullopt;
    if (i > 0 && rows == rows_of[i - 1]) continue;  // another coordinate of the same point
    for (const int a : rows)
      for (const int b : rows)
        if (a < b) entries.emplace_back(a, b);
  }
  const Layout layout(system.constraint_count(), std::move(entries));
  if (layout.half_bandwidth() <= widest_band)
    return Schur(system, mass.cwiseInverse(), BandedCholesky(layout.half_bandwidth(), layout.position()));
  return Schur(system, mass.cwiseInverse(),
               DefiniteFactor(DefiniteFactor::Form::symmetric, layout.column_starts(), layout.row_indices()));
}

Schur::Schur(const System& system, Vector weight, Factor factor)
    : system_(&system), weight_(std::move(weight)), root_(weight_.cwiseSqrt()), factor_(std::move(factor)) {
  std::vector<std::vector<Entry>> places(system.size());
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

  // Coordinates of one point are neighbours in every row of G that holds it: one scalar product for all of them.
  const auto follows = [](const Entry& before, const Entry& entry) {
    return entry.row == before.row && entry.index == before.index + 1;
  };
  std::vector<Product> pieces;
  std::size_t first = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& here = places[i];
    if (i > 0 && std::equal(places[i - 1].begin(), places[i - 1].end(), here.begin(), here.end(), follows)) {
      for (std::size_t k = first; k < pieces.size(); ++k) ++pieces[k].length;
      continue;
    }
    first = pieces.size();
    for (const Entry& x : here)
      for (const Entry& y : here)
        if (x.row >= y.row)
          pieces.push_back({std::visit([&](const auto& f) { return f.slot(x.row, y.row); }, factor_), x.index, y.index, 1});
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Product& x, const Product& y) { return std::tie(x.slot, x.a, x.b) < std::tie(y.slot, y.a, y.b); });
  // So are both ends of a rod in its own row.
  for (const Product& piece : pieces) {
    if (!products_.empty() && products_.back().slot == piece.slot &&
        products_.back().a + products_.back().length == piece.a && products_.back().b + products_.back().length == piece.b) {
      products_.back().length += piece.length;
    } else {
      products_.push_back(piece);
    }
  }
  firsts_.push_back(0);
  for (const auto& here : places) {
    entries_.insert(entries_.end(), here.begin(), here.end());
    firsts_.push_back(int(entries_.size()));
  }
}

void Schur::assemble(double t, const double* q) {
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  for (std::size_t b = 0; b < slots_.size(); ++b)
    system_->constraints()[b]->add_gradient(t, q, 1.0, nullptr, slots_[b].data(), gradient_.data());
  for (std::size_t k = 0; k < gradient_.size(); ++k) scaled_[k] = gradient_[k] * root_[columns_[k]];
  double* values = std::visit(
      [](auto& f) {
        std::fill(f.values().begin(), f.values().end(), 0.0);
        return f.values().data();
      },
      factor_);
  const double* scaled = scaled_.data();
  for (const Product& product : products_) {
    const double *x = scaled + product.a, *y = scaled + product.b;
    double sum = 0.0;
    for (int k = 0; k < product.length; ++k) sum += x[k] * y[k];
    values[product.slot] += sum;
  }
}

bool Schur::linearize(double t, const double* q) {
  if (is_at(t, q)) return true;
  assemble(t, q);
  t_ = t;
  q_ = Eigen::Map<const Vector>(q, weight_.size());
  factored_ = factor();
  return factored_;
}

bool Schur::is_at(double t, const double* q) const { return factored_ && t == t_ && std::equal(q_.begin(), q_.end(), q); }

bool Schur::approach(double t, const double* q) {
  if (is_at(t, q)) return true;
  factored_ = false;
  assemble(t, q);
  auto* sparse = std::get_if<DefiniteFactor>(&factor_);
  return sparse != nullptr ? sparse->approach() : factor();
}

bool Schur::factor() {
  return std::visit([](auto& f) { return f.factor(); }, factor_);
}

void Schur::solve(double* lambda) {
  if (auto* band = std::get_if<BandedCholesky>(&factor_)) return band->solve(lambda);
  if (!std::get<DefiniteFactor>(factor_).solve(lambda))
    std::fill_n(lambda, starts_.size() - 1, std::numeric_limits<double>::quiet_NaN());
}

void Schur::eliminate(double* f, double* lambda) {
  const int rows = int(starts_.size()) - 1;
  const double *gradient = gradient_.data(), *weight = weight_.data();
  const int *starts = starts_.data(), *columns = columns_.data();
  for (int r = 0; r < rows; ++r) {
    double sum = lambda[r];
    for (int k = starts[r]; k < starts[r + 1]; ++k) sum += gradient[k] * weight[columns[k]] * f[columns[k]];
    lambda[r] = sum;
  }
  solve(lambda);
  pull(f, f, lambda);
}

void Schur::correct(double* f, double* lambda) {
  solve(lambda);
  pull(nullptr, f, lambda);
}

void Schur::correct_roughly(double* f, double* lambda) {
  if (auto* band = std::get_if<BandedCholesky>(&factor_)) {
    band->solve(lambda);
  } else {
    std::get<DefiniteFactor>(factor_).solve_roughly(lambda);
  }
  pull(nullptr, f, lambda);
}

void Schur::pull(const double* from, double* f, const double* lambda) const {
  const int n = int(weight_.size());
  const int* firsts = firsts_.data();
  const Entry* entries = entries_.data();
  const double *gradient = gradient_.data(), *weight = weight_.data();
  for (int i = 0; i < n; ++i) {
    double sum = from != nullptr ? from[i] : 0.0;
    for (int k = firsts[i]; k < firsts[i + 1]; ++k) sum -= gradient[entries[k].index] * lambda[entries[k].row];
    f[i] = sum * weight[i];
  }
}

}  // namespace taut
