#pragma once

#include <taut/integrators/integrator.hpp>

namespace taut {

/// Houbolt's scheme: everything at the new time, with differences over four configurations,
///
///     M (2q₊ − 5q + 4q₋ − q₌)/h² + (p_q v₊ + p_t) = f(q₊, v₊) − G(q₊)ᵀλ,     v₊ = (11q₊ − 18q + 9q₋ − 2q₌)/(6h),     g(q₊) = 0
///
/// in the unknown (q₊ − q)/h.
///
/// Order 2 in q, v and λ; λ belongs to the end of the step. Unconditionally stable for linear forces, and strongly damped: resolved
/// motion loses energy like (hω)³ per step. Conserves nothing. Three levels, constant step; the first two steps are those of Gcn.
/// J. C. Houbolt, J. Aeronaut. Sci. 17 (1950).
struct Houbolt {
  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
