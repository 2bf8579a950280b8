#pragma once

#include <functional>
#include <optional>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/dense_step.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/event.hpp>
#include <taut/simulate/start.hpp>
#include <taut/simulate/tolerances.hpp>
#include <taut/simulate/trajectory.hpp>
#include <vector>

namespace taut {

/// All that a run needs to go on bit for bit as if it had never stopped.
struct Checkpoint {
  long step = 0;  ///< steps accepted so far
  State last;
  std::vector<State> earlier{};
  std::vector<double> control{};   ///< what the control of the step remembers
  Mode mode{};                     ///< settings of the system of the moment
  std::vector<double> watch{};     ///< what the watch of events remembers
  RunCounts counts{};              ///< work done so far
  std::vector<double> singular{};  ///< times at which constraints lost rank so far
  int handed_over = 0;             ///< 1: to the scheme that passes such places
};

/// What an observer sees after each step, at each mark of the interval within it, and at each event; step 0 is the start.
struct Progress {
  const System& system;  ///< of the moment
  const State& state;
  const StepReport& report;
  long step;
  double done;                         ///< part of the time that is behind, 0 to 1
  bool recorded;                       ///< whether the trajectory keeps this state
  std::string* stop;                   ///< write a reason here to end the run after this step
  const Checkpoint* checkpoint;        ///< after the steps that SimulateOptions::renew names, none otherwise
  DenseStep* within;                   ///< the step that holds or ends at this state, to be looked into; none at the start
  bool between = false;                ///< a mark or a recorded event within a step: its state was interpolated
  const Happened* happened = nullptr;  ///< the event at this state; where it acted, the state is that after it
  const Mode* mode = nullptr;          ///< of the system
  double invariant = std::numeric_limits<double>::quiet_NaN();  ///< an energy that the scheme keeps in a form of its own
  bool conservative = true;    ///< false: forces are known that do work, or something changes with time, in this mode
  const Work* work = nullptr;  ///< that they did so far, as the run itself counts it
};
using Observer = std::function<void(const Progress&)>;

struct SimulateOptions {
  /// At most this. Without tolerances the steps are equal and the last lands exactly on `end`; with them it is optional.
  double step = 0.0;
  double end = 0.0;  ///< may lie before the start: then time runs backward

  /// Tolerances of the local error, for schemes of one level: estimated by the scheme itself where it can, otherwise by doubling (each
  /// step once, and again as two halves, which are taken). Steps are chosen so that the mean square of
  /// error/(atol + rtol·|y|) stays below one, over positions and velocities. |y| is the largest of its group: see `tolerances`, and ErrorScale.
  double rtol = 0.0, atol = 0.0;

  /// Forces may be large in small places: barriers, contacts by penalty. With tolerances each step is then looked into, so that none passes what no stage has met.
  bool sudden = false;

  /// With tolerances, for symmetric schemes on conservative systems: steps follow the pace of the motion by a reversible controller, scaled so that the first
  /// steps meet the tolerances. Energy does not drift.
  bool reversible = false;

  /// Errors of coordinates in different groups are measured by different scales, and may have tolerances of their own; those in none are grouped by
  /// natural_groups().
  std::vector<ToleranceGroup> tolerances{};

  /// What happens on the way. Timed events end a step, so that no step holds a jump of forces and the order is kept; a jump that is not declared is met by
  /// smaller steps, unless it falls between the places where the scheme looks.
  std::vector<Event> events{};
  Mode mode{};  ///< of the start; events may change it
  std::function<std::shared_ptr<const System>(const Mode&)>
      system_of{};  ///< the system of a mode: the same coordinates and constraints

  /// A scheme that passes places where constraints lose rank, such as dead points of mechanisms: the run goes on with it where it meets one.
  std::optional<Integrator> beyond_singular{};

  int every = 1;          ///< record each so many-th step, besides the first and the last; 0 records only these two
  double interval = 0.0;  ///< with tolerances: record at multiples of this instead, by dense output, on the constraints
  std::vector<double> marks{};  ///< record at these times instead, in the order of the run, by dense output
  bool keep =
      true;  ///< false: the trajectory keeps the first and the last state only; observers are told what it would keep
  bool resume = false;           ///< the start is the last state of an earlier run: take it as it is
  std::vector<State> earlier{};  ///< with resume: the states before it, as Trajectory::earlier has them
  /// Every so many steps the scheme is bound anew, so that it keeps nothing but the states, and observers get a checkpoint. 0: never.
  long renew = 0;
  const Checkpoint* from = nullptr;  ///< go on from here; the start and all other options are those of the run it comes from
  int halvings = 10;                 ///< a failed step is retried as two halves, this many times over
  bool through_divergence =
      false;  ///< goes on where the motion has diverged, for who wants to see it; the verdict is the same
  std::vector<Observer> observers{};
  /// Asked between two trials of a step, which may take long where none succeeds; observers stop a run after a step.
  std::function<bool()> interrupted{};
};

/// Throws InputError if options do not go together, with each other or with the scheme; simulate() does the same before it starts.
void check_options(const Integrator& integrator, double start, const SimulateOptions& options);

/// The next times of events from a time on, the nearest first: what acts between two of them and never else is to be looked for there.
std::vector<double> breaks_ahead(const SimulateOptions& options, double from);

/// Runs the system from the start to the end time.
///
/// Bad input (an inconsistent start among it) throws InputError. Numerical failure does not: the trajectory then holds
/// everything up to the failed step, `finished` is false and `message` names the cause.
Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options);

}  // namespace taut
