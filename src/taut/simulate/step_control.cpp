#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/simulate.hpp>
#include <taut/simulate/step_control.hpp>

namespace taut {

long EqualSteps::count(double length, double step) { return long(std::ceil(std::abs(length) / step * (1.0 - 1e-12))); }

void DividedStep::begin(double time, double h, int halvings) {
  halvings_ = halvings;
  next_ = {time, h, halvings};
  under_way_ = true;
}

Taken DividedStep::take(Run& run, RunCounts& counts, std::string& trouble) {
  if (run.attempt(next_.time, next_.h, counts)) {
    run.accept(counts);
    under_way_ = !rest_.empty();
    if (!under_way_) return Taken::step;
    next_ = rest_.back();
    rest_.pop_back();
    return Taken::part;
  }
  // Schemes with several levels need equal steps.
  if (next_.halvings == 0 || run.traits().levels > 1 || run.hopeless()) {
    trouble = run.report().trouble;
    if (next_.halvings < halvings_) trouble += message(" (steps down to {} were tried)", std::abs(next_.h));
    drop();
    return Taken::failed;
  }
  ++counts.retried;
  const double middle = 0.5 * (run.newest().t + next_.time);
  rest_.push_back({next_.time, 0.5 * next_.h, next_.halvings - 1});
  next_ = {middle, 0.5 * next_.h, next_.halvings - 1};
  return Taken::retry;
}

void EqualSteps::restart(const Run& run) {
  from_ = run.newest().t;
  done_ = 0;
  steps_ = -1;
  step_.drop();
}

void EqualSteps::load(const std::vector<double>& saved) {
  from_ = saved.at(0);
  done_ = long(saved.at(1));
  steps_ = -1;
  step_.drop();
}

Taken EqualSteps::take(Run& run, double target, RunCounts& counts) {
  if (!step_.under_way()) {
    if (steps_ < 0 || target != towards_) {
      steps_ = count(target - from_, options_.step);
      h_ = (target - from_) / double(steps_);
      towards_ = target;
    }
    const long next = done_ + 1;
    step_.begin(next >= steps_ ? target : from_ + double(next) * h_, h_, options_.halvings);
  }
  const Taken taken = step_.take(run, counts, trouble_);
  if (taken == Taken::step) ++done_;
  return taken;
}

}  // namespace taut
