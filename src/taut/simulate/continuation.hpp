#pragma once

#include <functional>
#include <string>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

struct ContinuationOptions {
  int increments =
      40;  ///< the first step is this share of the way, and none is longer than four times that along the branch
  int max_points = 400;     ///< of all branches
  int leave_at = 0;         ///< the bifurcation, counted from 1, at which the path goes on along the other branch; 0: none
  bool other_side = false;  ///< of that bifurcation: the other half of the branch
};

/// An equilibrium on a branch.
struct BranchPoint {
  double parameter = 0.0;
  State state;     ///< at rest, with λ
  int branch = 0;  ///< 0: the one from the start; 1: the one it was left for
  int unstable =
      -1;  ///< eigenvalues of the stiffness on the constraints' tangent space with negative real part; −1: too large to look
};

/// Where an eigenvalue passes through zero: at a limit of the parameter, as in snap-through, or where another branch crosses.
struct CriticalPoint {
  enum class Kind { limit, bifurcation };
  Kind kind = Kind::limit;
  double parameter = 0.0;
  State state;
  int branch = 0;
};
const char* name_of(CriticalPoint::Kind kind);  ///< "limit", "bifurcation"

struct EquilibriumBranch {
  std::vector<BranchPoint> points;
  std::vector<CriticalPoint> critical;
  bool finished = false;  ///< the parameter reached its last value
  std::string trouble{};
};

/// Equilibria of a family of systems, all of the same coordinates and constraints, along the branch from the one at the first parameter: f(q; p) = G(q; p)ᵀλ, g(q; p) = 0 with p as a
/// further unknown and
///
///     ⟨q̇, q − q̂⟩/Q² + ṗ (p − p̂)/P² = 0,     (q̂, p̂) = (q, p) + σ (q̇, ṗ)             Keller's arc length
///
/// so that limits of the load are passed as any other point. The tangent (q̇, λ̇, ṗ) solves the equations' derivative along the branch; that in p is taken by differences, so
/// that p may be any number of a model. Critical points lie where the number of unstable directions changes, and are found to 1e-8 of the way. Branches are left along the eigenvector.
/// Trap: a bifurcation of an even number of directions at once (a column that may buckle to any side) is left along one of them.
/// H. B. Keller, in Applications of Bifurcation Theory (1977) 359–384.
EquilibriumBranch continuation(const std::function<System(double)>& family, const State& start, double from, double to,
                               const ContinuationOptions& options = {});

}  // namespace taut
