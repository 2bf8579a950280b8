#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/modes.hpp>
#include <taut/simulate/rank_watch.hpp>
#include <taut/simulate/run.hpp>
#include <taut/simulate/simulate.hpp>
#include <taut/simulate/step_control.hpp>
#include <taut/simulate/watch.hpp>
#include <vector>

namespace taut {

/// The state that a run begins with. Throws InputError if the options or the start make no sense.
State first_state(const System& system, const State& start, const Integrator& integrator, const SimulateOptions& options);

/// One run along its time line: steps towards the next time that must be met, looks into each for what happens in it, lands on what acts, and
/// goes on behind it.
class Timeline {
 public:
  /// A start off by more than this is refused, not mended silently.
  static constexpr double consistent = 1e-8;

  Timeline(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
           const SimulateOptions& options)
      : integrator_(&integrator),
        method_(method),
        options_(options),
        start_(start.t),
        sign_(options.end < start.t ? -1.0 : 1.0),
        pause_(sign_ * std::numeric_limits<double>::infinity()),
        modes_(system, options),
        path_(system.size(), system.constraint_count()),
        watch_(options.events, [this](const State& state) -> const State& { return modes_.whole(state); }),
        timed_done_(options.events.size(), false) {}

  Trajectory follow(const State& first, const std::vector<State>& earlier);

  // The same in pieces, for who decides on the way where it goes on (timeline_pieces.cpp). Options may move `end` farther between two of them.

  void begin(const State& whole_first, const std::vector<State>& earlier);

  /// Goes on to this time, which becomes a step's end; false where the run has ended before.
  bool go_to(double time);

  /// Something outside has changed, `what` in words: forces jump, or constraints that the state must meet anew. History begins here; false where that
  /// cannot be.
  bool changed(const std::string& what);

  const State& newest() { return modes_.whole(run_->newest()); }
  const Mode& mode() const { return modes_.mode(); }
  Trajectory so_far();  ///< how it stands, without the states

 private:
  void make_control(const State& first, bool resumed);  ///< resumed: what it learns at the start comes from the checkpoint
  void reserve();
  bool controlled() const { return options_.rtol > 0.0 || options_.atol > 0.0; }

  /// The next time that a step must end at.
  double target() const;

  /// One trial of a step, and what follows from it.
  void advance();

  // Rank (timeline.cpp). Where constraints lose it explicit schemes may take the other branch, or stop; another scheme takes the step again, and the rest of the run.

  bool can_hand_over() const { return options_.beyond_singular && integrator_ != &*options_.beyond_singular; }
  void hand_over();
  void go_on_with_other();

  // Events (timeline_events.cpp).

  /// Looks into the last step towards a target. Recorded crossings are told; at the first that acts the step is taken again to end there, and all that act at
  /// that state are returned.
  std::vector<std::size_t> look(double target);
  void tell_crossing(std::size_t event, const State& state);

  /// Takes the last step again so that it ends where the event's function is zero: at its zero on the dense motion, corrected by what the scheme itself
  /// finds there.
  bool land(const Watch::Crossing& crossing);

  /// What an event does at the newest state.
  void happen(std::size_t k);

  /// Goes on with another state, or another system, made consistent; false where that cannot be. `timed`: a hair later.
  bool change(State& state, const Mode& mode, bool moved, bool timed, const std::string& cause);

  /// Events that come closer and closer together would never let time pass.
  void watch_for_zeno(std::size_t k);

  // The system of the moment, and its energy.

  void enter(const Mode& mode);
  bool diverged();

  /// Other methods than Newton on multipliers meet constraints to tolerances of their own, which their energy shows.
  void check_energy();
  void watch_energy(const State& first);

  // Telling (timeline_telling.cpp).

  /// States at multiples of the interval within the last step, which lie on the constraints.
  void note_marks();
  double mark(long number) const;
  void note(bool keep, bool renewed);

  /// Whether a state that would be recorded is: where times are given, only at these.
  bool kept(bool wanted) const { return options_.marks.empty() ? wanted : on_mark_; }

  /// Tells the newest state with a checkpoint, and forgets everything that is not in it.
  void renew(bool keep);
  Checkpoint checkpoint();
  void load(const Checkpoint& point);

  struct More {
    bool between = false;
    const Happened* happened = nullptr;
    const Checkpoint* checkpoint = nullptr;
  };
  void tell(const State& state, bool keep, const More& more);

  /// A state with the λ that belongs to it. A scheme has none where it begins; and what does not hold velocities carries what is off in them into λ, where
  /// steps are not equal.
  const State& with_reactions(const State& state);
  bool find_reactions(State& state);

  void end(Verdict verdict, const std::string& why);
  void keep_dependent();
  void conclude();

  const Integrator* integrator_;  // that of the run, or the one that passes singular positions
  const SolverMethod& method_;
  const SimulateOptions& options_;
  double start_, sign_;
  double pause_;                  // where the present piece ends
  double length_of_steps_ = 0.0;  // in the last piece, of equal ones
  Modes modes_;
  const System* system_ = nullptr;  // what moves
  Trajectory path_;
  std::optional<Run> run_;
  std::unique_ptr<StepControl> control_;
  std::optional<EnergyWatch> energy_;
  std::optional<RankWatch> rank_;
  Watch watch_;
  std::vector<char> timed_done_;
  bool going_ = true, diverged_ = false, on_mark_ = false;
  long step_ = 0, mark_ = 1;
  double invariant_ = std::numeric_limits<double>::quiet_NaN();
  double quick_since_ = 0.0;  // events since then came in quick succession
  int quick_ = 0;
  int shallow_ = 0;          // events in a row whose function hardly left zero before
  std::set<int> dependent_;  // rows, of all
  State between_, dense_, shown_;
  std::optional<Acting> held_;  // what find_reactions solves: the equalities
  std::optional<IndexOne> equations_;
  const System* equations_system_ = nullptr;
  Vector q_, v_, a_, lambda_;
};

}  // namespace taut
