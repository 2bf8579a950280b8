#pragma once

#include <taut/simulate/error_scale.hpp>
#include <taut/simulate/step_control.hpp>

namespace taut {

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
  /// Whether the step that was tried passes what would have turned it, a barrier or a contact: on the way between its ends the potential is elsewhere than
  /// the cubic through its values and slopes there, by more than a share of what moves. Work does not come into it. Stages without weight may have met the
  /// barrier and thrown the others beyond.
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

}  // namespace taut
