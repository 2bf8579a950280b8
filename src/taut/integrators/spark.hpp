#pragma once

#include <taut/integrators/integrator.hpp>
#include <taut/integrators/spark_tableau.hpp>

namespace taut {

/// The (s,s)-SPARK scheme with Gauss and Lobatto coefficients, of order 2s. With stages i = 1 … s at Gauss nodes and Ỹⱼ, j = 0 … s at
/// Lobatto nodes,
///
///     Yᵢ = q₀ + h Σ aᵢⱼ Vⱼ,      Ỹᵢ = q₀ + h Σ āᵢⱼ Vⱼ,      q₁ = Ỹₛ
///     p(Yᵢ, Vᵢ) = p₀ + h Σ aᵢⱼ [f(Yⱼ, Vⱼ) − K(Yⱼ)ᵀΨⱼ] − h Σ ãᵢⱼ G(Ỹⱼ)ᵀΛⱼ,      p₁ with b, b̃ likewise
///     g(Ỹᵢ) = 0,  i = 1 … s,     G v₁ + g_t = 0 at q₁
///     Σ bⱼ cⱼ^(i−1) k(Yⱼ, Vⱼ) = 0,  i = 1 … s − 1,     k(q₁, v₁) = 0
///
/// in the unknowns Vᵢ, v₁, Λⱼ, Ψⱼ. Positions and velocities of every constraint are exact at every step. k need not be linear in v: its forces are
/// Chetaev's, K = ∂k/∂v at (Yⱼ, Vⱼ); and p need not be linear in v either.
///
/// Order 2s in q, v; λ (and ψ) are those of the index-1 equations at the end, of order 2s too. Symmetric, symplectic (holonomic systems), conserves momentum
/// maps; energy of holonomic conservative systems oscillates by O(h^2s) without drift. For s = 1 it is the variational midpoint scheme.
///
/// Other families give other properties at the price of order: Radau IIA (2s − 1) damps what the step does not resolve.
///
/// Solved by Jay's modified Newton: transformed by Q, the matrix falls apart into s + 1 copies of [M Gᵀ; G 0], taken at the predicted middle and kept while
/// it contracts, like h. It leaves out the slopes of the forces; where that does not contract (stiff springs), the full matrix of all stages is taken, and always
/// with Multipliers{.newton = {.refresh = Refresh::iteration}}. Trap: Gauss schemes take stiff springs at any step but never damp them, and
/// what order is left then is s rather than 2s.
/// L. O. Jay, Lagrange–d'Alembert SPARK integrators for constrained systems in mechanics, Univ. of Iowa (2009).
struct Spark {
  int stages = 2;
  SparkFamily family = SparkFamily::gauss;

  /// Estimates the local error by the stages (Gauss, s ≥ 2) instead of leaving it to step doubling: with P the polynomial through the velocities of the stages,
  /// |v₀ − P(0)| = |v⁽ˢ⁾| hˢ ∏cᵢ/s! tells the frequency x = hω against |a|, and with it the error of the scheme on an oscillation of that frequency,
  /// (s!)²/((2s)! (2s + 1)!) x^(2s+1) of its amplitude. A third cheaper than doubling; exact for one frequency, a guess for several.
  bool embedded = false;

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
