#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/model/hand_run.hpp>

namespace taut {
namespace {

/// How far ahead it is looked at first, for whatever depends on time: a second, or a thousand steps.
double first_horizon(const RunSection& run) { return std::max(1.0, 1000.0 * run.step); }

}  // namespace

HandRun::HandRun(ModelFile model, Recorder* recorder, const std::vector<Observer>& observers) : model_(std::move(model)) {
  time_ = known_ = model_.start.state.t;
  if (!(model_.run.until > time_)) model_.run.until = time_ + first_horizon(model_.run);
  planned_.emplace(plan(model_));
  SimulateOptions& options = planned_->options;
  options.keep = false;
  options.marks.clear();
  std::erase_if(options.events, [](const Event& one) { return one.timed() && !one.then; });  // breaks are found as it goes
  scribe_.emplace(model_, *planned_, recorder, outcome_);
  if (recorder != nullptr) recorder->begin(header_of(model_, *planned_, {}));
  options.observers.emplace_back([this](const Progress& p) {
    Progress seen = p;
    seen.done = p.step == 0 ? 0.0 : 1.0;
    scribe_->see(seen);
  });
  for (const Observer& one : observers) options.observers.push_back(one);
  const State first = first_state(*planned_->system, model_.start.state, planned_->integrator, options);
  timeline_.emplace(*planned_->system, model_.start.state, planned_->integrator, planned_->method, options);
  timeline_->begin(first, {});
}

const ModelInput& HandRun::cell(const std::string& name) const {
  std::string known;
  for (const ModelInput& one : model_.inputs) {
    if (one.name == name) return one;
    known += (known.empty() ? "" : ", ") + one.name;
  }
  throw InputError(message("the model has no input '{}'; ", name) +
                   (known.empty() ? "the section `inputs` would name some." : message("there are: {}.", known)));
}

void HandRun::set_input(const std::string& name, double value) {
  const ModelInput& found = cell(name);
  require(std::isfinite(value), "the input '{}' must be finite, got {}.", name, value);
  if (found.value->held() == value) return;
  found.value->hold(value);
  changed_ = message("the change of the input '{}' to {}", name, value);
}

void HandRun::find_breaks(double to) {
  if (to <= known_) return;
  const double start = model_.start.state.t, end = std::max(to, start + 2.0 * (known_ - start));
  const double from = known_;
  known_ = std::max(end, model_.run.until);
  std::vector<double> found = model_.jumps ? model_.jumps(from, known_) : std::vector<double>{};
  for (const double t : model_.run.breaks)
    if (t > from && t <= known_) found.push_back(t);
  std::sort(found.begin(), found.end());
  for (double& t : found) t = before_jump(t, from, known_);
  breaks_.insert(breaks_.end(), found.begin(), found.end());
}

void HandRun::go_to(double time) {
  SimulateOptions& options = planned_->options;
  // Always beyond: a hair after a break there must be time left.
  if (time >= options.end) options.end = time + (time - model_.start.state.t);
  going_ = timeline_->go_to(time);
  time_ = time;
}

void HandRun::advance(double duration) {
  require(std::isfinite(duration) && duration > 0.0, "advance: the time to go on by must be positive, got {}.", duration);
  require(going_, "advance: the run has ended, {}.", timeline_->so_far().message);
  const double time = time_ + duration;
  find_breaks(time);
  if (!changed_.empty()) {
    scribe_->begin_anew();
    going_ = timeline_->changed(changed_);
    changed_.clear();
  }
  const double near = 1e-12 * (std::abs(time) + duration);
  while (going_ && !breaks_.empty() && breaks_.front() < time - near) {
    const double at = breaks_.front();
    breaks_.erase(breaks_.begin());
    if (at > time_ + near) go_to(at);
    if (going_) going_ = timeline_->changed("a jump of forces");
    if (going_) scribe_->begin_anew();
  }
  if (going_) go_to(time);
}

RunOutcome HandRun::outcome() {
  RunOutcome out = outcome_;
  const Trajectory path = timeline_->so_far();
  out.certificate = scribe_->certificate(path);
  out.last = path.last;
  return out;
}

}  // namespace taut
