// A planar chain of N unit links, released horizontally: time per step and link of the midpoint scheme with multipliers.
// The claim to check is O(N): the last column is the ratio to the time per link at N = 1000, in the same run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <taut/taut.hpp>
#include <vector>

namespace {

struct Row {
  int links;
  double microseconds, newton, matrices, residual;
};

/// The median over short spells of steps, after a warm-up: other users of the machine disturb the mean.
Row measure(int links) {
  using Clock = std::chrono::steady_clock;
  const taut::Model model = taut::chain({.links = links});
  const double h = 1e-3;
  const int warm = 30, spell = std::max(10, 20000 / links), spells = 9;
  std::vector<double> seconds;
  Clock::time_point last;
  const auto watch = [&](const taut::Progress& progress) {
    if (progress.step < warm || (progress.step - warm) % spell != 0) return;
    const auto now = Clock::now();
    if (progress.step > warm) seconds.push_back(std::chrono::duration<double>(now - last).count());
    last = Clock::now();
  };
  const auto path = taut::simulate(model.system, model.start, taut::Midpoint{}, taut::Multipliers{},
                                   {.step = h, .end = h * (warm + spell * spells), .every = 0, .observers = {watch}});
  if (!path.finished) std::printf("N = %d: %s\n", links, path.message.c_str());
  std::sort(seconds.begin(), seconds.end());
  const taut::Certificate c = taut::certificate(model.system, path);
  const double steps = double(path.counts.steps);
  return {links, 1e6 * seconds[seconds.size() / 2] / (double(spell) * links), double(path.counts.newton_iterations) / steps,
          double(path.counts.factorizations) / steps, c.position_residual};
}

}  // namespace

int main() {
  std::vector<Row> rows;
  for (const int links : {2, 10, 100, 1000, 10000, 100000}) rows.push_back(measure(links));
  const auto base = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.links == 1000; });
  std::printf("%8s %18s %14s %14s %10s %10s\n", "links", "us/(step link)", "Newton/step", "matrices/step", "|g|", "ratio");
  for (const Row& row : rows)
    std::printf("%8d %18.3f %14.2f %14.2f %10.1e %10.2f\n", row.links, row.microseconds, row.newton, row.matrices,
                row.residual, row.microseconds / base->microseconds);
}
