#pragma once

#include <taut/integrators/integrator.hpp>
#include <taut/integrators/reaction.hpp>

namespace taut {

/// Generalised Crank–Nicolson, the α-scheme (16) of Glowinski and Holmström 1995:
///
///     M (q₊ − 2q + q₋)/h² + (p_q v̄ + p_t) = α f(q₊, v̄) + (1 − 2α) f(q, v̄) + α f(q₋, v̄) − Bᵀλ,     v̄ = (q₊ − q₋)/(2h),     g(q₊) = 0
///
/// each f at its own time, M at q; in the unknown (q₊ − q)/h. The damping C(q₊ − q₋)/(2h) and the load f̃ of Basting, Quaini,
/// Glowinski and Čanić 2013 are cases of f. B is G(q₊), G(q), or the mean of G(q₊) and G(q₋).
///
/// Order 2; order 1 with the new reaction. λ belongs to the middle level tₙ. For linear forces stable if (1 − 4α) h² ω² < 4, (23): without
/// limit for α ≥ ¼. Then, without damping, ½ |v₊|²_{M_α} + V((q₊ + q)/2) with v₊ = (q₊ − q)/h and M_α = M + (α − ¼)h²A is constant, (19), also
/// under constraints quadratic in q if the reaction is centred. Reported v is (3q₊ − 4q + q₋)/(2h), so that the certificate's energy moves
/// by O(h²) all the same. Starts with the fictitious point q₋ = q₊ − 2hv₀ of the paper. Two levels, constant step.
struct Gcn {
  double alpha = 0.25;  ///< in [0, ½]
  Reaction reaction = Reaction::centred;

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
