#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipe.hpp"

namespace taut::reproduce {
namespace {

constexpr double end = 10.0;

double tip_distance(const Beam& beam, const Trajectory& path, const Tip& tip) {
  const auto x = beam.at(path.q(state_near(path, tip.t)).data(), Pipe::length);
  return std::hypot(x[0] - tip.x, x[1] - tip.y);
}

}  // namespace

Outcome run_gh95_beam(const Settings& set, const Report& report) {
  Outcome out;
  const int elements = set.whole("elements");
  const double h = set("step"), epsilon = set("epsilon");
  const Pipe held = pipe(elements, true), free = pipe(elements, false);
  // The paper evaluates the penalty by Gauss points; here four.
  const auto gauss = [&](bool both) { return pipe(elements, both, 700.0, Pipe::g, Placement::gauss4); };
  const Pipe gauss_held = gauss(true), gauss_free = gauss(false);
  const System soft_held = with_soft_lengths(held.system, epsilon), soft = with_soft_lengths(free.system, epsilon);
  const System fine_held = with_soft_lengths(gauss_held.system, epsilon),
               fine = with_soft_lengths(gauss_free.system, epsilon);

  // Each method starts from its own static problem.
  const Equilibrium rest = equilibrium(held.system, on_parabola(held));
  const Equilibrium soft_rest = equilibrium(soft_held, at_rest(soft_held, on_parabola(held).q));
  const Equilibrium fine_rest = equilibrium(fine_held, at_rest(fine_held, on_parabola(held).q));
  for (const Equilibrium* one : {&rest, &soft_rest, &fine_rest})
    if (one->status != Status::ok) out.failure = "static problem: " + one->trouble;
  if (!out.failure.empty()) return out;
  const State start = released(free, rest.state), soft_start = at_rest(soft, soft_rest.state.q);

  double done = 0.0;
  const auto run = [&](const std::string& what, const System& system, const State& from, const Integrator& scheme,
                       const SolverMethod& method = Multipliers{}) {
    const auto watch = [&](const Progress& p) { report(what, (done + p.done) / 6.0); };
    Trajectory path = simulate(system, from, scheme, method, {.step = h, .end = end, .observers = {watch}});
    if (!path.finished()) out.failure = what + ": " + path.message;
    done += 1.0;
    return path;
  };
  const Trajectory penalty = run("penalty (93)", soft, soft_start, ThreeLevel{});
  const Trajectory by_gauss = run("penalty (93), Gauss points", fine, at_rest(fine, fine_rest.state.q), ThreeLevel{});
  const Trajectory half = run("penalty (93), alpha = 1/2", soft, soft_start, ThreeLevel{0.5});
  const Trajectory lagrange = run("augmented Lagrangian (97)", free.system, start, Gcn{.reaction = Reaction::new_point});
  const Trajectory centred = run("(97) with a centred reaction", free.system, start, Gcn{});
  // Algorithm 2 with the paper's 1/ε as r, rule (5), started cold; it does not print where it stops. Started warm it dies at t = 0.15.
  const Trajectory algorithm2 = run("Algorithm 2 (97)", free.system, start, Gcn{.reaction = Reaction::new_point},
                                    Splitting{.r = 1.0 / epsilon,
                                              .tolerance = 1e-5,
                                              .stop = Splitting::Stop::change,
                                              .start = Splitting::Start::cold,
                                              .anderson = 0});
  if (!out.failure.empty()) return out;

  // Weights count from the height of A.
  const double size = std::abs(free.system.energy(instant(start)));
  Curve energy{"gh95_beam_energy", {"t", "penalty", "AL", "centred"}, {}}, tips{"gh95_beam_tip", {"t"}, {}};
  std::vector<std::vector<double>> energies;
  const Trajectory* paths[] = {&penalty, &lagrange, &centred};
  for (const Trajectory* path : paths) energies.push_back(staggered_energy(path == &penalty ? soft : free.system, *path));
  for (std::size_t k = 0; k < energies[0].size(); ++k)
    energy.rows.push_back({(double(k) + 0.5) * h, energies[0][k] - energies[0][0], energies[1][k] - energies[1][0],
                           energies[2][k] - energies[2][0]});
  tips.columns = {"t", "penalty x", "penalty y", "AL x", "AL y", "centred x", "centred y"};
  for (int k = 0; k < penalty.size(); k += 5) {
    tips.rows.push_back({penalty.t(k)});
    for (const Trajectory* path : paths) {
      const auto x = free.beam.at(path->q(k).data(), Pipe::length);
      tips.rows.back().insert(tips.rows.back().end(), {x[0], x[1]});
    }
  }
  double worst = 0.0, between = 0.0, held_worst = 0.0, penalty_drift = 0.0, centred_drift = 0.0;
  for (int k = 0; k < penalty.size(); ++k) {
    worst = std::max(worst, free.beam.stretch(penalty.q(k).data()));
    between = std::max(between, free.beam.stretch_between(penalty.q(k).data()));
    held_worst = std::max(held_worst, free.beam.stretch(lagrange.q(k).data()));
  }
  for (std::size_t k = 0; k < energies[0].size(); ++k) {
    penalty_drift = std::max(penalty_drift, std::abs(energies[0][k] - energies[0][0]) / size);
    centred_drift = std::max(centred_drift, std::abs(energies[2][k] - energies[2][0]) / size);
  }
  const double lost = energies[1].front() - energies[1].back();
  const double half_drift = relative_drift(staggered_energy(soft, half, 0.5));
  const std::vector<double> swept = staggered_energy(free.system, algorithm2);
  double gauss_stretch = 0.0;
  for (int k = 0; k < by_gauss.size(); ++k)
    gauss_stretch = std::max(gauss_stretch, gauss_free.beam.stretch_between(by_gauss.q(k).data()));
  const double sweeps = double(algorithm2.counts.multiplier_updates) / double(algorithm2.counts.steps);
  const double penalised_middle = held.beam.at(soft_rest.state.q.data(), 0.5 * Pipe::length)[1];
  out.number("energy", size);
  out.number("penalty_energy_drift", penalty_drift);
  out.number("penalty_max_stretch", worst);
  out.number("penalty_max_stretch_between", between);
  out.number("al_energy_loss", lost);
  out.number("al_max_stretch", held_worst);
  out.number("centred_energy_drift", centred_drift);
  out.number("penalty_start_mid_y", penalised_middle);
  out.number("penalty_energy_drift_alpha0.5", half_drift);
  out.number("gauss_max_stretch_between", gauss_stretch);
  out.number("alg2_energy_loss", swept.front() - swept.back());
  out.number("alg2_sweeps", sweeps);
  out.table = {{"|E(0)| [J]", {}, size, "weights from the height of A"},
               {"penalty: change of energy over |E(0)|", {}, penalty_drift},
               {"penalty: largest stretch", {}, worst, "at nodes and midpoints"},
               {"penalty: largest stretch anywhere", {}, between},
               {"penalty: y of the middle at the start [m]", {}, penalised_middle, "inextensible: -11.6104"},
               {"penalty, alpha = 1/2: change of energy", {}, half_drift, "with 1/2 (alpha - 1/4)(A d, d)"},
               {"penalty by Gauss points: largest stretch anywhere", {}, gauss_stretch},
               {"Algorithm 2: energy lost in 10 s [J]",
                {},
                swept.front() - swept.back(),
                fmt::format("r = 1/eps, {:.0f} sweeps per step", sweeps)},
               {"AL as printed: energy lost in 10 s [J]", {}, lost, fmt::format("{:.1f} %", 100.0 * lost / size)},
               {"AL as printed: largest stretch", {}, held_worst, "at nodes and midpoints"},
               {"AL, centred reaction: change of energy over |E(0)|", {}, centred_drift}};
  for (const Tip& tip : converged_tip) {
    const std::pair<const char*, const Trajectory*> all[] = {
        {"penalty", &penalty}, {"gauss", &by_gauss}, {"al", &lagrange}, {"alg2", &algorithm2}, {"centred", &centred}};
    for (const auto& [name, path] : all) {
      const double off = tip_distance(free.beam, *path, tip);
      out.number(fmt::format("{}_tip_off_t{:g}", name, tip.t), off);
      out.table.push_back({fmt::format("{}: tip off at t = {:g} [m]", name, tip.t), {}, off});
    }
  }

  const std::tuple<const char*, const char*, const Trajectory*, double> shown[] = {
      {"gh95_fig9a", "Penalty, 0 to 5 s, every 0.1 s (paper: Fig. 9a)", &penalty, 0.0},
      {"gh95_fig9b", "Penalty, 5 to 10 s, every 0.1 s (paper: Fig. 9b)", &penalty, 5.0},
      {"gh95_fig9a_gauss", "Penalty by four Gauss points, 0 to 5 s, every 0.1 s (paper: Fig. 9a)", &by_gauss, 0.0},
      {"gh95_fig9b_gauss", "Penalty by four Gauss points, 5 to 10 s, every 0.1 s (paper: Fig. 9b)", &by_gauss, 5.0},
      {"gh95_fig10_alg2", "Algorithm 2 as printed, 5 to 10 s, every 0.1 s (paper: Fig. 10)", &algorithm2, 5.0},
      {"gh95_fig10", "(97) solved exactly, 5 to 10 s, every 0.1 s (paper: Fig. 10)", &lagrange, 5.0},
      {"gh95_fig10_centred", "The same with a centred reaction: no energy is lost", &centred, 5.0}};
  for (const auto& [name, title, path, from] : shown) {
    out.curves.push_back(positions(std::string(name) + "_positions", free.beam, *path, from, from + 5.0));
    out.plots.push_back(positions_figure(name, title, out.curves.back()));
  }
  out.curves.push_back(std::move(energy));
  out.curves.push_back(std::move(tips));
  out.plots.push_back({"gh95_beam_energy",
                       "Energy at half steps against its first value",
                       "t [s]",
                       "E - E(0) [J]",
                       {{"gh95_beam_energy", "penalty", "penalty (93)", "lines lw 2 lc rgb '#d95f02'"},
                        {"gh95_beam_energy", "AL", "AL (97), reaction new", "lines lw 2 lc rgb '#222222'"},
                        {"gh95_beam_energy", "centred", "AL, reaction centred", "lines dt 2 lw 2 lc rgb '#1b9e77'"}}});
  out.plots.push_back({"gh95_beam_tip",
                       "Height of the tip B",
                       "t [s]",
                       "y [m]",
                       {{"gh95_beam_tip", "penalty y", "penalty (93)", "lines lw 2 lc rgb '#d95f02'"},
                        {"gh95_beam_tip", "AL y", "AL (97), reaction new", "lines lw 2 lc rgb '#222222'"},
                        {"gh95_beam_tip", "centred y", "AL, reaction centred", "lines dt 2 lw 2 lc rgb '#1b9e77'"}}});
  out.remarks = {
      "'The violent motion after seven seconds does not appear' with the augmented Lagrangian (Fig. 10), because (97) as "
      "printed damps it away: "
      "its reaction along the new x' takes energy in every step, where the scheme is called energy-preserving. With a "
      "centred reaction the "
      "energy stays and so does the shock: it is real (curvature 1.9/m at 7.6 s, tension 12 kN at 7.06 s).",
      "The penalty (93) keeps its energy, but with eps = 1.5e-4 the pipe is a rubber band: its tip is metres away from t = "
      "2 on.",
      "(93) runs in its regular form, (rho/2 eps)(w+ + w-)(x'+ + x'-).y' with w = |x'|^2 - 1: the printed quotient is 0/0 "
      "when |x'| does not "
      "change, its bending term should have y'', and a factor 2 is missing; in another program Newton failed in 82 to 94 % "
      "of its steps.",
      "After the release the conditions at B are dropped; (88) keeps y(L) = 0. EI is in N m^2.",
      "Tips are compared with a converged solution: another program, N = 240, Richardson's extrapolation."};
  return out;
}

}  // namespace taut::reproduce
