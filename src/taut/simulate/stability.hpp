#pragma once

#include <complex>
#include <string>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// What small motions about an equilibrium do. With δq = Z y, G Z = 0, of all constraints that act (inequalities among them if they push),
///
///     ZᵀMZ ÿ + ZᵀDZ ẏ + ZᵀKZ y = 0,      y ~ exp(s t),      M, D, K as in Linearized
///
/// The equilibrium is unstable where a real part is positive: by
/// divergence where that s is real, by flutter where it swings. Imaginary s of a system without damping count as stable.
///
/// Systems without D whose K is symmetric are solved as such, so that their s are exactly real or imaginary; those without D in s²; the rest in first-order
/// form. All of it dense. What is within round-off of the fastest motion is taken for zero: s² below some 1e-13 of the largest.
/// Trap: s = 0 says that linear terms do not tell; see `neutral`.
/// H. Ziegler, Principles of Structural Stability, 1968; V. V. Bolotin, Nonconservative Problems of the Theory of Elastic Stability, 1963.
struct Stability {
  enum class Kind { none, divergence, flutter };

  std::vector<std::complex<double>>
      eigenvalues;                ///< s [1/s], by frequency, then by growth; infinite ones (no mass, no damping) left out
  Kind instability = Kind::none;  ///< of the s that grows fastest
  int neutral = 0;                ///< how many s are zero
  int freedom = 0;                ///< directions that constraints leave free
  Eigen::MatrixXcd shapes{};      ///< where asked for: δq of each eigenvalue, column by column
  std::string unknown{};          ///< why there are no eigenvalues, where there are none
  bool too_large = false;         ///< that is why
  bool frozen =
      false;  ///< something changes with time: the eigenvalues are those of a system that stands still, and tell no more

  bool stable() const { return unknown.empty() && !frozen && instability == Kind::none && neutral == 0; }
  bool unstable() const { return !frozen && instability != Kind::none; }
  std::vector<double> frequencies() const;  ///< of those that swing, in Hz, ascending
};

/// At a state of rest with its λ, as equilibrium() finds it.
Stability stability(const System& system, const State& rest, bool shapes = false);

/// Whether constraints or masses change with time itself, as far as states near one show it over some seconds: something is driven. Loads may change and still be
/// looked at as they are.
bool driven(const System& system, const State& near);

/// "none", "divergence", "flutter".
const char* name_of(Stability::Kind kind);

/// The matrices of small motions in a basis Z of the directions that constraints leave free; see Linearized.
struct SmallMotions {
  Eigen::MatrixXd M, D, K, Z;
  int size() const { return int(M.rows()); }
};
SmallMotions small_motions(const System& system, const State& rest);

}  // namespace taut
