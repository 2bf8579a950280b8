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
};

/// The classical scheme of order 4.
const ExplicitTableau& kutta4();

/// The fifth-order scheme of Dormand and Prince, J. Comput. Appl. Math. 6 (1980); six stages and order 5.
const ExplicitTableau& dormand_prince5();

/// An explicit Runge–Kutta scheme on q̇ = v, v̇ = a(t, q, v), where a and λ solve the index-1 form
///
///     M a + Gᵀλ = f − p_q v − p_t,      G a = −γ
///
/// one linear KKT system per stage, O(N) on chains. After each step q and then v are projected onto g = 0 and G v + g_t = 0 in the metric
/// of the mass, so that constraints hold to round-off and nothing drifts; the projection is of the size of the local error and
/// does not lower the order. λ belongs to the start of the step and has the order of the scheme.
///
/// Conserves nothing exactly. For smooth motion without stiff springs it is the fastest way to a given accuracy; with a stiff
/// penalty h must resolve the springs, h ω < 2.8 (kutta4). E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, IV.4.
struct RungeKutta {
  ExplicitTableau tableau = kutta4();

  Traits traits() const;
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const;
};

}  // namespace taut
