#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

/// A start off by more than this is refused, not mended silently.
constexpr double consistent = 1e-8;

/// The newest states, the newest last, and the stepper that adds to them.
class Run {
 public:
  Run(const System& system, const State& start, const std::vector<State>& earlier, const Integrator& integrator,
      const SolverMethod& method)
      : system_(system),
        integrator_(integrator),
        method_(method),
        levels_(integrator.traits().levels),
        stepper_(integrator.bind(system, method)),
        next_(start) {
    past_.reserve(keep());
    const std::size_t taken = std::min(earlier.size(), keep() - 1);
    past_.assign(earlier.end() - std::ptrdiff_t(taken), earlier.end());
    past_.push_back(start);
  }

  /// One step of h to the given time, not yet taken; true if it converged. h is not the difference of the times: these are rounded,
  /// and after 10⁴ steps so badly that schemes which keep something would feel it.
  bool attempt(double time, double h, RunCounts& counts) {
    advance(past_, h, counts);
    next_.t = time;
    return report_.ok();
  }

  /// The same as two steps of h/2 beside one of h: their difference over 2^p − 1 estimates the error of the two, which are taken. No extrapolation, which
  /// would leave the constraints.
  bool attempt_doubled(double time, double h, const Traits& traits, RunCounts& counts) {
    if (!attempt(time, h, counts)) return false;
    std::swap(coarse_, next_);
    const double middle = newest().t + 0.5 * h;
    if (!attempt(middle, 0.5 * h, counts)) return false;
    std::swap(half_, next_);
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
    if (!traits.holds_velocities) error_.tail(n).setZero();
    error_ /= std::pow(2.0, traits.order) - 1.0;
    return true;
  }

  void accept(RunCounts& counts) {
    const double h = std::abs(next_.t - newest().t);
    counts.smallest_step = counts.smallest_step == 0.0 ? h : std::min(counts.smallest_step, h);
    counts.largest_step = std::max(counts.largest_step, h);
    counts.projection_energy += report_.projection_energy;
    if (past_.size() < keep()) {
      past_.push_back(next_);
    } else {
      std::rotate(past_.begin(), past_.begin() + 1, past_.end());
      std::swap(past_.back(), next_);
    }
  }

  /// From the newest state to the given time, by halves if it must be; false with the last report on failure.
  bool reach(double time, double h, int halvings, RunCounts& counts) {
    if (attempt(time, h, counts)) {
      accept(counts);
      return true;
    }
    // Schemes with several levels need equal steps.
    if (halvings == 0 || levels_ > 1 || hopeless()) return false;
    ++counts.retried;
    const double middle = 0.5 * (newest().t + time);
    return reach(middle, 0.5 * h, halvings - 1, counts) && reach(time, 0.5 * h, halvings - 1, counts);
  }

  /// Forgets everything but the states.
  void renew() {
    std::vector<int> found = dependent();
    stepper_ = integrator_.bind(system_, method_);
    for (const int row : found)
      if (std::find(dependent_.begin(), dependent_.end(), row) == dependent_.end()) dependent_.push_back(row);
  }

  const State& newest() const { return past_.back(); }
  const State& candidate() const { return next_; }
  const StepReport& report() const { return report_; }

  /// What the last step failed for does not go away with a smaller one.
  bool hopeless() const { return report_.solve.status == Status::contradictory || report_.solve.status == Status::refused; }
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
  }

  /// One state more than the scheme needs, for extrapolated guesses.
  std::size_t keep() const { return std::size_t(levels_) + 1; }

  const System& system_;
  const Integrator& integrator_;
  const SolverMethod& method_;
  int levels_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<int> dependent_;  // found by steppers before
  std::vector<State> past_, pair_;
  State next_, coarse_, half_;
  Vector error_;
  StepReport report_;
};

/// Chooses steps so that the estimated local error meets the tolerances: proportional–integral control of E. Hairer, G. Wanner,
/// Solving ODEs II, IV.2.
class Controller {
 public:
  Controller(const System& system, const State& start, const SimulateOptions& options, int error_order)
      : system_(system), options_(options), exponent_(1.0 / (error_order + 1)) {
    const double length = std::abs(options.end - start.t), speed = start.v.lpNorm<Eigen::Infinity>();
    step_ = 0.01 * length;
    if (speed > 0.0) step_ = std::min(step_, 0.01 * size_.of(system, start) / speed);
    limit();
  }

  double step() const { return step_; }
  void save(Checkpoint& point) const {
    point.next_step = step_;
    point.last_error = last_;
    point.first = first_;
    point.grown = grown_;
  }
  void load(const Checkpoint& point) {
    step_ = point.next_step;
    last_ = point.last_error;
    first_ = point.first;
    grown_ = point.grown;
    size_ = {};
  }
  void halve() {
    step_ *= 0.5;
    grown_ = false;
  }

  /// Whether the step h may be taken; the next one follows from it.
  bool judge(const State& before, const State& after, const Vector& error, double h) {
    const int n = system_.size();
    const double q = std::max(size_.of(system_, before), after.q.lpNorm<Eigen::Infinity>());
    const double v = std::max(before.v.lpNorm<Eigen::Infinity>(), after.v.lpNorm<Eigen::Infinity>());
    const double in_q = options_.atol + options_.rtol * q, in_v = options_.atol + options_.rtol * v;
    const double sum = (in_q > 0.0 ? error.head(n).squaredNorm() / (in_q * in_q) : 0.0) +
                       (in_v > 0.0 ? error.tail(n).squaredNorm() / (in_v * in_v) : 0.0);
    // An infinite estimate, or none, asks for the smallest factor.
    const double size = std::isfinite(sum) ? std::max(std::sqrt(sum / (2.0 * n)), 1e-10) : 1e10;
    if (size > 1.0) {
      step_ = std::abs(h) * std::max(first_ ? 1e-3 : 0.2, 0.9 * std::pow(size, -exponent_));
      grown_ = false;
      return false;
    }
    double factor = 0.9 * std::pow(size, -0.7 * exponent_) * std::pow(last_, 0.4 * exponent_);
    factor = std::clamp(factor, 0.2, grown_ ? 5.0 : 1.0);
    step_ = std::abs(h) * (first_ ? std::clamp(0.9 * std::pow(size, -exponent_), 0.2, 100.0) : factor);
    limit();
    last_ = std::max(size, 1e-4);
    first_ = false;
    grown_ = true;
    return true;
  }

 private:
  void limit() {
    if (options_.step > 0.0) step_ = std::min(step_, options_.step);
  }

  const System& system_;
  const SimulateOptions& options_;
  double exponent_, step_, last_ = 1.0;
  bool first_ = true, grown_ = true;
  ConfigurationSize size_;
};

void check_start(const System& system, const State& start, const SimulateOptions& options) {
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

/// The trajectory, the run and the observers together.
class Recorder {
 public:
  Recorder(const System& system, const SimulateOptions& options, double start, Run& run, Trajectory& path)
      : system_(system), options_(options), start_(start), run_(run), path_(path) {}

  /// After a step; false if an observer wants to stop.
  bool note(long step, bool keep, const Checkpoint* checkpoint = nullptr) {
    const State& state = run_.newest();
    const bool end = state.t == options_.end;
    if (keep && (options_.keep || step == 0 || end)) path_.record(state);
    const double length = options_.end - start_, done = length != 0.0 ? (state.t - start_) / length : 1.0;
    std::string stop;
    for (const Observer& observer : options_.observers)
      observer({system_, state, run_.report(), step, done, keep, &stop, checkpoint});
    if (stop.empty()) return true;
    path_.finished = false;
    path_.message = message("stopped at t = {} of {}: {}", state.t, options_.end, stop);
    if (path_.size() == 0 || path_.t(path_.size() - 1) != state.t) path_.record(state);
    return false;
  }

  void fail(const std::string& extra = {}) {
    path_.finished = false;
    path_.message = message("stopped at t = {} of {}: {}", run_.newest().t, options_.end, run_.report().trouble) + extra;
    if (path_.size() == 0 || run_.newest().t != path_.t(path_.size() - 1)) path_.record(run_.newest());
  }

 private:
  const System& system_;
  const SimulateOptions& options_;
  double start_;
  Run& run_;
  Trajectory& path_;
};

/// Equal steps of at most options.step; a multiple within round-off counts as exact.
long count_steps(double length, const SimulateOptions& options) {
  return long(std::ceil(std::abs(length) / options.step * (1.0 - 1e-12)));
}

void run_equal_steps(double start, const SimulateOptions& options, Run& run, Recorder& recorder, RunCounts& counts) {
  const double length = options.end - start;
  const long steps = count_steps(length, options);
  const double h = steps > 0 ? length / double(steps) : 0.0;
  Checkpoint point;
  for (long k = 1 + (options.from != nullptr ? options.from->step : 0); k <= steps; ++k) {
    const double time = k == steps ? options.end : start + double(k) * h;
    const long retried_before = counts.retried;
    if (!run.reach(time, h, options.halvings, counts)) {
      const bool retried = counts.retried > retried_before;
      recorder.fail(retried ? message(" (steps down to {} were tried)", h / std::pow(2.0, options.halvings)) : "");
      return;
    }
    const bool renewed = options.renew > 0 && k % options.renew == 0;
    if (renewed) {
      run.renew();
      point = {.step = k, .last = run.newest(), .earlier = run.earlier()};
    }
    if (!recorder.note(k, k == steps || (options.every > 0 && k % options.every == 0), renewed ? &point : nullptr)) return;
  }
}

void run_controlled_steps(const System& system, double start, const SimulateOptions& options, const Traits& traits, Run& run,
                          Recorder& recorder, RunCounts& counts) {
  const double length = options.end - start, sign = length < 0.0 ? -1.0 : 1.0;
  const bool doubled = traits.error_order == 0;
  Controller controller(system, run.newest(), options, doubled ? traits.order : traits.error_order);
  const double interval = options.interval > 0.0 ? options.interval : std::abs(length);
  long accepted = 0;
  Checkpoint point;
  if (options.from != nullptr) {
    accepted = options.from->step;
    controller.load(*options.from);
  }
  const long passed = long(std::floor(std::abs(run.newest().t - start) / interval * (1.0 + 1e-12)));
  for (long mark = 1 + passed; run.newest().t != options.end; ++mark) {
    const double ahead = double(mark) * interval;
    const bool last = ahead >= std::abs(length) * (1.0 - 1e-12);
    const double target = last ? options.end : start + sign * ahead;
    while (run.newest().t != target) {
      const double now = run.newest().t, rest = std::abs(target - now);
      const double smallest = 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(now), std::abs(length));
      // No sliver is left before a time that must be met.
      double h = controller.step();
      const bool lands = h >= rest * (1.0 - 1e-12) || rest <= smallest;
      if (lands) {
        h = rest;
      } else if (2.0 * h > rest) {
        h = 0.5 * rest;
      }
      const double next = lands ? target : now + sign * h;
      const bool good = doubled ? run.attempt_doubled(next, sign * h, traits, counts) : run.attempt(next, sign * h, counts);
      if (good && (rest <= smallest || controller.judge(run.newest(), run.candidate(), run.error(), h))) {
        run.accept(counts);
        ++accepted;
        const bool there = run.newest().t == target;
        const bool keep = options.interval > 0.0 ? there : (there || (options.every > 0 && accepted % options.every == 0));
        const bool renewed = options.renew > 0 && accepted % options.renew == 0;
        if (renewed) {
          run.renew();
          point = {.step = accepted, .last = run.newest(), .earlier = run.earlier()};
          controller.save(point);
          controller.load(point);
        }
        if (!recorder.note(accepted, keep, renewed ? &point : nullptr)) return;
        continue;
      }
      ++counts.retried;
      if (good) {
        ++counts.rejected;
      } else {
        controller.halve();
      }
      if ((!good && run.hopeless()) || controller.step() < smallest) {
        if (good) {
          recorder.fail(message("the tolerances ask for steps below {}", smallest));
        } else {
          recorder.fail(run.hopeless() ? "" : message(" (steps down to {} were tried)", h));
        }
        return;
      }
    }
  }
}

}  // namespace

void check_options(const Integrator& integrator, double start, const SimulateOptions& options) {
  const bool controlled = options.rtol != 0.0 || options.atol != 0.0;
  require(std::isfinite(options.step) && (options.step > 0.0 || (controlled && options.step == 0.0)),
          "simulate: step must be positive, got {}.", options.step);
  require(options.rtol >= 0.0 && options.rtol < 1.0 && options.atol >= 0.0 && std::isfinite(options.atol),
          "simulate: tolerances must be positive and rtol below 1, got rtol = {} and atol = {}.", options.rtol,
          options.atol);
  require(options.rtol == 0.0 || options.rtol >= 1e-14, "simulate: rtol = {} is below round-off.", options.rtol);
  require(options.interval >= 0.0 && (options.interval == 0.0 || controlled),
          "simulate: interval = {} goes with tolerances only; with fixed steps use every.", options.interval);
  require(std::isfinite(options.end) && std::isfinite(start), "simulate: start and end time must be finite, got {} and {}.",
          start, options.end);
  require(options.step == 0.0 || std::abs(options.end - start) / options.step < 1e15,
          "simulate: from {} to {} in steps of {} is more steps than time can count.", start, options.end, options.step);
  require(start == options.end || options.step == 0.0 || start + options.step != start,
          "simulate: a step of {} is lost in the round-off of t = {}.", options.step, start);
  require(options.interval == 0.0 || (std::abs(options.end - start) / options.interval < 1e15 &&
                                      std::max(std::abs(start), std::abs(options.end)) + options.interval !=
                                          std::max(std::abs(start), std::abs(options.end))),
          "simulate: an interval of {} is lost in the round-off of time between {} and {}.", options.interval, start,
          options.end);
  require(options.halvings >= 0 && options.halvings <= 40, "simulate: halvings must lie between 0 and 40, got {}.",
          options.halvings);
  for (const Observer& observer : options.observers) require(bool(observer), "simulate: an observer is empty.");
  require(options.every >= 0, "simulate: every must not be negative, got {}.", options.every);
  const Traits traits = integrator.traits();
  require(!controlled || traits.levels == 1,
          "simulate: {} needs equal steps and takes no tolerances; give a step, or use a scheme of one level.", traits.name);
}

namespace {

/// `later`: the start is where another system stood, whose scheme may not hold velocities. It goes on as it is.
Trajectory simulate_one(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                        const SimulateOptions& options, bool later = false) {
  check_options(integrator, start.t, options);
  if (!later) check_start(system, start, options);
  const Traits traits = integrator.traits();
  const bool controlled = options.rtol > 0.0 || options.atol > 0.0;
  require(!options.resume || int(options.earlier.size()) >= traits.levels - 1,
          "simulate: {} needs {} states of the past and cannot be resumed from {}.", traits.name, traits.levels,
          options.earlier.size() + 1);
  Trajectory path(system.size(), system.constraint_count());
  path.integrator = traits.name;
  path.solver = name_of(method);

  State first = start;
  if (!options.resume) {  // a new start is (t, q, v); momenta or more belong to an earlier run
    first.carried.resize(0);
    if (!later) first.p.resize(0);
  }
  if (first.p.size() == 0) first.p = system.momentum(instant(first));
  if (first.lambda.size() != system.constraint_count()) first.lambda = Vector::Zero(system.constraint_count());
  if (options.from != nullptr) first = options.from->last;
  Run run(system, first,
          options.from != nullptr ? options.from->earlier : (options.resume ? options.earlier : std::vector<State>{}),
          integrator, method);

  constexpr long most_reserved = 10'000'000;  // beyond, memory is taken as it is needed
  const long expected =
      options.step > 0.0 && options.every > 0 ? count_steps(options.end - start.t, options) / options.every : 0;
  path.reserve(controlled || !options.keep ? 2 : std::size_t(std::min(expected, most_reserved) + 2));
  path.finished = true;
  Recorder recorder(system, options, start.t, run, path);
  if (options.from != nullptr || recorder.note(0, true)) {
    if (controlled) {
      run_controlled_steps(system, start.t, options, traits, run, recorder, path.counts);
    } else {
      run_equal_steps(start.t, options, run, recorder, path.counts);
    }
  }
  path.last = run.newest();
  path.earlier = run.earlier();
  for (const int row : run.dependent()) path.dependent.push_back(system.constraint_name(row));
  return path;
}

void add_counts(RunCounts& sum, const RunCounts& more) {
  sum.steps += more.steps;
  sum.retried += more.retried;
  sum.rejected += more.rejected;
  sum.newton_iterations += more.newton_iterations;
  sum.newton_most = std::max(sum.newton_most, more.newton_most);
  sum.multiplier_updates += more.multiplier_updates;
  sum.updates_most = std::max(sum.updates_most, more.updates_most);
  sum.factorizations += more.factorizations;
  sum.evaluations += more.evaluations;
  sum.smallest_step = std::min(sum.smallest_step, more.smallest_step);
  sum.largest_step = std::max(sum.largest_step, more.largest_step);
  sum.projection_energy += more.projection_energy;
}

}  // namespace

Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options) {
  if (options.changes.empty()) return simulate_one(system, start, integrator, method, options);
  require(options.from == nullptr && !options.resume,
          "simulate: a run in which the system changes cannot go on from a checkpoint.");
  const double direction = options.end >= start.t ? 1.0 : -1.0, length = options.end - start.t;
  std::optional<Trajectory> path;
  for (std::size_t k = 0; k <= options.changes.size(); ++k) {
    const System& now = k == 0 ? system : *options.changes[k - 1].system;
    require(now.size() == system.size() && now.constraint_count() == system.constraint_count(),
            "simulate: the system after the change {} has other coordinates or constraints.", k);
    const State& from = path ? path->last : start;
    const double until = k < options.changes.size() ? options.changes[k].t : options.end;
    require(direction * (until - from.t) >= 0.0, "simulate: the change at t = {} is not in the order of time.", until);
    if (path && until == from.t) continue;
    SimulateOptions part = options;
    part.changes.clear();
    part.end = until;
    // Observers see one run: what starts a later part was the end of the one before.
    const long steps = path ? path->counts.steps : 0;
    const bool later = path.has_value();
    for (Observer& observer : part.observers)
      observer = [inner = observer, steps, later, length, &start](const Progress& p) {
        if (later && p.step == 0) return;
        const double done = length != 0.0 ? (p.state.t - start.t) / length : 1.0;
        inner({p.system, p.state, p.report, p.step + steps, done, p.recorded, p.stop, p.checkpoint});
      };
    Trajectory one = simulate_one(now, from, integrator, method, part, later);
    if (!path) {
      path = std::move(one);
    } else {
      for (int r = 1; r < one.size(); ++r) path->record({one.t(r), one.q(r), one.v(r), {}, one.lambda(r)});
      add_counts(path->counts, one.counts);
      for (const std::string& name : one.dependent)
        if (std::find(path->dependent.begin(), path->dependent.end(), name) == path->dependent.end())
          path->dependent.push_back(name);
      path->finished = one.finished;
      path->message = one.message;
      path->last = one.last;
      path->earlier = one.earlier;
    }
    if (!path->finished) break;
  }
  return *path;
}

}  // namespace taut
