#include <taut/integrators/rattle.hpp>
#include <taut/integrators/variational_stepper.hpp>

namespace taut {

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
  return variational_stepper(system, method, Quadrature::trapezoid, Midpoint::Constraint::end_point);
}

}  // namespace taut
