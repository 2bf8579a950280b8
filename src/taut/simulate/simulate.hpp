#pragma once

#include <functional>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/start.hpp>
#include <taut/simulate/trajectory.hpp>
#include <vector>

namespace taut {

/// What an observer sees after each step of the grid; step 0 is the start.
struct Progress {
  const System& system;
  const State& state;
  const StepReport& report;
  long step, steps;
};
using Observer = std::function<void(const Progress&)>;

struct SimulateOptions {
  double step = 0.0;    ///< at most this; the steps are equal and the last lands exactly on `end`
  double end = 0.0;     ///< may lie before the start: then time runs backward
  int every = 1;        ///< record each so many-th step, besides the first and the last; 0 records only these two
  bool resume = false;  ///< the start is the last state of an earlier run: take it as it is
  int halvings = 10;    ///< a failed step is retried as two halves, this many times over
  std::vector<Observer> observers{};
};

/// Runs the system from the start to the end time.
///
/// Bad input (an inconsistent start among it) throws InputError. Numerical failure does not: the trajectory then holds
/// everything up to the failed step, `finished` is false and `message` names the cause.
Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options);

}  // namespace taut
