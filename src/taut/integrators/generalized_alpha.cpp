#include <taut/base/require.hpp>
#include <taut/integrators/generalized_alpha.hpp>
#include <taut/step/acceleration_problem.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

class GeneralizedAlphaStepper final : public Stepper {
 public:
  GeneralizedAlphaStepper(const System& system, const SolverMethod& method, double radius)
      : system_(system),
        alpha_m_((2.0 * radius - 1.0) / (radius + 1.0)),
        alpha_f_(radius / (radius + 1.0)),
        gamma_(0.5 + alpha_f_ - alpha_m_),
        beta_(0.25 * (gamma_ + 0.5) * (gamma_ + 0.5)),
        assembly_(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true})),
        problem_(assembly_),
        instant_problem_(assembly_),
        solver_(method),
        start_solver_(Multipliers{}),
        lambda_(Vector::Zero(system.constraint_count())) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    const int n = system_.size();
    StepReport report;
    if (now.carried.size() == 2 * n) {
      a_ = now.carried.head(n);
      v_rate_ = now.carried.tail(n);
    } else if (!start(now, h, report)) {
      return failed(report, system_, instant(now), h);
    }

    next.t = now.t + h;
    pose(now, next.t, h);
    x_ = a_;
    lambda_ = now.lambda;
    report.solve = solver_.solve(problem_, x_, lambda_);
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.q = q_base_ + beta_ * h * h * x_;
    next.v = v_base_ + gamma_ * h * x_;
    next.lambda = lambda_;
    set_momentum(system_, next);
    next.carried.resize(2 * n);
    next.carried.head(n) = x_;
    next.carried.tail(n) = rate_base_ + rate_slope_ * x_;
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  /// v̇ₙ₊₁ = rate_base + rate_slope·x, and so on; weights of the affine problem.
  void pose(const State& now, double t, double h) {
    rate_slope_ = (1.0 - alpha_m_) / (1.0 - alpha_f_);
    rate_base_ = (alpha_m_ * a_ - alpha_f_ * v_rate_) / (1.0 - alpha_f_);
    q_base_ = now.q + h * now.v + (0.5 - beta_) * h * h * a_;
    v_base_ = now.v + (1.0 - gamma_) * h * a_;
    const double q_slope = beta_ * h * h;
    problem_.inertias[0] = {
        .t = t, .q = &q_base_, .v = &rate_base_, .q_slope = q_slope, .v_slope = rate_slope_, .momentum = 1.0, .rate = true};
    problem_.inertias[1] = {
        .t = t, .q = &q_base_, .v = &v_base_, .q_slope = q_slope, .v_slope = gamma_ * h, .force = -1.0, .inertial = 1.0};
    problem_.reactions[0] = {.t = t, .q = &q_base_, .q_slope = q_slope, .weight = 1.0};
    problem_.condition = {.t = t, .q = &q_base_, .q_slope = q_slope};
    problem_.size = size_.of(system_, now) / q_slope;
  }

  /// v̇ at the start and a = v̇ at t + (αₘ − α_f)h along the motion. That is before the start, where forces may have been others: by reflection.
  bool start(const State& now, double h, StepReport& report) {
    v_rate_.setZero(system_.size());
    if (!accelerate({now.t, now.q.data(), now.v.data()}, v_rate_, report)) return false;
    const double later = (alpha_f_ - alpha_m_) * h;
    const Vector q = now.q + later * now.v + 0.5 * later * later * v_rate_, v = now.v + later * v_rate_;
    a_.setZero(system_.size());
    if (!accelerate({now.t + later, q.data(), v.data()}, a_, report)) return false;
    // What is so stiff that the step does not follow it tells nothing of the motion.
    const double turn = (v_rate_ - a_).lpNorm<Eigen::Infinity>() * std::abs(h);
    const bool follows = turn <= now.v.lpNorm<Eigen::Infinity>() + v_rate_.lpNorm<Eigen::Infinity>() * std::abs(h);
    a_ = follows ? Vector(2.0 * v_rate_ - a_) : v_rate_;
    return true;
  }

  bool accelerate(const Instant& at, Vector& a, StepReport& report) {
    instant_problem_.at = at;
    lambda_.setZero();
    report.solve = start_solver_.solve(instant_problem_, a, lambda_);
    return report.ok();
  }

  const System& system_;
  double alpha_m_, alpha_f_, gamma_, beta_;
  std::shared_ptr<const Assembly> assembly_;
  AffineProblem problem_;
  AccelerationProblem instant_problem_;
  StepSolver solver_, start_solver_;
  ConfigurationSize size_;
  double rate_slope_ = 0.0;
  Vector lambda_, x_, a_, v_rate_, rate_base_, q_base_, v_base_;
};

}  // namespace

Traits GeneralizedAlpha::traits() const {
  return {.name = "generalised-alpha",
          .order = 2,
          .dissipates = true,
          .holds_velocities = false,
          .multiplier_time = 1.0,
          .multiplier_order = 2};
}

std::unique_ptr<Stepper> GeneralizedAlpha::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "GeneralizedAlpha");
  require_holonomic(system, "GeneralizedAlpha");
  require_quadratic(system, "GeneralizedAlpha");
  require(spectral_radius >= 0.0 && spectral_radius < 1.0, "GeneralizedAlpha: spectral_radius must lie in [0, 1), got {}.",
          spectral_radius);
  return std::make_unique<GeneralizedAlphaStepper>(system, method, spectral_radius);
}

}  // namespace taut
