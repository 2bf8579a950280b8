#pragma once

#include <taut/integrators/integrator.hpp>
#include <vector>

namespace taut {

/// Explicit Runge–Kutta coefficients: Σⱼ aᵢⱼ = cᵢ, j < i.
struct ExplicitTableau {
  std::string name;
  int order;
  std::vector<double> c;
  std::vector<std::vector<double>> a;  ///< row i has i entries
  std::vector<double> b;

  /// Weights of the local error estimate; one entry more than b, for the derivative at the end of the step. None: no estimate.
  std::vector<double> error{};
  std::vector<double> coarse_error{};  ///< a second, cruder one, by which the first is scaled down: e²/√(e² + c²/100)
  int error_order = 0;                 ///< the estimate is O(h^(error_order + 1))
};

/// The classical scheme of order 4.
const ExplicitTableau& kutta4();

/// Dormand and Prince, J. Comput. Appl. Math. 6 (1980): order 5 with an estimate of order 4.
const ExplicitTableau& dormand_prince5();

/// Dormand and Prince of order 8 with estimates of orders 5 and 3. E. Hairer, S. P. Nørsett, G. Wanner, Solving ODEs I, II.5 and II.10.
const ExplicitTableau& dormand_prince8();

/// An explicit Runge–Kutta scheme on q̇ = v, v̇ = a(t, q, v), where a and λ solve the index-1 form
///
///     M a + Gᵀλ = f − p_q v − p_t,      G a = −γ
///
/// one linear system per stage, O(N) on chains. After each step q and then v are projected onto g = 0 and G v + g_t = 0 in the metric
/// of the mass, so that constraints hold to round-off and nothing drifts; the projection is of the size of the local error and
/// does not lower the order. a and λ are computed anew at the projected end: λ belongs to it and has the order of the scheme, a is carried
/// and is the first stage of the next step. With an estimate in the tableau the step can be chosen by tolerances.
///
/// Conserves nothing exactly. For smooth motion without stiff springs it is the fastest way to a given accuracy; with a stiff
/// penalty h must resolve the springs, h ω < 2.8 (kutta4). E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, IV.4.
struct RungeKutta {
  ExplicitTableau tableau = kutta4();

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
