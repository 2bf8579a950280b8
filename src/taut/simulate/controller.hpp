#pragma once

#include <cmath>
#include <taut/integrators/integrator.hpp>
#include <taut/step/index_one.hpp>

namespace taut {

struct Checkpoint;
struct SimulateOptions;

/// Chooses steps so that the estimated local error meets the tolerances: proportional–integral control of E. Hairer, G. Wanner,
/// Solving ODEs II, IV.2.
///
/// Where the estimate is the local error itself, O(h^(p+1)) for a scheme of order p (step doubling), 1/h steps of it add up to rtol^(p/(p+1)): the
/// global error would fall behind the tolerance, a hundredfold at 1e-11. So such an estimate is held below rtol^(1+1/p), which makes the global error
/// proportional to rtol. G. Söderlind, L. Wang, J. Comput. Appl. Math. 185 (2006).
class Controller {
 public:
  /// The estimate is O(h^(error_order + 1)); local_order is that of the scheme if it estimates the local error itself, otherwise 0.
  Controller(const System& system, const State& start, const SimulateOptions& options, int error_order, int local_order);

  double step() const { return step_; }
  void save(Checkpoint& point) const;
  void load(const Checkpoint& point);
  void halve();

  /// Whether the step h may be taken; the next one follows from it.
  bool judge(const State& before, const State& after, const Vector& error, double h);

  /// The length that steps had before they shrank to h, if that is far less, otherwise 0; again only when they have shrunk a thousandfold more. Where
  /// constraints lose rank smaller steps do not help, because round-off grows as they shrink; one as long as before may go past the place.
  double leap(double h);

 private:
  void limit();

  const System* system_;
  const SimulateOptions* options_;
  double exponent_, calibration_ = 1.0, roughness_ = 1.0, step_ = 0.0, last_ = 1.0;
  double rejected_step_ = 0.0, rejected_size_ = 0.0;  // of the last attempt, if it was refused
  double usual_ = 0.0, shrunk_ = 0.0;                 // a step of late; one that is small beside it
  bool first_ = true, grown_ = true, rough_ = false;
  ConfigurationSize size_;
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

 private:
  double of(double t, const Vector& q, const Vector& v);

  const System& system_;
  IndexOne equations_;
  double size_, last_ = 0.0;
  Vector a_, lambda_, q_, v_, a_here_;
};

/// Steps that remember nothing of their direction: h = ε/ρ, where ρ follows the pace by an integrating controller,
///
///     ρ₊ = ρ₋ + ε G(q, v),      G = d/dt log Ω,      ρ = Ω + ε G/2 at the start
///
/// A symmetric scheme stays symmetric with such steps, and energy of a conservative system does not drift, which it does with any control by error
/// estimates. E. Hairer, G. Söderlind, SIAM J. Sci. Comput. 26 (2005).
class ReversibleControl {
 public:
  /// ε is the step in units of 1/Ω, negative where time runs backward.
  ReversibleControl(Pace& pace, const State& start, double epsilon);

  double step() const { return std::abs(epsilon_) / density_; }
  void save(Checkpoint& point) const;
  void load(const Checkpoint& point);
  void advance(const State& state);  ///< the step after this state

 private:
  Pace& pace_;
  double epsilon_, density_;
};

}  // namespace taut
