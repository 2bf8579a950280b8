#include <taut/integrators/rattle.hpp>
#include <taut/integrators/variational_stepper.hpp>
#include <taut/step/index_one.hpp>

namespace taut {
namespace {

/// Störmer–Verlet where nothing is implicit: no constraint, a constant mass, forces of positions alone. The acceleration is carried from step to step.
class VerletStepper final : public Stepper {
 public:
  VerletStepper(const System& system, const SolverMethod& method)
      : system_(system), equations_(system, method), a_(system.size()) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    StepReport report;
    if (now.carried.size() == system_.size()) {
      a_ = now.carried;
    } else if (report.solve = equations_.accelerate(instant(now), a_, none_); !report.ok()) {
      return failed(report, system_, instant(now), h);
    }
    next.t = now.t + h;
    next.v = now.v + 0.5 * h * a_;
    next.q = now.q + h * next.v;
    next.carried.resize(system_.size());
    report.solve = equations_.accelerate(instant(next), next.carried, none_);
    if (!report.ok()) return failed(report, system_, instant(now), h);
    next.v += 0.5 * h * next.carried;
    set_momentum(system_, next);
    next.lambda.resize(0);
    return report;
  }

  const std::vector<int>& dependent() const override { return equations_.dependent(); }

 private:
  const System& system_;
  IndexOne equations_;
  Vector a_, none_;
};

}  // namespace

Traits Rattle::traits() const {
  return {.name = "RATTLE",
          .order = 2,
          .symmetric = true,
          .symplectic = true,
          .conserves_momentum = true,
          .multiplier_time = 0.5,
          .multiplier_order = 2};
}

std::unique_ptr<Stepper> Rattle::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Rattle");
  require_holonomic(system, "Rattle");
  if (system.constraint_count() == 0 && system.constant_mass() && system.conservative())
    return std::make_unique<VerletStepper>(system, method);
  return variational_stepper(system, method, Quadrature::trapezoid, Midpoint::Constraint::end_point);
}

}  // namespace taut
