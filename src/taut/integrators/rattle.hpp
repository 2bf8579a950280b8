#pragma once

#include <taut/integrators/integrator.hpp>

namespace taut {

/// RATTLE, which is Störmer–Verlet with constraints held in positions and velocities:
///
///     M x = pₙ + h/2 f(qₙ) − h/2 G(qₙ)ᵀλ,     qₙ₊₁ = qₙ + h x,     g(qₙ₊₁) = 0
///     pₙ₊₁ = M x + h/2 f(qₙ₊₁) − h/2 G(qₙ₊₁)ᵀμ,                     G vₙ₊₁ = 0
///
/// For a mass that depends on q it is the variational scheme of the trapezoidal rule: M x becomes the mean of p(qₙ, x) and p(qₙ₊₁, x),
/// and forces that depend on velocities take x. The reported λ is the mean of λ and μ and belongs to the middle of the step.
///
/// Without constraints, with a constant mass and forces of positions alone it is Verlet, at one evaluation of the forces per step.
///
/// Order 2, symmetric, symplectic, conserves momentum maps; energy oscillates by O(h²) without drift. Trap: explicit in the forces, so h must resolve stiff springs
/// (h < 2/ω), where Midpoint does not care.
/// H. C. Andersen, J. Comput. Phys. 52 (1983); B. Leimkuhler, R. Skeel, J. Comput. Phys. 112 (1994).
struct Rattle {
  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
