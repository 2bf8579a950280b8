#pragma once

#include <functional>
#include <taut/diagnostics/certificate.hpp>
#include <taut/model/model_modes.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {

/// Who watches a study.
struct StudyWatch {
  std::function<void(const std::string& what, double done)> progress{};  ///< done: 0 to 1
  std::function<bool()> interrupted{};                                   ///< true: end with what there is
  bool over() const { return interrupted && interrupted(); }
};

/// What a run may cost; 0: anything.
struct RunLimits {
  double seconds = 0.0;
  long steps = 0;
};

/// A run, what became of it and what it cost.
struct MeasuredRun {
  Certificate certificate;
  Verdict verdict = Verdict::failed;  ///< the run's own, or diverged if its end is not finite
  std::string message;
  State last;
  double moved = 0.0;    ///< largest |q − q(0)| on the way, of all coordinates
  double energy = 0.0;   ///< what there is of it: largest kinetic energy and the range of the potential
  double seconds = 0.0;  ///< without the time that measuring took
  double wall = 0.0;     ///< with it
  bool cut = false;      ///< by a limit
  bool reached() const { return verdict == Verdict::reached || (verdict == Verdict::stopped && !cut); }
};

/// The modes are those of the options: see set_events().
MeasuredRun measured_run(ModelModes& modes, const State& start, const Integrator& integrator, const SolverMethod& method,
                         SimulateOptions options, const RunLimits& limits = {}, const StudyWatch& watch = {},
                         const std::function<void(double)>& done = {});

/// The largest |a − b| of all coordinates.
double apart(const State& a, const State& b);

/// The order that a scheme promises on a system: what impacts jump over costs all but one.
int promised_order(const Integrator& integrator, const System& system);

/// Whether constraints are held as inequalities.
bool has_inequalities(const System& system);

/// Whether the scheme is one of the explicit Runge–Kutta schemes.
bool is_explicit(const Integrator& integrator);

/// The largest h ω that a scheme takes, of an oscillation without damping: beyond it the oscillation grows by 5 % in each step, and by any factor in a
/// few hundred. 2 for RATTLE, from the tableau for explicit Runge–Kutta schemes; infinite for implicit ones.
double swing_limit(const Integrator& integrator);

/// A number with few digits, for messages.
std::string brief(double value, int digits = 2);

/// A share in per cent, for messages.
std::string percent(double share);

}  // namespace taut
