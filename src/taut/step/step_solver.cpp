#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/linalg/matrix.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/step/step_solver.hpp>
#include <taut/step/unilateral.hpp>

namespace taut {
namespace {

/// Pivots this far apart mean dependent rows, or units to be ashamed of; the rank then decides.
constexpr double suspicious_pivots = 1e-13;

/// Where the constraints hold, rows that depend on each other leave pivots of round-off; above this there are none.
constexpr double doubtful_pivots = 1e-10;

/// Pivots below which other rows may serve better than those that were kept: a tenth as the distance of a row, squared, with some room for units.
constexpr double barely_independent = 1e-3;

/// Rows nearer than this to the span of others depend on them: see dependent_rows.
constexpr double dependent_within = 1e-9;

/// How far a row that is set aside may be off, of the size of the configuration: far above round-off, far below what anyone can see.
constexpr double implied_within = 1e-10;

/// ε chosen automatically, in units of |S|: the update contracts by 1/(1 + 100 s) where s ≤ 1 is an eigenvalue of S over |S|.
constexpr double automatic_shift = 0.01;

NewtonOptions newton_of(const SolverMethod& method) {
  return std::visit(
      [](const auto& m) {
        if constexpr (requires { m.newton; }) return m.newton;
        return NewtonOptions{};
      },
      method);
}

}  // namespace

std::string name_of(const SolverMethod& method) {
  struct Names {
    std::string operator()(const Multipliers&) const { return "Multipliers"; }
    std::string operator()(const AugmentedLagrangian& al) const {
      return al.update == AugmentedLagrangian::Update::first_order ? "AugmentedLagrangian, first order"
                                                                   : "AugmentedLagrangian, second order";
    }
    std::string operator()(const Uzawa&) const { return "Uzawa"; }
    std::string operator()(const Splitting&) const { return "Splitting"; }
  };
  return std::visit(Names{}, method);
}

/// The equations of all methods in z = (x, Λ), as Newton sees them.
class StepSolver::Kkt final : public NewtonProblem {
 public:
  void bind(StepProblem& problem) {
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

  void residual(const Vector& z, Vector& r) override {
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

  bool linearize(const Vector& z) override {
    assemble(z, on_);
    factored_on_ = on_;
    switched_ = false;
    ratio_ = matrix_->factor() ? matrix_->pivot_ratio() : 0.0;
    return ratio_ > suspicious_ || (m_ == 0 && ratio_ > 0.0 && units_alone(z));
  }

  /// The rank is known to be full: pivots like the last are a matter of units, and only those far smaller are looked into again.
  bool trust() {
    if (ratio_ == 0.0) return false;
    suspicious_ = std::min(suspicious_, 1e-3 * ratio_);
    return true;
  }

  double pivots() const { return ratio_; }  ///< of the last matrix that Newton made

  /// Whether the pivots at z let one doubt that the equalities are independent.
  bool doubtful(const Vector& z) {
    assemble(z, equality_rows());
    return !matrix_->factor() || !(matrix_->pivot_ratio() > doubtful_pivots);
  }

  /// Which equalities depend on others at z.
  std::vector<int> dependent_at(const Vector& z, double tolerance) {
    assemble(z, Vector::Ones(m_));
    const auto C = gradient();
    std::vector<int> rows;
    for (int i = 0; i < m_; ++i)
      if (problem_->sets()[i] == Set::zero) rows.push_back(i);
    Eigen::SparseMatrix<double, Eigen::RowMajor> equalities(Eigen::Index(rows.size()), n_);
    for (std::size_t k = 0; k < rows.size(); ++k) equalities.row(Eigen::Index(k)) = C.row(rows[k]);
    std::vector<int> found = dependent_rows(equalities, tolerance);
    for (int& row : found) row = rows[row];
    return found;
  }

  /// c over the size of its row: how far x is from the constraint, nearly.
  double distance(const Vector& z, int row) {
    assemble(z, Vector::Ones(m_));
    const double size = gradient().row(row).norm();
    return std::abs(c_[row] / problem_->constraint_scale()) / (size > 0.0 ? size : 1.0);
  }

  void solve(const Vector& r, Vector& dz) override { linear() ? matrix_->solve(r, dz) : matrix_->correct(r, dz); }
  double size(const Vector& dz) const override { return largest_entry(dz.data(), n_); }
  double threshold(double size_of_z, double tolerance) const override {
    // Positions are met to their round-off, so the x that reaches them is met to this. Without constraints there is no such limit: an
    // error of that size in every step would add up. The square of round-off does not; what rests at x = 0 needs no more.
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return tolerance * size_of_z + (m_ == 0 ? epsilon : 0.1) * epsilon * problem_->natural_size();
  }
  double stagnation(double size_of_z) const override {
    constexpr double share = 1e-11;  // of the configuration: far below any tolerance of a step, far above honest round-off
    return share * (size_of_z + problem_->natural_size());
  }
  bool linear() const override { return problem_->linear() && !held && shift == 0.0; }
  bool switched() const override { return switched_; }

  void assemble(const Vector& z, const Vector& row_weight) {
    problem_->slopes(z.data(), z.data() + n_, row_weight.data(), matrix_->values());
    for (int i = 0; i < m_;
         ++i)  // without a look at entries that stay as they are: in a large matrix that would be a pass of its own
      if (const double extra = row_weight[i] != 0.0 ? -shift : 1.0; extra != 0.0) matrix_->values()[diagonal_[i]] += extra;
  }

  /// Ĉ of the matrix just assembled (not yet factored).
  Eigen::SparseMatrix<double, Eigen::RowMajor> gradient() { return lower_rows(*matrix_, n_); }

  void set_aside(const std::vector<int>& rows) {
    dependent = rows;
    std::fill(aside_.begin(), aside_.end(), 0);
    for (const int row : rows) aside_[row] = 1;
    plain_ = equalities_ && rows.empty();
  }
  const std::vector<char>& aside() const { return aside_; }

  /// Shifts Λ within the null space of Bᵀ to least norm. Each dependent row j gives one null vector eⱼ − y with
  /// B̂ᵀy = B̂ⱼᵀ over the independent rows, and one solve with the KKT matrix gives y.
  void take_least_norm(Vector& z) {
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

  /// |S| = largest eigenvalue of Ĉ K⁻¹ B̂ᵀ by power iteration; a dozen rounds are within a few percent of it.
  void measure_dual_norm(const Vector& z) {
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

  /// How far c and λ are from c ∈ S, λ ∈ N_S(c): an inequality that pushes must be met with equality.
  double complementarity(const Vector& z) const {
    double largest = 0.0;
    for (int i = 0; i < m_; ++i)
      largest = std::max(largest, std::abs(z[n_ + i] != 0.0 ? c_[i] : excess(problem_->sets()[i], c_[i])));
    return largest;
  }

  void measure_violation(SolveReport& report) const {
    report.violation = 0.0;
    for (int i = 0; i < m_; ++i) {
      const double distance = std::abs(excess(problem_->sets()[i], c_[i]));
      if (distance > report.violation || !std::isfinite(distance)) {
        report.violation = distance;
        report.worst_constraint = i;
      }
    }
  }

  // The method's part in the rows.
  double shift = 0.0;  // ε in the scaled unknowns
  bool held = false;
  std::vector<int> dependent;
  bool inspected = false;  // the rank is that of a configuration which holds the constraints
  bool rebuilt = false;
  double dual_norm = 0.0;

  int unknowns() const { return n_; }
  int constraints() const { return m_; }
  bool unilateral() const {
    const auto& sets = problem_->sets();
    return std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
  }
  StepProblem& problem() const { return *problem_; }
  Vector& center() { return center_; }
  const Vector& c() const { return c_; }
  const Vector& active() const { return on_; }  // 1 for each row that holds its constraint, 0 for the others

 private:
  Vector equality_rows() const {
    Vector rows(m_);
    for (int i = 0; i < m_; ++i) rows[i] = problem_->sets()[i] == Set::zero ? 1.0 : 0.0;
    return rows;
  }

  /// Without constraints, pivots far apart mean that something has no inertia, unless they are not with every unknown in units of its own. The matrix is
  /// factored again.
  bool units_alone(const Vector& z) {
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

  StepProblem* problem_ = nullptr;
  int n_ = 0, m_ = 0;
  double ratio_ = 0.0, suspicious_ = suspicious_pivots;  // of pivots
  std::unique_ptr<Matrix> matrix_;
  std::vector<int> diagonal_;
  std::vector<char> aside_;
  Vector c_, center_, on_, factored_on_, scratch_;
  bool switched_ = false;
  bool equalities_ = true, plain_ = true;
};

StepSolver::StepSolver(const SolverMethod& method)
    : method_(method), newton_(newton_of(method_)), kkt_(std::make_unique<Kkt>()) {
  if (const auto* al = std::get_if<AugmentedLagrangian>(&method_))
    require(al->epsilon >= 0.0, "AugmentedLagrangian: epsilon must be positive, or 0 to have one chosen, got {}.",
            al->epsilon);
  if (const auto* uzawa = std::get_if<Uzawa>(&method_))
    require(uzawa->relaxation > 0.0 && uzawa->relaxation < 2.0, "Uzawa: relaxation must lie in (0, 2), got {}.",
            uzawa->relaxation);
  if (const auto* splitting = std::get_if<Splitting>(&method_)) splitting_ = std::make_unique<SplittingSolver>(*splitting);
}
StepSolver::~StepSolver() = default;
StepSolver::StepSolver(StepSolver&&) noexcept = default;
StepSolver& StepSolver::operator=(StepSolver&&) noexcept = default;

const std::vector<int>& StepSolver::dependent() const { return kkt_->dependent; }

SolveReport StepSolver::split(StepProblem& problem, Vector& x, Vector& lambda) {
  const Vector guess = x, multiplier = lambda;
  SolveReport report = splitting_->solve(problem, x, lambda);
  if (report.status != Status::slow && report.status != Status::not_finite) return report;
  // To say which r would do: what Newton finds from the same guess, and nothing of it is kept.
  StepSolver newton{Multipliers{}};
  Vector other = guess, force = multiplier;
  if (newton.solve(problem, other, force).status == Status::ok && force.size() > 0)
    report.compression = std::max(0.0, -force.minCoeff());
  return report;
}

void StepSolver::bind(StepProblem& problem, const Vector& x, const Vector* lambda) {
  kkt_->bind(problem);
  if (kkt_->rebuilt) newton_.forget();
  kkt_->rebuilt = false;
  const int n = kkt_->unknowns(), m = kkt_->constraints();
  z_.resize(n + m);
  z_.head(n) = x;
  if (lambda != nullptr) {
    z_.tail(m) = *lambda * problem.force_scale();
  } else {
    z_.tail(m).setZero();
  }
}

SolveReport StepSolver::solve(StepProblem& problem, Vector& x, Vector& lambda) {
  if (splitting_ && problem.constraints() > 0) return split(problem, x, lambda);
  bind(problem, x, &lambda);
  const int n = kkt_->unknowns(), m = kkt_->constraints();
  const bool forgets = problem.provisional() && kkt_->inspected;
  const std::vector<int> known = kkt_->dependent;
  SolveReport report = attempt(z_);
  if (m > 0) report = look_into(report, x, lambda);
  if (report.status == Status::ok && !kkt_->dependent.empty()) {
    kkt_->take_least_norm(z_);
    newton_.forget();  // the matrix was used for something else
  }
  if (forgets && kkt_->dependent != known) {
    kkt_->set_aside(known);
    newton_.forget();
  }
  x = z_.head(n);
  lambda = z_.tail(m) / problem.force_scale();
  return report;
}

void StepSolver::inspect(StepProblem& problem, const Vector& x) {
  // The other methods take rows that repeat each other as they are.
  if (!std::holds_alternative<Multipliers>(method_) || problem.constraints() == 0) return;
  bind(problem, x, nullptr);
  kkt_->shift = 0.0;
  kkt_->held = false;
  kkt_->inspected = true;
  newton_.forget();
  kkt_->set_aside(kkt_->doubtful(z_) ? kkt_->dependent_at(z_, dependent_within) : std::vector<int>{});
}

/// What an attempt came to, and what the rank has to do with it.
SolveReport StepSolver::look_into(SolveReport report, const Vector& x, const Vector& lambda) {
  StepProblem& problem = kkt_->problem();
  const bool newton = std::holds_alternative<Multipliers>(method_);
  const auto again = [&](bool from_the_guess) {
    newton_.forget();
    if (from_the_guess) bind(problem, x, &lambda);
    report = attempt(z_);
  };
  for (int look = 0; look < 3; ++look) {
    if (report.status == Status::ok && problem.provisional()) break;
    if (report.status == Status::ok && newton && !kkt_->inspected) {
      // The first solution holds the constraints: there the rank shows, which the way to it may have hidden.
      kkt_->inspected = true;
      newton_.forget();
      if (kkt_->doubtful(z_) && find_rank(z_, dependent_within)) {
        again(true);
        continue;
      }
    }
    if (report.status == Status::ok) {
      const bool barely = !kkt_->dependent.empty() && kkt_->pivots() < barely_independent;
      if (dependent_hold(z_, report)) {
        if (barely) find_rank(z_, dependent_within);  // other rows than those set aside may serve better from now on
        break;
      }
      if (!find_rank(z_, dependent_within)) break;  // they contradict each other
      again(false);
      continue;
    }
    // Rows that repeat each other, or nearly so because they are not yet met, let an iteration fail. What is set aside for that is judged by the result.
    const bool unsure = newton && report.status == Status::slow && !kkt_->inspected && !problem.provisional();
    if (report.status != Status::singular && !unsure) break;
    bind(problem, x, &lambda);
    bool other = false;
    if (!unsure) other = find_rank(z_, dependent_within);
    if (!other && newton && !kkt_->inspected && !problem.provisional() && !kkt_->unilateral()) other = find_rank(z_, 1e-3);
    if (!other && (unsure || kkt_->unilateral() || !kkt_->trust())) break;
    again(true);
  }
  const bool failed = report.status == Status::singular || report.status == Status::slow;
  if (!failed || !kkt_->unilateral() || !newton) return report;
  // Inequalities that repeat each other, or go round in circles.
  if (!unilateral_) unilateral_ = std::make_unique<UnilateralSolver>();
  bind(problem, x, &lambda);
  newton_.forget();
  return unilateral_->solve(problem, kkt_->aside(), newton_.options(), z_);
}

SolveReport StepSolver::attempt(Vector& z) {
  const double scales = kkt_->problem().force_scale() * kkt_->problem().constraint_scale();
  SolveReport report;
  kkt_->shift = 0.0;
  kkt_->held = false;
  if (const auto* al = std::get_if<AugmentedLagrangian>(&method_); al != nullptr && kkt_->constraints() > 0) {
    kkt_->shift = al->epsilon > 0.0 ? al->epsilon / std::abs(scales) : automatic_shift * dual_norm(z);
    report = iterate_updates(z, al->tolerance, al->max_updates);
  } else if (const auto* uzawa = std::get_if<Uzawa>(&method_); uzawa != nullptr && kkt_->constraints() > 0) {
    kkt_->held = true;
    report = iterate_updates(z, uzawa->tolerance, uzawa->max_updates);
  } else {
    const NewtonReport newton = newton_.solve(*kkt_, z);
    report = {newton.status,          newton.iterations,  0,   newton.factorizations,
              newton.last_correction, newton.contraction, 0.0, -1};
  }
  kkt_->measure_violation(report);
  return report;
}

SolveReport StepSolver::iterate_updates(Vector& z, double tolerance, int max_updates) {
  SolveReport report;
  const int m = kkt_->constraints(), n = kkt_->unknowns();
  const auto* al = std::get_if<AugmentedLagrangian>(&method_);
  const auto* uzawa = std::get_if<Uzawa>(&method_);
  if (uzawa != nullptr && !(dual_norm(z) > 0.0)) {
    report.status = Status::singular;
    return report;
  }
  const double constraint_scale = kkt_->problem().constraint_scale();
  double previous = 0.0;
  bool remeasured = false;
  while (report.multiplier_updates < max_updates) {
    kkt_->center() = z.tail(m);
    const NewtonReport inner = newton_.solve(*kkt_, z);
    report.newton_iterations += inner.iterations;
    report.factorizations += inner.factorizations;
    report.correction = inner.first_correction;
    report.status = inner.status;
    report.contraction = previous > 0.0 ? inner.first_correction / previous : 0.0;
    previous = inner.first_correction;
    ++report.multiplier_updates;
    if (inner.status != Status::ok) return report;
    // Met to the tolerance; or x no longer moves beyond the noise of the inner iteration, and no more than such noise is left of c.
    kkt_->measure_violation(report);
    const double noise = 10.0 * kkt_->threshold(kkt_->size(z), newton_.options().tolerance);
    const bool stalled = report.multiplier_updates > 1 && inner.first_correction <= noise;
    const double open = kkt_->complementarity(z);
    const double settled = al != nullptr ? al->settled : uzawa->settled;
    const bool quiet = inner.first_correction <= std::max(noise, settled * kkt_->size(z));
    if ((open <= tolerance && quiet) || (stalled && open <= 1e3 * noise * std::abs(constraint_scale))) return report;
    if (report.multiplier_updates > 10 && report.contraction > 1.0 && uzawa != nullptr && !remeasured) {
      kkt_->dual_norm = 0.0;  // the step was chosen for another place
      remeasured = true;
      if (!(dual_norm(z) > 0.0)) break;
    } else if (report.multiplier_updates > 10 && report.contraction > 1.5) {
      break;
    }

    if (uzawa != nullptr) {
      for (int i = 0; i < m; ++i) {
        const double moved = z[n + i] + uzawa->relaxation / kkt_->dual_norm * kkt_->c()[i] / constraint_scale;
        const Set set = kkt_->problem().sets()[i];
        z[n + i] = set == Set::zero || binds(set, moved) ? moved : 0.0;
      }
    } else if (al->update == AugmentedLagrangian::Update::second_order) {
      // (11): with S = C K⁻¹Bᵀ, [C H⁻¹Bᵀ]⁻¹ = S⁻¹ + 1/ε; z holds λ + c/ε already, and the KKT matrix gives S⁻¹c.
      const double shift = kkt_->shift;
      kkt_->shift = 0.0;
      const bool good = kkt_->linearize(z);
      kkt_->shift = shift;
      newton_.forget();
      ++report.factorizations;
      if (!good) {
        report.status = Status::singular;
        return report;
      }
      center_step_.setZero(n + m);
      center_step_.tail(m) = kkt_->c().cwiseProduct(kkt_->active()) / constraint_scale;
      kkt_->solve(center_step_, center_step_);
      z.tail(m) -= center_step_.tail(m);
    }
  }
  report.status = Status::slow;
  return report;
}

double StepSolver::dual_norm(const Vector& z) {
  if (kkt_->dual_norm == 0.0) {
    kkt_->measure_dual_norm(z);
    newton_.forget();
  }
  return kkt_->dual_norm;
}

bool StepSolver::find_rank(const Vector& z, double tolerance) {
  const std::vector<int> rows = kkt_->dependent_at(z, tolerance);
  newton_.forget();
  if (rows == kkt_->dependent) return false;
  kkt_->set_aside(rows);
  return true;
}

bool StepSolver::dependent_hold(const Vector& z, SolveReport& report) {
  if (kkt_->dependent.empty()) return true;
  kkt_->residual(z, center_step_);
  // A dependent constraint that the others do not imply shows up far above round-off.
  const double size = kkt_->size(z), allowed = 1e-8 * size + 1e3 * kkt_->threshold(size, newton_.options().tolerance) +
                                               implied_within * kkt_->problem().natural_size();
  for (const int row : kkt_->dependent) {
    if (std::abs(kkt_->c()[row] / kkt_->problem().constraint_scale()) <= allowed) continue;
    newton_.forget();
    if (kkt_->distance(z, row) <= allowed) continue;
    report.status = Status::contradictory;
    report.worst_constraint = row;
    return false;
  }
  return true;
}

}  // namespace taut
