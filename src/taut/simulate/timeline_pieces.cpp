#include <algorithm>
#include <cmath>
#include <taut/simulate/timeline.hpp>

namespace taut {

bool Timeline::go_to(double time) {
  const double now = run_->newest().t;
  if (!going_ || sign_ * (time - now) <= 0.0) return going_;
  pause_ = time;
  if (!controlled()) {
    // Equal steps from here to there. Schemes of several levels go on if they are as long as those before.
    control_->restart(*run_);
    const double h = (time - now) / double(EqualSteps::count(time - now, options_.step));
    if (run_->traits().levels > 1 && std::abs(h - length_of_steps_) > 1e-9 * std::abs(h)) run_->begin_anew();
    length_of_steps_ = h;
  }
  while (going_ && run_->newest().t != time) advance();
  return going_;
}

bool Timeline::changed(const std::string& what) {
  if (!going_) return false;
  const State& now = run_->newest();
  // Velocities stay, whatever mass they now have.
  const Vector p = system_->momentum(instant(now));
  const bool heavier =
      now.p.size() == p.size() && (p - now.p).lpNorm<Eigen::Infinity>() > 1e-9 * p.lpNorm<Eigen::Infinity>();
  if (!heavier && violations(*system_, now, consistent).empty()) {
    run_->begin_anew();
    run_->pass_break(options_.end);
    watch_energy(run_->newest());
    invariant_ = std::numeric_limits<double>::quiet_NaN();  // it begins anew
  } else {
    State moved = modes_.whole(now);
    if (!change(moved, modes_.mode(), true, true, what)) return false;
  }
  control_->restart(*run_);
  watch_.arm(run_->newest());
  rank_->begin(run_->newest());
  return true;
}

Trajectory Timeline::so_far() {
  Trajectory out = path_;
  if (diverged_ && out.finished()) out.verdict = Verdict::diverged;
  keep_dependent();
  for (const int row : dependent_) out.dependent.push_back(modes_.whole().constraint_name(row));
  out.last = modes_.whole(run_->newest());
  return out;
}

}  // namespace taut
