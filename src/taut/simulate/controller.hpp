#pragma once

#include <taut/simulate/step_control.hpp>
#include <taut/simulate/tolerances.hpp>
#include <taut/step/index_one.hpp>

namespace taut {

/// What errors of a run are measured against: in each group the largest position that the run has seen (for points with rods their lengths, and where the
/// points are), and the largest velocity of the step. At a start at zero the scale is what the first step makes of it, so that it means the same at
/// every place; a coordinate that passes through zero is no smaller for that.
class ErrorScale {
 public:
  ErrorScale(const System& system, const SimulateOptions& options);

  /// Of an error (of q, then of v) over a step of h: the root mean square of error/(atol + rtol·scale), each in the scale of its group. `share` scales the
  /// tolerances.
  double size(const State& before, const State& after, const Vector& error, double h, double share);

  void see(const State& state);  ///< a state of the run
  void forget();  ///< velocities, and places where lengths are a scale for them: those of a step count, not peaks of before
  std::vector<double> save() const;
  void load(const double* saved);
  std::size_t numbers() const { return q_.size() + v_.size() + 1; }

  /// Accelerations that are to come: a step of h may be off by a share of what they make of it, while there is nothing else to compare with.
  void expect(double acceleration) { expected_ = 1e-4 * acceleration; }

  /// Another system moves from now on, with the same coordinates.
  void enter(const System& system) {
    system_ = &system;
    size_ = {};
  }

 private:
  const System* system_;
  std::vector<int> group_;  // of each coordinate
  int places_ = -1;         // the group of the points, if there are any
  struct Tolerance {
    double rtol, atol;
  };
  std::vector<Tolerance> tolerances_;
  std::vector<double> q_, v_;                          // scales of the groups
  std::vector<double> q_now_, v_now_, q_sum_, v_sum_;  // of a step
  double expected_ = 0.0;
  ConfigurationSize size_;
};

/// Chooses steps so that the estimated local error meets the tolerances: proportional–integral control of E. Hairer, G. Wanner,
/// Solving ODEs II, IV.2.
///
/// Where the estimate is the local error itself, O(h^(p+1)) for a scheme of order p (step doubling), 1/h steps of it add up to rtol^(p/(p+1)): the
/// global error would fall behind the tolerance, a hundredfold at 1e-11. So such an estimate is held below rtol^(1+1/p), which makes the global error
/// proportional to rtol. G. Söderlind, L. Wang, J. Comput. Appl. Math. 185 (2006).
class ErrorControl final : public StepControl {
 public:
  /// From the newest state of a run that began at this time and has taken steps up to the largest.
  ErrorControl(const Run& run, const SimulateOptions& options, double start, double largest);

  Taken take(Run& run, double target, RunCounts& counts) override;
  bool attempt(Run& run, double time, double h, RunCounts& counts) override;
  void restart(const Run& run) override;
  std::vector<double> save() const override;
  void load(const std::vector<double>& saved) override;

 private:
  /// What decides about the next step.
  struct Memory {
    double step = 0.0, last = 1.0;
    double rejected_step = 0.0, rejected_size = 0.0;  // of the last attempt, if it was refused
    double usual = 0.0, shrunk = 0.0;                 // a step of late; one that is small beside it
    bool first = true, grown = true, rough = false;
  };
  /// Whether the step h may be taken; the next one follows from it.
  bool judge(const Run& run, double h, Memory& memory);
  /// Where constraints lose rank smaller steps do not help, because round-off grows as they shrink; one as long as before may go past the place. Tried where
  /// steps have shrunk far, and again only when they have shrunk a thousandfold more.
  bool leap(Run& run, double rest, double& h, RunCounts& counts);
  /// Whether the step that was tried passes what would have turned it, a barrier or a contact: on the way between its ends energy is elsewhere, by more
  /// than is known of it, a share of what moves, since the way is that of a cubic. Stages without weight may have met it and thrown the others beyond.
  bool passes_over(const Run& run, int parts, double known);
  void limit(Memory& memory) const;
  /// Whether a jump at this time is one too many.
  bool chatter(double now);

  const SimulateOptions& options_;
  double direction_, length_;  // of the run
  bool doubled_;
  double exponent_, calibration_ = 1.0;
  double roughness_ =
      100.0;  // a step that holds a jump is that much worse than its estimate says: where stages lie decides what it sees
  Memory memory_;
  double largest_ = 0.0;  // step so far
  int creeping_ = 0;      // steps in a row that were far smaller
  double path_ = 0.0;     // how far they led
  static constexpr int chatter_most = 2000;
  int chatter_ = 0;  // jumps that followed each other in next to no time
  double chatter_since_ = 0.0;
  double fastest_ = 0.0;  // the largest kinetic energy so far
  Vector q_, v_;
  ErrorScale scale_;
};

/// The pace of a motion, Ω = (|v|²/L² + |a|/L)^½ with L the size of the configuration: what it does within 1/Ω is comparable everywhere. a is that of
/// the index-1 equations, so that Ω is a function of (q, v) alone; it does not change when v is reversed in a conservative system.
class Pace {
 public:
  Pace(const System& system, const SolverMethod& method, double size)
      : system_(system), equations_(system, method), size_(size) {}

  double at(const State& state);
  double growth(const State& state);     ///< d/dt log Ω along the motion, by differences; odd in v
  double last() const { return last_; }  ///< Ω of the state that was last asked for
  double size() const { return size_; }

 private:
  double of(double t, const Vector& q, const Vector& v);

  const System& system_;
  IndexOne equations_;
  double size_, last_ = 0.0;
  Vector a_, lambda_, q_, v_, a_here_;
};

/// A length to measure a motion by: the size of the configuration or, where that is next to nothing, how far it goes while it lasts.
double motion_size(const System& system, const State& start, double length);

/// Steps that remember nothing of their direction: h = ε/ρ, where ρ follows the pace by an integrating controller,
///
///     ρ₊ = ρ₋ + ε G(q, v),      G = d/dt log Ω,      ρ = Ω + ε G/2 at the start
///
/// A symmetric scheme stays symmetric with such steps, and energy of a conservative system does not drift, which it does with any control by error
/// estimates. E. Hairer, G. Söderlind, SIAM J. Sci. Comput. 26 (2005).
class ReversibleControl final : public StepControl {
 public:
  /// ε is the step in units of 1/Ω, negative where time runs backward; `size` is the L of the pace.
  ReversibleControl(const System& system, const SolverMethod& method, const SimulateOptions& options, const State& start,
                    double epsilon, double size);

  Taken take(Run& run, double target, RunCounts& counts) override;
  void restart(const Run& run) override;
  std::vector<double> save() const override { return {density_, epsilon_, pace_->size()}; }
  void load(const std::vector<double>& saved) override;

 private:
  const SolverMethod& method_;
  const SimulateOptions& options_;
  const System* system_;
  std::optional<Pace> pace_;
  double epsilon_, density_;
  DividedStep step_;
};

}  // namespace taut
