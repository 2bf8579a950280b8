#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/controller.hpp>
#include <taut/simulate/reversible_control.hpp>
#include <taut/simulate/timeline.hpp>

namespace taut {
namespace {

/// ε of the reversible control: the smallest that control by error estimates chooses in the first steps.
double pilot(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
             const SimulateOptions& options, double size) {
  constexpr long steps = 200;                                             // some periods of the fastest part of most motions
  const double share = integrator.traits().error_order == 0 ? 0.5 : 1.0;  // doubling takes two steps at once
  Pace pace(system, method, size);
  double epsilon = std::numeric_limits<double>::infinity(), last = start.t, before = pace.at(start), longest = 0.0,
         guess = 1.0;
  bool settled = false;  // the first steps are guesses, and grow
  const auto watch = [&](const Progress& p) {
    if (p.step == 0) return;
    const double h = std::abs(p.state.t - last);
    last = p.state.t;
    settled = settled || h < 1.5 * longest;
    longest = std::max(longest, h);
    const double one = share * h * before;
    if (!settled) guess = one;
    if (settled && p.state.t != options.end) epsilon = std::min(epsilon, one);
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
  return std::isfinite(epsilon) ? epsilon : guess;
}

}  // namespace

Trajectory Timeline::follow(const State& first, const std::vector<State>& earlier) {
  begin(first, earlier);
  while (going_ && run_->newest().t != options_.end) advance();
  conclude();
  return std::move(path_);
}

void Timeline::begin(const State& whole_first, const std::vector<State>& earlier) {
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
                   .order = traits.order,
                   .invariant = traits.invariant};
  reserve();
  watch_energy(first);
  rank_.emplace(*system_, first);
  check_energy();
  if (first.t != options_.end) make_control(first, from != nullptr);
  watch_.arm(first);
  for (std::size_t k = 0; k < options_.events.size(); ++k)
    timed_done_[k] = options_.events[k].timed() && sign_ * (options_.events[k].at - first.t) < 0.0;
  if (from != nullptr) {
    load(*from);
    return;
  }
  if (rank_->begins_singular()) path_.singular.push_back(first.t);
  if (rank_->begins_locked())
    end(Verdict::failed,
        "constraints have lost rank here, and hold everything where it is: nothing can move, and their forces have no "
        "bound. "
        "Begin elsewhere, or let one of them give way (a spring, or a penalty)");
  if (!options_.marks.empty() && options_.marks.front() == first.t) {
    on_mark_ = true;
    ++mark_;
  }
  tell(first, kept(true), {});
  for (std::size_t k = 0; k < options_.events.size() && going_; ++k)
    if (options_.events[k].timed() && options_.events[k].at == first.t) happen(k);
}

void Timeline::make_control(const State& first, bool resumed) {
  if (!controlled()) {
    control_ = std::make_unique<EqualSteps>(first.t, options_);
  } else if (options_.reversible) {
    const double size = resumed ? 1.0 : motion_size(*system_, first, std::abs(options_.end - start_));
    const double epsilon = resumed ? 1.0 : pilot(*system_, first, *integrator_, method_, options_, size);
    control_ = std::make_unique<ReversibleControl>(*system_, method_, options_, first, sign_ * epsilon, size);
  } else {
    control_ = std::make_unique<ErrorControl>(*run_, options_, start_, path_.counts.largest_step);
  }
}

void Timeline::reserve() {
  constexpr long most_reserved = 10'000'000;  // beyond, memory is taken as it is needed
  const long expected = options_.step > 0.0 && options_.every > 0
                            ? EqualSteps::count(options_.end - start_, options_.step) / options_.every
                            : 0;
  path_.reserve(controlled() || !options_.keep ? 2 : std::size_t(std::min(expected, most_reserved) + 2));
}

double Timeline::target() const {
  double next = sign_ * (options_.end - pause_) > 0.0 ? pause_ : options_.end;
  for (std::size_t k = 0; k < options_.events.size(); ++k) {
    const Event& event = options_.events[k];
    if (event.timed() && !timed_done_[k] && sign_ * (next - event.at) > 0.0) next = event.at;
  }
  return next;
}

void Timeline::advance() {
  const double next = target();
  const auto jumps = path_.counts.jumps;
  const Taken taken = control_->take(*run_, next, path_.counts);
  if (taken == Taken::retry) {
    if (options_.interrupted && options_.interrupted()) end(Verdict::stopped, "interrupted");
    return;
  }
  if (taken == Taken::failed && can_hand_over()) return go_on_with_other();
  if (taken == Taken::failed) return end(Verdict::failed, control_->trouble());
  const auto lost = rank_->look(run_->within()->before(), run_->within()->after());
  if (lost && can_hand_over()) {
    run_->withdraw(path_.counts);
    path_.counts.jumps = jumps;  // what looked like one was the singular position
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
  const bool due = options_.marks.empty() && options_.interval == 0.0 && options_.every > 0 && step_ % options_.every == 0;
  // A run that goes on beyond its end later, or in a longer run, must not see the step that was cut to land there.
  const bool renewed = whole && options_.renew > 0 && step_ % options_.renew == 0 && !(there && controlled());
  const double now = run_->newest().t;
  if (acting.empty() && now != next) return note(kept(whole && due), renewed);
  // What an event finds is recorded, and then what it leaves.
  const bool event = !acting.empty() || next != options_.end;
  note(kept(event || there || (whole && due)), renewed && !event);
  for (const std::size_t k : acting)
    if (going_) happen(k);
  for (std::size_t k = 0; k < options_.events.size() && going_; ++k)
    if (options_.events[k].timed() && !timed_done_[k] && options_.events[k].at == now) happen(k);
  if (!going_) return;
  constexpr double moment = 1e-6;  // of the run
  if (!acting.empty()) watch_.passed(acting, run_->newest(), moment * (options_.end - start_));
  if (renewed && event) renew(false);  // recorded already
}

void Timeline::hand_over() {
  path_.integrator = integrator_->traits().name + ", then ";
  integrator_ = &*options_.beyond_singular;
}

void Timeline::go_on_with_other() {
  State now = run_->newest();
  now.carried.resize(0);
  keep_dependent();
  hand_over();
  run_.emplace(*system_, now, std::vector<State>{}, *integrator_, method_);
  path_.integrator += run_->traits().name + message(" from t = {} on", now.t);
  rank_->begin(now);
  make_control(now, false);
  check_energy();
}

void Timeline::enter(const Mode& mode) {
  modes_.enter(mode);
  system_ = &modes_.moving();
}

bool Timeline::diverged() {
  const bool there = run_->newest().t == options_.end;
  // Observers see every step, and so should this; where nobody looks a look now and then is enough.
  if (options_.observers.empty() && !there && step_ % 16 != 0 && !energy_->works()) return false;
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
                                         energy_->held(), now.kinetic, energy_->balance(now) - energy_->start())
                               : std::string("energy is not finite");
  if (going_) end(Verdict::diverged, what + ": the step is too large for this scheme, or the scheme not for this system");
  return true;
}

void Timeline::watch_energy(const State& first) {
  const std::optional<EnergyWatch> before = energy_;
  energy_.emplace(*system_, first, options_.end - first.t);
  if (before) energy_->inherit(*before);
  // What works from one break to the next and never else is looked for there.
  const std::vector<double> breaks = breaks_ahead(options_, first.t);
  for (std::size_t k = 1; k < breaks.size() && energy_->conservative(); ++k)
    energy_->finds_work({breaks[k - 1], first.q.data(), first.v.data()}, breaks[k]);
}

void Timeline::check_energy() {
  if (const auto* newton = std::get_if<Multipliers>(&method_); newton != nullptr && newton->newton.tolerance <= 1e-12)
    run_->check_energy(&*energy_);
}

void Timeline::end(Verdict verdict, const std::string& why) {
  going_ = false;
  path_.verdict = verdict;
  path_.message = message("stopped at t = {} of {}: {}", run_->newest().t, options_.end, why);
}

void Timeline::keep_dependent() {
  for (const int row : run_->dependent()) dependent_.insert(modes_.whole_row(row));
}

void Timeline::conclude() {
  if (diverged_ && path_.finished()) path_.verdict = Verdict::diverged;
  keep_dependent();
  for (const int row : dependent_) path_.dependent.push_back(modes_.whole().constraint_name(row));
  path_.last = modes_.whole(run_->newest());
  for (const State& state : run_->earlier()) path_.earlier.push_back(modes_.whole(state));
  if (!path_.finished() && (path_.size() == 0 || path_.t(path_.size() - 1) != path_.last.t)) path_.record(path_.last);
}

}  // namespace taut
