#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/integrators/gcn.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

class GcnStepper final : public Stepper {
 public:
  GcnStepper(const System& system, const SolverMethod& method, const Gcn& scheme)
      : system_(system),
        scheme_(scheme),
        problem_(std::make_shared<const Assembly>(
            system, Assembly::Parts{.constraints = true, .curvature = scheme.reaction != Reaction::middle})),
        solver_(method),
        lambda_(Vector::Zero(system.constraint_count())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    pose(past, h);
    next.t = now.t + h;
    const bool first = past.size() == 1;
    StepReport report{.solve = solve_from_guesses(solver_, problem_, first ? now.v : w_, x_, lambda_, now.lambda)};
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.q = now.q + h * x_;
    if (first) {
      next.v = 2.0 * x_ - now.v;
    } else {
      next.v = 1.5 * x_ - 0.5 * w_;
    }
    set_momentum(system_, next);
    next.lambda = lambda_;
    return report;
  }

  /// (19) in terms of the potential alone: ½|w|²_M + (2 − 4α) V(middle) + (2α − ½)(V₊ + V), which for quadratic V is the same.
  double invariant(History past) override {
    if (scheme_.reaction == Reaction::new_point) return std::numeric_limits<double>::quiet_NaN();
    return energy_.of(system_, past, scheme_.alpha);
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }
  void begin_at(double t) override { begun_at_ = t; }

 private:
  /// With x = (q₊ − q)/h and w = (q − q₋)/h:  q₊ − 2q + q₋ = h(x − w),  v̄ = (x + w)/2. The fictitious point makes w = 2v₀ − x.
  void pose(History past, double h) {
    const State& now = past.back();
    const double alpha = scheme_.alpha;
    const bool first = past.size() == 1;
    if (first) {
      x_ = now.v;
      against_ = -2.0 * now.v;
      mean_ = now.v;
      before_ = now.q - 2.0 * h * now.v;
    } else {
      before_ = past[past.size() - 2].q;
      w_ = (now.q - before_) / h;
      x_ = w_;
      if (past.size() > 2) x_ += w_ - (before_ - past[past.size() - 3].q) / h;  // the next difference by extrapolation
      against_ = -w_;
      mean_ = 0.5 * w_;
    }
    const double rate_slope = first ? 2.0 : 1.0, mean_slope = first ? 0.0 : 0.5, before_slope = first ? h : 0.0;
    const double earlier = first && now.t == begun_at_ ? now.t : now.t - h;
    problem_.inertias[0] = {.t = now.t, .q = &now.q, .v = &against_, .v_slope = rate_slope, .momentum = 1.0, .rate = true};
    problem_.inertias[1] = {
        .t = now.t, .q = &now.q, .v = &mean_, .v_slope = mean_slope, .force = -h * (1.0 - 2.0 * alpha), .inertial = h};
    problem_.inertias[2] = {
        .t = now.t + h, .q = &now.q, .v = &mean_, .q_slope = h, .v_slope = mean_slope, .force = -h * alpha};
    problem_.inertias[3] = {
        .t = earlier, .q = &before_, .v = &mean_, .q_slope = before_slope, .v_slope = mean_slope, .force = -h * alpha};
    switch (scheme_.reaction) {
      case Reaction::new_point:
        problem_.reactions[0] = {.t = now.t + h, .q = &now.q, .q_slope = h, .weight = h};
        break;
      case Reaction::middle:
        problem_.reactions[0] = {.t = now.t, .q = &now.q, .weight = h};
        break;
      case Reaction::centred:
        problem_.reactions[0] = {.t = now.t + h, .q = &now.q, .q_slope = h, .weight = 0.5 * h};
        problem_.reactions[1] = {.t = now.t - h, .q = &before_, .q_slope = before_slope, .weight = 0.5 * h};
        break;
    }
    problem_.condition = {.t = now.t + h, .q = &now.q, .q_slope = h};
    problem_.size = size_.of(system_, now) / std::abs(h);
  }

  const System& system_;
  Gcn scheme_;
  AffineProblem problem_;
  StepSolver solver_;
  ConfigurationSize size_;
  DiscreteEnergy energy_;
  Vector lambda_, x_, w_, against_, mean_, before_;
  double begun_at_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

Traits Gcn::traits() const {
  const int reached = reaction == Reaction::new_point ? 1 : 2;
  return {.name = "GCN",
          .levels = 2,
          .order = reached,
          .free_order = 2,
          .symmetric = reached == 2,
          .dissipates = reached == 1,
          .holds_velocities = false,
          .multiplier_time = 0.0,
          .multiplier_order = reached,
          .splits = reaction != Reaction::middle,
          .invariant = reaction == Reaction::new_point ? "" : "discrete energy (19)"};
}

std::unique_ptr<Stepper> Gcn::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Gcn");
  require_holonomic(system, "Gcn");
  require_quadratic(system, "Gcn");
  require(alpha >= 0.0 && alpha <= 0.5, "Gcn: alpha must lie in [0, 1/2], got {}.", alpha);
  return std::make_unique<GcnStepper>(system, method, *this);
}

}  // namespace taut
