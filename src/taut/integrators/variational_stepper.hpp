#pragma once

#include <taut/integrators/midpoint.hpp>

namespace taut {

/// Where the action integral of a step is evaluated: once in the middle, or at both ends.
enum class Quadrature { midpoint, trapezoid };

/// The discrete Euler–Lagrange equations in position–momentum form, for the discrete Lagrangian of the quadrature,
///
///     pₙ = −D₁L_d(qₙ, qₙ₊₁) + h/2 Bᵀλ,      pₙ₊₁ = D₂L_d(qₙ, qₙ₊₁) − h/2 B₊ᵀμ,      L_d(a, b) = ∫ L(q, (b − a)/h) dt
///
/// in the unknown x = (qₙ₊₁ − qₙ)/h, with a second problem for the velocities. Midpoint and Rattle say the rest. The places of
/// constraints other than the end point go with the midpoint quadrature only.
std::unique_ptr<Stepper> variational_stepper(const System& system, const SolverMethod& method, Quadrature quadrature,
                                             Midpoint::Constraint constraint);

}  // namespace taut
