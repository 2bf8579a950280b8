#pragma once

#include <taut/system/state.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// Refuses a system in which some motion that the constraints allow has no inertia, or a negative one: vᵀM v > 0 is asked of all v ≠ 0 with G v = 0. A
/// coordinate without inertia that the constraints carry is allowed. Says which coordinates move in it, and how.
///
/// Where M itself is positive definite, a sparse Cholesky factor shows it, in O(N) for chains and beams. Otherwise the eigenvalues on the tangent space decide for up
/// to 500 coordinates; beyond, the pivots of M + ρGᵀG with a large ρ, which is positive definite for some ρ if and only if M is on the tangent space (Finsler's lemma).
/// Every coordinate counts in a unit of its own, so that light beside heavy is not taken for nothing.
void require_inertia(const System& system, const State& start);

}  // namespace taut
