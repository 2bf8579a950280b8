#pragma once

#include <functional>
#include <taut/simulate/start.hpp>
#include <taut/step/step_solver.hpp>

namespace taut {

struct EquilibriumOptions {
  enum class Approach {
    flow,   ///< downhill in growing steps, then Newton: ends, as a rule, in a stable equilibrium near the start
    direct  ///< the equations of rest at once, from the start and its λ: few iterations, whichever equilibrium they lead to
  };
  Approach approach = Approach::flow;  ///< Splitting goes directly in any case
  SolverMethod method = Multipliers{};
  double tolerance = 1e-12;  ///< of the last change, against the size of the configuration
  int max_steps = 200;
};

struct Equilibrium {
  State state;  ///< at rest, with λ
  Status status = Status::ok;
  std::string trouble{};
  int steps = 0, newton_iterations = 0;
  int multiplier_updates = 0;  ///< by methods that have them; sweeps of Splitting
  double residual = 0.0;       ///< largest |f − Gᵀλ|
  /// Lowest eigenvalue of the stiffness −∂(f − Gᵀλ)/∂q on the tangent space of the active constraints, against the mass: negative means
  /// unstable where all forces have potentials; stability() tells of the others. Not a number for systems too large for a dense look.
  double lowest_eigenvalue = 0.0;
};

/// A configuration in which nothing moves: f(q, 0) = G(q)ᵀλ, g(q) ∈ S, λ ∈ N_S, inequalities exactly.
///
/// With Approach::flow by implicit steps of the overdamped motion M (x − q)/τ = f(x) − G(x)ᵀλ with τ growing to infinity, where the last steps are plain Newton. It
/// goes downhill from the start and so ends, as a rule, in a stable equilibrium near it; there may be others.
Equilibrium equilibrium(const System& system, const State& start, const EquilibriumOptions& options = {});

struct EquilibriumPath {
  std::vector<double> parameter;    ///< at each equilibrium found
  std::vector<Equilibrium> points;  ///< in the same order; the last is where the path ends
  std::vector<double> jumps;        ///< parameters at which the branch ended and the motion went to another equilibrium
  bool finished = false;
  std::string trouble{};
};

/// Equilibria of a family of systems as its parameter goes from one value to another: load continuation, for instance, or supports that move. Each
/// is found directly from the one before, in increments that are halved where this fails; where even the smallest (1e-4 of the way) fails, the
/// branch ends there (a limit point, as in snap-through), and the flow leads to the next one.
EquilibriumPath follow(const std::function<System(double)>& system, const State& start, double from, double to,
                       int increments, const EquilibriumOptions& options = {});

}  // namespace taut
