#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/integrators/moreau_jean.hpp>
#include <taut/step/nearest.hpp>

namespace taut {
namespace {

class MoreauJeanStepper final : public Stepper {
 public:
  MoreauJeanStepper(const System& system, const SolverMethod& method, double restitution)
      : system_(system),
        restitution_(restitution),
        sets_(system.sets()),
        assembly_(std::make_shared<const Assembly>(system, Assembly::Parts{})),
        impact_(assembly_),
        nearest_(assembly_),
        solver_(method),
        lambda_(Vector::Zero(system.constraint_count())),
        g_(system.constraint_count()),
        shift_(Vector::Zero(system.constraint_count())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    next.t = now.t + h;
    pose(now, h);
    next.v = now.v;
    lambda_ = now.lambda;
    StepReport report;
    // First only the equalities act, then every inequality that would be violated.
    do {
      report.solve = solver_.solve(impact_, next.v, lambda_);
      if (!report.ok()) return failed(report, system_, instant(now), h);
      next.q = now.q + 0.5 * h * (now.v + next.v);
    } while (touch(next.t, next.q));
    next.lambda = lambda_;

    if (system_.constraint_count() > 0) project(report, next);
    if (!report.ok()) return failed(report, system_, instant(now), h);
    set_momentum(system_, next);
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  void pose(const State& now, double h) {
    const double t = now.t + h;
    for (std::size_t i = 0; i < sets_.size(); ++i) impact_.limits[i] = sets_[i] == Set::zero ? Set::zero : Set::whole;
    end_ = now.q + 0.5 * h * now.v;
    middle_ = now.q + 0.25 * h * now.v;
    half_v_ = 0.5 * now.v;
    ahead_ = now.q + h * now.v;
    impact_.inertias[0] = {.t = t, .q = &end_, .q_slope = 0.5 * h, .v_slope = 1.0, .momentum = 1.0};
    impact_.inertias[1] = {
        .t = now.t + 0.5 * h, .q = &middle_, .v = &half_v_, .q_slope = 0.25 * h, .v_slope = 0.5, .force = -h};
    impact_.rhs = &now.p;
    impact_.reactions[0] = {.t = now.t + 0.5 * h, .q = &end_, .weight = h};
    // In units of h ġ, like every condition on rates. Only what approaches rebounds.
    if (system_.constraint_count() > 0) system_.constraint_rates(instant(now), shift_.data());
    for (std::size_t i = 0; i < sets_.size(); ++i)
      shift_[Eigen::Index(i)] = sets_[i] != Set::zero ? h * restitution_ * excess(sets_[i], shift_[Eigen::Index(i)]) : 0.0;
    impact_.condition = {.t = t, .q = &ahead_, .rate_weight = h, .shift = &shift_};
    impact_.size = size_.of(system_, now) / std::abs(h);
  }

  /// Lets the inequalities act that q violates or touches; whether there were new ones. Forces then act along the G by which velocities are held.
  bool touch(double t, const Vector& q) {
    bool more = false;
    system_.constraint_values(t, q.data(), g_.data());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (impact_.limits[i] != Set::whole) continue;
      const double g = g_[Eigen::Index(i)];
      if (excess(sets_[i], g) == 0.0 && g != 0.0) continue;
      impact_.limits[i] = sets_[i];
      impact_.reactions[0].q = impact_.condition.q;
      impact_.reactions[0].t = impact_.condition.t;
      more = true;
    }
    return more;
  }

  /// q nearest to the given one with g ∈ S, on the contact where it pushes without rebound; then v nearest with rates that keep it there.
  void project(StepReport& report, State& next) {
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const auto row = Eigen::Index(i);
      const bool holds = impact_.limits[i] != Set::whole && lambda_[row] != 0.0 && shift_[row] == 0.0;
      nearest_.position_limits()[i] = holds ? Set::zero : sets_[i];
    }
    nearest_.rate_limits() = impact_.limits;
    const double size = size_.of(system_, next);
    report.solve = nearest_.position(next.t, size, next.q, solver_);
    if (!report.ok()) return;
    // What rests has no velocity to measure round-off by.
    const double speed = std::max(next.v.lpNorm<Eigen::Infinity>(), 1e-3 * size);
    const SolveReport velocity = nearest_.velocity(next.t, speed, next.q, next.v, solver_);
    report.velocity_iterations = velocity.newton_iterations;
    if (velocity.status != Status::ok) report.solve = velocity;
  }

  const System& system_;
  double restitution_;
  std::vector<Set> sets_;
  std::shared_ptr<const Assembly> assembly_;
  AffineProblem impact_;
  Nearest nearest_;
  StepSolver solver_;
  ConfigurationSize size_;
  Vector lambda_, g_, shift_, end_, middle_, half_v_, ahead_;
};

}  // namespace

Traits MoreauJean::traits() const {
  return {.name = "Moreau-Jean", .order = 2, .multiplier_time = 0.5, .multiplier_order = 1};
}

std::unique_ptr<Stepper> MoreauJean::bind(const System& system, const SolverMethod& method) const {
  require(restitution >= 0.0 && restitution <= 1.0, "MoreauJean: restitution must lie in [0, 1], got {}.", restitution);
  return std::make_unique<MoreauJeanStepper>(system, method, restitution);
}

}  // namespace taut
