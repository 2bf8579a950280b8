#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/simulate.hpp>
#include <taut/simulate/step_control.hpp>

namespace taut {

long EqualSteps::count(double length, double step) { return long(std::ceil(std::abs(length) / step * (1.0 - 1e-12))); }

void DividedStep::begin(double time, double h, int halvings) {
  halvings_ = halvings;
  parts_.assign(1, {time, h, halvings});
}

Taken DividedStep::take(Run& run, RunCounts& counts, std::string& trouble) {
  const Part part = parts_.back();
  parts_.pop_back();
  if (run.attempt(part.time, part.h, counts)) {
    run.accept(counts);
    return parts_.empty() ? Taken::step : Taken::part;
  }
  // Schemes with several levels need equal steps.
  if (part.halvings == 0 || run.traits().levels > 1 || run.hopeless()) {
    trouble = run.report().trouble;
    if (part.halvings < halvings_) trouble += message(" (steps down to {} were tried)", std::abs(part.h));
    return Taken::failed;
  }
  ++counts.retried;
  const double middle = 0.5 * (run.newest().t + part.time);
  parts_.push_back({part.time, 0.5 * part.h, part.halvings - 1});
  parts_.push_back({middle, 0.5 * part.h, part.halvings - 1});
  return Taken::retry;
}

void EqualSteps::restart(const Run& run) {
  from_ = run.newest().t;
  done_ = 0;
  step_.drop();
}

void EqualSteps::load(const std::vector<double>& saved) {
  from_ = saved.at(0);
  done_ = long(saved.at(1));
  step_.drop();
}

Taken EqualSteps::take(Run& run, double target, RunCounts& counts) {
  if (!step_.under_way()) {
    const long steps = count(target - from_, options_.step), next = done_ + 1;
    const double h = (target - from_) / double(steps);
    step_.begin(next >= steps ? target : from_ + double(next) * h, h, options_.halvings);
  }
  const Taken taken = step_.take(run, counts, trouble_);
  if (taken == Taken::step) ++done_;
  return taken;
}

}  // namespace taut
