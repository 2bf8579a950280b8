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

/// Measures H along a run, and judges whether it is off by more than the motion holds.
///
/// At a place where the potential is V, a motion of energy H₀ has the kinetic energy H₀ − V. The largest of these that the run has met is what the motion
/// holds; a run that moves with more than twice that is not an inaccurate motion but none at all.
class EnergyWatch {
 public:
  /// From this state on, for a run of this length.
  EnergyWatch(const System& system, const State& start, double length);

  bool conservative() const { return conservative_; }
  Energy measure(const Instant& at);
  void see(const Energy& now);  ///< a state of the run
  std::vector<double> save() const;
  void load(const double* saved);
  static constexpr std::size_t numbers = 8;
  double start() const { return start_.total(); }
  double held() const { return held_; }
  double scale() const { return std::max(held_, 1e3 * floor_); }  ///< the same, but not below round-off of the potential

  /// Whether forces do work here, or energies or constraints change with time since then, though they did not where they were looked at: H is not constant
  /// after all.
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
  bool conservative_, constant_mass_;
  Vector p_, rest_;
  Energy start_;
  double held_, floor_ = 0.0, first_invariant_, largest_ = 0.0;
  int beyond_ = 0;  // measurements in a row that were off by more than the motion holds
};

}  // namespace taut
