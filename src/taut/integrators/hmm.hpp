#pragma once

#include <taut/integrators/integrator.hpp>
#include <vector>

namespace taut {

/// Kernels on [−1, 1] that average over a fast motion.
struct HmmKernel {
  enum class Shape {
    polynomial,   ///< (1 − s²)^(smoothness + 1) Σ aⱼ s^2j
    exponential,  ///< e^{−5/(1 − s²)} Σ aⱼ s^2j, smooth to any order
    box           ///< a plain mean: for comparison
  };
  Shape shape = Shape::polynomial;
  int moments = 3;     ///< p = 2J + 1: moments 1 … p of the kernel vanish
  int smoothness = 9;  ///< q, of the polynomial

  /// Weights on 2n + 1 equal points, with the *discrete* moments exact: Σ w = 1, Σ w s^2k = 0 for k = 1 … J.
  std::vector<double> weights(int n) const;
};

/// Heterogeneous multiscale integration of a constrained system whose constraints are stiff springs of a *prescribed* small ε,
///
///     M q̈ = f − Gᵀ g/ε²,      fast frequencies ωⱼ = √eig(G M⁻¹Gᵀ)/ε
///
/// Given to a system with constraints, it penalises them itself. Classical RK4 of step H takes slopes (V̇, Q̇) = Σ wᵢ (q̈ᵢ, vᵢ) from micro runs by
/// Störmer–Verlet over ± half a window around the stage, which average the fast motion away; before that, each stage is projected onto the slow manifold
/// by the same means, (Q, V) ← Σ wᵢ (qᵢ, vᵢ), `passes` times and without any linear system. λ is Σ wᵢ g(qᵢ)/ε².
///
/// Order 4 in H down to a floor set by ε and the window. Without projection stages leave the manifold by O(H²), and where ωⱼ depend on the solution the energy
/// of that motion averages to a wrong force: errors like H⁴/ε². It pays only where a tiny ε is prescribed; where constraints may be exact, every other
/// scheme here is a hundred times cheaper.
/// M. Köbis, M. Arnold (2013); B. Engquist, Y.-H. Tsai, Math. Comp. 74 (2005).
struct Hmm {
  double epsilon = 1e-4;
  HmmKernel kernel{};
  double periods = 10.0;    ///< window, in periods of the slowest fast frequency
  double resolution = 0.2;  ///< micro step times the fastest frequency
  int passes = 2;           ///< projections of each stage; 0 shows why they are needed
  double window = 0.0;      ///< s; 0 takes `periods`, from the frequencies at the start of the step
  double micro_step = 0.0;  ///< s; 0 takes `resolution`

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

/// √eig(G M⁻¹Gᵀ)/ε at an instant, ascending: what the springs of a penalty vibrate with.
std::vector<double> fast_frequencies(const System& system, const Instant& at, double epsilon);

}  // namespace taut
