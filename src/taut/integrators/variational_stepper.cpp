#include <cmath>
#include <taut/integrators/variational_stepper.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

using Constraint = Midpoint::Constraint;

class VariationalStepper final : public Stepper {
 public:
  VariationalStepper(const System& system, const SolverMethod& method, Quadrature quadrature, Constraint constraint)
      : system_(system),
        quadrature_(quadrature),
        constraint_(constraint),
        assembly_(std::make_shared<const Assembly>(
            system, Assembly::Parts{.constraints = true, .curvature = constraint != Constraint::end_point})),
        position_(assembly_),
        velocity_(constraint == Constraint::literal && system.constraint_count() > 0
                      ? std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = false})
                      : assembly_),
        solver_(method),
        velocity_solver_(method),
        x_(system.size()),
        lambda_(Vector::Zero(system.constraint_count())),
        mu_(Vector::Zero(velocity_.constraints())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    next.t = now.t + h;
    guess(past, h);
    pose_position(past, h);
    StepReport report{.solve = solver_.solve(position_, x_, lambda_)};
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.q = now.q + h * x_;

    // pₙ₊₁ without the constraint force of its node, from the forces: an error r left in the residual then changes angular momentum
    // by h x × r only, and not by q × r as p(m) + h/2 f(m) would.
    next.p = now.p;
    const bool middle_rule = quadrature_ == Quadrature::midpoint;
    position_.add_dynamics(0, x_.data(), 0.0, middle_rule ? h : 0.5 * h, next.p.data());
    if (!middle_rule) position_.add_dynamics(1, x_.data(), 0.0, 0.5 * h, next.p.data());
    position_.add_reactions(x_.data(), lambda_.data(), -1.0, next.p.data());
    if (constraint_ == Constraint::literal)
      system_.add_constraint_forces(now.t + 0.5 * h, middle(now, h), lambda_.data(), -0.5 * h, next.p.data());

    pose_velocity(now, next, h);
    next.v = 2.0 * x_ - now.v;
    if (velocity_.constraints() > 0) mu_ = lambda_;
    StepSolver& solver = constraint_ == Constraint::literal ? velocity_solver_ : solver_;
    const SolveReport velocity = solver.solve(velocity_, next.v, mu_);
    report.velocity_iterations = velocity.newton_iterations;
    if (velocity.status != Status::ok) {
      report.solve = velocity;
      return failed(report, system_, instant(now), h);
    }
    next.lambda = lambda_;
    if (constraint_ == Constraint::end_point && velocity_.constraints() > 0) {
      system_.add_constraint_forces(next.t, next.q.data(), mu_.data(), -0.5 * h, next.p.data());
      next.lambda = 0.5 * (lambda_ + mu_);
    }
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  /// The velocity at the middle, by extrapolation where the past allows it; λ from the last step.
  void guess(History past, double h) {
    const State& now = past.back();
    x_ = now.v;
    if (past.size() > 1) {
      const State& before = past[past.size() - 2];
      x_ += (0.5 * h / (now.t - before.t)) * (now.v - before.v);
    }
    if (now.lambda.size() == lambda_.size()) lambda_ = now.lambda;
  }

  void pose_position(History past, double h) {
    const State& now = past.back();
    const double half = 0.5 * h, t_middle = now.t + half;
    if (quadrature_ == Quadrature::midpoint) {
      position_.inertias[0] = {.t = t_middle, .q = &now.q, .q_slope = half, .v_slope = 1.0, .momentum = 1.0, .force = -half};
    } else {
      // A constant mass makes the second place superfluous, and the equation for x explicit.
      const double share = constant_mass_ ? 1.0 : 0.5;
      position_.inertias[0] = {.t = now.t, .q = &now.q, .v_slope = 1.0, .momentum = share, .force = -half};
      position_.inertias[1] = {.t = now.t + h, .q = &now.q, .q_slope = h, .v_slope = 1.0, .momentum = 1.0 - share};
    }
    position_.rhs = &now.p;
    position_.size = size_.of(system_, now) / std::abs(h);
    const bool at_end = constraint_ == Constraint::end_point;
    position_.reactions[0].t = at_end ? now.t : t_middle;
    position_.reactions[0].q = &now.q;
    position_.reactions[0].q_slope = at_end ? 0.0 : half;
    position_.reactions[0].weight = half;
    position_.condition.t = at_end ? now.t + h : t_middle;
    position_.condition.q = &now.q;
    position_.condition.q_slope = at_end ? h : half;
    if (constraint_ == Constraint::shared_midpoint && past.size() > 1) {
      const State& before = past[past.size() - 2];
      position_.reactions[1].t = 0.5 * (before.t + now.t);
      last_middle_ = 0.5 * (before.q + now.q);
      position_.reactions[1].q = &last_middle_;
      position_.reactions[1].weight = 0.5 * (now.t - before.t);
    } else {
      position_.reactions[1].weight = 0.0;
    }
  }

  void pose_velocity(const State& now, const State& next, double h) {
    velocity_.inertias[0] = {.t = next.t, .q = &next.q, .v_slope = 1.0, .momentum = 1.0};
    velocity_.rhs = &next.p;
    velocity_.size = position_.size;
    const bool at_end = constraint_ == Constraint::end_point;
    velocity_.reactions[0].t = at_end ? next.t : now.t + 0.5 * h;
    if (!at_end) middle_ = 0.5 * (now.q + next.q);
    velocity_.reactions[0].q = at_end ? &next.q : &middle_;
    velocity_.reactions[0].weight = 0.5 * h;
    velocity_.condition.t = next.t;
    velocity_.condition.q = &next.q;
    velocity_.condition.rate_weight = h;
  }

  const double* middle(const State& now, double h) {
    middle_ = now.q + 0.5 * h * x_;
    return middle_.data();
  }

  const System& system_;
  Quadrature quadrature_;
  Constraint constraint_;
  bool constant_mass_ = system_.constant_mass();
  ConfigurationSize size_;
  std::shared_ptr<const Assembly> assembly_;
  AffineProblem position_, velocity_;
  StepSolver solver_, velocity_solver_;
  Vector x_, lambda_, mu_, middle_, last_middle_;
};

}  // namespace

std::unique_ptr<Stepper> variational_stepper(const System& system, const SolverMethod& method, Quadrature quadrature,
                                             Midpoint::Constraint constraint) {
  return std::make_unique<VariationalStepper>(system, method, quadrature, constraint);
}

}  // namespace taut
