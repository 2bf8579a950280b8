#pragma once

#include <taut/integrators/integrator.hpp>

namespace taut {

/// The variational midpoint scheme, which is scheme (40) of Glowinski and Holmström 1995 and implicit midpoint in (q, p):
///
///     p(m) − h/2 f(m) + h/2 Bᵀλ = pₙ,     m = (tₙ + h/2, qₙ + h/2 x, x),     qₙ₊₁ = qₙ + h x
///     pₙ₊₁ = p(m) + h/2 f(m) − h/2 B₊ᵀμ
///
/// in the unknown x, the velocity at the middle. What holds the constraints:
///
///   end_point        B = G(qₙ), g(qₙ₊₁) = 0;  B₊ = G(qₙ₊₁), G v = 0 at qₙ₊₁: positions and velocities exact, and the same
///                    positions as the discrete Euler–Lagrange equations with one λ per node. This is SPARK with s = 1.
///                    The reported λ is the mean of λ and μ.
///   shared_midpoint  g = 0 at the middle, one λ for both halves that meet in tₙ: B = G(m) and G(m₋). The state carries the
///                    momentum before the constraint force of its node; v is projected for output. Two levels. A shift (−1)ⁿδ
///                    of the nodes leaves the middles where they are: a start in motion excites it with δ = O(h²), and λ then
///                    oscillates by O(1) without growing. Positions are of order 2, λ is not to be relied on.
///   literal          g = 0 at the middle with a λ for each interval, as (40) with an augmented Lagrangian reads word by word.
///                    A double root at −1 lets λ oscillate with growing amplitude: for the paper's tables only.
///
/// Order 2, symmetric, symplectic, conserves momentum maps; energy oscillates by O(h²) without drift (end_point, and
/// systems without constraints). Trap: with stiff penalties and h ≫ √ε fast motion is not resolved but aliased.
/// J. E. Marsden, M. West, Acta Numerica 10 (2001) for the discrete equations, L. O. Jay, SIAM J. Numer. Anal. 33 (1996).
struct Midpoint {
  enum class Constraint { end_point, shared_midpoint, literal };
  Constraint constraint = Constraint::end_point;

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
