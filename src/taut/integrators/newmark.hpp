#pragma once

#include <taut/integrators/integrator.hpp>
#include <taut/integrators/reaction.hpp>

namespace taut {

/// Newmark's scheme with one constraint force per step. With a the accelerations of the applied forces at the ends of the step,
/// M a = f − p_q v − p_t, and r that of the constraint forces, M_B r = −B ᵀλ,
///
///     q₊ = q + h v + h² [(½ − β) a + β a₊ + ½ r],     v₊ = v + h [(1 − γ) a + γ a₊ + r],     g(q₊) = 0
///
/// in the unknown w = (q₊ − q)/h. B and M_B are taken at q₊ or at (q + q₊)/2. For β = ¼, γ = ½ and constant mass this is the scheme of
/// Basting, Quaini, Glowinski and Čanić 2013: M(v₊ − v)/h is the mean of the forces, and (v₊ + v)/2 = w.
///
/// One vector of unknowns is enough: M_B (w − v − h/2 a) + hβ (M₊a₊) + h/2 Bᵀλ = 0 for constant mass, where M₊a₊ = f₊. For other masses M_B a₊
/// is replaced by M₊a₊ + (M_B − M₊)a, and velocities in f₊ are 2w − v, which is v₊ if γ = 2β; both are of order 2.
///
/// Order 2 for γ = ½ and the centred reaction, otherwise 1; λ belongs to the middle of the step. With β = ¼, γ = ½ energy is kept for
/// quadratic potentials, constant mass and constraints quadratic in q. β = 0 is explicit in the applied forces. |G v| = O(h²): not enforced.
/// N. M. Newmark, J. Eng. Mech. 85 (1959).
struct Newmark {
  double beta = 0.25;
  double gamma = 0.5;
  Reaction reaction = Reaction::centred;  ///< or new_point

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
