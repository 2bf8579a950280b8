// A planar chain of N unit links, released horizontally: CPU time per step and link of the midpoint scheme and of SPARK with two stages, both with
// multipliers. The claim to check is O(N): the last column is the ratio to the time per link at N = 1000, in the same run. What makes it more than
// 1 is memory: 100 000 links do not fit into the caches.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <taut/taut.hpp>
#include <vector>

namespace {

struct Row {
  int links;
  double microseconds, newton, matrices, residual;
};

/// The lower quartile over short spells of steps, after a warm-up: other users of the machine disturb the mean.
Row measure(int links, const taut::Integrator& scheme, double h) {
  const taut::Model model = taut::chain({.links = links});
  const int warm = 10, spell = 4, spells = 12;  // the same steps for all N: later ones are harder
  std::vector<double> seconds;
  double last = 0.0;
  const auto watch = [&](const taut::Progress& progress) {
    if (progress.step < warm || (progress.step - warm) % spell != 0) return;
    const double now = double(std::clock()) / CLOCKS_PER_SEC;
    if (progress.step > warm) seconds.push_back(now - last);
    last = now;
  };
  const auto path = taut::simulate(model.system, model.start, scheme, taut::Multipliers{},
                                   {.step = h, .end = h * (warm + spell * spells), .every = 0, .observers = {watch}});
  if (!path.finished()) std::printf("N = %d: %s\n", links, path.message.c_str());
  if (seconds.empty()) return {links, 0.0, 0.0, 0.0, 0.0};
  std::sort(seconds.begin(), seconds.end());
  const taut::Certificate c = taut::certificate(model.system, path);
  const double steps = double(path.counts.steps);
  return {links, 1e6 * seconds[seconds.size() / 4] / (double(spell) * links), double(path.counts.newton_iterations) / steps,
          double(path.counts.factorizations) / steps, c.position_residual};
}

void print(const char* name, const taut::Integrator& scheme, double h, const std::vector<int>& sizes) {
  std::vector<Row> rows;
  for (const int links : sizes) rows.push_back(measure(links, scheme, h));
  const auto base = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.links == 1000; });
  std::printf("%s, steps of %g s\n%8s %18s %14s %14s %10s %10s\n", name, h, "links", "us/(step link)", "Newton/step",
              "matrices/step", "|g|", "ratio");
  for (const Row& row : rows)
    std::printf("%8d %18.3f %14.2f %14.2f %10.1e %10.2f\n", row.links, row.microseconds, row.newton, row.matrices,
                row.residual, row.microseconds / base->microseconds);
}

}  // namespace

int main() {
  print("midpoint", taut::Midpoint{}, 1e-3, {2, 10, 100, 1000, 10000, 100000});
  for (const double h : {1e-3, 2e-3, 5e-3}) print("SPARK, s = 2", taut::Spark{.stages = 2}, h, {1000, 10000, 100000});
}
