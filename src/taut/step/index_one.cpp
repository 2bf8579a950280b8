#include <cmath>
#include <limits>
#include <taut/step/index_one.hpp>

namespace taut {
namespace {

void add(SolveReport& sum, const SolveReport& one) {
  const int iterations = sum.newton_iterations, factors = sum.factorizations, updates = sum.multiplier_updates;
  sum = one;
  sum.newton_iterations += iterations;
  sum.factorizations += factors;
  sum.multiplier_updates += updates;
}

}  // namespace

IndexOne::General::General(const System& system)
    : assembly(std::make_shared<const Assembly>(system, Assembly::Parts{})), acceleration(assembly), nearest(assembly) {}

IndexOne::IndexOne(const System& system, const SolverMethod& method)
    : system_(system),
      solver_(method),
      lambda_(Vector::Zero(system.constraint_count())),
      q_(system.size()),
      base_(Vector::Zero(system.size())) {
  if (std::holds_alternative<Multipliers>(method)) schur_ = Schur::of(system);
}

IndexOne::General& IndexOne::general() {
  if (!general_) general_.emplace(system_);
  return *general_;
}

bool IndexOne::acceleration_by_schur(const Instant& at, Vector& a, Vector& lambda) {
  a.setZero();
  system_.add_dynamics(at, 0.0, 1.0, a.data());
  system_.constraint_accelerations(at, lambda.data());
  schur_->eliminate(a.data(), lambda.data());
  return std::isfinite(a.sum());
}

void IndexOne::begin(const State& now) {
  if (system_.constraint_count() > 0 && !known_at(now.q)) inspect(now.t, now.q);
}

void IndexOne::inspect(double t, const Vector& q) {
  inspected_ = q;
  if (schur_ && schur_->linearize(t, q.data()) && solver_.dependent().empty()) return;
  AccelerationProblem& problem = general().acceleration;
  base_.setZero();
  problem.at = {t, q.data(), base_.data()};
  solver_.inspect(problem, base_);
}

SolveReport IndexOne::accelerate(const Instant& at, Vector& a, Vector& lambda) {
  // Nobody asks for a stage before a state.
  if (inspected_.size() == 0 && system_.constraint_count() > 0)
    inspect(at.t, Eigen::Map<const Vector>(at.q, system_.size()));
  if (by_schur() && schur_->approach(at.t, at.q) && acceleration_by_schur(at, a, lambda)) return {.factorizations = 1};
  AccelerationProblem& problem = general().acceleration;
  problem.at = at;
  problem.size = Eigen::Map<const Vector>(at.q, system_.size()).lpNorm<Eigen::Infinity>();
  a.setZero();
  lambda.setZero();
  return solver_.solve(problem, a, lambda);
}

/// Simplified Newton with the factor of a place near q, taken anew where it contracts badly.
bool IndexOne::position_by_schur(double t, double size, Vector& q, SolveReport& report) {
  const double smallest = 4.0 * std::numeric_limits<double>::epsilon() * size;
  double before = std::numeric_limits<double>::infinity();
  q_ = q;
  for (int iteration = 0; iteration < 12; ++iteration) {
    system_.constraint_values(t, q_.data(), lambda_.data());
    schur_->correct_roughly(base_.data(), lambda_.data());
    q_ += base_;
    ++report.newton_iterations;
    const double change = base_.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(change)) return false;
    report.correction = change;
    // Done at round-off; before it, where the next change would be below.
    if (change <= smallest || (change < before && change * change / before <= smallest && iteration > 0)) {
      q = q_;
      return true;
    }
    if (change > 0.1 * before) {
      if (change <= 1e2 * smallest) {  // stands still at round-off
        q = q_;
        return true;
      }
      if (!schur_->linearize(t, q_.data())) return false;
      ++report.factorizations;
    }
    before = change;
  }
  return false;
}

bool IndexOne::velocity_by_schur(double t, const Vector& q, Vector& v) {
  system_.constraint_rates({t, q.data(), v.data()}, lambda_.data());
  schur_->correct(base_.data(), lambda_.data());
  if (!std::isfinite(base_.sum())) return false;
  v += base_;
  return true;
}

SolveReport IndexOne::project_velocity(double t, const Vector& q, Vector& v) {
  if (!known_at(q)) inspect(t, q);
  if (by_schur() && schur_->linearize(t, q.data()) && velocity_by_schur(t, q, v)) return {.factorizations = 1};
  return general().nearest.velocity(t, v.lpNorm<Eigen::Infinity>(), q, v, solver_);
}

SolveReport IndexOne::settle(double t, double size, Vector& q, Vector& v, Vector& a, Vector& lambda) {
  SolveReport report;
  if (system_.constraint_count() > 0) {
    if (by_schur() && position_by_schur(t, size, q, report)) {
      // One factor serves the velocities and the accelerations.
      ++report.factorizations;
      if (schur_->linearize(t, q.data()) && velocity_by_schur(t, q, v) &&
          acceleration_by_schur({t, q.data(), v.data()}, a, lambda)) {
        inspected_ = q;
        return report;
      }
    } else {
      add(report, general().nearest.position(t, size, q, solver_));
    }
    if (report.status == Status::ok) inspect(t, q);
    if (report.status == Status::ok) add(report, project_velocity(t, q, v));
    if (report.status != Status::ok) return report;
  }
  add(report, accelerate({t, q.data(), v.data()}, a, lambda));
  return report;
}

}  // namespace taut
