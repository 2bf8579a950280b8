#pragma once

#include <algorithm>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// Whether H = v·p − L stays constant: neither energies nor constraints change with time while nothing moves, over a run of this length, and no force does
/// work. Terms that have no forces besides ∂L/∂q say so; where there are others, their power Q·v is looked at for velocities around the
/// start, at several times of the run, so that gyroscopic forces count as what they are. Inequalities that are held exactly may take energy.
bool conserves_energy(const System& system, const State& start, double length);

/// What the energy of a run amounts to at a state.
struct Energy {
  double kinetic = 0.0;    ///< T₂, the part of T that is of degree 2 in v; mostly all of it
  double potential = 0.0;  ///< V − T₀, with T₀ the part of degree 0: that of centrifugal forces
  double total() const { return kinetic + potential; }  ///< H
};

/// What forces besides ∂L/∂q, and energies that change with time, do to H along the steps of a run: dH/dt = Q·v − ∂L/∂t.
///
/// It is summed by Gauss' rule of two places on the cubic through positions and velocities of both ends of a step, so that it needs nothing of the scheme
/// and sees no jump at the ends of steps. Where steps are large the sum is not exact; the smallest and the largest power at the places tell between
/// which numbers it lies.
class Work {
 public:
  Work(const System& system, const State& start, double length);

  /// Whether all of it is seen: constraints do none, since they do not move and are equations.
  bool known() const { return known_; }
  void see(const Instant& at);  ///< the end of a step that began at the state before

  /// Instead: what another has seen of the same run, from this moment on; it may begin anew on the way.
  void begin_with(const Work& other);
  void take(const Work& other);

  double done() const { return sums_.done; }
  double least() const { return sums_.least; }
  double most() const { return sums_.most; }
  double largest() const { return sums_.largest; }   ///< so far, in either direction
  bool idle() const { return !timed_ && !drives_; }  ///< neither energies nor constraints change with time
  void meet(bool changes, bool drives) { known_ = known_ && !drives && (timed_ || !changes); }  ///< after all

  static constexpr std::size_t numbers = 9;
  void save(std::vector<double>& out) const;
  void load(const double* saved);

 private:
  double power(const Instant& at, double within) const;
  double jump_behind(double later) const;

  const System& system_;
  bool applied_, timed_, drives_, known_;
  double began_, t_;
  Vector q_, v_, q_within_, v_within_;
  struct Sums {
    double done = 0.0, least = 0.0, most = 0.0, largest = 0.0;
  } sums_, before_;  // before_: what the other had counted when this began, with its sign if it began anew since
};

/// Measures H along a run, and judges whether it is off by more than the motion holds.
///
/// At a place where the potential is V, a motion of energy H₀ to which forces did the work W has the kinetic energy H₀ + W − V. The largest of these that
/// the run has met is what the motion holds; a run that moves with more than twice that is not an inaccurate motion but none at all.
class EnergyWatch {
 public:
  /// From this state on, for a run of this length.
  EnergyWatch(const System& system, const State& start, double length);

  bool conservative() const { return conservative_; }
  bool only_loses() const { return only_loses_; }  ///< nothing but inequalities takes energy, and nothing brings any in
  double smallest_scale() const { return 1e3 * floor_; }
  Energy measure(const Instant& at);
  void see(const Instant& at, const Energy& now,
           const Work* seen = nullptr);  ///< a state of the run; `seen`: by another already
  void begin_with(const Work& other) { work_.begin_with(other); }
  const Work& work() const { return work_; }
  bool balances() const { return conservative_ || work_.known(); }  ///< whether H less the work should be constant
  bool works() const { return !conservative_ && work_.known(); }    ///< and this takes a look at every step
  double balance(const Energy& now) const { return now.total() - work_.done(); }
  double unbalanced(const Energy& now) const;  ///< by how much it changed at least, however the work is summed
  std::vector<double> save() const;
  void load(const double* saved);
  static constexpr std::size_t numbers = 8 + Work::numbers;
  double start() const { return start_.total(); }
  double held() const { return held_; }
  /// The same, but not below the work, nor below round-off of the potential.
  double scale() const { return std::max({held_, work_.largest(), smallest_scale()}); }

  /// Whether forces do work here, or energies or constraints change with time since then, though they did not where they were looked at: H is not constant
  /// after all. Where constraints drive, the work is not known either.
  bool finds_work(const Instant& at, double since);

  /// Goes on where another has ended, at an event: round-off is that of the whole run.
  void inherit(const EnergyWatch& before);

  /// By how much H changed in a step beyond what round-off explains, for a scheme that keeps it as exactly as steps are solved: to a hundredth of a
  /// billionth of the largest kinetic energy so far. 0 where it was kept, and where H is not constant.
  double broken(const State& before, const State& after);

  /// Whether a run that stands here has diverged: at once where it is far off, after some steps where it is off by what the motion
  /// holds, since the first steps from rest hold next to nothing. `invariant` is an energy that the scheme keeps in a form of its own, instead of H, or
  /// not a number.
  bool diverged(const State& state, const Energy& now, double invariant);

 private:
  const System& system_;
  Work work_;
  bool conservative_, only_loses_, constant_mass_;
  Vector p_, rest_;
  Energy start_;
  double since_;  // time of the last state that was seen
  double held_, floor_ = 0.0, first_invariant_, largest_ = 0.0;
  int beyond_ = 0;  // measurements in a row, or nearly so, that were off by more than the motion holds
};

}  // namespace taut
