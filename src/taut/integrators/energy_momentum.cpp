#include <cmath>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/integrators/energy_momentum.hpp>
#include <taut/step/assembly.hpp>
#include <taut/step/index_one.hpp>
#include <taut/step/sliding.hpp>

namespace taut {
namespace {

/// The equations of one step in x, the velocity at the end q₊ = q + h/2 (v + x) of a segment that starts in (q, v); force scale h.
/// Constraints hold at `held + reach·x`, and their forces are discrete gradients from `from` to there.
class Problem final : public StepProblem {
 public:
  explicit Problem(const System& system)
      : system_(system), assembly_(system, {.constraints = true, .curvature = true}), sliding_(assembly_.parts(), 2) {
    zero_ = Vector::Zero(system.size());
  }

  /// The start of the segment, and its momentum; by address.
  const Vector *q = nullptr, *v = nullptr, *p = nullptr;
  double t_middle = 0.0;

  /// The constraints.
  const Vector *from = nullptr, *held = nullptr;
  double reach = 0.0, t_held = 0.0;
  double h = 0.0, size = 0.0;

  /// α − ¼: forces of linear terms at `from`, `held` and the new place weigh α, 1 − 2α, α.
  void weigh(double alpha) {
    shift_ = alpha - 0.25;
    if (shift_ == 0.0) return;
    for (const Part& part : assembly_.parts()) {
      Part& linear = linear_.emplace_back(part);
      std::erase_if(linear.dynamics, [&](int b) { return !system_.dynamics()[b]->affine(); });
    }
  }

  int unknowns() const override { return system_.size(); }
  const std::vector<Set>& sets() const override { return assembly_.sets(); }
  const std::shared_ptr<const Layout>& layout() const override { return assembly_.layout(); }
  double force_scale() const override { return h; }
  double constraint_scale() const override { return reach; }
  double natural_size() const override { return size; }

  /// out += weight·(p₊ − p) as the forces give it.
  void add_impulse(const double* x, const double* Lambda, double weight, double* out) {
    for (const Part& part : assembly_.parts()) {
      move(x, part);
      add_impulse(part, x, Lambda, weight, out);
    }
  }

  void residual(const double* x, const double* Lambda, double* r, double* c) override {
    for (const Part& part : assembly_.parts()) {
      move(x, part);
      Eigen::Map<Vector>(r + part.from, part.to - part.from) = -p->segment(part.from, part.to - part.from);
      add_impulse(part, x, Lambda, -1.0, r);
      system_.add_dynamics(part, end(x), 1.0, 0.0, r);
      if (constraints() > 0) system_.constraint_values(part, t_held, q_held_, c);
    }
  }

  void slopes(const double* x, const double* Lambda, const double* row_weight, double* values) override {
    const double dq = 0.5 * h;
    for (const Part& part : assembly_.parts()) {
      assembly_.clear(part, values);
      move(x, part);
      assembly_.add_dynamics(part, end(x), {.momentum = 1.0, .force = 0.0, .dq = dq, .dv = 1.0}, values);
      assembly_.add_discrete_dynamics(part, step(x), -h, dq, values);
      if (shift_ != 0.0)
        assembly_.add_dynamics(linear_part(part), at(t_held, q_held_),
                               {.momentum = 0.0, .force = -h * shift_, .dq = reach, .dv = 0.0}, values);
      if (constraints() == 0) continue;
      assembly_.add_discrete_directions(part, hold(x), 1.0, values);
      assembly_.add_discrete_curvature(part, hold(x), Lambda, reach, values);
      assembly_.add_gradient(part, t_held, q_held_, 1.0, row_weight, values);
    }
  }

 private:
  /// The coordinates that are new to a part, at the end of the step and where the constraints are held.
  void move(const double* x, const Part& part) {
    const int first = part.from, count = part.to - part.from;
    const Eigen::Map<const Vector> X(x + first, count);
    const auto column = [&](const double*& address, int k) {
      address = sliding_.column(k);
      return Eigen::Map<Vector>(sliding_.column(k) + first, count);
    };
    sliding_.enter(part);
    column(q_, 0) = q->segment(first, count) + 0.5 * h * (v->segment(first, count) + X);
    if (constraints() > 0 || shift_ != 0.0) column(q_held_, 1) = held->segment(first, count) + reach * X;
  }
  void add_impulse(const Part& part, const double* x, const double* Lambda, double weight, double* out) const {
    system_.add_discrete_forces(part, step(x), weight * h, out);
    if (shift_ != 0.0) {
      const double share = weight * h * shift_;
      system_.add_dynamics(linear_part(part), at(t_held, q_held_), 0.0, share, out);
      system_.add_dynamics(linear_part(part), at(t_middle, held->data()), 0.0, -2.0 * share, out);
      system_.add_dynamics(linear_part(part), at(2.0 * t_middle - t_held, from->data()), 0.0, share, out);
    }
    if (constraints() > 0) system_.add_discrete_constraint_forces(part, hold(x), Lambda, -weight, out);
  }
  const Part& linear_part(const Part& part) const { return linear_[std::size_t(&part - assembly_.parts().data())]; }
  Instant at(double t, const double* place) const { return {t, place, zero_.data()}; }
  Instant end(const double* x) const { return {t_middle + 0.5 * h, q_, x}; }
  Segment step(const double* x) const { return {t_middle, q->data(), q_, v->data(), x}; }
  Segment hold(const double* x) const { return {t_middle, from->data(), q_held_, v->data(), x}; }

  const System& system_;
  Assembly assembly_;
  Sliding sliding_;
  const double *q_ = nullptr, *q_held_ = nullptr;
  double shift_ = 0.0;
  std::vector<Part> linear_;  // of each part, its linear terms
  Vector zero_;
};

class EnergyMomentumStepper final : public Stepper {
 public:
  EnergyMomentumStepper(const System& system, const SolverMethod& method, bool project)
      : system_(system), problem_(system), solver_(method), lambda_(Vector::Zero(system.constraint_count())) {
    if (project && system.constraint_count() > 0) projection_.emplace(system, method);
  }

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
    base_ = now.q + 0.5 * h * now.v;
    problem_.q = problem_.from = &now.q;
    problem_.v = &now.v;
    problem_.p = &now.p;
    problem_.held = &base_;
    problem_.h = h;
    problem_.reach = 0.5 * h;
    problem_.t_middle = now.t + 0.5 * h;
    problem_.t_held = next.t;
    problem_.size = 2.0 * size_.of(system_, now) / std::abs(h);
    StepReport report{.solve = solver_.solve(problem_, next.v, lambda_)};
    if (!report.ok()) return failed(report, system_, instant(now), h);
    // The momentum from the forces, which keeps angular momentum to h times the error left in the step.
    next.p = now.p;
    impulse_ = lambda_ * h;
    problem_.add_impulse(next.v.data(), impulse_.data(), 1.0, next.p.data());
    next.q = base_ + 0.5 * h * next.v;
    next.lambda = lambda_;
    if (!projection_) return report;

    const double before = system_.kinetic_energy(instant(next));
    const SolveReport velocity = projection_->project_velocity(next.t, next.q, next.v);
    report.velocity_iterations = velocity.newton_iterations;
    if (velocity.status != Status::ok) {
      report.solve = velocity;
      return failed(report, system_, instant(now), h);
    }
    set_momentum(system_, next);
    report.projection_energy = system_.kinetic_energy(instant(next)) - before;
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  const System& system_;
  Problem problem_;
  StepSolver solver_;
  std::optional<IndexOne> projection_;
  ConfigurationSize size_;
  Vector lambda_, impulse_, base_;
};

/// The same problem on a staggered grid: the segment runs between the middles of two steps, constraints hold at the nodes.
class ThreeLevelStepper final : public Stepper {
 public:
  ThreeLevelStepper(const System& system, const SolverMethod& method, double alpha)
      : system_(system),
        alpha_(alpha),
        starter_(EnergyMomentum{}.bind(system, method)),
        problem_(system),
        solver_(method),
        lambda_(Vector::Zero(system.constraint_count())) {
    problem_.weigh(alpha);
  }

  StepReport advance(History past, double h, State& next) override {
    if (past.size() < 2) return starter_->advance(past, h, next);
    const State &now = past.back(), &before = past[past.size() - 2];
    w_ = (now.q - before.q) / h;
    middle_ = 0.5 * (before.q + now.q);
    p_.setZero(system_.size());
    system_.add_dynamics({now.t - 0.5 * h, middle_.data(), w_.data()}, 1.0, 0.0, p_.data());
    x_ = w_;
    if (past.size() > 2) x_ += w_ - (before.q - past[past.size() - 3].q) / h;
    problem_.q = &middle_;
    problem_.v = &w_;
    problem_.p = &p_;
    problem_.from = &before.q;
    problem_.held = &now.q;
    problem_.h = problem_.reach = h;
    problem_.t_middle = now.t;
    problem_.t_held = now.t + h;
    problem_.size = size_.of(system_, now) / std::abs(h);
    StepReport report{.solve = solve_from_guesses(solver_, problem_, w_, x_, lambda_, now.lambda)};
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.t = now.t + h;
    next.q = now.q + h * x_;
    next.v = 1.5 * x_ - 0.5 * w_;
    set_momentum(system_, next);
    next.lambda = lambda_;
    return report;
  }

  /// ½|w|²_M + V(middle), and for α ≠ ¼ also ½(α − ¼)(A d, d), d = q₊ − q, which is (2α − ½)(V₊ + V − 2V(middle)) of the linear terms.
  double invariant(History past) override {
    double sum = energy_.of(system_, past, 0.25);
    if (alpha_ == 0.25 || past.size() < 2) return sum;
    const State &before = past[past.size() - 2], &after = past.back();
    middle_ = 0.5 * (before.q + after.q);
    for (const auto& block : system_.dynamics()) {
      if (!block->affine()) continue;
      const double bent = block->potential(instant(after)) + block->potential(instant(before)) -
                          2.0 * block->potential({0.5 * (before.t + after.t), middle_.data(), after.v.data()});
      sum += (2.0 * alpha_ - 0.5) * bent;
    }
    return sum;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  const System& system_;
  double alpha_;
  std::unique_ptr<Stepper> starter_;
  Problem problem_;
  StepSolver solver_;
  ConfigurationSize size_;
  DiscreteEnergy energy_;
  Vector lambda_, x_, w_, middle_, p_;
};

void require_discrete_gradients(const System& system, const std::string& scheme) {
  require_equalities(system, scheme);
  require_holonomic(system, scheme);
  require_quadratic(system, scheme);
  const auto check = [&](const auto& blocks) {
    for (const auto& block : blocks)
      require(block->discrete() != nullptr,
              "{}: '{}' has no discrete gradients; use Midpoint or Rattle, or the system in its own coordinates.", scheme,
              block->name(0));
  };
  check(system.dynamics());
  check(system.constraints());
}

}  // namespace

Traits EnergyMomentum::traits() const {
  return {.name = "energy-momentum",
          .order = 2,
          .symmetric = !project_velocity,
          .conserves_energy = !project_velocity,
          .conserves_momentum = true,
          .dissipates = project_velocity,
          .holds_velocities = project_velocity,
          .multiplier_time = 0.5,
          .multiplier_order = 2};
}

std::unique_ptr<Stepper> EnergyMomentum::bind(const System& system, const SolverMethod& method) const {
  require_discrete_gradients(system, "EnergyMomentum");
  return std::make_unique<EnergyMomentumStepper>(system, method, project_velocity);
}

Traits ThreeLevel::traits() const {
  return {.name = "three-level",
          .levels = 2,
          .order = 2,
          .symmetric = true,
          .holds_velocities = false,
          .multiplier_time = 0.0,
          .multiplier_order = 2,
          .invariant = "discrete energy (31)"};
}

std::unique_ptr<Stepper> ThreeLevel::bind(const System& system, const SolverMethod& method) const {
  require_discrete_gradients(system, "ThreeLevel");
  require(system.constant_mass(),
          "ThreeLevel: the form (31) has a constant mass, this system does not; use EnergyMomentum, which takes any.");
  require(alpha >= 0.0 && alpha <= 0.5, "ThreeLevel: alpha must lie in [0, 1/2], got {}.", alpha);
  return std::make_unique<ThreeLevelStepper>(system, method, alpha);
}

}  // namespace taut
