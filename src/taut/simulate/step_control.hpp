#pragma once

#include <string>
#include <taut/simulate/run.hpp>
#include <vector>

namespace taut {

struct SimulateOptions;

/// What a trial of a step came to.
enum class Taken {
  step,   ///< one of the steps of the run
  part,   ///< a part of one that was divided because it failed
  retry,  ///< nothing; another trial follows
  failed  ///< nothing, and there is no other way
};

/// Who says how long steps are. It knows nothing of events: it is given the next time that must be met.
class StepControl {
 public:
  virtual ~StepControl() = default;

  /// One trial from the newest state towards the target, taken if it is good; it never goes beyond.
  virtual Taken take(Run& run, double target, RunCounts& counts) = 0;

  /// A step of this length to this time, not yet taken, in the way this control takes steps: to land on an event.
  virtual bool attempt(Run& run, double time, double h, RunCounts& counts) { return run.attempt(time, h, counts); }

  /// The newest state is a new beginning: an event changed something, or forces jump.
  virtual void restart(const Run& run) = 0;

  /// All that it remembers, for a checkpoint.
  virtual std::vector<double> save() const = 0;
  virtual void load(const std::vector<double>& saved) = 0;

  const std::string& trouble() const { return trouble_; }  ///< after Taken::failed

 protected:
  std::string trouble_;
};

/// A step that is taken as two halves where it fails, each of them again where that fails, and so on.
class DividedStep {
 public:
  bool under_way() const { return under_way_; }
  void begin(double time, double h, int halvings);
  void drop() {
    under_way_ = false;
    rest_.clear();
  }
  Taken take(Run& run, RunCounts& counts, std::string& trouble);

 private:
  struct Part {
    double time, h;
    int halvings;
  };
  int halvings_ = 0;
  bool under_way_ = false;
  Part next_{};
  std::vector<Part> rest_;  // to be taken after it, the first of them last
};

/// Steps of equal length, at most options.step, from each beginning to each target.
class EqualSteps final : public StepControl {
 public:
  EqualSteps(double start, const SimulateOptions& options) : options_(options), from_(start) {}

  Taken take(Run& run, double target, RunCounts& counts) override;
  void restart(const Run& run) override;
  std::vector<double> save() const override { return {from_, double(done_)}; }
  void load(const std::vector<double>& saved) override;

  /// A multiple within round-off counts as exact.
  static long count(double length, double step);

 private:
  const SimulateOptions& options_;
  double from_;                     // where the present piece began
  long done_ = 0;                   // steps since
  double towards_ = 0.0, h_ = 0.0;  // where it leads, in steps of which length
  long steps_ = -1;                 // so many; not known yet
  DividedStep step_;
};

}  // namespace taut
