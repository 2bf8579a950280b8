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

IndexOne::IndexOne(const System& system, const SolverMethod& method) : system_(system), solver_(method) {
  if (std::holds_alternative<Multipliers>(method)) elimination_ = Elimination::of(system);
  look_at_rank();
}

IndexOne::General& IndexOne::general() {
  if (!general_) general_.emplace(system_);
  return *general_;
}

void IndexOne::begin(const State& now) {
  if (system_.constraint_count() > 0 && !known_at(now.q)) inspect({now.t, now.q.data(), now.v.data()});
}

void IndexOne::inspect(const Instant& at) {
  inspected_ = Eigen::Map<const Vector>(at.q, system_.size());
  if (elimination_ && elimination_->linearize(at.t, at.q) && solver_.dependent().empty()) return;
  AccelerationProblem& problem = general().acceleration;
  a_.setZero(system_.size());
  problem.at = at;
  solver_.inspect(problem, a_);
  look_at_rank();
}

SolveReport IndexOne::accelerate(const Instant& at, double* a, double* lambda) {
  // Nobody asks for a stage before a state.
  if (inspected_.size() == 0 && system_.constraint_count() > 0) inspect(at);
  if (eliminates_ && elimination_->accelerate(at, a, lambda)) return {.factorizations = 1};
  return accelerate_by_solver(at, a, lambda);
}

bool IndexOne::run(const StageSums& sums, double t, double h, const StagePlaces& places, int from, double* lambda,
                   SolveReport& report) {
  for (int i = from; i < sums.stages; ++i) {
    if (eliminates_) i = elimination_->run(sums, t, h, places, i, lambda);
    if (i == sums.stages) return true;
    combine(sums.rows[std::size_t(i)], h, places, places.base, places.q(i));
    const Instant at{t + sums.c[std::size_t(i)] * h, places.q(i), places.q(i) + places.n};
    report = accelerate_by_solver(at, places.q(i) + 2 * places.n, lambda);
    if (report.status == Status::ok) continue;
    failed_at_ = at;
    return false;
  }
  combine(sums.end, h, places, places.base, places.q(sums.stages));
  return true;
}

SolveReport IndexOne::accelerate_by_solver(const Instant& at, double* a, double* lambda) {
  const int n = system_.size(), m = system_.constraint_count();
  AccelerationProblem& problem = general().acceleration;
  problem.at = at;
  problem.size = Eigen::Map<const Vector>(at.q, n).lpNorm<Eigen::Infinity>();
  a_.setZero(n);
  lambda_.setZero(m);
  const SolveReport report = solver_.solve(problem, a_, lambda_);
  look_at_rank();
  Eigen::Map<Vector>(a, n) = a_;
  Eigen::Map<Vector>(lambda, m) = lambda_;
  return report;
}

SolveReport IndexOne::project_velocity(double t, const Vector& q, Vector& v) {
  if (!known_at(q)) inspect({t, q.data(), v.data()});
  if (eliminates_ && elimination_->velocity(t, q.data(), v.data())) return {.factorizations = 1};
  const SolveReport report = general().nearest.velocity(t, v.lpNorm<Eigen::Infinity>(), q, v, solver_);
  look_at_rank();
  return report;
}

SolveReport IndexOne::settle(double t, double size, Vector& q, Vector& v, Vector& a, Vector& lambda) {
  SolveReport report;
  if (system_.constraint_count() > 0) {
    if (eliminates_ && elimination_->position(t, size, q.data(), report)) {
      // One factor serves the velocities and the accelerations.
      ++report.factorizations;
      if (elimination_->motion(t, q.data(), v.data(), a.data(), lambda.data())) {
        inspected_ = q;
        return report;
      }
    } else {
      add(report, general().nearest.position(t, size, q, solver_));
      look_at_rank();
    }
    if (report.status == Status::ok) inspect({t, q.data(), v.data()});
    if (report.status == Status::ok) add(report, project_velocity(t, q, v));
    if (report.status != Status::ok) return report;
  }
  add(report, accelerate({t, q.data(), v.data()}, a, lambda));
  return report;
}

void IndexOne::find_momentum(State& state) const {
  state.p.resize(system_.size());
  if (elimination_ && elimination_->momentum(state.v.data(), state.p.data())) return;
  state.p.setZero();
  system_.add_dynamics({state.t, state.q.data(), state.v.data()}, 1.0, 0.0, state.p.data());
}

}  // namespace taut
