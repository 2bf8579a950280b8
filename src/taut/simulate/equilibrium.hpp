#pragma once

#include <taut/simulate/start.hpp>

namespace taut {

struct EquilibriumOptions {
  double tolerance = 1e-12;  ///< of the last change, against the size of the configuration
  int max_steps = 200;
};

struct Equilibrium {
  State state;  ///< at rest, with λ
  Status status = Status::ok;
  std::string trouble{};
  int steps = 0, newton_iterations = 0;
  double residual = 0.0;  ///< largest |f − Gᵀλ|
  /// Lowest eigenvalue of the stiffness −∂(f − Gᵀλ)/∂q on the tangent space of the active constraints, against the mass: negative means
  /// unstable. Not a number for systems too large for a dense look.
  double lowest_eigenvalue = 0.0;
};

/// A configuration in which nothing moves: f(q, 0) = G(q)ᵀλ, g(q) ∈ S, λ ∈ N_S, inequalities exactly.
///
/// By implicit steps of the overdamped motion M (x − q)/τ = f(x) − G(x)ᵀλ with τ growing to infinity, where the last steps are plain Newton. It
/// goes downhill from the start and so ends, as a rule, in a stable equilibrium near it; there may be others.
Equilibrium equilibrium(const System& system, const State& start, const EquilibriumOptions& options = {});

}  // namespace taut
