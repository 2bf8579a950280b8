#include <taut/integrators/midpoint.hpp>
#include <taut/integrators/variational_stepper.hpp>

namespace taut {

Traits Midpoint::traits() const {
  const bool end = constraint == Constraint::end_point, shared = constraint == Constraint::shared_midpoint;
  return {.name = end      ? "midpoint"
                  : shared ? "midpoint, shared multiplier"
                           : "midpoint, literal",
          .levels = shared ? 2 : 1,
          .order = 2,
          .symmetric = end,
          .symplectic = end,
          .conserves_momentum = end,
          .holds_velocities = !(constraint == Constraint::literal),
          .multiplier_time = shared ? 0.0 : 0.5,
          .multiplier_order = end ? 2 : 0};
}

std::unique_ptr<Stepper> Midpoint::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Midpoint");
  require_holonomic(system, "Midpoint");
  return variational_stepper(system, method, Quadrature::midpoint, constraint);
}

}  // namespace taut
