#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/linalg/complementarity.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/step/step_solver.hpp>
#include <taut/step/unilateral.hpp>

namespace taut {
namespace {

/// δ over the diagonal of S: nine digits in each round, and as many left for pivots.
constexpr double softness = 1e-9;

/// Rounds at most, and by how much one must shrink what is left of ĉ.
constexpr int most_changes_of_sets = 40;
constexpr double progress = 0.9;

/// So often all wrong rows change at once without their number falling.
constexpr int patience = 5;

/// Inequalities at most for which S is made, and how often: rows that it left out and that turn out wrong are among those of the next.
constexpr int most_dense = 1000, most_estimates = 4;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double UnilateralSolver::excess_of(int row, double w) const { return excess(problem_->sets()[row], w); }

bool UnilateralSolver::linearize(const Vector& z) {
  problem_->residual(z.data(), z.data() + n_, r_.data(), c_.data());
  c_ /= problem_->constraint_scale();
  if (!r_.allFinite() || !c_.allFinite()) return false;
  problem_->slopes(z.data(), z.data() + n_, Vector::Ones(m_).eval().data(), matrix_->values());
  C_ = lower_rows(*matrix_, n_);
  const Layout& layout = matrix_->layout();
  Vector inertia(n_);
  for (int j = 0; j < n_; ++j) inertia[j] = std::abs(matrix_->values()[layout.slot(j, j)]);
  // What has no inertia of its own is carried by the rest.
  const double typical = inertia.mean();
  for (int i = 0; i < m_; ++i) {
    double diagonal = 0.0, size = 0.0;
    for (decltype(C_)::InnerIterator entry(C_, i); entry; ++entry) {
      const int j = int(entry.col());
      const double force = matrix_->values()[layout.slot(j, n_ + i)], mass = inertia[j] > 0.0 ? inertia[j] : typical;
      if (mass > 0.0) diagonal += std::abs(entry.value() * force) / mass;
      size = std::max(size, std::abs(entry.value()));
    }
    delta_[i] = diagonal > 0.0 ? softness * diagonal : softness;
    row_size_[i] = size;
  }
  return true;
}

bool UnilateralSolver::step(const Vector& z) {
  problem_->slopes(z.data(), z.data() + n_, on_.data(), matrix_->values());
  const Layout& layout = matrix_->layout();
  rhs_.head(n_) = -r_;
  for (int i = 0; i < m_; ++i) {
    matrix_->values()[layout.slot(n_ + i, n_ + i)] += on_[i] != 0.0 ? -delta_[i] : 1.0;
    rhs_[n_ + i] = on_[i] != 0.0 ? delta_[i] * (z[n_ + i] - center_[i]) - c_[i] : -z[n_ + i];
  }
  ++factorizations_;
  if (!matrix_->factor()) return false;
  matrix_->solve(rhs_, dz_);
  if (!dz_.allFinite()) return false;
  w_ = c_ + C_ * dz_.head(n_);
  largest_ = (z.tail(m_) + dz_.tail(m_)).lpNorm<Eigen::Infinity>();
  return true;
}

/// An active row that pulls, or one at rest that is violated, beyond round-off.
bool UnilateralSolver::wrong(const Vector& z, int row) const {
  if (aside_[row] != 0 || problem_->sets()[row] == Set::zero || problem_->sets()[row] == Set::whole) return false;
  if (on_[row] != 0.0) {
    const double multiplier = z[n_ + row] + dz_[n_ + row];
    return !binds(problem_->sets()[row], multiplier) && std::abs(multiplier) > 1e-12 * largest_;
  }
  const double round_off = 16.0 * epsilon * size_ * row_size_[row];
  return std::abs(excess_of(row, w_[row] + delta_[row] * center_[row])) > round_off;
}

/// A row that does not act says Λ = …, so that the solution for a unit there is the response to a unit of its Λ. Rows that are farther from acting than any is violated are left to
/// the pivots that follow.
bool UnilateralSolver::estimate(const Vector& z) {
  const auto& sets = problem_->sets();
  const auto limited = [&](int i) { return aside_[i] == 0 && sets[i] != Set::zero && sets[i] != Set::whole; };
  std::vector<char> asked(std::size_t(m_), 0);  // act, or should
  for (int i = 0; i < m_; ++i)
    if (limited(i)) {
      asked[std::size_t(i)] = on_[i] != 0.0 || wrong(z, i) ? 1 : 0;
      on_[i] = 0.0;
    }
  if (!step(z)) return false;
  // In units of x, whatever those of the rows are.
  const auto beyond = [&](int i) { return row_size_[i] > 0.0 ? (w_[i] + delta_[i] * center_[i]) / row_size_[i] : 0.0; };
  double worst = 0.0;
  for (int i = 0; i < m_; ++i)
    if (limited(i)) worst = std::max(worst, std::abs(excess_of(i, beyond(i))));
  std::vector<int> rows;
  for (int i = 0; i < m_; ++i)
    if (asked[std::size_t(i)] != 0 || (limited(i) && std::abs(beyond(i) - excess_of(i, beyond(i))) <= worst))
      rows.push_back(i);
  const auto count = Eigen::Index(rows.size());
  if (count == 0 || count > most_dense) return false;
  Eigen::MatrixXd response = Eigen::MatrixXd::Zero(n_ + m_, count), M(count, count);
  for (Eigen::Index k = 0; k < count; ++k) response(n_ + rows[std::size_t(k)], k) = 1.0;
  matrix_->solve(response.data(), response.data(), int(count));
  // u = −σΛ ≥ 0 and σw ≥ 0, with σ = 1 where w must not be negative and −1 where it must not be positive.
  Vector b(count);
  const auto sign = [&](int row) { return sets[std::size_t(row)] == Set::nonnegative ? 1.0 : -1.0; };
  const Eigen::MatrixXd w = C_ * response.topRows(n_);
  for (Eigen::Index k = 0; k < count; ++k) {
    const int i = rows[std::size_t(k)];
    for (Eigen::Index j = 0; j < count; ++j) M(k, j) = -sign(i) * w(i, j) * sign(rows[std::size_t(j)]);
    M(k, k) += delta_[i];
    b[k] = sign(i) * (w_[i] + delta_[i] * center_[i]);
  }
  const std::vector<char> found = complementary_rows(M, b);
  for (Eigen::Index k = 0; k < count; ++k) on_[rows[std::size_t(k)]] = found[std::size_t(k)];
  return true;
}

bool UnilateralSolver::pivot(const Vector& z) {
  int fewest = m_ + 1, left = patience;
  int estimates = most_estimates;
  size_ = problem_->natural_size() + largest_entry(z.data(), n_);
  const auto& sets = problem_->sets();
  const auto limits = std::count_if(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
  // Where forces act along other directions than those of the rows, as far from a solution, S need not be monotone, and this would go on for ever.
  for (int round = 0; round < std::min<std::ptrdiff_t>(4 * limits + 100, 1000); ++round) {
    if (!step(z)) return false;
    std::vector<int> change;
    for (int i = 0; i < m_; ++i)
      if (wrong(z, i)) change.push_back(i);
    if (change.empty()) return true;
    if (int(change.size()) < fewest) {
      fewest = int(change.size());
      left = patience;
    } else if (--left < 0 && estimates > 0) {
      --estimates;
      left = 1;
      if (estimate(z)) continue;
    } else if (left < 0) {
      change.assign(1, change.back());
    }
    for (const int i : change) on_[i] = 1.0 - on_[i];
  }
  return false;
}

SolveReport UnilateralSolver::solve(StepProblem& problem, const std::vector<char>& aside, const NewtonOptions& options,
                                    Vector& z) {
  problem_ = &problem;
  n_ = problem.unknowns();
  m_ = problem.constraints();
  aside_ = aside;
  factorizations_ = 0;
  if (matrix_ == nullptr || &matrix_->layout() != problem.layout().get()) matrix_ = Matrix::on(problem.layout());
  for (Vector* one : {&c_, &delta_, &row_size_, &w_, &on_}) one->setZero(m_);
  r_.resize(n_);
  rhs_.resize(n_ + m_);
  dz_.setZero(n_ + m_);
  center_ = Vector::Zero(m_);
  for (int i = 0; i < m_; ++i) {
    const Set set = problem.sets()[i];
    on_[i] = aside_[i] == 0 && (set == Set::zero || (set != Set::whole && z[n_ + i] != 0.0)) ? 1.0 : 0.0;
  }

  SolveReport report;
  const auto ended = [&](Status status) {
    report.status = status;
    report.factorizations = factorizations_;
    return report;
  };
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_changes_of_sets; ++round) {
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0;; ++k) {
      if (k == options.max_iterations) return ended(Status::slow);
      if (!linearize(z)) return ended(Status::not_finite);
      if (!pivot(z)) return ended(Status::singular);
      z += dz_;
      ++report.newton_iterations;
      const double change = largest_entry(dz_.data(), n_), size = largest_entry(z.data(), n_) + problem.natural_size();
      report.contraction = std::isfinite(last) && last > 0.0 ? change / last : 0.0;
      report.correction = change;
      if (change <= 8.0 * epsilon * size || (change > 0.5 * last && change <= 1e-11 * size)) break;
      last = change;
    }
    ++report.multiplier_updates;
    // What is left of the rows that hold, as a distance of x.
    problem.residual(z.data(), z.data() + n_, r_.data(), c_.data());
    double open = 0.0;
    report.violation = 0.0;
    for (int i = 0; i < m_; ++i) {
      if (aside_[i] != 0) continue;
      const double off = std::abs(on_[i] != 0.0 ? c_[i] : excess_of(i, c_[i]));
      if (off > report.violation) report.worst_constraint = i;
      report.violation = std::max(report.violation, off);
      if (row_size_[i] > 0.0) open = std::max(open, off / (std::abs(problem.constraint_scale()) * row_size_[i]));
    }
    const double size = largest_entry(z.data(), n_) + problem.natural_size();
    if (open <= 1e2 * epsilon * size || (round > 1 && open <= 1e-11 * size && open > progress * before))
      return ended(Status::ok);
    if (round > 4 && open > progress * before) return ended(Status::contradictory);
    before = open;
    center_ = z.tail(m_);
  }
  return ended(Status::contradictory);
}

}  // namespace taut
