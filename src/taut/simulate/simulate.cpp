#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <taut/base/require.hpp>
#include <taut/simulate/controller.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/inertia.hpp>
#include <taut/simulate/modes.hpp>
#include <taut/simulate/rank_watch.hpp>
#include <taut/simulate/run.hpp>
#include <taut/simulate/simulate.hpp>
#include <taut/simulate/watch.hpp>

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
  require_inertia(acting(system).system, start);
  const std::vector<Violation> found = violations(system, start, consistent);
  require(found.empty(),
          "simulate: the start violates {}; give a consistent one, or use consistent_start(system, start) to project it.",
          describe(found));
}

/// ε of the reversible control: the smallest that control by error estimates chooses in the first steps.
double pilot(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
             const SimulateOptions& options, double size) {
  constexpr long steps = 200;                                             // some periods of the fastest part of most motions
  const double share = integrator.traits().error_order == 0 ? 0.5 : 1.0;  // doubling takes two steps at once
  Pace pace(system, method, size);
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
            .tolerances = options.tolerances,
            .every = 0,
            .resume = true,
            .observers = {watch}});
  return std::isfinite(epsilon) ? epsilon : 1.0;
}

/// One run along its time line: steps towards the next time that must be met, looks into each for what happens in it, lands on what acts, and
/// goes on behind it.
class Timeline {
 public:
  Timeline(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
           const SimulateOptions& options)
      : integrator_(&integrator),
        method_(method),
        options_(options),
        start_(start.t),
        sign_(options.end < start.t ? -1.0 : 1.0),
        modes_(system, options),
        path_(system.size(), system.constraint_count()),
        watch_(options.events, [this](const State& state) -> const State& { return modes_.whole(state); }),
        timed_done_(options.events.size(), false) {}

  Trajectory follow(const State& first, const std::vector<State>& earlier) {
    begin(first, earlier);
    while (going_ && run_->newest().t != options_.end) advance();
    conclude();
    return std::move(path_);
  }

 private:
  void begin(const State& whole_first, const std::vector<State>& earlier) {
    path_.verdict = Verdict::reached;
    const Checkpoint* from = options_.from;
    enter(from != nullptr ? from->mode : options_.mode);
    const State first = modes_.part(whole_first);
    std::vector<State> past;
    for (const State& state : earlier) past.push_back(modes_.part(state));
    if (from != nullptr && from->handed_over != 0) hand_over();
    run_.emplace(*system_, first, past, *integrator_, method_);
    path_.integrator += run_->traits().name;
    path_.solver = name_of(method_);
    const Traits& traits = run_->traits();
    path_.promise = {.energy = traits.conserves_energy,
                     .momentum = traits.conserves_momentum,
                     .dissipates = traits.dissipates,
                     .rtol = controlled() ? std::max(options_.rtol, options_.atol) : 0.0,
                     .invariant = traits.invariant};
    reserve();
    energy_.emplace(*system_, first, options_.end - first.t);
    rank_.emplace(*system_, first);
    check_energy();
    if (first.t != options_.end) make_control(first);
    watch_.arm(first);
    for (std::size_t k = 0; k < options_.events.size(); ++k)
      timed_done_[k] = options_.events[k].timed() && sign_ * (options_.events[k].at - first.t) < 0.0;
    if (from != nullptr) {
      load(*from);
      return;
    }
    tell(first, true, {});
    for (std::size_t k = 0; k < options_.events.size() && going_; ++k)
      if (options_.events[k].timed() && options_.events[k].at == first.t) happen(k);
  }

  void make_control(const State& first) {
    if (!controlled()) {
      control_ = std::make_unique<EqualSteps>(first.t, options_);
    } else if (options_.reversible) {
      const bool resumed = options_.from != nullptr;  // then ε and size come from the checkpoint
      const double size = resumed ? 1.0 : motion_size(*system_, first, std::abs(options_.end - start_));
      const double epsilon = resumed ? 1.0 : pilot(*system_, first, *integrator_, method_, options_, size);
      control_ = std::make_unique<ReversibleControl>(*system_, method_, options_, first, sign_ * epsilon, size);
    } else {
      control_ = std::make_unique<ErrorControl>(*run_, options_, start_);
    }
  }

  void reserve() {
    constexpr long most_reserved = 10'000'000;  // beyond, memory is taken as it is needed
    const long expected = options_.step > 0.0 && options_.every > 0
                              ? EqualSteps::count(options_.end - start_, options_.step) / options_.every
                              : 0;
    path_.reserve(controlled() || !options_.keep ? 2 : std::size_t(std::min(expected, most_reserved) + 2));
  }

  bool controlled() const { return options_.rtol > 0.0 || options_.atol > 0.0; }

  /// The next time that a step must end at.
  double target() const {
    double next = options_.end;
    for (std::size_t k = 0; k < options_.events.size(); ++k) {
      const Event& event = options_.events[k];
      if (event.timed() && !timed_done_[k] && sign_ * (next - event.at) > 0.0) next = event.at;
    }
    return next;
  }

  /// One trial of a step, and what follows from it.
  void advance() {
    const double next = target();
    const Taken taken = control_->take(*run_, next, path_.counts);
    if (taken == Taken::retry) return;
    if (taken == Taken::failed && can_hand_over()) return go_on_with_other();
    if (taken == Taken::failed) return end(Verdict::failed, control_->trouble());
    const auto lost = rank_->look(run_->within()->before(), run_->within()->after());
    if (lost && can_hand_over()) {
      run_->withdraw(path_.counts);
      return go_on_with_other();
    }
    const std::vector<std::size_t> acting = watch_.empty() ? std::vector<std::size_t>{} : look(next);
    if (!going_) return;
    constexpr std::size_t most = 1000;
    const bool reached = lost && sign_ * (run_->newest().t - *lost) >= 0.0;  // not where an event came before
    if (reached && path_.singular.size() < most) path_.singular.push_back(*lost);
    if (!acting.empty()) rank_->begin(run_->newest());
    const bool whole = taken == Taken::step || !acting.empty();
    if (whole) ++step_;
    if (diverged()) return;
    note_marks();
    if (!going_) return;
    const bool there = run_->newest().t == options_.end;
    const bool due = options_.interval == 0.0 && options_.every > 0 && step_ % options_.every == 0;
    // A run that goes on beyond its end later, or in a longer run, must not see the step that was cut to land there.
    const bool renewed = whole && options_.renew > 0 && step_ % options_.renew == 0 && !(there && controlled());
    const double now = run_->newest().t;
    if (acting.empty() && now != next) return note(whole && due, renewed);
    // What an event finds is recorded, and then what it leaves.
    const bool event = !acting.empty() || next != options_.end;
    note(event || there || (whole && due), renewed && !event);
    for (const std::size_t k : acting)
      if (going_) happen(k);
    for (std::size_t k = 0; k < options_.events.size() && going_; ++k)
      if (options_.events[k].timed() && !timed_done_[k] && options_.events[k].at == now) happen(k);
    if (!going_) return;
    constexpr double moment = 1e-6;  // of the run
    if (!acting.empty()) watch_.passed(acting, run_->newest(), moment * (options_.end - start_));
    if (renewed && event) renew(false);  // recorded already
  }

  // Where constraints lose rank explicit schemes may take the other branch, or stop; another scheme takes the step again, and the rest of the run.

  bool can_hand_over() const { return options_.beyond_singular && integrator_ != &*options_.beyond_singular; }
  void hand_over() {
    path_.integrator = integrator_->traits().name + ", then ";
    integrator_ = &*options_.beyond_singular;
  }
  void go_on_with_other() {
    State now = run_->newest();
    now.carried.resize(0);
    keep_dependent();
    hand_over();
    run_.emplace(*system_, now, std::vector<State>{}, *integrator_, method_);
    path_.integrator += run_->traits().name + message(" from t = {} on", now.t);
    rank_->begin(now);
    make_control(now);
    check_energy();
  }

  /// Looks into the last step towards a target. Recorded crossings are told; at the first that acts the step is taken again to end there, and all that act at
  /// that state are returned.
  std::vector<std::size_t> look(double target) {
    const std::vector<Watch::Crossing> found =
        watch_.look(*run_->within(), run_->newest().t == target && target != options_.end);
    std::vector<std::size_t> acting;
    for (const Watch::Crossing& one : found) {
      const bool acts = options_.events[one.event].acts();
      if (!acting.empty()) {
        // What crosses at the same time, up to round-off, or was passed by the step that lands.
        if (!watch_.crossed(one.event, run_->newest())) continue;
        if (acts) {
          acting.push_back(one.event);
        } else {
          tell_crossing(one.event, run_->newest());
        }
      } else if (!acts) {
        run_->within()->at(one.t, between_);
        run_->within()->project(between_);
        tell_crossing(one.event, between_);
      } else if (land(one)) {
        acting.push_back(one.event);
      } else {
        end(Verdict::failed, message("the step to the event '{}' at t = {} failed: {}", options_.events[one.event].name,
                                     one.t, run_->report().trouble));
      }
      if (!going_) return {};
    }
    return acting;
  }

  void tell_crossing(std::size_t event, const State& state) {
    const State& whole = modes_.whole(state);
    const Happened happened{.event = event, .t = state.t, .before = whole, .after = whole};
    tell(state, false, {.between = true, .happened = &happened});
  }

  /// Takes the last step again so that it ends where the event's function is zero: at its zero on the dense motion, corrected by what the scheme itself
  /// finds there.
  bool land(const Watch::Crossing& crossing) {
    const bool reactions = options_.events[crossing.event].reactions;
    const auto value_at = [&](const State& state) {
      between_ = state;
      if (reactions) find_reactions(between_);
      return watch_.value(crossing.event, between_);
    };
    DenseStep& step = *run_->within();
    const double high = step.after().t, d = 1e-4 * (high - step.before().t);
    const auto dense = [&](double t) {
      step.at(t, dense_);
      return value_at(dense_);
    };
    const double above = dense(crossing.t + d), below = dense(crossing.t - d);
    double slope = (above - below) / (2.0 * d);
    const bool smooth = std::abs(dense(crossing.t)) <= 0.01 * std::max(std::abs(above), std::abs(below));
    watch_.forget_look();
    run_->withdraw(path_.counts);
    const double from = run_->newest().t;
    if (crossing.t == from) return true;  // it happens where the step began
    double t = crossing.t;
    if (!control_->attempt(*run_, t, t - from, path_.counts)) return false;
    double value = value_at(run_->candidate());
    constexpr int most = 12;  // secants; two or three are enough where the scheme follows the motion
    for (int round = 0; round < most && smooth && slope != 0.0; ++round) {
      // Not beyond the step, nor back to where it began.
      double better = t - value / slope;
      if (sign_ * (better - high) > 0.0) better = 0.5 * (t + high);
      if (sign_ * (from - better) >= 0.0) better = 0.5 * (t + from);
      if (std::abs(better - t) <= 2.0 * std::numeric_limits<double>::epsilon() * std::abs(t) || better == from) break;
      if (!control_->attempt(*run_, better, better - from, path_.counts)) return false;
      const double now = value_at(run_->candidate());
      if (!(std::abs(now) < std::abs(value))) {
        if (!control_->attempt(*run_, t, t - from, path_.counts)) return false;
        break;
      }
      slope = (now - value) / (better - t);
      t = better;
      value = now;
    }
    run_->accept(path_.counts);
    return true;
  }

  /// What an event does at the newest state.
  void happen(std::size_t k) {
    const Event& event = options_.events[k];
    timed_done_[k] = event.timed();
    const State before = run_->newest();
    State changed = before;
    Mode mode = modes_.mode();
    std::string stop;
    if (event.then) {
      if (system_->constraint_count() > 0) find_reactions(changed);
      changed = modes_.whole(State(changed));
      Moment moment{modes_.whole(), changed, mode, stop};
      try {
        event.then(moment);
        modes_.moving_in(mode);
      } catch (const InputError& error) {  // a value that makes no sense, found on the way: what there is stays
        return end(Verdict::failed, message("the event '{}': {}", event.name, error.what()));
      }
      if (!changed.q.allFinite() || !changed.v.allFinite())
        return end(Verdict::failed, message("the event '{}' sets values that are not finite", event.name));
    }
    Happened happened{.event = k, .t = before.t, .before = modes_.whole(before), .after = {}, .acted = true};
    State after = before;
    const bool moved = changed.q != before.q || changed.v != before.v;
    if (mode != modes_.mode() || moved) {
      if (!change(changed, mode, moved, happened)) return;
      after = changed;
    } else if (stop.empty()) {
      // Forces may jump at a time; and what several levels remember ends with a step of another length.
      run_->begin_anew();
      if (event.timed()) run_->pass_break(options_.end);
    }
    happened.after = modes_.whole(after);
    if (stop.empty()) {
      if (control_) control_->restart(*run_);
      if (event.timed()) watch_.arm(run_->newest());
    }
    const bool different = after.q != before.q || after.v != before.v;
    tell(after, different || !event.timed(), {.happened = &happened});
    if (!going_) return;
    if (!stop.empty()) {
      end(Verdict::stopped, stop);
    } else if (!event.timed()) {
      watch_for_zeno(k);
    }
  }

  /// Goes on with another state, or another system, made consistent; false where that cannot be.
  bool change(State& state, const Mode& mode, bool moved, Happened& happened) {
    const System* next = &modes_.moving_in(mode);
    // What lets go leaves the motion as it is; what takes hold, or sets values, must meet the constraints.
    const auto count = [&](const System& system) { return violations(system, state, consistent).size(); };
    state.lambda.setZero(next->constraint_count());
    state.carried.resize(0);
    if (moved || count(*next) > (next == system_ ? 0 : count(*system_))) {
      const ConsistentStart found = consistent_start(*next, state);
      const double size = ConfigurationSize{}.of(*next, state);
      if (found.status != Status::ok || !(found.moved_q <= 0.01 * size)) {
        end(Verdict::failed,
            message("the event '{}' leaves a state that the constraints do not allow: {}",
                    options_.events[happened.event].name,
                    found.status != Status::ok ? found.trouble : describe(violations(*next, state, consistent))));
        return false;
      }
      state = found.state;
    }
    keep_dependent();
    enter(mode);
    happened.impulse =
        state.p.size() == happened.before.p.size() ? (state.p - happened.before.p).lpNorm<Eigen::Infinity>() : 0.0;
    State first = state;
    if (options_.events[happened.event].timed()) first.t = std::nextafter(state.t, options_.end);
    run_.emplace(*system_, first, std::vector<State>{}, *integrator_, method_);
    const EnergyWatch before = *energy_;
    energy_.emplace(*system_, first, options_.end - first.t);
    energy_->inherit(before);
    rank_.emplace(*system_, first);
    check_energy();
    invariant_ = std::numeric_limits<double>::quiet_NaN();  // it begins anew
    return true;
  }

  /// Events that come closer and closer together would never let time pass.
  void watch_for_zeno(std::size_t k) {
    constexpr int most = 20, most_shallow = 2;
    constexpr double shortest = 1e-10;  // of the run, for so many events
    const double now = run_->newest().t;
    if (std::abs(now - quick_since_) > shortest * std::abs(options_.end - start_)) {
      quick_since_ = now;
      quick_ = 0;
    }
    shallow_ = watch_.shallow(k) ? shallow_ + 1 : 0;  // soon round-off would hide them
    if (++quick_ < most && shallow_ < most_shallow) return;
    end(Verdict::failed,
        message(
            "the event '{}' happened again and again, {}: such events come closer and closer together (Zeno), as bounces "
            "of a ball do; let it stop, or hold what rests, once they are short",
            options_.events[k].name,
            quick_ >= most ? message("{} times within {}", most, std::abs(now - quick_since_))
                           : std::string("its function next to zero in between")));
  }

  void enter(const Mode& mode) {
    modes_.enter(mode);
    system_ = &modes_.moving();
  }

  bool diverged() {
    const bool there = run_->newest().t == options_.end;
    // Observers see every step, and so should this; where nobody looks a look now and then is enough.
    if (options_.observers.empty() && !there && step_ % 16 != 0) return false;
    invariant_ = run_->invariant();
    const Energy now = energy_->measure(instant(run_->newest()));
    if (!energy_->diverged(run_->newest(), now, invariant_)) return false;
    if (options_.through_divergence && run_->newest().q.allFinite()) {
      diverged_ = true;
      return false;
    }
    note(true, false);
    const std::string what = std::isfinite(now.total())
                                 ? message("the motion holds a kinetic energy of {}, and has {} (energy is off by {})",
                                           energy_->held(), now.kinetic, now.total() - energy_->start())
                                 : std::string("energy is not finite");
    if (going_) end(Verdict::diverged, what + ": the step is too large for this scheme, or the scheme not for this system");
    return true;
  }

  /// Other methods than Newton on multipliers meet constraints to tolerances of their own, which their energy shows.
  void check_energy() {
    if (const auto* newton = std::get_if<Multipliers>(&method_); newton != nullptr && newton->newton.tolerance <= 1e-12)
      run_->check_energy(&*energy_);
  }

  // Telling.

  /// States at multiples of the interval within the last step, which lie on the constraints.
  void note_marks() {
    if (options_.interval == 0.0 || run_->within() == nullptr) return;
    for (; going_; ++mark_) {
      const double time = mark(mark_);
      const bool last = sign_ * (options_.end - time) <= 1e-12 * options_.interval;  // the end is a step of its own
      if (last || sign_ * (time - run_->newest().t) > 0.0) return;
      run_->within()->at(time, between_);
      run_->within()->project(between_);
      tell(between_, true, {.between = true});
    }
  }

  double mark(long number) const { return start_ + sign_ * double(number) * options_.interval; }

  void note(bool keep, bool renewed) {
    if (renewed) {
      renew(keep);
    } else {
      tell(run_->newest(), keep, {});
    }
  }

  /// Tells the newest state with a checkpoint, and forgets everything that is not in it.
  void renew(bool keep) {
    const Checkpoint point = checkpoint();
    tell(run_->newest(), keep, {.checkpoint = &point});
    if (!going_ || run_->newest().t == options_.end) return;
    run_->renew();
    control_->load(point.control);
  }

  Checkpoint checkpoint() {
    Checkpoint point{
        .step = step_, .last = modes_.whole(run_->newest()), .earlier = {}, .mode = modes_.mode(), .counts = path_.counts};
    point.handed_over = options_.beyond_singular && !can_hand_over() ? 1 : 0;
    point.singular = path_.singular;
    for (const State& state : run_->earlier()) point.earlier.push_back(modes_.whole(state));
    if (control_) point.control = control_->save();
    point.watch = watch_.save();
    const std::vector<double> energy = energy_->save();
    point.watch.insert(point.watch.end(), energy.begin(), energy.end());
    point.watch.insert(point.watch.end(), {quick_since_, double(quick_), double(shallow_)});
    const std::vector<double> rank = rank_->save();
    point.watch.insert(point.watch.end(), rank.begin(), rank.end());
    return point;
  }

  void load(const Checkpoint& point) {
    step_ = point.step;
    path_.counts = point.counts;
    path_.singular = point.singular;
    if (control_ && !point.control.empty()) control_->load(point.control);
    const std::size_t sides = watch_.numbers();
    require(point.watch.empty() || point.watch.size() == sides + EnergyWatch::numbers + 3 + rank_->numbers(),
            "simulate: the checkpoint belongs to a run with other events.");
    if (!point.watch.empty()) {
      watch_.load(point.watch.data());
      energy_->load(point.watch.data() + sides);
      const double* rest = point.watch.data() + sides + EnergyWatch::numbers;
      quick_since_ = rest[0];
      quick_ = int(rest[1]);
      shallow_ = int(rest[2]);
      rank_->load(rest + 3);
    }
    if (options_.interval == 0.0) return;
    // Marks up to here are behind.
    const double done = std::abs(run_->newest().t - start_);
    mark_ = std::max(1L, long(done / options_.interval) - 1);
    while (sign_ * (mark(mark_) - run_->newest().t) <= 0.0) ++mark_;
  }

  struct More {
    bool between = false;
    const Happened* happened = nullptr;
    const Checkpoint* checkpoint = nullptr;
  };

  void tell(const State& state, bool keep, const More& more) {
    const State& shown = modes_.whole(keep && !more.between ? with_reactions(state) : state);
    const bool there = state.t == options_.end;
    if (keep && (options_.keep || step_ == 0 || there)) path_.record(shown);
    const double length = options_.end - start_, done = length != 0.0 ? (state.t - start_) / length : 1.0;
    std::string stop;
    for (const Observer& observer : options_.observers)
      observer({modes_.whole(), shown, run_->report(), step_, done, keep, &stop, more.checkpoint, run_->within(),
                more.between, more.happened, &modes_.mode(),
                more.between ? std::numeric_limits<double>::quiet_NaN() : invariant_});
    if (!stop.empty()) end(Verdict::stopped, stop);
  }

  /// A state with the λ that belongs to it. A scheme has none where it begins; and what does not hold velocities carries what is off in them into λ, where
  /// steps are not equal.
  const State& with_reactions(const State& state) {
    const bool off = controlled() && !run_->traits().holds_velocities;
    if (system_->constraint_count() == 0 || (run_->within() != nullptr && !off)) return state;
    shown_ = state;
    return find_reactions(shown_) ? shown_ : state;
  }

  bool find_reactions(State& state) {
    const std::vector<Set> sets = system_->sets();
    if (std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero; })) return false;
    if (!equations_ || equations_system_ != system_)
      equations_.emplace(*system_, Multipliers{}), equations_system_ = system_;
    q_ = state.q;
    v_ = state.v;
    a_.setZero(system_->size());
    lambda_.setZero(system_->constraint_count());
    const double size = ConfigurationSize{}.of(*system_, state);
    if (equations_->accelerate(instant(state), a_, lambda_).status != Status::ok) return false;
    if (equations_->settle(state.t, size, q_, v_, a_, lambda_).status != Status::ok || !lambda_.allFinite()) return false;
    state.lambda = lambda_;
    return true;
  }

  void end(Verdict verdict, const std::string& why) {
    going_ = false;
    path_.verdict = verdict;
    path_.message = message("stopped at t = {} of {}: {}", run_->newest().t, options_.end, why);
  }

  void keep_dependent() {
    for (const int row : run_->dependent()) dependent_.insert(modes_.whole_row(row));
  }

  void conclude() {
    if (diverged_ && path_.finished()) path_.verdict = Verdict::diverged;
    keep_dependent();
    for (const int row : dependent_) path_.dependent.push_back(modes_.whole().constraint_name(row));
    path_.last = modes_.whole(run_->newest());
    for (const State& state : run_->earlier()) path_.earlier.push_back(modes_.whole(state));
    if (!path_.finished() && (path_.size() == 0 || path_.t(path_.size() - 1) != path_.last.t)) path_.record(path_.last);
  }

  const Integrator* integrator_;  // that of the run, or the one that passes singular positions
  const SolverMethod& method_;
  const SimulateOptions& options_;
  double start_, sign_;
  Modes modes_;
  const System* system_ = nullptr;  // what moves
  Trajectory path_;
  std::optional<Run> run_;
  std::unique_ptr<StepControl> control_;
  std::optional<EnergyWatch> energy_;
  std::optional<RankWatch> rank_;
  Watch watch_;
  std::vector<char> timed_done_;
  bool going_ = true, diverged_ = false;
  long step_ = 0, mark_ = 1;
  double invariant_ = std::numeric_limits<double>::quiet_NaN();
  double quick_since_ = 0.0;  // events since then came in quick succession
  int quick_ = 0;
  int shallow_ = 0;          // events in a row whose function hardly left zero before
  std::set<int> dependent_;  // rows, of all
  State between_, dense_, shown_;
  std::optional<IndexOne> equations_;
  const System* equations_system_ = nullptr;
  Vector q_, v_, a_, lambda_;
};

}  // namespace

Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options) {
  check_options(integrator, start.t, options);
  check_start(system, start, options);
  const Traits traits = integrator.traits();
  require(!options.resume || int(options.earlier.size()) >= traits.levels - 1,
          "simulate: {} needs {} states of the past and cannot be resumed from {}.", traits.name, traits.levels,
          options.earlier.size() + 1);
  State first = start;
  if (!options.resume) {  // a new start is (t, q, v); momenta or more belong to an earlier run
    first.carried.resize(0);
    first.p.resize(0);
  }
  if (first.p.size() == 0) first.p = system.momentum(instant(first));
  if (first.lambda.size() != system.constraint_count()) first.lambda = Vector::Zero(system.constraint_count());
  if (options.from != nullptr) first = options.from->last;
  const std::vector<State> none;
  return Timeline(system, start, integrator, method, options)
      .follow(first, options.from != nullptr ? options.from->earlier : (options.resume ? options.earlier : none));
}

}  // namespace taut
