#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <taut/base/require.hpp>
#include <taut/simulate/timeline.hpp>

namespace taut {

double Timeline::mark(long number) const {
  if (options_.marks.empty()) return start_ + sign_ * double(number) * options_.interval;
  const std::size_t k = std::size_t(number) - 1;
  return k < options_.marks.size() ? options_.marks[k] : sign_ * std::numeric_limits<double>::infinity();
}

void Timeline::note_marks() {
  on_mark_ = false;
  if ((options_.interval == 0.0 && options_.marks.empty()) || run_->within() == nullptr) return;
  for (; going_; ++mark_) {
    const double time = mark(mark_);
    const bool last = sign_ * (options_.end - time) <= 1e-12 * options_.interval;  // the end is a step of its own
    if ((last && options_.marks.empty()) || sign_ * (time - run_->newest().t) > 0.0) return;
    if (time == run_->newest().t && !options_.marks.empty()) {  // told as the step that it is
      on_mark_ = true;
      continue;
    }
    run_->within()->at(time, between_);
    run_->within()->project(between_);
    tell(between_, true, {.between = true});
  }
}

void Timeline::note(bool keep, bool renewed) {
  if (renewed) {
    renew(keep);
  } else {
    tell(run_->newest(), keep, {});
  }
}

void Timeline::renew(bool keep) {
  const Checkpoint point = checkpoint();
  tell(run_->newest(), keep, {.checkpoint = &point});
  if (!going_ || run_->newest().t == options_.end) return;
  run_->renew();
  rank_->wake();
  control_->load(point.control);
}

Checkpoint Timeline::checkpoint() {
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

void Timeline::load(const Checkpoint& point) {
  step_ = point.step;
  for (const Event& event : options_.events)
    if (event.timed() && past_jump(event.at, options_.end) == run_->newest().t) run_->begin_here();
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
  if (options_.interval == 0.0 && options_.marks.empty()) return;
  // Marks up to here are behind.
  const double done = std::abs(run_->newest().t - start_);
  mark_ = options_.interval > 0.0 ? std::max(1L, long(done / options_.interval) - 1) : 1L;
  while (sign_ * (mark(mark_) - run_->newest().t) <= 0.0) ++mark_;
}

namespace {

/// The system without its inequalities.
Acting equalities(const System& system) {
  std::set<std::string> names;
  for (const auto& block : system.constraints())
    for (int k = 0; k < block->terms(); ++k)
      if (block->set(k) != Set::zero) names.insert(block->name(k));
  if (names.empty()) return acting(system);
  return acting(released(system, [&](const std::string& name) { return names.contains(name); }));
}

}  // namespace

void Timeline::tell(const State& state, bool keep, const More& more) {
  if (!keep && options_.observers.empty()) return;
  const State& shown = modes_.whole(keep && !more.between ? with_reactions(state) : state);
  const bool there = state.t == options_.end;
  if (keep && (options_.keep || step_ == 0 || there)) path_.record(shown);
  const double length = options_.end - start_, done = length != 0.0 ? (state.t - start_) / length : 1.0;
  std::string stop;
  const Progress progress{modes_.whole(),
                          shown,
                          run_->report(),
                          step_,
                          done,
                          keep,
                          &stop,
                          more.checkpoint,
                          run_->within(),
                          more.between,
                          more.happened,
                          &modes_.mode(),
                          more.between ? std::numeric_limits<double>::quiet_NaN() : invariant_,
                          energy_->conservative(),
                          &energy_->work()};
  for (const Observer& observer : options_.observers) observer(progress);
  if (!stop.empty()) end(Verdict::stopped, stop);
}

const State& Timeline::with_reactions(const State& state) {
  const bool off = controlled() && !run_->traits().holds_velocities;
  if (system_->constraint_count() == 0 || (run_->within() != nullptr && !off)) return state;
  shown_ = state;
  return find_reactions(shown_) ? shown_ : state;
}

bool Timeline::find_reactions(State& state) {
  // Inequalities that do not touch hold nothing. Where one touches, it is the law of impact that knows the forces.
  const std::vector<Set> sets = system_->sets();
  const double size = ConfigurationSize{}.of(*system_, state);
  if (std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero; })) {
    const Vector g = system_->constraint_values(state.t, state.q);
    for (std::size_t k = 0; k < sets.size(); ++k)
      if ((sets[k] == Set::nonnegative && !(g[Eigen::Index(k)] > consistent * size)) ||
          (sets[k] == Set::nonpositive && !(g[Eigen::Index(k)] < -consistent * size)))
        return false;
  }
  if (!equations_ || equations_system_ != system_) {
    equations_.reset();
    held_.emplace(equalities(*system_));
    equations_.emplace(held_->system, Multipliers{});
    equations_system_ = system_;
  }
  if (held_->rows.size() != std::size_t(std::count(sets.begin(), sets.end(), Set::zero)))
    return false;  // names of both kinds
  q_ = state.q;
  v_ = state.v;
  a_.setZero(system_->size());
  lambda_.setZero(held_->system.constraint_count());
  if (equations_->accelerate(instant(state), a_, lambda_).status != Status::ok) return false;
  // At a start that is exact they are found; one that is off is brought to its constraints before.
  const bool exact = violations(held_->system, state, 1e-14).empty();
  if (!exact && equations_->settle(state.t, size, q_, v_, a_, lambda_).status != Status::ok) return false;
  if (!lambda_.allFinite()) return false;
  state.lambda.setZero(system_->constraint_count());
  for (std::size_t k = 0; k < held_->rows.size(); ++k) state.lambda[held_->rows[k]] = lambda_[Eigen::Index(k)];
  return true;
}

}  // namespace taut
