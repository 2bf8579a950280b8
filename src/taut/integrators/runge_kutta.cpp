#include <taut/integrators/runge_kutta.hpp>
#include <taut/step/acceleration_problem.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

class RungeKuttaStepper final : public Stepper {
 public:
  RungeKuttaStepper(const System& system, const SolverMethod& method, const ExplicitTableau& tableau)
      : system_(system),
        tableau_(tableau),
        assembly_(std::make_shared<const Assembly>(system, Assembly::Parts{})),
        stage_(assembly_),
        position_(assembly_),
        velocity_(assembly_),
        solver_(method),
        lambda_(Vector::Zero(system.constraint_count())),
        v_(tableau.b.size(), Vector::Zero(system.size())),
        a_(tableau.b.size(), Vector::Zero(system.size())),
        zero_(Vector::Zero(system.size())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    StepReport report;
    const std::size_t stages = tableau_.b.size();
    stage_.size = size_.of(system_, now) / (h * h);
    for (std::size_t i = 0; i < stages; ++i) {
      const double t = now.t + tableau_.c[i] * h;
      q_ = now.q;
      v_[i] = now.v;
      for (std::size_t j = 0; j < i; ++j) {
        if (tableau_.a[i][j] == 0.0) continue;
        q_ += (h * tableau_.a[i][j]) * v_[j];
        v_[i] += (h * tableau_.a[i][j]) * a_[j];
      }
      stage_.at = {t, q_.data(), v_[i].data()};
      a_[i].setZero();
      lambda_.setZero();
      add(report.solve, solver_.solve(stage_, a_[i], lambda_));
      if (!report.ok()) return failed(report, stage_.at);
      if (i == 0) next.lambda = lambda_;
    }
    next.t = now.t + h;
    next.q = now.q;
    next.v = now.v;
    for (std::size_t i = 0; i < stages; ++i) {
      if (tableau_.b[i] == 0.0) continue;
      next.q += (h * tableau_.b[i]) * v_[i];
      next.v += (h * tableau_.b[i]) * a_[i];
    }
    if (system_.constraint_count() > 0) project(report, next);
    next.p.setZero(system_.size());
    system_.add_dynamics(instant(next), 1.0, 0.0, next.p.data());
    return report.ok() ? report : failed(report, instant(next));
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  static void add(SolveReport& sum, const SolveReport& one) {
    const int iterations = sum.newton_iterations, factors = sum.factorizations, updates = sum.multiplier_updates;
    sum = one;
    sum.newton_iterations += iterations;
    sum.factorizations += factors;
    sum.multiplier_updates += updates;
  }

  /// q nearest to the given one with g = 0, forces along G of the given one; then v nearest with G v + g_t = 0.
  void project(StepReport& report, State& next) {
    q_ = next.q;
    minus_q_ = -next.q;
    base_.setZero(system_.size());
    system_.add_dynamics({next.t, q_.data(), zero_.data()}, 1.0, 0.0, base_.data());
    position_.inertias[0] = {.t = next.t, .q = &q_, .v = &minus_q_, .v_slope = 1.0, .momentum = 1.0};
    position_.reactions[0] = {.t = next.t, .q = &q_, .weight = 1.0};
    position_.condition = {.t = next.t, .q_slope = 1.0};
    position_.rhs = &base_;
    position_.size = size_.of(system_, next);
    lambda_.setZero();
    add(report.solve, solver_.solve(position_, next.q, lambda_));
    if (!report.ok()) return;

    base_.setZero();
    system_.add_dynamics(instant(next), 1.0, 0.0, base_.data());
    velocity_.inertias[0] = {.t = next.t, .q = &next.q, .v_slope = 1.0, .momentum = 1.0};
    velocity_.reactions[0] = {.t = next.t, .q = &next.q, .weight = 1.0};
    velocity_.condition = {.t = next.t, .q = &next.q, .rate_weight = 1.0};
    velocity_.rhs = &base_;
    velocity_.size = next.v.lpNorm<Eigen::Infinity>();
    lambda_.setZero();
    const SolveReport velocity = solver_.solve(velocity_, next.v, lambda_);
    report.velocity_iterations = velocity.newton_iterations;
    if (velocity.status != Status::ok) report.solve = velocity;
  }

  StepReport failed(StepReport report, const Instant& at) const {
    report.trouble = explain(report.solve, system_, at, 0.0);
    return report;
  }

  const System& system_;
  ExplicitTableau tableau_;
  std::shared_ptr<const Assembly> assembly_;
  AccelerationProblem stage_;
  AffineProblem position_, velocity_;
  StepSolver solver_;
  ConfigurationSize size_;
  Vector lambda_, q_, minus_q_, base_;
  std::vector<Vector> v_, a_;
  Vector zero_;
};

}  // namespace

const ExplicitTableau& kutta4() {
  static const ExplicitTableau tableau{
      "RK4", 4, {0.0, 0.5, 0.5, 1.0}, {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
  return tableau;
}

const ExplicitTableau& dormand_prince5() {
  static const ExplicitTableau tableau{"Dormand-Prince 5",
                                       5,
                                       {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0},
                                       {{},
                                        {1.0 / 5},
                                        {3.0 / 40, 9.0 / 40},
                                        {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
                                       {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  return tableau;
}

Traits RungeKutta::traits() const {
  return {.name = tableau.name,
          .levels = 1,
          .order = tableau.order,
          .symmetric = false,
          .symplectic = false,
          .conserves_energy = false,
          .conserves_momentum = false,
          .multiplier_time = 0.0,
          .multiplier_order = tableau.order};
}

std::unique_ptr<Stepper> RungeKutta::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, tableau.name);
  return std::make_unique<RungeKuttaStepper>(system, method, tableau);
}

}  // namespace taut
