#include <cmath>
#include <taut/base/require.hpp>
#include <taut/integrators/newmark.hpp>
#include <taut/step/acceleration_problem.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

class NewmarkStepper final : public Stepper {
 public:
  NewmarkStepper(const System& system, const SolverMethod& method, const Newmark& scheme)
      : system_(system),
        scheme_(scheme),
        problem_(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true})),
        applied_(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = false})),
        solver_(method),
        applied_solver_(Multipliers{}),
        lambda_(Vector::Zero(system.constraint_count())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    const int n = system_.size();
    StepReport report;
    if (!implied_ && now.carried.size() == n) {
      a_ = now.carried;
    } else if (!implied_ && !accelerate(instant(now), a_, report)) {
      return failed(report, system_, instant(now), h);
    }
    pose(now, h);
    // A guess for w. Applied forces alone do not say where constraints let it go: those of a beam bent between clamps would throw it far.
    x_ = now.v;
    if (!implied_ && system_.constraint_count() == 0) x_ += 0.5 * h * a_;
    if (past.size() > 1) x_ = 0.5 * (3.0 * now.v - past[past.size() - 2].v);
    lambda_ = now.lambda;
    report.solve = solver_.solve(problem_, x_, lambda_);
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.t = now.t + h;
    next.q = now.q + h * x_;
    next.v = 2.0 * x_ - now.v;
    if (!implied_) {
      next.carried.setZero(n);
      StepReport applied;
      if (!accelerate(instant(next), next.carried, applied)) return failed(applied, system_, instant(now), h);
      next.v += h * (scheme_.gamma - 2.0 * scheme_.beta) * (next.carried - a_);
    }
    set_momentum(system_, next);
    next.lambda = lambda_;
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  void pose(const State& now, double h) {
    const double beta = scheme_.beta, place = scheme_.reaction == Reaction::centred ? 0.5 : 1.0, t = now.t + h;
    minus_v_ = -now.v;
    if (implied_) {  // what does not change with x once per step
      known_.setZero(now.q.size());
      system_.add_dynamics(instant(now), 1.0, h * (0.5 - beta), known_.data());
      problem_.rhs = &known_;
      problem_.inertias[0] = {.t = t, .q = &now.q, .v_slope = 1.0, .momentum = 1.0};
    } else {
      against_ = -now.v - 0.5 * h * a_;
      problem_.inertias[0] = {.t = now.t + place * h,
                              .q = &now.q,
                              .v = &against_,
                              .q_slope = place * h,
                              .v_slope = 1.0,
                              .momentum = 1.0,
                              .rate = true};
      problem_.inertias[1] = {.t = t, .q = &now.q, .v = &a_, .q_slope = h, .momentum = h * beta, .rate = true};
    }
    problem_.inertias[2] = {
        .t = t, .q = &now.q, .v = &minus_v_, .q_slope = h, .v_slope = 2.0, .force = -h * beta, .inertial = h * beta};
    problem_.reactions[0] = {.t = now.t + place * h, .q = &now.q, .q_slope = place * h, .weight = 0.5 * h};
    problem_.condition = {.t = t, .q = &now.q, .q_slope = h};
    problem_.size = size_.of(system_, now) / std::abs(h);
  }

  /// M a = f − p_q v − p_t, without constraints.
  bool accelerate(const Instant& at, Vector& a, StepReport& report) {
    applied_.at = at;
    a.setZero(system_.size());
    report.solve = applied_solver_.solve(applied_, a, none_);
    return report.ok();
  }

  const System& system_;
  Newmark scheme_;
  /// With a constant mass M a is the force itself, and where γ = 2β nothing else asks for a: no equation for it is solved.
  bool implied_ = system_.constant_mass() && scheme_.gamma == 2.0 * scheme_.beta;
  AffineProblem problem_;
  AccelerationProblem applied_;
  StepSolver solver_, applied_solver_;
  ConfigurationSize size_;
  Vector lambda_, none_, x_, a_, against_, minus_v_, known_;
};

}  // namespace

Traits Newmark::traits() const {
  const bool second = gamma == 0.5 && reaction == Reaction::centred;
  return {.name = "Newmark",
          .order = second ? 2 : 1,
          .free_order = gamma == 0.5 ? 2 : 1,
          .symmetric = second && beta == 0.25,
          .dissipates = gamma > 0.5 || reaction == Reaction::new_point,
          .holds_velocities = false,
          .multiplier_time = 0.5,
          .multiplier_order = second ? 2 : 1,
          .splits = true};
}

std::unique_ptr<Stepper> Newmark::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Newmark");
  require_holonomic(system, "Newmark");
  require_quadratic(system, "Newmark");
  require(beta >= 0.0 && beta <= 1.0, "Newmark: beta must lie in [0, 1], got {}.", beta);
  require(gamma >= 0.5 && gamma <= 1.0, "Newmark: gamma must lie in [1/2, 1], got {}; below 1/2 the scheme is unstable.",
          gamma);
  require(reaction != Reaction::middle, "Newmark: the reaction is `new_point` or `centred`; a step has no middle level.");
  return std::make_unique<NewmarkStepper>(system, method, *this);
}

}  // namespace taut
