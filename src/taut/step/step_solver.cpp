#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/step/kkt.hpp>
#include <taut/step/unilateral.hpp>

namespace taut {
namespace {

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
  if (newton.solve(problem, other, force).status == Status::ok && force.size() > 0 && -force.minCoeff() >= splitting_->r())
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
    report = {.status = newton.status,
              .newton_iterations = newton.iterations,
              .factorizations = newton.factorizations,
              .correction = newton.last_correction,
              .contraction = newton.contraction};
  }
  kkt_->measure_violation(report);
  return report;
}

SolveReport StepSolver::iterate_updates(Vector& z, double tolerance, int max_updates) {
  SolveReport report;
  const int m = kkt_->constraints(), n = kkt_->unknowns();
  const auto* al = std::get_if<AugmentedLagrangian>(&method_);
  const auto* uzawa = std::get_if<Uzawa>(&method_);
  report.advice =
      al != nullptr ? "a smaller epsilon, the second-order update or Multipliers" : "another relaxation or Multipliers";
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
