#pragma once

#include <complex>
#include <string>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// A small motion about an equilibrium that keeps its shape: δq = Re(shape · exp(s t)).
struct NaturalMode {
  std::complex<double> s;  ///< [1/s]; of a pair the one with Im s > 0
  Eigen::VectorXcd shape;  ///< its largest entry is 1

  double frequency() const;                          ///< with which it swings [Hz]; 0 where it only grows or decays
  double damping() const;                            ///< −Re s/|s|: 0 swings for ever, 1 does not swing; negative grows
  bool rigid() const { return std::abs(s) == 0.0; }  ///< no force opposes it
};

struct NaturalModes {
  std::vector<NaturalMode> modes;  ///< the slowest first, by |s|
  int degrees_of_freedom = 0;
  bool all = false;  ///< there are no others; else those nearest to s = 0
  bool dense = false;
  bool frozen = false;    ///< something is driven, and was held where it is: see Stability
  std::string unknown{};  ///< why there are none, where there are none
};

/// Natural modes of a system about a state of rest (with its λ, as equilibrium() finds it), constraints held.
///
/// A few of many are those next to s = 0, by Lanczos' method on the inverse of [K Gᵀ; G ·], or of [K + σD + σ²M Gᵀ; G ·] by Arnoldi's where D acts or K is not
/// symmetric: O(N) for chains and beams. Many of few, and those about an unstable or a neutral equilibrium of some hundred coordinates, come from dense matrices: see
/// Stability. Trap: what grows fast is far from s = 0, and is not found in systems too large for those.
/// R. B. Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, 1998.
NaturalModes natural_modes(const System& system, const State& rest, int count = 10);

}  // namespace taut
