#pragma once

#include <taut/integrators/integrator.hpp>

namespace taut {

/// The time-stepping scheme of Moreau and Jean, which owns an impact law and so takes exact unilateral constraints:
///
///     p(q₊, x) − p = h f(q̄, v̄) − h G(q̂)ᵀλ,     v̄ = (v + x)/2,   q₊ = q + h v̄
///     G x + g_t = 0                                           equalities
///     ġ(x) + e ġ(v) ∈ S,  λ ∈ N_S                             inequalities that the step would violate; the others do not act
///
/// in the unknown x = v₊, rates taken at q + h v, with Newton's law of restitution in the third line; contacts that the result would violate join in. Then q₊ is
/// projected onto g ∈ S (onto g = 0 where a contact pushes without rebound) and x onto the rates there, both in the metric of the
/// mass, so that nothing penetrates or hovers and joints do not drift.
/// Where inequalities act, q̂ = q + h v as for the rates: x is then the allowed velocity nearest to the free one, and without restitution no step
/// gains energy, however poorly it resolves the motion; what swings on a taut cable loses some, O(h). Where none acts, q̂ = q + h/2 v.
/// The impulse of an impact is spread over its step: λ is then large, and h λ is what it means.
///
/// Contacts may repeat each other (two floors in one place, the facets of a corner): they share the load. Rates that contacts cannot all have, as of
/// jaws that close on a mass, are met as nearly as can be, as long as there are positions for it; their λ is then 0, because no finite force is meant. A step
/// that ends with penetration, or for which there are no such positions, is a failed one.
///
/// Impact times are those of the grid: order 1 where inequalities act, 2 elsewhere (λ: 1, at the middle of the step). What rests rests. Conserves
/// nothing exactly. Impacts have no reverse: with inequalities, steps backward are refused.
/// Trap: many impacts within one step count as one, so that a ball comes to rest when its bounces get shorter than h.
/// J. J. Moreau, in Nonsmooth Mechanics and Applications (1988); M. Jean, Comput. Methods Appl. Mech. Eng. 177 (1999); projection: V. Acary,
/// Comput. Methods Appl. Mech. Eng. 256 (2013).
struct MoreauJean {
  double restitution = 0.0;  ///< e in [0, 1], of every impact

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
