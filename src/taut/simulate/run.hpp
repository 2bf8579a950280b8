#pragma once

#include <algorithm>
#include <cmath>
#include <taut/base/large_vector.hpp>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/dense_step.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/event.hpp>
#include <taut/simulate/trajectory.hpp>
#include <vector>

namespace taut {

/// The newest states, the newest last, and the stepper that adds to them.
class Run {
 public:
  Run(const System& system, const State& start, const std::vector<State>& earlier, const Integrator& integrator,
      const SolverMethod& method)
      : system_(system),
        integrator_(integrator),
        method_(method),
        traits_(integrator.traits()),
        stepper_(integrator.bind(system, method)),
        next_(start),
        within_(system, method, traits_.order, [this](State& out) { return middle(out); }) {
    past_.reserve(keep());
    const std::size_t taken = std::min(earlier.size(), keep() - 1);
    past_.assign(earlier.end() - std::ptrdiff_t(taken), earlier.end());
    past_.push_back(start);
  }

  /// Has each step checked for the energy that the scheme promises to keep.
  void check_energy(EnergyWatch* watch) { watch_ = traits_.conserves_energy ? watch : nullptr; }

  /// One step of h to the given time, not yet taken; true if it converged. h is not the difference of the times: these are rounded,
  /// and after 10⁴ steps so badly that schemes which keep something would feel it.
  bool attempt(double time, double h, RunCounts& counts) {
    halved_ = false;
    advance(past_, h, counts);
    next_.t = time;
    return report_.ok();
  }

  /// The same as two steps of h/2 beside one of h: their difference over 2^p − 1 estimates the error of the two, which are taken. No extrapolation, which
  /// would leave the constraints.
  bool attempt_doubled(double time, double h, RunCounts& counts) {
    if (!attempt(time, h, counts)) return false;
    swap(coarse_, next_);
    const double middle = newest().t + 0.5 * h;
    if (!attempt(middle, 0.5 * h, counts)) return false;
    swap(half_, next_);
    pair_.resize(past_.size() + 1);  // states keep their memory
    std::copy(past_.begin(), past_.end(), pair_.begin());
    pair_.back() = half_;
    advance(pair_, 0.5 * h, counts);
    next_.t = time;
    if (!report_.ok()) return false;
    const Eigen::Index n = next_.q.size();
    error_.resize(2 * n);
    error_.head(n) = next_.q - coarse_.q;
    error_.tail(n) = next_.v - coarse_.v;
    if (!traits_.holds_velocities) error_.tail(n).setZero();
    error_ /= std::pow(2.0, traits_.order) - 1.0;
    halved_ = true;
    return true;
  }

  void accept(RunCounts& counts) {
    const double h = std::abs(next_.t - newest().t);
    smallest_before_ = counts.smallest_step;
    largest_before_ = counts.largest_step;
    counts.smallest_step = counts.smallest_step == 0.0 ? h : std::min(counts.smallest_step, h);
    counts.largest_step = std::max(counts.largest_step, h);
    counts.projection_energy += report_.projection_energy;
    grew_ = past_.size() < keep();
    if (grew_) {
      past_.push_back(next_);
      stream(past_.back());
      stream(next_);
    } else {
      std::rotate(past_.begin(), past_.begin() + 1, past_.end());
      swap(past_.back(), next_);
    }
    within_.set(past_[past_.size() - 2], past_.back());
  }

  /// As if the last step had not been taken. Schemes of several levels then start anew from the state before it: what follows is a step of another length.
  void withdraw(RunCounts& counts) {
    counts.smallest_step = smallest_before_;
    counts.largest_step = largest_before_;
    if (grew_) {
      past_.pop_back();
    } else {
      swap(past_.back(), next_);
      std::rotate(past_.begin(), past_.end() - 1, past_.end());
    }
    if (traits_.levels > 1) past_.erase(past_.begin(), past_.end() - 1);
  }

  /// Goes on with nothing remembered of what was before.
  void begin_anew() {
    past_.back().carried.resize(0);
    past_.erase(past_.begin(), past_.end() - 1);
  }

  /// Goes on a hair later: on the other side of a jump for every stage.
  void pass_break(double end) {
    past_.back().t = past_jump(past_.back().t, end);
    begin_here();
  }

  /// What was before the newest state tells nothing of what follows.
  void begin_here() {
    begun_at_ = newest().t;
    stepper_->begin_at(begun_at_);
  }

  /// Forgets everything but the states.
  void renew() {
    std::vector<int> found = dependent();
    stepper_ = integrator_.bind(system_, method_);
    stepper_->begin_at(begun_at_);
    within_.renew();
    for (const int row : found)
      if (std::find(dependent_.begin(), dependent_.end(), row) == dependent_.end()) dependent_.push_back(row);
  }

  const System& system() const { return system_; }
  const Traits& traits() const { return traits_; }
  const State& newest() const { return past_.back(); }
  DenseStep* within() { return past_.size() > 1 ? &within_ : nullptr; }  ///< the last step taken
  const State& candidate() const { return next_; }
  const StepReport& report() const { return report_; }
  void set_report(const StepReport& report) { report_ = report; }

  /// An energy that the scheme keeps in a form of its own, after the last step; not a number where there is none.
  double invariant() { return stepper_->invariant(past_); }

  /// What the last step failed for does not go away with a smaller one.
  bool hopeless() const { return report_.solve.status == Status::refused; }
  const Vector& error() const { return stepper_->error() != nullptr ? *stepper_->error() : error_; }
  std::vector<int> dependent() const {
    std::vector<int> all = stepper_->dependent();
    for (const int row : dependent_)
      if (std::find(all.begin(), all.end(), row) == all.end()) all.push_back(row);
    return all;
  }
  std::vector<State> earlier() const { return {past_.begin(), past_.end() - 1}; }

 private:
  void advance(History past, double h, RunCounts& counts) {
    const long before = force_evaluations();
    report_ = stepper_->advance(past, h, next_);
    counts.evaluations += force_evaluations() - before;
    ++counts.steps;
    counts.newton_iterations += report_.solve.newton_iterations;
    counts.newton_most = std::max(counts.newton_most, report_.solve.newton_iterations);
    counts.multiplier_updates += report_.solve.multiplier_updates;
    counts.updates_most = std::max(counts.updates_most, report_.solve.multiplier_updates);
    counts.factorizations += report_.solve.factorizations;
    if (watch_ != nullptr && report_.ok()) check_promise(past.back(), h);
  }

  /// A step that breaks what its scheme promises is no step: directions of constraint forces vanish in the middle of a rod that turns half way round, for
  /// instance, λ grows without bound, and round-off times λ is energy from nowhere.
  void check_promise(const State& before, double h) {
    const double off = watch_->broken(before, next_);
    if (off == 0.0) return;
    report_.solve.status = Status::broken;
    report_.trouble = message(
        "energy, which {} keeps exactly, changed by {} in a step of {} (largest reaction {}): something turned too "
        "far in the step",
        traits_.name, off, std::abs(h), next_.lambda.size() > 0 ? next_.lambda.lpNorm<Eigen::Infinity>() : 0.0);
  }

  /// The middle of the last step: doubling has found it already.
  bool middle(State& out) {
    if (halved_) {
      out = half_;
      return true;
    }
    if (traits_.levels > 1) return false;
    const double half = 0.5 * (newest().t - past_[past_.size() - 2].t);
    const bool good = stepper_->advance(History(past_.data(), past_.size() - 1), half, out).ok();
    out.t = past_[past_.size() - 2].t + half;
    return good;
  }

  /// States of large systems on pages that suit what is read from end to end in each step.
  static void stream(const State& state) {
    for (const Vector* one : {&state.q, &state.v, &state.p, &state.lambda, &state.carried}) prefer_huge_pages(*one);
  }

  /// One state more than the scheme needs, for extrapolated guesses.
  std::size_t keep() const { return std::size_t(traits_.levels) + 1; }

  const System& system_;
  const Integrator& integrator_;
  const SolverMethod& method_;
  Traits traits_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<int> dependent_;  // found by steppers before
  std::vector<State> past_, pair_;
  State next_, coarse_, half_;
  bool halved_ = false;  // half_ lies in the middle of the step to next_, or of the last one taken
  bool grew_ = false;    // the last step made the past longer
  double begun_at_ = std::numeric_limits<double>::quiet_NaN();
  double smallest_before_ = 0.0, largest_before_ = 0.0;  // of the counts, before the last step
  Vector error_;
  EnergyWatch* watch_ = nullptr;
  StepReport report_;
  DenseStep within_;
};

}  // namespace taut
