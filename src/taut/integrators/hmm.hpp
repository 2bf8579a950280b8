#pragma once

#include <taut/integrators/hmm_kernel.hpp>
#include <taut/integrators/integrator.hpp>
#include <vector>

namespace taut {

/// Heterogeneous multiscale integration of a system with stiff springs: a penalty of a *prescribed* small ε,
///
///     M q̈ = f − Gᵀg/ε²,      which is penalized(system, ε²),      fast frequencies ωⱼ = √eig(G M⁻¹Gᵀ)/ε
///
/// or springs of the user's own; constraints g = 0 that are not penalised are held exactly beside them. What is fast is read from the spectrum of M⁻¹K, K = −∂f/∂q, which for a penalty is that of G M⁻¹Gᵀ/ε²: modes with
/// ω|H| ≤ 2 are slow and left to the step H; all others are fast and averaged over a window η of several of their periods, which must fit into H.
///
/// A *micro run* from (Q, V) integrates the system over the window with steps that resolve the fast motion, and gives with the weights of the kernel
///
///     slopes       (Q̇, V̇) = Σ wᵢ (vᵢ, q̈ᵢ)           for the macro scheme
///     projection   (Q, V) ← Σ wᵢ (qᵢ, vᵢ)              onto the slow manifold, without any linear system
///
/// Where constraints are held, the micro run is that of M q̈ = f − Gᵀλ with G q̈ = −γ, frequencies are those of motions with G q̇ = 0, each micro run
/// begins on g = 0, G v = −g_t, and λ of a step is the mean Σ wᵢ λᵢ of the run at its end.
///
/// Before its slopes are taken, a stage is projected `passes` times. This is not for beauty: stages of a Runge–Kutta scheme leave the manifold by O(H²),
/// and where ωⱼ depend on the solution the energy of that fast motion averages to a real force that the constrained system does not have;
/// without passes the error is like H⁴/ε². For the same reason an inconsistent start is projected, and its motion is that of the constrained system.
///
/// Of the order of the macro scheme in H, down to a floor set by ε and the window. It pays only where a tiny ε is prescribed: where constraints may
/// be exact, the other schemes are a hundred times cheaper.
/// M. Köbis, M. Arnold, J. Comput. Appl. Math. (2013), doi:10.1016/j.cam.2013.07.029; B. Engquist, Y.-H. Tsai, Math. Comp. 74 (2005).
struct Hmm {
  enum class Macro {
    euler,
    rk2,  ///< explicit midpoint rule
    rk4,
    ab4,  ///< Adams–Bashforth of order 4, equal steps: one micro run per step is slope and projection at once; starts with rk4
  };
  enum class Micro {
    verlet,  ///< Störmer–Verlet, forward and backward from the stage
    damped,  ///< forward only, with the force ahead of its time, f + β ḟ: that damps the fast motion. For what cannot be run backward
  };
  static constexpr int automatic = -1;

  Macro macro = Macro::rk4;
  Micro micro = Micro::verlet;
  HmmKernel kernel{};
  /// Of what averaging leaves in the slopes, relative to them. Below what most macro steps make of error.
  double tolerance = 1e-8;
  /// Projections of a stage before its slopes are taken; automatic: as many as the tolerance asks for, judged by the fast motion found.
  int passes = automatic;
  /// Window, in periods of the slowest fast mode; 0: as many as leave the root of the tolerance, since a pass squares what is left.
  double periods = 0.0;
  double window = 0.0;      ///< s; 0: from `periods` and the frequency at the start of the step
  double resolution = 1.3;  ///< micro step times the fastest frequency; Verlet is stable below 2
  double micro_step = 0.0;  ///< s; 0: from `resolution` and the frequency at the start of the step

  void check() const;  ///< throws InputError if options do not make sense, or not together
  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

/// √|eig(M⁻¹K)| at an instant, of motions that the constraints allow, ascending: what the springs of a system vibrate with. What loaded constraints
/// add to K by their curvature is left out: it belongs to slow motions. Dense, O(n³).
std::vector<double> frequencies(const System& system, const Instant& at);

}  // namespace taut
