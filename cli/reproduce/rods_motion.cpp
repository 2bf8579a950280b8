#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <ctime>
#include <taut/linalg/eigenvalues.hpp>

#include "rods.hpp"

namespace taut::reproduce {
namespace {

/// Lowest bending and torsional frequencies of a straight cantilever, against (1.8751)² √(EI/ρ)/L² and π/2 √(GJ/J)/L. Its section bends and turns with inertia too
/// small to see.
void rod_frequencies(Outcome& out) {
  const double EI = 1.0, GJ = 0.5, L = 1.0, J = 1e-7;
  const double bending = std::pow(1.8751040687119611, 2) * std::sqrt(EI) / (L * L),
               torsion = 0.5 * pi * std::sqrt(GJ / (2.0 * J)) / L;
  std::vector<double> sizes, bends, twists;
  for (const int N : {2, 4, 8}) {
    const RodModel one = rod_model({.name = "cantilever",
                                    .length = L,
                                    .elements = N,
                                    .rod = RodSection{.bending = {EI, EI}, .torsion = GJ, .inertia = {J, J}},
                                    .start = clamp(Vector3d::Zero(), along_x())});
    const Vector q = nodes_placed(one.beam, [](double s) { return std::pair(Vector3d(s, 0, 0), along_x()); });
    State at = at_rest(one.system, q);
    at.lambda = Vector::Zero(one.system.constraint_count());
    const SmallMotions small = small_motions(one.system, at);
    const Vector squares = symmetric_eigenvalues(0.5 * (small.K + small.K.transpose()), small.M);
    double twist = INFINITY;
    for (const double square : squares) twist = std::min(twist, std::abs(std::sqrt(square) / torsion - 1.0));
    sizes.push_back(1.0 / N);
    bends.push_back(std::abs(std::sqrt(squares[0]) / bending - 1.0));
    twists.push_back(twist);
  }
  out.number("bending_frequency_error", bends.back());
  out.number("bending_frequency_order", slope(sizes, bends));
  out.number("torsion_frequency_error", twists.back());
  out.number("torsion_frequency_order", slope(sizes, twists));
  out.table.push_back(
      {"lowest bending frequency: order", 4.0, slope(sizes, bends), fmt::format("off by {:.1e} at N = 8", bends.back())});
  out.table.push_back({"lowest torsional frequency: order", 4.0, slope(sizes, twists),
                       fmt::format("off by {:.1e} at N = 8", twists.back())});
}

/// The same motion in axes turned by R: a rod under gravity with a bend and a twist of its own. And its largest stretch.
std::pair<double, double> unlike_when_turned() {
  const Matrix3d R = Eigen::AngleAxisd(1.1, Vector3d(1.0, -2.0, 0.5).normalized()).toRotationMatrix();
  double stretch = 0.0;
  const auto run = [&](const Matrix3d& axes) {
    RodSection section{.bending = {1.0, 2.0}, .torsion = 0.7, .inertia = {0.01, 0.02}};
    section.curvature = {Profile(0.4), Profile(0.2), Profile(0.5)};
    RodModel one = rod_model(
        {.name = "rod", .length = 2.0, .elements = 8, .rod = section, .start = clamp(Vector3d::Zero(), axes * along_x())});
    one.beam.add_weight(one.system, triple(axes * Vector3d(0.0, 0.0, -9.81)));
    const Vector q = nodes_placed(
        one.beam, [&](double s) { return std::pair(Vector3d(axes * Vector3d(s, 0, 0)), Matrix3d(axes * along_x())); });
    const Trajectory path = simulate(one.system, at_rest(one.system, q), EnergyMomentum{}, Multipliers{},
                                     {.step = 0.01, .end = 0.5, .every = 0});
    stretch = std::max(stretch, one.beam.rod_stretch(path.last.q.data()));
    return path.last.q;
  };
  const Vector plain = run(Matrix3d::Identity()), turned = run(R);
  double worst = 0.0;
  for (int k = 0; k < plain.size(); k += 3) worst = std::max(worst, (R * plain.segment<3>(k) - turned.segment<3>(k)).norm());
  return {worst, stretch};
}

/// A free rod thrown by a force and moments at one end, which end at t = 5 s. J. C. Simo and L. Vu-Quoc, J. Appl. Mech. 53 (1986) 849–863: EA = GA = 1e4 N,
/// EI = GJ = 500 N m², 1 kg/m, rotary inertia 10 kg m; their plane case and, beside it, half the moment about y.
void spaghetti(const Settings& set, const Report& report, Outcome& out) {
  const int N = 10, steps = set.whole("flight_steps");
  RodModel one = rod_model(
      {.name = "spaghetti",
       .length = 10.0,
       .elements = N,
       .rod = RodSection{
           .bending = {500.0, 500.0}, .torsion = 500.0, .axial = 1e4, .shear = {1e4, 1e4}, .inertia = {10.0, 10.0}}});
  const auto rise = [](double t) { return t < 2.5 ? 80.0 * t / 2.5 : (t < 5.0 ? 80.0 * (5.0 - t) / 2.5 : 0.0); };
  one.beam.add_force(one.system, 0, [=](double t) { return Triple{rise(t) / 10.0, 0.0, 0.0}; });
  one.beam.add_moment(
      one.system, 0,
      [=](double t) {
        return Triple{0.0, -0.5 * rise(t), -rise(t)};
      },
      false);
  const Vector3d along(-0.6, 0.8, 0.0);
  Matrix3d frame;
  frame.col(2) = along;
  frame.col(1) = Vector3d::UnitZ();
  frame.col(0) = frame.col(1).cross(along);
  const Vector q =
      nodes_placed(one.beam, [&](double s) { return std::pair(Vector3d(Vector3d(6, 0, 0) + s * along), frame); });
  const double h = set("flight_step");
  report("spaghetti", 0.6);
  const Trajectory thrown =
      simulate(one.system, at_rest(one.system, q), EnergyMomentum{}, Multipliers{}, {.step = h, .end = 5.0, .every = 0});
  RodModel free = rod_model(one.beam.options());
  State start = thrown.last;
  start.t = 0.0;
  start = consistent_start(free.system, start).state;  // the scheme leaves velocities off by O(h²)
  const Trajectory flight = simulate(free.system, start, EnergyMomentum{}, Multipliers{},
                                     {.step = h, .end = h * steps, .every = std::max(1, steps / 100)});
  const Certificate kept = certificate(free.system, flight);
  if (!kept.finished()) out.failure = "spaghetti: " + kept.message;
  double momentum = 0.0;
  for (const Conserved& one_of : kept.momenta) momentum = std::max(momentum, one_of.relative());
  out.number("spaghetti_energy", kept.energy.relative());
  out.number("spaghetti_momentum", momentum);
  out.table.push_back(
      {fmt::format("flying spaghetti, {} steps: energy, of what moves", steps), 0.0, kept.energy.relative()});
  out.table.push_back({"  momenta and angular momenta, of what moves", 0.0, momentum});
}

/// Microseconds of the processor per element and Newton correction, of energy-momentum steps of a rod that hangs, or of a beam without torsion: the mean of those with a
/// matrix that is kept.
double correction_cost(int N, bool rod, int steps) {
  BeamOptions options{.name = "cable",
                      .length = 30.0,
                      .elements = N,
                      .density = 7.67,
                      .stiffness = 700.0,
                      .start = pinned(Vector3d::Zero())};
  if (rod) options.rod = RodSection{.bending = {700.0, 700.0}, .torsion = 500.0, .inertia = {0.01, 0.01}};
  RodModel one = rod_model(options);
  one.beam.add_gravity(one.system, 9.81);
  Vector q = Vector::Zero(one.system.size());
  one.beam.place(straight({}, {0.0, 0.0, -1.0}), q);
  if (rod) one.beam.place_frames({1.0, 0.0, 0.0}, 0.0, q);
  const auto stepper = Integrator(EnergyMomentum{}).bind(one.system, Multipliers{});
  State here = at_rest(one.system, q), next = here;
  double took = 0.0;
  int corrections = 0;
  for (int k = 0; k < steps + 2; ++k) {
    const std::clock_t begin = std::clock();
    const StepReport report = stepper->advance(History(&here, 1), 0.01, next);
    if (k >= 2 && report.solve.factorizations == 0) {
      took += double(std::clock() - begin) / CLOCKS_PER_SEC;
      corrections += report.solve.newton_iterations;
    }
    here = next;
  }
  return 1e6 * took / (double(N) * std::max(1, corrections));
}

}  // namespace

void rods_in_motion(const Settings& set, const Report& report, Outcome& out) {
  report("frequencies", 0.5);
  rod_frequencies(out);
  const auto [unlike, stretch] = unlike_when_turned();
  out.number("stretch", stretch);
  out.table.push_back({"largest stretch of a rod that has none", 0.0, stretch});
  out.number("objectivity", unlike);
  out.table.push_back({"the same in turned axes: largest difference", 0.0, unlike, "50 steps"});
  spaghetti(set, report, out);
  report("cost", 0.9);
  const int steps = set.whole("cost_steps"), large = set.whole("cost_elements");
  const double beam = correction_cost(1000, false, 10 * steps), few = correction_cost(1000, true, 10 * steps);
  const double many = correction_cost(large, true, steps);
  out.number("cost_over_hermite", few / beam);
  out.number("cost_growth", many / few);
  out.table.push_back(
      {"cost per element and correction, N = 1000 [us]", {}, few, fmt::format("a beam without torsion: {:.3g}", beam)});
  out.table.push_back({fmt::format("  N = {} over N = 1000", large), {}, many / few});
}

}  // namespace taut::reproduce
