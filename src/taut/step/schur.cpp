#include <algorithm>
#include <limits>
#include <taut/linalg/layout.hpp>
#include <taut/step/schur.hpp>
#include <tuple>

namespace taut {
namespace {

constexpr int widest_band = 40;  // beyond, panels fill in far less
constexpr int most_at_a_point =
    80;                            // constraints; they are all joined in S, where the KKT matrix has the point between them
constexpr int most_rounds = 8;     // of conjugate gradients with an old factor
constexpr double settled = 1e-14;  // what the next round would add, of the solution, in its energy norm
constexpr double worth_keeping = 3;  // solutions in the time of a factor
constexpr double lost = 1e-13;       // pivots below this share of their diagonal entry: the matrix is singular, or nearly so

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
  for (const auto& rows : rows_of) {
    if (int(rows.size()) > most_at_a_point) return std::nullopt;
    for (const int a : rows)
      for (const int b : rows)
        if (a < b) entries.emplace_back(a, b);
  }
  const Layout layout(system.constraint_count(), std::move(entries));
  if (layout.half_bandwidth() <= widest_band)
    return Schur(system, mass.cwiseInverse(), BandedCholesky(layout.half_bandwidth(), layout.position()));
  return Schur(system, mass.cwiseInverse(),
               Supernodal(Supernodal::Form::symmetric, layout.column_starts(), layout.row_indices()));
}

Schur::Schur(const System& system, Vector weight, Factor factor)
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

  struct Piece {
    int slot, a, b;
  };
  std::vector<Piece> pieces;
  for (const auto& here : places)
    for (const Place& x : here)
      for (const Place& y : here)
        if (x.row >= y.row)
          pieces.push_back({std::visit([&](const auto& f) { return f.slot(x.row, y.row); }, factor_), x.index, y.index});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& x, const Piece& y) { return std::tie(x.slot, x.a, x.b) < std::tie(y.slot, y.a, y.b); });
  // Neighbours in both rows of G make one scalar product.
  for (const Piece& piece : pieces) {
    if (!products_.empty() && products_.back().slot == piece.slot &&
        products_.back().a + products_.back().length == piece.a && products_.back().b + products_.back().length == piece.b) {
      ++products_.back().length;
      continue;
    }
    products_.push_back({piece.slot, piece.a, piece.b, 1});
  }
  firsts_.push_back(0);
  for (const auto& here : places) {
    for (const Place& x : here) entries_.push_back({x.row, x.index});
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
  assemble(t, q);
  return factor();
}

bool Schur::approach(double t, const double* q) {
  assemble(t, q);
  const auto* panels = std::get_if<Supernodal>(&factor_);
  if (panels == nullptr || !factored_ || panels->factor_over_solve() < worth_keeping) return factor();
  old_ = true;
  return true;
}

bool Schur::factor() {
  old_ = false;
  factored_ = false;
  if (auto* band = std::get_if<BandedCholesky>(&factor_)) return band->factor();
  auto& panels = std::get<Supernodal>(factor_);
  factored_ = panels.factor() && panels.pivot_ratio() > lost;
  return factored_;
}

/// Conjugate gradients with the old factor as preconditioner: each round gains the digits that the change of S leaves. False where that are too few.
bool Schur::iterate(double* lambda) {
  auto& panels = std::get<Supernodal>(factor_);
  const Eigen::Index m = panels.size();
  Eigen::Map<Vector> x(lambda, m);
  right_ = residual_ = x;
  image_.resize(m);
  x.setZero();
  double before = 0.0, first = 0.0;
  for (int round = 0; round <= most_rounds; ++round) {
    preconditioned_ = residual_;
    panels.solve(preconditioned_.data());
    const double now = residual_.dot(preconditioned_);
    if (!(now > 0.0)) return now == 0.0;
    if (round == 0) first = now;
    // What this round would add is known, and the next one would add less by as much as this does than the last.
    if (round > 0 && now / before * now <= settled * settled * first) {
      x += preconditioned_;
      return true;
    }
    if (round == 0) {
      direction_ = preconditioned_;
    } else {
      direction_ = preconditioned_ + now / before * direction_;
    }
    panels.multiply(direction_.data(), image_.data());
    const double share = now / direction_.dot(image_);
    x += share * direction_;
    residual_ -= share * image_;
    before = now;
  }
  return false;
}

void Schur::solve(double* lambda) {
  if (old_) {
    if (iterate(lambda)) return;
    std::copy(right_.begin(), right_.end(), lambda);
    if (!factor()) std::fill_n(lambda, right_.size(), std::numeric_limits<double>::quiet_NaN());
  }
  std::visit([&](auto& f) { f.solve(lambda); }, factor_);
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
  std::visit([&](auto& one) { one.solve(lambda); }, factor_);
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
