// Rods with directors against beams without torsion, both in space: time per step and element of a cantilever that falls from the horizontal, rods and beams in turn.
//   benchmark_rods [N …]       element counts; 1000 10000 100000 without
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <taut/taut.hpp>
#include <vector>

namespace {

using namespace taut;

struct Made {
  Beam beam;
  System system;
};

/// Elements of 0.5 m; the rod bends as the beam does, and twists.
Made made(int elements, bool twists) {
  BeamOptions options{.length = 0.5 * elements,
                      .elements = elements,
                      .density = 7.67,
                      .stiffness = 700.0,
                      .start = {.support = BeamEnd::Support::clamped, .roll = {0.0, 1.0, 0.0}}};
  if (twists) options.rod = RodSection{.bending = {700.0, 700.0}, .torsion = 500.0, .inertia = {0.02, 0.02}};
  Beam beam(options, 3);
  System system(Points{.count = 0, .dim = 3}, beam.coordinates());
  beam.add_to(system);
  beam.add_gravity(system, 9.81);
  return {std::move(beam), std::move(system)};
}

double cpu_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

struct Cost {
  double
      kept = 0.0,
      renewed =
          0.0;  ///< µs per step and element: the lower quartile of steps that keep their matrix, and of those that make one
  double mean = 0.0, newton = 0.0, matrices = 0.0;
};

Cost cost_of(int elements, bool twists, const Integrator& scheme) {
  const Made m = made(elements, twists);
  Vector q = Vector::Zero(m.system.size());
  m.beam.place(straight({}, {1.0, 0.0, 0.0}), q);
  if (twists) m.beam.place_frames({0.0, 1.0, 0.0}, 0.0, q);
  const double h = 1e-3;
  const int warm = 5, counted = 30;
  std::vector<double> kept, renewed;
  double last = 0.0, whole = 0.0;
  long newton = 0, matrices = 0;
  const auto watch = [&](const Progress& progress) {
    const double now = cpu_seconds();
    if (progress.step > warm) {
      const SolveReport& solve = progress.report.solve;
      (solve.factorizations > 0 ? renewed : kept).push_back(now - last);
      whole += now - last;
      newton += solve.newton_iterations;
      matrices += solve.factorizations;
    }
    last = cpu_seconds();
  };
  const auto path = simulate(m.system, at_rest(m.system, q), scheme, Multipliers{},
                             {.step = h, .end = h * (warm + counted), .every = 0, .observers = {watch}});
  if (!path.finished()) std::printf("N = %d: %s\n", elements, path.message.c_str());
  const auto quartile = [&](std::vector<double>& seconds) {
    if (seconds.empty()) return 0.0;
    std::sort(seconds.begin(), seconds.end());
    return 1e6 * seconds[seconds.size() / 4] / elements;
  };
  return {quartile(kept), quartile(renewed), 1e6 * whole / counted / elements, double(newton) / counted,
          double(matrices) / counted};
}

}  // namespace

int main(int count, char** words) {
  std::vector<int> sizes;
  for (int k = 1; k < count; ++k) sizes.push_back(std::atoi(words[k]));
  if (sizes.empty()) sizes = {1000, 10000, 100000};
  std::printf("A cantilever of N elements of 0.5 m, falling: CPU in us per step and element\n");
  std::printf("%-16s %7s %-5s %8s %8s %8s %8s %9s\n", "scheme", "N", "", "kept", "new", "mean", "Newton", "matrices");
  const std::pair<const char*, Integrator> schemes[] = {{"energy-momentum", EnergyMomentum{}}, {"midpoint", Midpoint{}}};
  for (const auto& [name, scheme] : schemes)
    for (const int elements : sizes) {
      Cost beam = cost_of(elements, false, scheme), rod = cost_of(elements, true, scheme);
      for (int again = 0; again < 2 && elements <= 10000; ++again) {  // the best of three, in turn
        const Cost b = cost_of(elements, false, scheme), r = cost_of(elements, true, scheme);
        if (b.mean < beam.mean) beam = b;
        if (r.mean < rod.mean) rod = r;
      }
      for (const auto& [what, c] : {std::pair("beam", beam), {"rod", rod}})
        std::printf("%-16s %7d %-5s %8.3f %8.3f %8.3f %8.2f %9.2f\n", name, elements, what, c.kept, c.renewed, c.mean,
                    c.newton, c.matrices);
      std::printf("%-16s %7d %-5s %8.2f %8.2f %8.2f\n", "", elements, "ratio", rod.kept / beam.kept,
                  rod.renewed / beam.renewed, rod.mean / beam.mean);
      std::fflush(stdout);
    }
}
