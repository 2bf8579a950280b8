#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/linalg/klu_matrix.hpp>
#include <taut/linalg/reduced_matrix.hpp>

namespace taut {
namespace {

/// Eliminating a coordinate joins all constraints that meet there. So many cost less than the coordinate itself does among the unknowns.
constexpr int most_neighbours = 24;

/// Coordinates coupled this many times more strongly than by their own diagonal entry leave GMRES no hope.
constexpr double strongest_coupling = 10.0;

/// Rounds of GMRES that cost less than a factor of the whole matrix, and factors of it after which elimination is tried again.
constexpr int most_rounds = 24, patience = 20;

/// What Newton needs of a correction: errors like those of a matrix that is a little old. And what a solution needs.
constexpr double rough = 1e-4, fine = 1e-14;

/// Where elimination lost so many digits, a solution is refined.
constexpr double refine_below = 1e-6;

std::vector<char> eliminable(const Layout& layout) {
  std::vector<char> can(layout.size(), 0);
  for (int j = 0; j < layout.coordinates(); ++j) {
    int met = 0;
    for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
      met += layout.row_indices()[k] >= layout.coordinates() ? 1 : 0;
    can[j] = met <= most_neighbours ? 1 : 0;
  }
  return can;
}

}  // namespace

bool ReducedMatrix::takes(const Layout& layout) {
  if (layout.coordinates() == layout.size()) return false;
  const std::vector<char> can = eliminable(layout);
  for (int j = layout.coordinates(); j < layout.size(); ++j) {
    const int *first = layout.row_indices().data() + layout.column_starts()[j],
              *last = layout.row_indices().data() + layout.column_starts()[j + 1];
    if (std::none_of(first, last, [&](int i) { return can[i] != 0; })) return false;
  }
  return true;
}

ReducedMatrix::ReducedMatrix(std::shared_ptr<const Layout> layout) : Matrix(std::move(layout)) {}

void ReducedMatrix::find_pattern() {
  const Layout& layout = *layout_;
  const auto& starts = layout.column_starts();
  const auto& rows = layout.row_indices();
  const std::vector<char> can = eliminable(layout);
  std::vector<int> place(layout.size());
  for (int j = 0; j < layout.size(); ++j) {
    auto& list = can[j] != 0 ? eliminated_ : kept_;
    place[j] = int(list.size());
    list.push_back(j);
  }

  // Neighbours of each eliminated coordinate; the pattern is symmetric, so that a column lists the entries of the row too.
  starts_.assign(1, 0);
  coupling_starts_.assign(1, 0);
  for (const int j : eliminated_) {
    diagonal_slots_.push_back(layout.slot(j, j));
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int i = rows[k];
      if (i == j) continue;
      if (can[i] != 0) {
        coupling_columns_.push_back(place[i]);
        coupling_slots_.push_back(layout.slot(j, i));
      } else {
        neighbours_.push_back(place[i]);
        row_slots_.push_back(layout.slot(j, i));
        column_slots_.push_back(k);
      }
    }
    starts_.push_back(int(neighbours_.size()));
    coupling_starts_.push_back(int(coupling_columns_.size()));
  }

  // S has the entries among the kept, and joins the neighbours of each eliminated one.
  std::vector<std::vector<int>> columns(kept_.size());
  for (std::size_t c = 0; c < kept_.size(); ++c)
    for (int k = starts[kept_[c]]; k < starts[kept_[c] + 1]; ++k)
      if (can[rows[k]] == 0) columns[c].push_back(place[rows[k]]);
  // Coordinates of one point meet the same constraints, one after the other.
  const auto as_before = [&](std::size_t e) {
    const auto first = neighbours_.begin() + starts_[e], last = neighbours_.begin() + starts_[e + 1];
    return e > 0 && last - first == starts_[e] - starts_[e - 1] &&
           std::equal(first, last, neighbours_.begin() + starts_[e - 1]);
  };
  for (std::size_t e = 0; e < eliminated_.size(); ++e) {
    if (as_before(e)) continue;
    for (int a = starts_[e]; a < starts_[e + 1]; ++a)
      columns[neighbours_[a]].insert(columns[neighbours_[a]].end(), neighbours_.begin() + starts_[e],
                                     neighbours_.begin() + starts_[e + 1]);
  }
  std::vector<int> schur_starts(1, 0), schur_rows;
  for (auto& column : columns) {
    std::sort(column.begin(), column.end());
    schur_rows.insert(schur_rows.end(), column.begin(), std::unique(column.begin(), column.end()));
    schur_starts.push_back(int(schur_rows.size()));
    column = {};
  }
  schur_ = std::make_unique<DefiniteFactor>(DefiniteFactor::Form::general, schur_starts, schur_rows);
  for (std::size_t c = 0; c < kept_.size(); ++c)
    for (int k = starts[kept_[c]]; k < starts[kept_[c] + 1]; ++k)
      if (can[rows[k]] == 0) kept_slots_.emplace_back(k, schur_->slot(place[rows[k]], int(c)));
  for (std::size_t e = 0; e < eliminated_.size(); ++e) {
    const auto first = neighbours_.begin() + starts_[e], last = neighbours_.begin() + starts_[e + 1];
    if (as_before(e)) {
      const std::size_t before = products_.size() - std::size_t((last - first) * (last - first));
      for (std::size_t k = before, end = products_.size(); k < end; ++k) products_.push_back(products_[k]);
      continue;
    }
    for (auto column = first; column != last; ++column)
      for (auto row = first; row != last; ++row) products_.push_back(schur_->slot(*row, *column));
  }
  inverse_.resize(eliminated_.size());
  row_values_.resize(neighbours_.size());
  column_values_.resize(neighbours_.size());
  active_columns_.reserve(coupling_columns_.size());
  active_values_.reserve(coupling_columns_.size());
  active_starts_.resize(coupling_starts_.size());
  scratch_.resize(layout_->size());
}

/// D⁻¹, C, D⁻¹Bᵀ, E and S from the values of the matrix.
bool ReducedMatrix::gather() {
  const double* values = values_.data();
  active_columns_.clear();
  active_values_.clear();
  active_starts_[0] = 0;
  for (std::size_t e = 0; e < eliminated_.size(); ++e) {
    const double diagonal = values[diagonal_slots_[e]];
    double coupling = 0.0;
    for (int k = coupling_starts_[e]; k < coupling_starts_[e + 1]; ++k) {
      const double value = values[coupling_slots_[k]];
      if (value == 0.0) continue;
      coupling += std::abs(value);
      active_columns_.push_back(coupling_columns_[k]);
      active_values_.push_back(value);
    }
    if (!(diagonal > 0.0) || coupling > strongest_coupling * diagonal) return false;
    active_starts_[e + 1] = int(active_columns_.size());
    inverse_[e] = 1.0 / diagonal;
    for (int k = starts_[e]; k < starts_[e + 1]; ++k) {
      row_values_[k] = values[row_slots_[k]] * inverse_[e];
      column_values_[k] = values[column_slots_[k]];
    }
  }
  double* schur = schur_->values().data();
  std::fill(schur_->values().begin(), schur_->values().end(), 0.0);
  for (const auto& [from, to] : kept_slots_) schur[to] = values[from];
  const int* slot = products_.data();
  for (std::size_t e = 0; e < eliminated_.size(); ++e)
    for (int column = starts_[e]; column < starts_[e + 1]; ++column)
      for (int row = starts_[e]; row < starts_[e + 1]; ++row) schur[*slot++] -= column_values_[row] * row_values_[column];
  return true;
}

bool ReducedMatrix::factor() {
  if (!Eigen::Map<const Vector>(values_.data(), Eigen::Index(values_.size())).allFinite()) return false;
  if (rounds_whole_ > 0 && --rounds_whole_ > 0) return factor_whole();
  if (!schur_) find_pattern();
  if (!gather()) {
    rounds_whole_ = patience;
    return factor_whole();
  }
  const bool good = schur_->factor();
  pivot_ratio_ = schur_->pivot_ratio();
  return good;
}

bool ReducedMatrix::factor_whole() {
  if (!whole_) whole_ = std::make_unique<KluMatrix>(layout_);
  std::copy(values_.begin(), values_.end(), whole_->values());
  const bool good = whole_->factor();
  pivot_ratio_ = whole_->pivot_ratio();
  return good;
}

/// z, the eliminated first and then the kept, becomes the solution of the system without E with the right side z.
void ReducedMatrix::precondition(double* z) {
  const std::size_t count = eliminated_.size();
  double* kept = z + count;
  for (std::size_t e = 0; e < count; ++e) {
    const double x = z[e] *= inverse_[e];
    for (int k = starts_[e]; k < starts_[e + 1]; ++k) kept[neighbours_[k]] -= column_values_[k] * x;
  }
  schur_->solve(kept);
  for (std::size_t e = 0; e < count; ++e) {
    double sum = z[e];
    for (int k = starts_[e]; k < starts_[e + 1]; ++k) sum -= row_values_[k] * kept[neighbours_[k]];
    z[e] = sum;
  }
}

void ReducedMatrix::apply_coupling(const double* x, double* y) const {
  for (std::size_t e = 0; e < eliminated_.size(); ++e) {
    double sum = 0.0;
    for (int k = active_starts_[e]; k < active_starts_[e + 1]; ++k) sum += active_values_[k] * x[active_columns_[k]];
    y[e] = sum;
  }
}

/// GMRES for x + P⁻¹E x = y with y in the first places of z. A vector of the basis has what P⁻¹E makes of it in the places of the kept, with a minus, so that their solution is
/// the same combination added to what z holds there.
bool ReducedMatrix::iterate(double* z, double tolerance) {
  const auto n = Eigen::Index(eliminated_.size()), size = Eigen::Index(layout_->size());
  Eigen::Map<Vector> solution(z, size);
  const double norm = solution.head(n).norm();
  if (norm == 0.0 || !std::isfinite(norm)) return true;
  Eigen::Matrix<double, most_rounds + 1, most_rounds> hessenberg;
  Eigen::Matrix<double, most_rounds + 1, 1> right;
  Eigen::JacobiRotation<double> turns[most_rounds];
  const auto vector = [&](int k) -> Vector& {
    if (int(basis_.size()) <= k) basis_.emplace_back(size);
    return basis_[k];
  };
  vector(0).head(n) = solution.head(n) / norm;
  right[0] = norm;
  int rounds = 0;
  bool enough = false;
  while (rounds < most_rounds && !enough) {
    const int k = rounds++;
    vector(k + 1).tail(size - n).setZero();  // basis_ may grow here, before references are taken
    Vector &last = basis_[k], &next = basis_[k + 1];
    apply_coupling(last.data(), next.data());
    precondition(next.data());
    last.tail(size - n) = -next.tail(size - n);
    next.head(n) += last.head(n);
    for (int i = 0; i <= k; ++i) {
      const double along = hessenberg(i, k) = basis_[i].head(n).dot(next.head(n));
      next.head(n) -= along * basis_[i].head(n);
    }
    const double length = hessenberg(k + 1, k) = next.head(n).norm();
    if (!std::isfinite(length)) return false;
    if (length > 0.0) next.head(n) /= length;
    for (int i = 0; i < k; ++i) hessenberg.col(k).applyOnTheLeft(i, i + 1, turns[i].adjoint());
    turns[k].makeGivens(hessenberg(k, k), hessenberg(k + 1, k));
    hessenberg.col(k).applyOnTheLeft(k, k + 1, turns[k].adjoint());
    right[k + 1] = 0.0;
    right.applyOnTheLeft(k, k + 1, turns[k].adjoint());
    enough = std::abs(right[k + 1]) <= tolerance * norm || length <= std::numeric_limits<double>::epsilon() * norm;
  }
  if (!enough) return false;
  const Eigen::VectorXd weights =
      hessenberg.topLeftCorner(rounds, rounds).template triangularView<Eigen::Upper>().solve(right.head(rounds));
  solution.head(n).setZero();
  for (int k = 0; k < rounds; ++k) solution += weights[k] * basis_[k];
  return true;
}

void ReducedMatrix::solve_once(const double* b, double* x, double tolerance) {
  if (rounds_whole_ == 0) {
    const std::size_t count = eliminated_.size();
    if (active_columns_.empty() && int(count) == layout_->coordinates()) {  // no other order, no way to fail
      if (x != b) std::copy_n(b, layout_->size(), x);
      precondition(x);
      return;
    }
    for (std::size_t e = 0; e < count; ++e) scratch_[Eigen::Index(e)] = b[eliminated_[e]];
    for (std::size_t c = 0; c < kept_.size(); ++c) scratch_[Eigen::Index(count + c)] = b[kept_[c]];
    precondition(scratch_.data());
    if (active_columns_.empty() || iterate(scratch_.data(), tolerance)) {
      for (std::size_t e = 0; e < count; ++e) x[eliminated_[e]] = scratch_[Eigen::Index(e)];
      for (std::size_t c = 0; c < kept_.size(); ++c) x[kept_[c]] = scratch_[Eigen::Index(count + c)];
      return;
    }
    rounds_whole_ = patience;
    if (!factor_whole()) {
      std::fill_n(x, layout_->size(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
  }
  whole_->solve(b, x, 1);
}

void ReducedMatrix::solve(const double* b, double* x, int columns, double tolerance) {
  const int size = layout_->size();
  for (int c = 0; c < columns; ++c) {
    const double* right = b + std::ptrdiff_t(c) * size;
    double* out = x + std::ptrdiff_t(c) * size;
    if (rounds_whole_ > 0 || pivot_ratio_ > refine_below) {
      solve_once(right, out, tolerance);
      continue;
    }
    residual_ = Eigen::Map<const Vector>(right, size);
    solve_once(right, out, tolerance);
    for (int j = 0; j < size; ++j)
      for (int k = layout_->column_starts()[j]; k < layout_->column_starts()[j + 1]; ++k)
        residual_[layout_->row_indices()[k]] -= values_[k] * out[j];
    correction_.resize(size);
    solve_once(residual_.data(), correction_.data(), rough);
    Eigen::Map<Vector>(out, size) += correction_;
  }
}

void ReducedMatrix::solve(const double* b, double* x, int columns) { solve(b, x, columns, fine); }
void ReducedMatrix::correct(const double* b, double* x, int columns) { solve(b, x, columns, rough); }

}  // namespace taut
