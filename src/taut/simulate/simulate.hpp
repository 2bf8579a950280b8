#pragma once

#include <functional>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/dense_step.hpp>
#include <taut/simulate/start.hpp>
#include <taut/simulate/trajectory.hpp>
#include <vector>

namespace taut {

/// All that a run needs to go on bit for bit as if it had never stopped.
struct Checkpoint {
  long step = 0;  ///< steps accepted so far
  State last;
  std::vector<State> earlier{};
  std::vector<double> control{};  ///< what the control of the step remembers
  std::vector<double> mode{};     ///< settings of the system of the moment, see SimulateOptions::mode
  std::vector<double> watch{};    ///< what the watch of events remembers
  RunCounts counts{};             ///< work done so far
};

/// What an observer sees after each step, and at each mark of the interval within it; step 0 is the start.
struct Progress {
  const System& system;
  const State& state;
  const StepReport& report;
  long step;
  double done;                   ///< part of the time that is behind, 0 to 1
  bool recorded;                 ///< whether the trajectory keeps this state
  std::string* stop;             ///< write a reason here to end the run after this step
  const Checkpoint* checkpoint;  ///< after the steps that SimulateOptions::renew names, none otherwise
  DenseStep* within;             ///< the step that holds or ends at this state, to be looked into; none at the start
};
using Observer = std::function<void(const Progress&)>;

/// From a time on another system moves, with the same coordinates and constraints: see released().
struct SystemChange {
  double t;
  std::shared_ptr<const System> system;
};

struct SimulateOptions {
  /// At most this. Without tolerances the steps are equal and the last lands exactly on `end`; with them it is optional.
  double step = 0.0;
  double end = 0.0;  ///< may lie before the start: then time runs backward

  /// Tolerances of the local error, for schemes of one level: estimated by the scheme itself where it can, otherwise by doubling (each
  /// step once, and again as two halves, which are taken). Steps are chosen so that the mean square of
  /// error/(atol + rtol·|y|) stays below one, over positions and velocities. |y| is the largest coordinate, or velocity.
  double rtol = 0.0, atol = 0.0;

  /// With tolerances, for symmetric schemes on conservative systems: steps follow the pace of the motion by a reversible controller, scaled so that the first
  /// steps meet the tolerances. Energy does not drift.
  bool reversible = false;

  /// With tolerances: times at which forces jump, in the order of the run. A step ends at each and the next begins a hair later, so that no step
  /// holds a jump and the order is kept. Without them a jump is met by smaller steps, unless it falls between the places where the scheme looks.
  std::vector<double> breaks{};

  int every = 1;          ///< record each so many-th step, besides the first and the last; 0 records only these two
  double interval = 0.0;  ///< with tolerances: record at multiples of this instead, by dense output, on the constraints
  bool keep =
      true;  ///< false: the trajectory keeps the first and the last state only; observers are told what it would keep
  bool resume = false;           ///< the start is the last state of an earlier run: take it as it is
  std::vector<State> earlier{};  ///< with resume: the states before it, as Trajectory::earlier has them
  /// Every so many steps the scheme is bound anew, so that it keeps nothing but the states, and observers get a checkpoint. 0: never.
  long renew = 0;
  const Checkpoint* from = nullptr;  ///< go on from here; the start and all other options are those of the run it comes from
  std::vector<SystemChange> changes{};  ///< in the order of time; steps land on them, and schemes of more levels start anew
  int halvings = 10;                    ///< a failed step is retried as two halves, this many times over
  std::vector<Observer> observers{};
};

/// Throws InputError if options do not go together, with each other or with the scheme; simulate() does the same before it starts.
void check_options(const Integrator& integrator, double start, const SimulateOptions& options);

/// Runs the system from the start to the end time.
///
/// Bad input (an inconsistent start among it) throws InputError. Numerical failure does not: the trajectory then holds
/// everything up to the failed step, `finished` is false and `message` names the cause.
Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options);

}  // namespace taut
