#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <taut/taut.hpp>

#include "experiment.hpp"

namespace taut::reproduce {
namespace {

/// L_z of both masses.
double about_z(const Vector& q, const Vector& v) { return q[0] * v[1] - q[1] * v[0] + q[3] * v[4] - q[4] * v[3]; }

struct Kept {
  double energy = 0.0, Lz = 0.0, length = 0.0;  ///< largest changes, and the largest error of a rod
};

/// What a run keeps of the energy of its own system, and of L_z.
Kept kept(const System& system, const Trajectory& path) {
  Kept out;
  const auto energy = [&](int k) { return system.energy({path.t(k), path.q(k).data(), path.v(k).data()}); };
  for (int k = 0; k < path.size(); ++k) {
    out.energy = std::max(out.energy, std::abs(energy(k) - energy(0)));
    out.Lz = std::max(out.Lz, std::abs(about_z(path.q(k), path.v(k)) - about_z(path.q(0), path.v(0))));
    out.length = std::max(out.length, std::abs(Vector(path.q(k)).head<3>().norm() - 1.0));
  }
  return out;
}

/// The motion as the poster draws it: both rods every so often, seen from the side and above, with the path of the lower mass.
void add_motion(Outcome& out, const std::string& name, const std::string& title, const Trajectory& path, double every,
                bool angles) {
  Curve rods{name + "_rods", {"right", "up"}, {}}, trace{name + "_path", {"right", "up"}, {}};
  const double turn = 0.6, tilt = 0.35;  // rad
  const auto seen = [&](double x, double y, double z) {
    const double right = std::cos(turn) * x + std::sin(turn) * y, away = -std::sin(turn) * x + std::cos(turn) * y;
    return std::vector<double>{right, std::cos(tilt) * z + std::sin(tilt) * away};
  };
  double next = 0.0;
  for (int k = 0; k < path.size(); ++k) {
    Vector q = path.q(k), v;
    if (angles) lift(SphericalAngles{}, Vector(path.q(k)), Vector(path.v(k)), q, v);
    trace.rows.push_back(seen(q[3], q[4], q[5]));
    if (path.t(k) < next - 1e-9) continue;
    next += every;
    if (!rods.rows.empty()) rods.rows.emplace_back();
    rods.rows.push_back(seen(0.0, 0.0, 0.0));
    rods.rows.push_back(seen(q[0], q[1], q[2]));
    rods.rows.push_back(seen(q[3], q[4], q[5]));
  }
  out.plots.push_back(
      {name,
       title,
       "",
       "",
       {{trace.name, "up", "path of the lower mass", "lines lw 1 lc rgb '#d95f02'"},
        {rods.name, "up", fmt::format("rods every {:g} s", every), "linespoints lw 1.5 pt 7 ps 0.6 lc rgb '#222222'"}},
       "set size ratio -1\nunset tics\nset offsets graph 0.04, graph 0.04, graph 0.04, graph 0.04"});
  out.curves.push_back(std::move(rods));
  out.curves.push_back(std::move(trace));
}

/// Energy, L_z and |g| over time; L_z is that of the Cartesian motion.
void add_curve(Outcome& out, const std::string& name, const System& cartesian, const System& system, const State& start,
               const Integrator& integrator, double h, double end, bool angles) {
  const Trajectory path = simulate(system, start, integrator, Multipliers{}, {.step = h, .end = end});
  if (!path.finished()) out.failure = name + ": " + path.message;
  Curve curve{name, {"t", "energy", "Lz", "g"}, {}};
  for (int k = 0; k < path.size(); k += std::max(1, int(0.01 / h))) {
    Vector q = path.q(k), v = path.v(k);
    if (angles) lift(SphericalAngles{}, Vector(path.q(k)), Vector(path.v(k)), q, v);
    const double Lz = about_z(q, v);
    const double g = cartesian.constraint_values(0.0, q).cwiseAbs().maxCoeff();
    curve.rows.push_back({path.t(k), cartesian.energy({path.t(k), q.data(), v.data()}), Lz, g});
  }
  out.curves.push_back(std::move(curve));
}

/// The poster's third column: the first rod alone is a spring, the second is held exactly.
void soften_first_rod(Outcome& out, const Model& model, double step, double end) {
  double em_energy = 0.0, em_Lz = 0.0, symplectic_Lz = 0.0;
  for (const auto& [name, epsilon] : {std::pair("1", 1.0), {"1e-3", 1e-3}, {"1e-5", 1e-5}}) {
    const System soft = penalized(model.system, epsilon, [](int row) { return row == 0; });
    const SimulateOptions options{.step = step, .end = end};
    const Trajectory em = simulate(soft, model.start, EnergyMomentum{}, Multipliers{}, options);
    const Trajectory symplectic = simulate(soft, model.start, Midpoint{}, Multipliers{}, options);
    for (const Trajectory* path : {&em, &symplectic})
      if (!path->finished()) out.failure = fmt::format("first rod a spring, eps = {}: {}", name, path->message);
    const Kept a = kept(soft, em), b = kept(soft, symplectic);
    em_energy = std::max(em_energy, a.energy);
    em_Lz = std::max(em_Lz, a.Lz);
    symplectic_Lz = std::max(symplectic_Lz, b.Lz);
    out.number(fmt::format("first_rod_stretch_{}", name), a.length);
    out.table.push_back({fmt::format("first rod a spring, eps = {}: its largest stretch [m]", name), {}, a.length});
    if (epsilon != 1.0) continue;
    Curve length{"lbs_first_rod", {"t", "length"}, {}};
    for (int k = 0; k < em.size(); ++k) length.rows.push_back({em.t(k), Vector(em.q(k)).head<3>().norm()});
    out.curves.push_back(std::move(length));
    out.plots.push_back({"lbs_first_rod",
                         "Length of the first rod, a spring of stiffness mu = 1 (poster: penalty potential)",
                         "t [s]",
                         "length [m]",
                         {{"lbs_first_rod", "length", "energy-momentum", "lines lw 2 lc rgb '#1b9e77'"}}});
    add_motion(out, "lbs_motion_penalty", "Penalty: the first rod is a spring of stiffness 1", em, 0.1, false);
  }
  out.number("first_rod_spring_em_energy", em_energy);
  out.number("first_rod_spring_em_lz", em_Lz);
  out.number("first_rod_spring_symplectic_lz", symplectic_Lz);
  out.table.push_back({"first rod a spring, energy-momentum: energy", {}, em_energy, "worst of eps = 1, 1e-3, 1e-5"});
  out.table.push_back({"first rod a spring, energy-momentum: Lz", {}, em_Lz});
  out.table.push_back({"first rod a spring, symplectic: Lz", {}, symplectic_Lz});
}

}  // namespace

Outcome run_lbs_pendulum(const Settings& set, const Report& report) {
  Outcome out;
  const Model model = double_spherical_pendulum(), angles = double_spherical_pendulum_in_angles();
  const System& system = model.system;
  const double step = set("step"), end = set("end");
  const auto certify = [end](const System& measured, const System& moved, const State& start, const Integrator& integrator,
                             double h, const SolverMethod& method = Multipliers{}) {
    return certificate(measured, simulate(moved, start, integrator, method, {.step = h, .end = end}));
  };

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
              0.1 * step, end, false);
  }

  report("converged run", 0.9);
  const Trajectory converged =
      simulate(system, model.start, RungeKutta{dormand_prince5()}, Multipliers{}, {.step = 2.5e-4, .end = 2.0, .every = 0});
  out.numbers("x_t2", {converged.last.q.begin(), converged.last.q.end()});

  add_curve(out, "lbs_symplectic_h", system, system, model.start, Midpoint{}, step, end, false);
  add_curve(out, "lbs_symplectic_h2", system, system, model.start, Midpoint{}, step / 2, end, false);
  add_curve(out, "lbs_energy_momentum", system, system, model.start, EnergyMomentum{}, step, end, false);
  add_curve(out, "lbs_spherical", system, angles.system, angles.start, Midpoint{}, step, end, true);
  const std::vector<Figure> figures{
      {"lbs_energy",
       "Total energy: symplectic-momentum changes it by O(h^2)",
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
  out.plots.insert(out.plots.end(), figures.begin(), figures.end());
  report("first rod a spring", 0.95);
  soften_first_rod(out, model, step, end);
  add_motion(out, "lbs_motion_multipliers", "Lagrange multipliers: both rods keep their length",
             simulate(system, model.start, Midpoint{}, Multipliers{}, {.step = step, .end = end}), 0.1, false);
  add_motion(out, "lbs_motion_spherical", "Spherical coordinates",
             simulate(angles.system, angles.start, Midpoint{}, Multipliers{}, {.step = step, .end = end}), 0.1, true);
  out.remarks = {"The poster prints no masses, lengths or step: m = l = 1, g = 9.81, T = 5 are ours.",
                 "|g| of the penalty falls like 1/mu; the energy of the penalised system stays constant all the same.",
                 "P = mu |g| on the poster must be mu/2 |g|^2, entering as L - P and H + P; eps is 1/mu. From a file: "
                 "rods: [{between: [O, A], penalty: 1}, [A, B]]."};
  return out;
}

}  // namespace taut::reproduce
