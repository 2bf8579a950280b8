#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <taut/taut.hpp>

#include "experiment.hpp"

namespace taut::reproduce {
namespace {

constexpr double end = 5.0, step = 0.01;

Certificate certify(const System& measured, const System& system, const State& start, const Integrator& integrator, double h,
                    const SolverMethod& method = Multipliers{}) {
  return certificate(measured, simulate(system, start, integrator, method, {.step = h, .end = end}));
}

/// Energy, L_z and |g| over time; L_z is that of the Cartesian motion.
void add_curve(Outcome& out, const std::string& name, const System& cartesian, const System& system, const State& start,
               const Integrator& integrator, double h, bool angles) {
  const Trajectory path = simulate(system, start, integrator, Multipliers{}, {.step = h, .end = end});
  if (!path.finished()) out.failure = name + ": " + path.message;
  Curve curve{name, {"t", "energy", "Lz", "g"}, {}};
  for (int k = 0; k < path.size(); k += std::max(1, int(0.01 / h))) {
    Vector q = path.q(k), v = path.v(k);
    if (angles) lift(SphericalAngles{}, Vector(path.q(k)), Vector(path.v(k)), q, v);
    const double Lz = q[0] * v[1] - q[1] * v[0] + q[3] * v[4] - q[4] * v[3];
    const double g = cartesian.constraint_values(0.0, q).cwiseAbs().maxCoeff();
    curve.rows.push_back({path.t(k), cartesian.energy({path.t(k), q.data(), v.data()}), Lz, g});
  }
  out.curves.push_back(std::move(curve));
}

}  // namespace

Outcome run_lbs_pendulum(const Report& report) {
  Outcome out;
  const Model model = double_spherical_pendulum(), angles = double_spherical_pendulum_in_angles();
  const System& system = model.system;

  report("symplectic-momentum", 0.0);
  const Certificate sm = certify(system, system, model.start, Midpoint{}, step);
  const Certificate sm2 = certify(system, system, model.start, Midpoint{}, step / 2);
  const Certificate al = certify(system, system, model.start, Midpoint{}, step, AugmentedLagrangian{});
  const Certificate spherical = certify(angles.system, angles.system, angles.start, Midpoint{}, step);
  const Certificate spherical2 = certify(angles.system, angles.system, angles.start, Midpoint{}, step / 2);
  report("energy-momentum", 0.3);
  const Certificate em = certify(system, system, model.start, EnergyMomentum{}, step);
  const Certificate em_angles = certify(angles.system, angles.system, angles.start, EnergyMomentum{}, step);
  out.number("sm_lm_dE_h", sm.energy.deviation);
  out.number("sm_lm_dE_h2", sm2.energy.deviation);
  out.number("sm_lm_dLz", sm.momenta.at(0).deviation);
  out.number("sm_lm_g", sm.position_residual);
  out.number("sm_al_dE_h", al.energy.deviation);
  out.number("em_lm_dE", em.energy.deviation);
  out.number("em_lm_dLz", em.momenta.at(0).deviation);
  out.number("em_lm_g", em.position_residual);
  out.number("em_lm_Gv", em.velocity_residual);
  out.number("sph_dE_h", spherical.energy.deviation);
  out.number("sph_dE_h2", spherical2.energy.deviation);
  out.number("em_sph_dE", em_angles.energy.deviation);
  out.table = {
      {"symplectic, multipliers: energy, h = 0.01", {}, sm.energy.deviation},
      {"symplectic, multipliers: energy, h = 0.005", {}, sm2.energy.deviation},
      {"symplectic, multipliers: Lz", {}, sm.momenta.at(0).deviation},
      {"symplectic, multipliers: |g|", {}, sm.position_residual},
      {"symplectic, augmented Lagrangian: energy", {}, al.energy.deviation},
      {"symplectic, spherical: energy, h = 0.01", {}, spherical.energy.deviation},
      {"symplectic, spherical: energy, h = 0.005", {}, spherical2.energy.deviation},
      {"energy-momentum, multipliers: energy", {}, em.energy.deviation},
      {"energy-momentum, multipliers: Lz", {}, em.momenta.at(0).deviation},
      {"energy-momentum, multipliers: |g|", {}, em.position_residual},
      {"energy-momentum, multipliers: |G v|", {}, em.velocity_residual, "the scheme does not enforce it"},
      {"energy-momentum, spherical: energy", {}, em_angles.energy.deviation},
  };

  // The poster's stiffness mu is 1/eps: the potential is mu/2 |g|^2.
  for (const auto& [name, mu] :
       {std::pair("1e3", 1e3), std::pair("1e4", 1e4), std::pair("1e5", 1e5), std::pair("1e6", 1e6)}) {
    report(fmt::format("penalty {}", name), 0.4 + 0.1 * (std::log10(mu) - 3.0));
    const Certificate soft = certify(system, penalized(system, 1.0 / mu), model.start, EnergyMomentum{}, step);
    out.number(fmt::format("em_penalty_g_{}", name), soft.position_residual);
    out.table.push_back({fmt::format("energy-momentum, penalty mu = {}: |g|", name), {}, soft.position_residual});
    add_curve(out, fmt::format("lbs_penalty_{}", name), system, penalized(system, 1.0 / mu), model.start, EnergyMomentum{},
              1e-3, false);
  }

  report("converged run", 0.9);
  const Trajectory converged =
      simulate(system, model.start, RungeKutta{dormand_prince5()}, Multipliers{}, {.step = 2.5e-4, .end = 2.0, .every = 0});
  out.numbers("x_t2", {converged.last.q.begin(), converged.last.q.end()});

  add_curve(out, "lbs_symplectic_h", system, system, model.start, Midpoint{}, step, false);
  add_curve(out, "lbs_symplectic_h2", system, system, model.start, Midpoint{}, step / 2, false);
  add_curve(out, "lbs_energy_momentum", system, system, model.start, EnergyMomentum{}, step, false);
  add_curve(out, "lbs_spherical", system, angles.system, angles.start, Midpoint{}, step, true);
  out.plots = {{"lbs_energy",
                "Total energy: symplectic-momentum fluctuates with h^2, energy-momentum does not",
                "t [s]",
                "energy [J]",
                {{"lbs_symplectic_h", "energy", "symplectic, h = 0.01", "lines lw 2 lc rgb '#d95f02'"},
                 {"lbs_symplectic_h2", "energy", "symplectic, h = 0.005", "lines lw 2 lc rgb '#1b9e77'"},
                 {"lbs_energy_momentum", "energy", "energy-momentum, h = 0.01", "lines lw 2 lc rgb '#222222'"}}},
               {"lbs_momentum",
                "Angular momentum about z, symplectic-momentum in spherical coordinates",
                "t [s]",
                "Lz [kg m^2/s]",
                {{"lbs_spherical", "Lz", "h = 0.01", "lines lw 2 lc rgb '#1b9e77'"}},
                "set yrange [5.9:6.1]"},
               {"lbs_penalty",
                "Largest constraint error, energy-momentum with penalty, h = 0.001",
                "t [s]",
                "|g|",
                {{"lbs_penalty_1e3", "g", "mu = 1e3", "lines lc rgb '#d95f02'"},
                 {"lbs_penalty_1e4", "g", "mu = 1e4", "lines lc rgb '#7570b3'"},
                 {"lbs_penalty_1e5", "g", "mu = 1e5", "lines lc rgb '#1b9e77'"},
                 {"lbs_penalty_1e6", "g", "mu = 1e6", "lines lc rgb '#222222'"}},
                "set logscale y\nset format y '10^{%L}'\nset yrange [1e-7:1]"}};
  out.remarks = {"The poster prints no masses, lengths or step: m = l = 1, g = 9.81, T = 5 are ours.",
                 "|g| of the penalty falls like 1/mu; the energy of the penalised system stays constant all the same."};
  return out;
}

}  // namespace taut::reproduce
