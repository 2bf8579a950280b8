#include <cmath>
#include <taut/base/require.hpp>
#include <taut/integrators/energy_momentum.hpp>
#include <taut/step/assembly.hpp>

namespace taut {
namespace {

/// The equations of one step in x = vₙ₊₁; force scale h, constraint scale h/2 = ∂qₙ₊₁/∂x.
class Problem final : public StepProblem {
 public:
  explicit Problem(const System& system)
      : system_(system), assembly_(system, {.constraints = true, .curvature = true}), q_(system.size()) {}

  void pose(const State& now, double h) {
    now_ = &now;
    h_ = h;
    base_ = now.q + 0.5 * h * now.v;
    natural_size_ = 2.0 * size_.of(system_, now) / std::abs(h);
  }

  int unknowns() const override { return system_.size(); }
  const std::vector<Set>& sets() const override { return assembly_.sets(); }
  const std::shared_ptr<const Layout>& layout() const override { return assembly_.layout(); }
  double force_scale() const override { return h_; }
  double constraint_scale() const override { return 0.5 * h_; }
  double natural_size() const override { return natural_size_; }

  /// out += weight·(pₙ₊₁ − pₙ) as the forces give it; leaves the end of the step for x in end().
  void add_impulse(const double* x, const double* Lambda, double weight, double* out) {
    const Segment step = segment(x);
    for (const auto& block : system_.dynamics()) block->discrete()->add_discrete(step, weight * h_, out);
    for (const auto& block : system_.constraints()) {
      block->discrete()->add_discrete(step, Lambda, -weight, out);
      Lambda += block->terms() * block->rows();
    }
  }

  void residual(const double* x, const double* Lambda, double* r, double* c) override {
    Eigen::Map<Vector>(r, unknowns()) = -now_->p;
    add_impulse(x, Lambda, -1.0, r);
    system_.add_dynamics({now_->t + h_, q_.data(), x}, 1.0, 0.0, r);
    system_.constraint_values(now_->t + h_, q_.data(), c);
  }

  void add_slopes(const double* x, const double* Lambda, const double* row_weight, double* values) override {
    const Segment step = segment(x);
    const double dq = 0.5 * h_;
    assembly_.add_dynamics({now_->t + h_, q_.data(), x}, {.momentum = 1.0, .force = 0.0, .dq = dq, .dv = 1.0}, values);
    assembly_.add_discrete_dynamics(step, -h_, dq, values);
    if (constraints() == 0) return;
    assembly_.add_discrete_directions(step, 1.0, values);
    assembly_.add_discrete_curvature(step, Lambda, dq, values);
    assembly_.add_gradient(now_->t + h_, q_.data(), 1.0, row_weight, values);
  }

  const Vector& end() const { return q_; }

 private:
  Segment segment(const double* x) {
    q_ = base_ + 0.5 * h_ * Eigen::Map<const Vector>(x, unknowns());
    return {now_->t + 0.5 * h_, now_->q.data(), q_.data(), now_->v.data(), x};
  }

  const System& system_;
  Assembly assembly_;
  const State* now_ = nullptr;
  double h_ = 0.0, natural_size_ = 0.0;
  ConfigurationSize size_;
  Vector q_, base_;
};

class EnergyMomentumStepper final : public Stepper {
 public:
  EnergyMomentumStepper(const System& system, const SolverMethod& method)
      : system_(system), problem_(system), solver_(method), lambda_(Vector::Zero(system.constraint_count())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    next.t = now.t + h;
    // A guess by extrapolation where the past allows it.
    next.v = now.v;
    if (past.size() > 1) {
      const State& before = past[past.size() - 2];
      next.v += (h / (now.t - before.t)) * (now.v - before.v);
    }
    lambda_ = now.lambda;
    problem_.pose(now, h);
    StepReport report{.solve = solver_.solve(problem_, next.v, lambda_)};
    if (!report.ok()) {
      report.trouble = explain(report.solve, system_, instant(now), h);
      return report;
    }
    // The momentum from the forces, which keeps angular momentum to h times the error left in the step.
    next.p = now.p;
    impulse_ = lambda_ * h;
    problem_.add_impulse(next.v.data(), impulse_.data(), 1.0, next.p.data());
    next.q = problem_.end();
    next.lambda = lambda_;
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  const System& system_;
  Problem problem_;
  StepSolver solver_;
  Vector lambda_, impulse_;
};

}  // namespace

Traits EnergyMomentum::traits() const {
  return {.name = "energy-momentum",
          .levels = 1,
          .order = 2,
          .symmetric = true,
          .symplectic = false,
          .conserves_energy = true,
          .conserves_momentum = true,
          .multiplier_time = 0.5,
          .multiplier_order = 2};
}

std::unique_ptr<Stepper> EnergyMomentum::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "EnergyMomentum");
  for (const auto& block : system.dynamics())
    require(block->discrete() != nullptr,
            "EnergyMomentum: '{}' has no discrete gradients; use Midpoint or Rattle, or the system in its own coordinates.",
            block->name(0));
  for (const auto& block : system.constraints())
    require(block->discrete() != nullptr,
            "EnergyMomentum: '{}' has no discrete gradients; use Midpoint or Rattle, or the system in its own coordinates.",
            block->name(0));
  return std::make_unique<EnergyMomentumStepper>(system, method);
}

}  // namespace taut
