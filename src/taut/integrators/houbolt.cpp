#include <cmath>
#include <taut/integrators/gcn.hpp>
#include <taut/integrators/houbolt.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

class HouboltStepper final : public Stepper {
 public:
  HouboltStepper(const System& system, const SolverMethod& method)
      : system_(system),
        starter_(Gcn{}.bind(system, method)),
        problem_(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true})),
        solver_(method),
        lambda_(Vector::Zero(system.constraint_count())) {}

  StepReport advance(History past, double h, State& next) override {
    if (past.size() < 3) return starter_->advance(past, h, next);
    const State& now = past.back();
    pose(past, h);
    next.t = now.t + h;
    StepReport report{.solve = solve_from_guesses(solver_, problem_, w_, x_, lambda_, now.lambda)};
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.q = now.q + h * x_;
    next.v = v_base_ + (11.0 / 6.0) * x_;
    set_momentum(system_, next);
    next.lambda = lambda_;
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }
  void begin_at(double t) override { starter_->begin_at(t); }

 private:
  /// In the differences x, w, u of neighbouring configurations over h: the acceleration is (2x − 3w + u)/h, the velocity
  /// (11x − 7w + 2u)/6.
  void pose(History past, double h) {
    const State &now = past.back(), &before = past[past.size() - 2], &oldest = past[past.size() - 3];
    w_ = (now.q - before.q) / h;
    u_ = (before.q - oldest.q) / h;
    x_ = 2.0 * w_ - u_;
    rate_base_ = u_ - 3.0 * w_;
    v_base_ = (2.0 * u_ - 7.0 * w_) / 6.0;
    const double t = now.t + h;
    problem_.inertias[0] = {
        .t = t, .q = &now.q, .v = &rate_base_, .q_slope = h, .v_slope = 2.0, .momentum = 1.0, .rate = true};
    problem_.inertias[1] = {
        .t = t, .q = &now.q, .v = &v_base_, .q_slope = h, .v_slope = 11.0 / 6.0, .force = -h, .inertial = h};
    problem_.reactions[0] = {.t = t, .q = &now.q, .q_slope = h, .weight = h};
    problem_.condition = {.t = t, .q = &now.q, .q_slope = h};
    problem_.size = size_.of(system_, now) / std::abs(h);
  }

  const System& system_;
  std::unique_ptr<Stepper> starter_;
  AffineProblem problem_;
  StepSolver solver_;
  ConfigurationSize size_;
  Vector lambda_, x_, w_, u_, rate_base_, v_base_;
};

}  // namespace

Traits Houbolt::traits() const {
  return {.name = "Houbolt",
          .levels = 3,
          .order = 2,
          .dissipates = true,
          .holds_velocities = false,
          .multiplier_time = 1.0,
          .multiplier_order = 2,
          .splits = true};
}

std::unique_ptr<Stepper> Houbolt::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Houbolt");
  require_holonomic(system, "Houbolt");
  require_quadratic(system, "Houbolt");
  return std::make_unique<HouboltStepper>(system, method);
}

}  // namespace taut
