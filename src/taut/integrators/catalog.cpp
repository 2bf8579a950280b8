#include <taut/integrators/catalog.hpp>

namespace taut {

const std::vector<NamedIntegrator>& integrators() {
  static const std::vector<NamedIntegrator> all{
      {"midpoint", "variational midpoint, scheme (40); constraints exact at step ends", Midpoint{}},
      {"midpoint-shared", "the same with constraints at the middles and one multiplier per node",
       Midpoint{Midpoint::Constraint::shared_midpoint}},
      {"midpoint-literal", "(40) word by word; multipliers oscillate: for the paper's tables only",
       Midpoint{Midpoint::Constraint::literal}},
      {"rattle", "Stormer-Verlet with constraints exact in positions and velocities", Rattle{}},
      {"gcn", "generalised Crank-Nicolson (16), reaction centred", Gcn{}},
      {"gcn-middle", "the same with the reaction at the middle level", Gcn{.reaction = Reaction::middle}},
      {"gcn-new", "the same with the reaction at the new level, as the papers print it: of order 1, loses energy",
       Gcn{.reaction = Reaction::new_point}},
      {"houbolt", "three levels and the new one, strongly damped", Houbolt{}},
      {"newmark", "trapezoidal rule, beta = 1/4 and gamma = 1/2, reaction centred", Newmark{}},
      {"newmark-new", "the same with the reaction at the new level: of order 1, loses energy",
       Newmark{.reaction = Reaction::new_point}},
      {"three-level", "form (31) with discrete gradients: keeps its discrete energy; constant mass", ThreeLevel{}},
      {"energy-momentum", "discrete gradients: energy exact for any mass and any constraint", EnergyMomentum{}},
      {"generalized-alpha", "damps what the step does not resolve; of order 2 in the multipliers too", GeneralizedAlpha{}},
      {"moreau-jean", "exact unilateral constraints with impacts, inelastic unless told", MoreauJean{}},
      {"rk4", "explicit Runge-Kutta of order 4 on accelerations, projected onto the constraints", RungeKutta{kutta4()}},
      {"dopri5", "the same with Dormand and Prince 5(4); takes tolerances", RungeKutta{dormand_prince5()}},
      {"dop853", "the same with Dormand and Prince 8(5,3); takes tolerances", RungeKutta{dormand_prince8()}},
  };
  return all;
}

const std::vector<NamedSolver>& solvers() {
  using Update = AugmentedLagrangian::Update;
  static const std::vector<NamedSolver> all{
      {"multipliers", "Newton on positions and multipliers together", Multipliers{}},
      {"augmented-lagrangian", "Hestenes-Powell, first-order update (10)", AugmentedLagrangian{}},
      {"augmented-lagrangian-2", "the same with the second-order update (11)",
       AugmentedLagrangian{.update = Update::second_order}},
      {"uzawa", "first-order dual iteration", Uzawa{}},
  };
  return all;
}

}  // namespace taut
