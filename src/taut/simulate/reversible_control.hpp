#pragma once

#include <optional>
#include <taut/simulate/step_control.hpp>
#include <taut/step/index_one.hpp>

namespace taut {

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
