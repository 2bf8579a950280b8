#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/timeline.hpp>

namespace taut {

std::vector<std::size_t> Timeline::look(double target) {
  const std::vector<Watch::Crossing> found =
      watch_.look(*run_->within(), run_->newest().t == target && target != options_.end);
  std::vector<std::size_t> acting;
  if (found.empty()) return acting;
  std::vector<char> met(options_.events.size(), 0);  // at the time of the first that acts
  for (const Watch::Crossing& one : found) {
    const bool acts = options_.events[one.event].acts();
    if (!acting.empty()) {
      // What crosses at the same time, up to round-off, or was passed by the step that lands.
      if (met[one.event] != 0 || !watch_.crossed(one, run_->newest())) continue;
      met[one.event] = 1;
      watch_.meet(one);
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
      met[one.event] = 1;
      watch_.meet(one);
      acting.push_back(one.event);
    } else {
      end(Verdict::failed, message("the step to the event '{}' at t = {} failed: {}", options_.events[one.event].name, one.t,
                                   run_->report().trouble));
    }
    if (!going_) return {};
  }
  return acting;
}

void Timeline::tell_crossing(std::size_t event, const State& state) {
  const State& whole = modes_.whole(state);
  const Happened happened{.event = event, .t = state.t, .before = whole, .after = whole};
  tell(state, false, {.between = true, .happened = &happened});
}

bool Timeline::land(const Watch::Crossing& crossing) {
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

namespace {

/// Gives a state behind a jump by time, at which inertia may jump, the momenta that it had before, constraints aside. False where nothing jumps.
bool keep_momentum(const System& system, double before, State& state) {
  if (system.constant_mass()) return false;
  const Vector p = system.momentum({before, state.q.data(), state.v.data()});
  const auto off = [&] { return Vector(p - system.momentum(instant(state))); };
  const auto large = [&] { return off().lpNorm<Eigen::Infinity>() > 1e-9 * p.lpNorm<Eigen::Infinity>(); };
  if (!large()) return false;
  constexpr int most = 20;  // once, where p is linear in v
  for (int round = 0; round < most && large(); ++round) state.v += system.mass(instant(state)).ldlt().solve(off());
  return state.v.allFinite();
}

}  // namespace

void Timeline::happen(std::size_t k) {
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
  const double when = event.timed() ? event.at : before.t;  // where several happen at once, each moves time by a bit
  Happened happened{.event = k, .t = when, .before = modes_.whole(before), .after = {}, .acted = true};
  State after = before;
  const bool moved = changed.q != before.q || changed.v != before.v;
  const bool other = mode != modes_.mode();
  if (other || moved) {
    if (!change(changed, mode, moved, event.timed(), message("the event '{}'", event.name))) return;
    after = changed;
    const Vector& p = happened.before.p;
    happened.impulse = after.p.size() == p.size() ? (after.p - p).lpNorm<Eigen::Infinity>() : 0.0;
  } else if (stop.empty()) {
    // Forces may jump at a time; and what several levels remember ends with a step of another length.
    run_->begin_anew();
    if (event.timed()) run_->pass_break(options_.end);
    // A mass that jumps by time leaves momenta as they are. What is driven may go on at another velocity, and takes what it holds along.
    State kept = run_->newest();
    const bool heavier = event.timed() && keep_momentum(*system_, before.t, kept);
    const auto driven = [&](double t) { return system_->constraint_rates({t, before.q.data(), before.v.data()}); };
    const double fastest = std::max(1.0, before.v.lpNorm<Eigen::Infinity>());
    if (heavier || (event.timed() && system_->constraint_count() > 0 &&
                    (driven(run_->newest().t) - driven(before.t)).lpNorm<Eigen::Infinity>() > consistent * fastest)) {
      changed = modes_.whole(kept);
      if (!change(changed, mode, true, true, message("the jump at t = {}", before.t))) return;
      after = changed;
    }
  }
  happened.after = modes_.whole(after);
  if (stop.empty()) {
    // Reversible steps are scaled for a system, and this may be another.
    if (control_ && other && options_.reversible) {
      make_control(run_->newest(), false);
    } else if (control_) {
      control_->restart(*run_);
    }
    if (event.timed()) watch_.arm(run_->newest());
  }
  const bool different = after.q != before.q || after.v != before.v;
  tell(after, options_.marks.empty() && (different || !event.timed()), {.happened = &happened});
  if (!going_) return;
  if (!stop.empty()) {
    end(Verdict::stopped, stop);
  } else if (!event.timed()) {
    watch_for_zeno(k);
  }
}

bool Timeline::change(State& state, const Mode& mode, bool moved, bool timed, const std::string& cause) {
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
          message("{} leaves a state that the constraints do not allow: {}", cause,
                  found.status != Status::ok ? found.trouble : describe(violations(*next, state, consistent))));
      return false;
    }
    state = found.state;
    state.p = next->momentum(instant(state));
  } else if (next != system_ && state.p.size() == next->size()) {
    // Velocities stay, whatever mass they now have.
    state.p += next->momentum(instant(state)) - system_->momentum(instant(state));
  }
  keep_dependent();
  enter(mode);
  State first = state;
  if (timed) first.t = past_jump(state.t, options_.end);
  run_.emplace(*system_, first, std::vector<State>{}, *integrator_, method_);
  if (timed) run_->begin_here();
  watch_energy(first);
  rank_.emplace(*system_, first);
  check_energy();
  invariant_ = std::numeric_limits<double>::quiet_NaN();  // it begins anew
  return true;
}

void Timeline::watch_for_zeno(std::size_t k) {
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
      message("the event '{}' happened again and again, {}: such events come closer and closer together (Zeno), as bounces "
              "of a ball do; let it stop, or hold what rests, once they are short",
              options_.events[k].name,
              quick_ >= most ? message("{} times within {}", most, std::abs(now - quick_since_))
                             : std::string("its function next to zero in between")));
}

}  // namespace taut
