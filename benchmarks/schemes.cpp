// Every scheme on a double pendulum and on a chain of 1000 links, both with multipliers: time per step, as a ratio to the fastest, beside
// the accuracy the step buys.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <taut/taut.hpp>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Row {
  std::string name;
  double microseconds;
  double error;     // of the last position against a converged run
  double residual;  // |g|
};

/// The best of several runs of one length; a run that does not finish counts as none.
std::vector<Row> measure(const taut::Model& model, double h, double end, int repeats) {
  const taut::Integrator reference = taut::RungeKutta{taut::dormand_prince5()};
  const taut::Vector exact =
      taut::simulate(model.system, model.start, reference, taut::Multipliers{}, {.step = h / 8, .end = end, .every = 0})
          .last.q;
  std::vector<Row> rows;
  for (const taut::NamedIntegrator& named : taut::integrators()) {
    if (!named.integrator.traits().takes_constraints) continue;
    Row row{named.name, 1e300, 0.0, 0.0};
    for (int k = 0; k < repeats; ++k) {
      const auto start = Clock::now();
      const auto path = taut::simulate(model.system, model.start, named.integrator, taut::Multipliers{},
                                       {.step = h, .end = end, .every = 0});
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (!path.finished()) continue;
      row.microseconds = std::min(row.microseconds, 1e6 * seconds / (end / h));
      row.error = (path.last.q - exact).lpNorm<Eigen::Infinity>();
      row.residual = taut::certificate(model.system, path).position_residual;
    }
    if (row.microseconds < 1e300) rows.push_back(row);
  }
  return rows;
}

void print(const char* title, const std::vector<Row>& rows) {
  double fastest = 1e300;
  for (const Row& row : rows) fastest = std::min(fastest, row.microseconds);
  std::printf("%s\n%-20s %12s %8s %12s %10s\n", title, "", "us per step", "ratio", "error", "|g|");
  for (const Row& row : rows)
    std::printf("%-20s %12.2f %8.2f %12.1e %10.1e\n", row.name.c_str(), row.microseconds, row.microseconds / fastest,
                row.error, row.residual);
}

}  // namespace

int main() {
  print("double pendulum, h = 1e-3, to t = 2", measure(taut::chain({.links = 2}), 1e-3, 2.0, 5));
  print("\nchain of 1000 links, h = 1e-3, to t = 0.2 (set-up included)",
        measure(taut::chain({.links = 1000}), 1e-3, 0.2, 3));
}
