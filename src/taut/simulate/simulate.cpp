#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/simulate/controller.hpp>
#include <taut/simulate/run.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

/// A start off by more than this is refused, not mended silently.
constexpr double consistent = 1e-8;

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
    return tell(run_.newest(), step, keep, checkpoint);
  }

  /// States at multiples of the interval within the last step, which lie on the constraints; false as above.
  bool note_marks(long step) {
    if (options_.interval == 0.0 || run_.within() == nullptr) return true;
    const double sign = options_.end < start_ ? -1.0 : 1.0;
    for (;; ++mark_) {
      const double time = mark();
      const bool last = sign * (options_.end - time) <= 1e-12 * options_.interval;  // the end is a step of its own
      if (last || sign * (time - run_.newest().t) > 0.0) return true;
      run_.within()->at(time, between_);
      run_.within()->project(between_);
      if (!tell(between_, step, true, nullptr)) return false;
    }
  }

  /// Marks up to this time are behind.
  void skip_marks(double time) {
    mark_ = std::max(1L, long(std::abs(time - start_) / options_.interval) - 1);
    while (std::abs(mark() - start_) <= std::abs(time - start_)) ++mark_;
  }

  void fail(const std::string& extra = {}) { stall(run_.report().trouble + extra); }

  void stall(const std::string& why) {
    path_.verdict = Verdict::failed;
    path_.message = message("stopped at t = {} of {}: {}", run_.newest().t, options_.end, why);
    if (path_.size() == 0 || run_.newest().t != path_.t(path_.size() - 1)) path_.record(run_.newest());
  }

 private:
  double mark() const { return start_ + (options_.end < start_ ? -1.0 : 1.0) * double(mark_) * options_.interval; }

  bool tell(const State& state, long step, bool keep, const Checkpoint* checkpoint) {
    const bool end = state.t == options_.end;
    if (keep && (options_.keep || step == 0 || end)) path_.record(state);
    const double length = options_.end - start_, done = length != 0.0 ? (state.t - start_) / length : 1.0;
    std::string stop;
    for (const Observer& observer : options_.observers)
      observer({system_, state, run_.report(), step, done, keep, &stop, checkpoint, run_.within()});
    if (stop.empty()) return true;
    path_.verdict = Verdict::stopped;
    path_.message = message("stopped at t = {} of {}: {}", state.t, options_.end, stop);
    if (path_.size() == 0 || path_.t(path_.size() - 1) != state.t) path_.record(state);
    return false;
  }

  const System& system_;
  const SimulateOptions& options_;
  double start_;
  Run& run_;
  Trajectory& path_;
  long mark_ = 1;
  State between_;
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
    if (renewed) point = {.step = k, .last = run.newest(), .earlier = run.earlier()};
    if (!recorder.note(k, k == steps || (options.every > 0 && k % options.every == 0), renewed ? &point : nullptr)) return;
    if (renewed) run.renew();
  }
}

/// After an accepted step: the checkpoint if one is due, marks within the step, the step itself; false if an observer wants to stop.
template <class Control>
bool conclude(const SimulateOptions& options, long accepted, Control& control, Run& run, Recorder& recorder) {
  const bool there = run.newest().t == options.end;
  const bool keep = there || (options.interval == 0.0 && options.every > 0 && accepted % options.every == 0);
  if (!recorder.note_marks(accepted)) return false;
  Checkpoint point;
  const bool renewed = options.renew > 0 && accepted % options.renew == 0;
  if (renewed) {
    point = {.step = accepted, .last = run.newest(), .earlier = run.earlier()};
    control.save(point);
  }
  if (!recorder.note(accepted, keep, renewed ? &point : nullptr)) return false;
  if (renewed) {
    run.renew();
    control.load(point);
  }
  return true;
}

/// Below this a step is lost in the round-off of time.
double smallest_step(double now, double length) {
  return 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(now), std::abs(length));
}

void run_controlled_steps(const System& system, double start, const SimulateOptions& options, const Traits& traits, Run& run,
                          Recorder& recorder, RunCounts& counts) {
  const double length = options.end - start, sign = length < 0.0 ? -1.0 : 1.0;
  const bool doubled = traits.error_order == 0;
  Controller controller(system, run.newest(), options, doubled ? traits.order : traits.error_order,
                        doubled || traits.error_order >= traits.order ? traits.order : 0);
  long accepted = 0;
  if (options.from != nullptr) {
    accepted = options.from->step;
    controller.load(*options.from);
    if (options.interval > 0.0) recorder.skip_marks(run.newest().t);
  }
  std::size_t passed = 0;
  double usual = 0.0;  // the largest step so far
  int stalled = 0;
  while (run.newest().t != options.end) {
    const double now = run.newest().t, smallest = smallest_step(now, length);
    while (passed < options.breaks.size() && sign * (options.breaks[passed] - now) <= 0.0) ++passed;
    const bool breaks = passed < options.breaks.size() && sign * (options.end - options.breaks[passed]) > 0.0;
    const double target = breaks ? options.breaks[passed] : options.end, rest = std::abs(target - now);
    // No sliver is left before a time that must be met.
    double h = controller.step();
    bool lands = h >= rest * (1.0 - 1e-12) || rest <= smallest;
    if (lands) {
      h = rest;
    } else if (2.0 * h > rest) {
      h = 0.5 * rest;
    }
    const auto attempt = [&](double to, double step) {
      return doubled ? run.attempt_doubled(to, sign * step, traits, counts) : run.attempt(to, sign * step, counts);
    };
    const bool good = attempt(lands ? target : now + sign * h, h);
    bool taken = good && (rest <= smallest || controller.judge(run.newest(), run.candidate(), run.error(), h));
    if (const double usual_step = taken ? 0.0 : controller.leap(h); usual_step > 0.0) {
      const StepReport report = run.report();
      for (const double share : {1.0, 0.5, 0.25, 2.0}) {
        const double leap = std::min(share * usual_step, 0.5 * rest);
        Controller other = controller;
        taken = attempt(now + sign * leap, leap) && other.judge(run.newest(), run.candidate(), run.error(), leap);
        if (!taken) continue;
        controller = other;
        h = leap;
        lands = false;
        break;
      }
      if (!taken) run.set_report(report);  // the trouble is that of the small step
    }
    if (taken) {
      run.accept(counts);
      if (!conclude(options, ++accepted, controller, run, recorder)) return;
      if (lands && breaks) run.pass_break(options.end);
      // Steps that were cut for a jump grow again at once; those that creep for a thousand have met something they cannot pass.
      usual = std::max(usual, h);
      stalled = h < 1e-5 * usual && !lands ? stalled + 1 : 0;
      if (stalled < 1000) continue;
      recorder.stall(
          message("steps fell from {} to {} and stay there, as they do where constraints lose rank; Spark (spark2 to "
                  "spark4) passes such places",
                  usual, h));
      return;
    }
    ++counts.retried;
    if (good) {
      ++counts.rejected;
    } else {
      controller.halve();
    }
    if ((!good && run.report().solve.status == Status::contradictory) || controller.step() < smallest) {
      if (good) {
        recorder.fail(message("the tolerances ask for steps below {}", smallest));
      } else {
        recorder.fail(message(" (steps down to {} were tried)", h));
      }
      return;
    }
  }
}

/// ε of the reversible control: the smallest that control by error estimates chooses in the first steps.
double pilot(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
             const SimulateOptions& options, Pace& pace) {
  constexpr long steps = 200;                                             // some periods of the fastest part of most motions
  const double share = integrator.traits().error_order == 0 ? 0.5 : 1.0;  // doubling takes two steps at once
  double epsilon = std::numeric_limits<double>::infinity(), last = start.t, before = pace.at(start);
  const auto watch = [&](const Progress& p) {
    if (p.step == 0) return;
    const double h = std::abs(p.state.t - last);
    last = p.state.t;
    if (p.state.t != options.end || !std::isfinite(epsilon)) epsilon = std::min(epsilon, share * h * before);
    before = pace.at(p.state);
    if (p.step == steps) *p.stop = "enough";
  };
  simulate(system, start, integrator, method,
           {.step = options.step,
            .end = options.end,
            .rtol = options.rtol,
            .atol = options.atol,
            .every = 0,
            .resume = true,
            .observers = {watch}});
  return epsilon;
}

void run_reversible_steps(const State& start, const Integrator& integrator, const SolverMethod& method, const System& system,
                          const SimulateOptions& options, Run& run, Recorder& recorder, RunCounts& counts) {
  const double length = options.end - start.t, sign = length < 0.0 ? -1.0 : 1.0;
  if (length == 0.0) return;
  Pace pace(system, method, std::max(ConfigurationSize{}.of(system, start), 1e-300));
  long accepted = options.from != nullptr ? options.from->step : 0;
  const double epsilon = options.from != nullptr ? 1.0 : sign * pilot(system, start, integrator, method, options, pace);
  ReversibleControl control(pace, run.newest(), std::isfinite(epsilon) ? epsilon : sign);
  if (options.from != nullptr) {
    control.load(*options.from);
    if (options.interval > 0.0) recorder.skip_marks(run.newest().t);
  }
  while (run.newest().t != options.end) {
    const double now = run.newest().t, rest = std::abs(options.end - now);
    double h = control.step();
    if (options.step > 0.0) h = std::min(h, options.step);
    const bool lands = h >= rest * (1.0 - 1e-12);
    if (lands) h = rest;
    const long retried_before = counts.retried;
    if (!run.reach(lands ? options.end : now + sign * h, sign * h, options.halvings, counts)) {
      recorder.fail(counts.retried > retried_before
                        ? message(" (steps down to {} were tried)", h / std::pow(2.0, options.halvings))
                        : "");
      return;
    }
    if (!lands) control.advance(run.newest());
    if (!conclude(options, ++accepted, control, run, recorder)) return;
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
  require(options.breaks.empty() || (controlled && !options.reversible),
          "simulate: breaks go with control by tolerances; a fixed step ends at a jump if it divides the time until then.");
  require(!options.reversible || controlled, "simulate: reversible control needs tolerances; give rtol.");
  require(!options.reversible || traits.symmetric,
          "simulate: reversible control is for symmetric schemes, and {} is not; use Spark (spark2 to spark4) or Midpoint.",
          traits.name);
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
  path.verdict = Verdict::reached;
  Recorder recorder(system, options, start.t, run, path);
  if (options.from != nullptr || recorder.note(0, true)) {
    if (controlled && options.reversible) {
      run_reversible_steps(first, integrator, method, system, options, run, recorder, path.counts);
    } else if (controlled) {
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

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::reached:
      return "reached";
    case Verdict::stopped:
      return "stopped";
    case Verdict::failed:
      return "failed";
    case Verdict::diverged:
      return "diverged";
  }
  return "";
}

namespace {

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
        inner({p.system, p.state, p.report, p.step + steps, done, p.recorded, p.stop, p.checkpoint, p.within});
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
      path->verdict = one.verdict;
      path->message = one.message;
      path->last = one.last;
      path->earlier = one.earlier;
    }
    if (!path->finished()) break;
  }
  return *path;
}

}  // namespace taut
