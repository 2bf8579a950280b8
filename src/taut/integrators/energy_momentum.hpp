#pragma once

#include <taut/integrators/integrator.hpp>

namespace taut {

/// The energy–momentum scheme, by discrete gradients (Gonzalez) of each term:
///
///     qₙ₊₁ − qₙ = h v̄,     v̄ = (vₙ + vₙ₊₁)/2
///     p(qₙ₊₁, vₙ₊₁) − pₙ = h (∇̄τ − ∇̄V + Q(q̄, v̄)) − h Ḡᵀλ,      τ(q) = ½ vₙ·M(q) vₙ₊₁,      g(qₙ₊₁) = 0
///
/// in the unknown vₙ₊₁. Multiplied by v̄, the left side of the balance is T₊ − T + τ(qₙ₊₁) − τ(qₙ), because
/// v̄·(M₊v₊ − M v) = T₊ − T + ½ v·(M₊ − M)v₊; the discrete gradients give τ(qₙ₊₁) − τ(qₙ), V − V₊ and g(qₙ₊₁) − g(qₙ) = 0. So T + V changes
/// by the work of Q alone, for any mass and any constraint, as exactly as the step is solved. Momentum maps are conserved where the
/// discrete gradient respects the symmetry: gravity, springs, distances, pins, and their penalties do (they go through |x − y|²,
/// whose discrete gradient is that in the middle); a potential of your own does if it is quadratic or offers `discrete`.
///
/// Order 2, symmetric, not symplectic. It does not enforce G v = 0: |G v| = O(h²) at step ends. λ belongs to the middle of the step.
/// Trap: vₙ enters with a minus sign in vₙ₊₁ = 2Δq/h − vₙ, so what is inconsistent in v₀ never dies out but alternates.
/// O. Gonzalez, J. Nonlinear Sci. 6 (1996); Physica D 132 (1999) for constraints.
struct EnergyMomentum {
  /// Project v onto G v = 0 after each step. That takes the energy ½|Δv|²_M, reported step by step (StepReport::projection_energy) and
  /// summed in RunCounts; the scheme is then no longer symmetric.
  bool project_velocity = false;

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

/// The three-level form (31) of Glowinski and Holmström 1995, with α = ¼: the same on a staggered grid, for constant mass,
///
///     M (q₊ − 2q + q₋)/h² = −∇̄V(q_{−½}, q_{+½}) + Q(v̄) − ∇̄g(q₋, q₊)ᵀλ,     q_{±½} = (q + q_±)/2,   v̄ = (q₊ − q₋)/(2h),     g(q₊) = 0
///
/// in the unknown (q₊ − q)/h. The paper's quotient of differences, 0/0 where q₊ = q₋, is the discrete gradient of a potential
/// that is a sum over coordinates; ours takes any potential and is regular there. Penalties go through g as in EnergyMomentum.
/// With another α the forces of linear terms (strings, bending, loads) at q₊, q, q₋ weigh α, 1 − 2α, α, which is a mean over middles for
/// α = ¼ only; then ½(α − ¼)(A d, d) with d = q₊ − q belongs to the energy, as in (19), and below ¼ the step is limited by (23).
///
/// Order 2, symmetric in its three levels. ½|(q₊ − q)/h|²_M + V(q_{+½}) is constant as exactly as the steps are solved; reported v is
/// (3q₊ − 4q + q₋)/(2h), so that the certificate's energy moves by O(h²) around it. λ belongs to the middle level tₙ. Starts with one step of
/// EnergyMomentum. Two levels, constant step.
struct ThreeLevel {
  double alpha = 0.25;  ///< in [0, ½]

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
