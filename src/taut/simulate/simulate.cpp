#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

/// A start off by more than this is refused, not mended silently.
constexpr double consistent = 1e-8;

/// The newest states, the newest last, and the stepper that adds to them.
class Run {
 public:
  Run(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method)
      : levels_(integrator.traits().levels), stepper_(integrator.bind(system, method)), next_(start) {
    past_.reserve(keep());
    past_.push_back(start);
  }

  /// From the newest state to the given time, by halves if it must be; false with the last report on failure.
  bool reach(double time, int halvings, RunCounts& counts) {
    report_ = stepper_->advance(past_, time - newest().t, next_);
    ++counts.steps;
    counts.newton_iterations += report_.solve.newton_iterations;
    counts.newton_most = std::max(counts.newton_most, report_.solve.newton_iterations);
    counts.multiplier_updates += report_.solve.multiplier_updates;
    counts.updates_most = std::max(counts.updates_most, report_.solve.multiplier_updates);
    counts.factorizations += report_.solve.factorizations;
    if (report_.ok()) {
      next_.t = time;
      if (past_.size() < keep()) {
        past_.push_back(next_);
      } else {
        std::rotate(past_.begin(), past_.begin() + 1, past_.end());
        std::swap(past_.back(), next_);
      }
      return true;
    }
    // Schemes with several levels need equal steps; and a contradiction does not go away with h.
    const bool hopeless = levels_ > 1 || report_.solve.status == Status::contradictory;
    if (halvings == 0 || hopeless) return false;
    ++counts.retried;
    const double middle = 0.5 * (newest().t + time);
    return reach(middle, halvings - 1, counts) && reach(time, halvings - 1, counts);
  }

  const State& newest() const { return past_.back(); }
  const StepReport& report() const { return report_; }
  const std::vector<int>& dependent() const { return stepper_->dependent(); }

 private:
  /// One state more than the scheme needs, for extrapolated guesses.
  std::size_t keep() const { return std::size_t(levels_) + 1; }

  int levels_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<State> past_;
  State next_;
  StepReport report_;
};

void check(const System& system, const State& start, const SimulateOptions& options) {
  require(options.step > 0.0 && std::isfinite(options.step), "simulate: step must be positive, got {}.", options.step);
  require(std::isfinite(options.end) && std::isfinite(start.t),
          "simulate: start and end time must be finite, got {} and {}.", start.t, options.end);
  require(std::abs(options.end - start.t) / options.step < 1e15,
          "simulate: from {} to {} in steps of {} is more steps than time can count.", start.t, options.end, options.step);
  require(start.t == options.end || start.t + options.step != start.t,
          "simulate: a step of {} is lost in the round-off of t = {}.", options.step, start.t);
  require(options.halvings >= 0 && options.halvings <= 40, "simulate: halvings must lie between 0 and 40, got {}.",
          options.halvings);
  for (const Observer& observer : options.observers) require(bool(observer), "simulate: an observer is empty.");
  require(options.every >= 0, "simulate: every must not be negative, got {}.", options.every);
  require(start.q.size() == system.size() && start.v.size() == system.size(),
          "simulate: the system has {} coordinates, the start has {} in q and {} in v.", system.size(), start.q.size(),
          start.v.size());
  require(start.q.allFinite() && start.v.allFinite() && start.p.allFinite() && start.lambda.allFinite(),
          "simulate: the start is not finite.");
  require(start.p.size() == 0 || start.p.size() == system.size(), "simulate: the start has {} momenta for {} coordinates.",
          start.p.size(), system.size());
  if (options.resume) return;
  const std::vector<Violation> found = violations(system, start, consistent);
  require(found.empty(),
          "simulate: the start violates {}; give a consistent one, or use consistent_start(system, start) to project it.",
          describe(found));
}

}  // namespace

Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options) {
  check(system, start, options);
  require(!options.resume || integrator.traits().levels == 1,
          "simulate: {} needs {} states of the past and cannot be resumed from one.", integrator.traits().name,
          integrator.traits().levels);
  Trajectory path(system.size(), system.constraint_count());
  path.integrator = integrator.traits().name;
  path.solver = name_of(method);

  State first = start;
  if (!options.resume) {  // a new start is (t, q, v); momenta or more belong to an earlier run
    first.carried.resize(0);
    first.p.resize(0);
  }
  if (first.p.size() == 0) first.p = system.momentum(instant(first));
  if (first.lambda.size() != system.constraint_count()) first.lambda = Vector::Zero(system.constraint_count());
  Run run(system, first, integrator, method);

  // Equal steps of at most options.step; a multiple within round-off counts as exact.
  const double length = options.end - start.t;
  const long steps = long(std::ceil(std::abs(length) / options.step * (1.0 - 1e-12)));
  const double h = steps > 0 ? length / double(steps) : 0.0;
  constexpr long most_reserved = 10'000'000;  // beyond, memory is taken as it is needed
  path.reserve(options.every > 0 ? std::size_t(std::min(steps / options.every, most_reserved) + 2) : 2);
  path.record(first);
  for (const Observer& observer : options.observers) observer({system, first, run.report(), 0, steps});

  path.finished = true;
  for (long k = 1; k <= steps; ++k) {
    const double time = k == steps ? options.end : start.t + double(k) * h;
    const long retried_before = path.counts.retried;
    if (!run.reach(time, options.halvings, path.counts)) {
      path.finished = false;
      path.message = message("stopped at t = {} of {}: {}", run.newest().t, options.end, run.report().trouble);
      if (path.counts.retried > retried_before)
        path.message += message(" (steps down to {} were tried)", h / std::pow(2.0, options.halvings));
      if (run.newest().t != path.t(path.size() - 1)) path.record(run.newest());
      break;
    }
    if (k == steps || (options.every > 0 && k % options.every == 0)) path.record(run.newest());
    for (const Observer& observer : options.observers) observer({system, run.newest(), run.report(), k, steps});
  }
  path.last = run.newest();
  for (const int row : run.dependent()) path.dependent.push_back(system.constraint_name(row));
  return path;
}

}  // namespace taut
