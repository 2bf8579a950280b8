#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/step/kkt.hpp>

namespace taut {
namespace {

/// Pivots this far apart mean dependent rows, or units to be ashamed of; the rank then decides.
constexpr double suspicious_pivots = 1e-13;

/// Where the constraints hold, rows that depend on each other leave pivots of round-off; above this there are none.
constexpr double doubtful_pivots = 1e-10;

}  // namespace

void StepSolver::Kkt::bind(StepProblem& problem) {
  problem_ = &problem;
  n_ = problem.unknowns();
  m_ = problem.constraints();
  const auto& sets = problem.sets();
  equalities_ = std::all_of(sets.begin(), sets.end(), [](Set set) { return set == Set::zero; });
  plain_ = dependent.empty() && equalities_;
  if (matrix_ != nullptr && &matrix_->layout() == problem.layout().get()) return;
  matrix_ = Matrix::on(problem.layout());
  diagonal_.resize(m_);
  for (int i = 0; i < m_; ++i) diagonal_[i] = problem.layout()->slot(n_ + i, n_ + i);
  on_.setOnes(m_);
  factored_on_ = on_;
  aside_.assign(m_, 0);
  c_.resize(m_);
  center_ = Vector::Zero(m_);
  dependent.clear();
  plain_ = equalities_;
  inspected = false;
  suspicious_ = suspicious_pivots;
  dual_norm = 0.0;
  rebuilt = true;
}

void StepSolver::Kkt::residual(const Vector& z, Vector& r) {
  r.resize(n_ + m_);
  problem_->residual(z.data(), z.data() + n_, r.data(), c_.data());
  const double scale = 1.0 / problem_->constraint_scale();
  const std::vector<Set>& sets = problem_->sets();
  switched_ = false;
  if (plain_ && !held) {  // equalities only, and independent: every row is active
    r.tail(m_) = scale * c_;
    if (shift != 0.0) r.tail(m_) -= shift * (z.tail(m_) - center_);
    return;
  }
  for (int i = 0; i < m_; ++i) {
    const double c = c_[i] * scale, multiplier = z[n_ + i];
    bool on = !held && aside_[i] == 0;
    // An inequality is active if the projection of its shifted value meets the boundary.
    if (on && sets[i] != Set::zero) on = binds(sets[i], c + (shift > 0.0 ? shift * center_[i] : multiplier));
    on_[i] = on ? 1.0 : 0.0;
    switched_ = switched_ || on_[i] != factored_on_[i];
    r[n_ + i] = on ? c - shift * (multiplier - center_[i]) : multiplier - (held ? center_[i] : 0.0);
  }
}

bool StepSolver::Kkt::linearize(const Vector& z) {
  assemble(z, on_);
  factored_on_ = on_;
  switched_ = false;
  ratio_ = matrix_->factor() ? matrix_->pivot_ratio() : 0.0;
  return ratio_ > suspicious_ || (m_ == 0 && ratio_ > 0.0 && units_alone(z));
}

bool StepSolver::Kkt::trust() {
  if (ratio_ == 0.0) return false;
  suspicious_ = std::min(suspicious_, 1e-3 * ratio_);
  return true;
}

bool StepSolver::Kkt::doubtful(const Vector& z) {
  assemble(z, equality_rows());
  return !matrix_->factor() || !(matrix_->pivot_ratio() > doubtful_pivots);
}

std::vector<int> StepSolver::Kkt::dependent_at(const Vector& z, double tolerance) {
  assemble(z, Vector::Ones(m_));
  const auto C = gradient();
  std::vector<int> rows;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < m_; ++i) {
    if (problem_->sets()[i] != Set::zero) continue;
    for (decltype(gradient())::InnerIterator entry(C, i); entry; ++entry)
      entries.emplace_back(int(rows.size()), int(entry.col()), entry.value());
    rows.push_back(i);
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> equalities(Eigen::Index(rows.size()), n_);
  equalities.setFromTriplets(entries.begin(), entries.end());
  std::vector<int> found = dependent_rows(equalities, tolerance);
  if (!found.empty()) {
    // What repeats others does so in any units; what only seems to, beside coordinates of another size, does not in those of inertia.
    Vector diagonal(n_);
    for (int j = 0; j < n_; ++j) diagonal[j] = matrix_->values()[problem_->layout()->slot(j, j)];
    equalities = equalities * natural_units(diagonal, equalities).asDiagonal();
    if (const std::vector<int> fewer = dependent_rows(equalities, tolerance); fewer.size() < found.size()) found = fewer;
  }
  for (int& row : found) row = rows[row];
  return found;
}

double StepSolver::Kkt::distance(const Vector& z, int row) {
  assemble(z, Vector::Ones(m_));
  const double size = gradient().row(row).norm();
  return std::abs(c_[row] / problem_->constraint_scale()) / (size > 0.0 ? size : 1.0);
}

double StepSolver::Kkt::threshold(double size_of_z, double tolerance) const {
  // Positions are met to their round-off, so the x that reaches them is met to this. Without constraints there is no such limit: an
  // error of that size in every step would add up. The square of round-off does not; what rests at x = 0 needs no more.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return tolerance * size_of_z + (m_ == 0 ? epsilon : 0.1) * epsilon * problem_->natural_size();
}

void StepSolver::Kkt::assemble(const Vector& z, const Vector& row_weight) {
  problem_->slopes(z.data(), z.data() + n_, row_weight.data(), matrix_->values());
  for (int i = 0; i < m_;
       ++i)  // without a look at entries that stay as they are: in a large matrix that would be a pass of its own
    if (const double extra = row_weight[i] != 0.0 ? -shift : 1.0; extra != 0.0) matrix_->values()[diagonal_[i]] += extra;
}

void StepSolver::Kkt::set_aside(const std::vector<int>& rows) {
  dependent = rows;
  std::fill(aside_.begin(), aside_.end(), 0);
  for (const int row : rows) aside_[row] = 1;
  plain_ = equalities_ && rows.empty();
}

void StepSolver::Kkt::take_least_norm(Vector& z) {
  residual(z, scratch_);
  const double method_shift = shift;
  shift = 0.0;
  assemble(z, on_);
  shift = method_shift;
  const Layout& layout = matrix_->layout();
  Eigen::MatrixXd null = Eigen::MatrixXd::Zero(n_ + m_, Eigen::Index(dependent.size()));
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    const int column = n_ + dependent[k];
    for (int e = layout.column_starts()[column]; e < layout.column_starts()[column + 1]; ++e)
      if (const int row = layout.row_indices()[e]; row < n_) null(row, k) = matrix_->values()[layout.slot(row, column)];
  }
  if (!matrix_->factor()) return;
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    scratch_ = null.col(k);
    matrix_->solve(scratch_, scratch_);
    null.col(k) = -scratch_;
    null(n_ + dependent[k], k) += 1.0;
  }
  const Eigen::MatrixXd N = null.bottomRows(m_);
  z.tail(m_) -= N * (N.transpose() * N).ldlt().solve(N.transpose() * z.tail(m_));
}

void StepSolver::Kkt::measure_dual_norm(const Vector& z) {
  const Vector all = Vector::Ones(m_);
  assemble(z, all);
  const auto C = gradient();
  assemble(z, Vector::Zero(m_));  // [K B̂ᵀ; 0 I]: with right side (0, w) it gives x = −K⁻¹B̂ᵀw
  if (!matrix_->factor()) return;
  factored_on_.setZero();
  Vector w(m_);
  for (int i = 0; i < m_; ++i) w[i] = 1.0 + 0.5 * std::cos(1.0 + 2.0 * i);
  w.normalize();
  for (int round = 0; round < 12; ++round) {
    scratch_.setZero(n_ + m_);
    scratch_.tail(m_) = w;
    matrix_->solve(scratch_, scratch_);
    w = -(C * scratch_.head(n_));
    dual_norm = w.norm();
    if (dual_norm > 0.0) w /= dual_norm;
  }
}

double StepSolver::Kkt::complementarity(const Vector& z) const {
  double largest = 0.0;
  for (int i = 0; i < m_; ++i)
    largest = std::max(largest, std::abs(z[n_ + i] != 0.0 ? c_[i] : excess(problem_->sets()[i], c_[i])));
  return largest;
}

void StepSolver::Kkt::measure_violation(SolveReport& report) const {
  report.violation = 0.0;
  for (int i = 0; i < m_; ++i) {
    const double distance = std::abs(excess(problem_->sets()[i], c_[i]));
    if (distance > report.violation || !std::isfinite(distance)) {
      report.violation = distance;
      report.worst_constraint = i;
    }
  }
}

bool StepSolver::Kkt::unilateral() const {
  const auto& sets = problem_->sets();
  return std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
}

Vector StepSolver::Kkt::equality_rows() const {
  Vector rows(m_);
  for (int i = 0; i < m_; ++i) rows[i] = problem_->sets()[i] == Set::zero ? 1.0 : 0.0;
  return rows;
}

bool StepSolver::Kkt::units_alone(const Vector& z) {
  assemble(z, on_);
  const Layout& layout = matrix_->layout();
  Vector unit(n_);
  for (int j = 0; j < n_; ++j) {
    const double size = std::sqrt(std::abs(matrix_->values()[layout.slot(j, j)]));
    unit[j] = size > 0.0 ? 1.0 / size : 1.0;
  }
  for (int j = 0; j < n_; ++j)
    for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
      matrix_->values()[layout.slot(layout.row_indices()[k], j)] *= unit[layout.row_indices()[k]] * unit[j];
  if (!matrix_->factor() || !(matrix_->pivot_ratio() > suspicious_pivots)) return false;
  trust();
  assemble(z, on_);
  return matrix_->factor();
}

}  // namespace taut
