#pragma once

#include <taut/integrators/integrator.hpp>

namespace taut {

/// The generalised-α scheme for constrained systems, with an acceleration-like variable a beside the acceleration v̇:
///
///     M v̇ + p_q v + p_t = f − Gᵀλ   and   g = 0   at tₙ₊₁
///     (1 − αₘ) aₙ₊₁ + αₘ aₙ = (1 − α_f) v̇ₙ₊₁ + α_f v̇ₙ
///     qₙ₊₁ = qₙ + h vₙ + h² [(½ − β) aₙ + β aₙ₊₁],     vₙ₊₁ = vₙ + h [(1 − γ) aₙ + γ aₙ₊₁]
///
/// in the unknown aₙ₊₁. The parameters follow from the spectral radius ρ at infinite frequency: αₘ = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1),
/// γ = ½ + α_f − αₘ, β = ¼(γ + ½)². ρ < 1 damps what h does not resolve; ρ = 1 damps nothing and lets λ oscillate.
///
/// Order 2 in q, v and λ; λ belongs to the end of the step. For that aₙ must be v̇ at tₙ + (αₘ − α_f)h, from the start on: a₀ is v̇ there, by a
/// difference along the motion (without it λ is of order 1 for a while). Not symmetric, conserves nothing, loses energy of fast motion;
/// |G v| = O(h²). The state carries a and v̇.
/// M. Arnold, O. Brüls, Multibody Syst. Dyn. 18 (2007) 185–202.
struct GeneralizedAlpha {
  double spectral_radius = 0.8;  ///< in [0, 1): damps unresolved motion within some ten steps, resolved motion hardly

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
