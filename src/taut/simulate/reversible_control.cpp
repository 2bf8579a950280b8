#include <algorithm>
#include <cmath>
#include <taut/simulate/reversible_control.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {

double Pace::of(double t, const Vector& q, const Vector& v) {
  a_.resize(system_.size());
  lambda_.resize(system_.constraint_count());
  equations_.accelerate({t, q.data(), v.data()}, a_, lambda_);
  // Smooth where one of them passes zero: a kink twice a period would add up.
  const double square = std::hypot(v.squaredNorm() / (size_ * size_), a_.norm() / size_);
  return std::isfinite(square) ? std::sqrt(square) : 0.0;
}

double Pace::at(const State& state) { return last_ = of(state.t, state.q, state.v); }

double Pace::growth(const State& state) {
  const double here = at(state);
  if (here == 0.0) return 0.0;
  a_here_ = a_;
  const double d = 1e-4 / here;  // the error of the difference is 1e-8, that of round-off 1e-12
  double logs[2];
  for (const int side : {0, 1}) {
    const double e = side == 0 ? -d : d;
    q_ = state.q + e * state.v + (0.5 * e * e) * a_here_;
    v_ = state.v + e * a_here_;
    logs[side] = std::log(std::max(of(state.t + e, q_, v_), 1e-300));
  }
  return (logs[1] - logs[0]) / (2.0 * d);
}

double motion_size(const System& system, const State& start, double length) {
  const double size = ConfigurationSize{}.of(system, start), speed = start.v.lpNorm<Eigen::Infinity>();
  Vector a = Vector::Zero(system.size()), lambda = Vector::Zero(system.constraint_count());
  double push = 0.0;
  if (system.equalities_only() && IndexOne(system, Multipliers{}).accelerate(instant(start), a, lambda).status == Status::ok)
    push = a.lpNorm<Eigen::Infinity>();
  // How far it gets before its accelerations turn it, or in the time of the run.
  const double reach = push > 0.0 ? speed * speed / push : speed * length;
  return std::max(size < 1e-3 * reach ? reach : size, 1e-300);
}

ReversibleControl::ReversibleControl(const System& system, const SolverMethod& method, const SimulateOptions& options,
                                     const State& start, double epsilon_of_run, double size)
    : method_(method), options_(options), system_(&system), epsilon_(epsilon_of_run) {
  pace_.emplace(system, method, size);
  density_ = pace_->at(start) + 0.5 * epsilon_ * pace_->growth(start);
}

void ReversibleControl::load(const std::vector<double>& saved) {
  density_ = saved.at(0);
  epsilon_ = saved.at(1);
  pace_.emplace(*system_, method_, saved.at(2));  // with nothing remembered
  step_.drop();
}

void ReversibleControl::restart(const Run& run) {
  system_ = &run.system();
  pace_.emplace(*system_, method_, pace_->size());
  density_ = pace_->at(run.newest()) + 0.5 * epsilon_ * pace_->growth(run.newest());
  step_.drop();
}

Taken ReversibleControl::take(Run& run, double target, RunCounts& counts) {
  const double now = run.newest().t, rest = std::abs(target - now);
  if (!step_.under_way()) {
    double h = std::abs(epsilon_) / density_;
    if (!(h > 0.0) || !std::isfinite(h)) h = rest;
    if (options_.step > 0.0) h = std::min(h, options_.step);
    const bool lands = h >= rest * (1.0 - 1e-12);
    if (lands) h = rest;
    const double sign = target < now ? -1.0 : 1.0;
    step_.begin(lands ? target : now + sign * h, sign * h, options_.halvings);
  }
  const Taken taken = step_.take(run, counts, trouble_);
  if (taken == Taken::step && run.newest().t != target) {
    density_ += epsilon_ * pace_->growth(run.newest());
    if (!(density_ > 0.1 * pace_->last())) density_ = pace_->last();  // steps too large to follow the pace: begin anew
  }
  return taken;
}

}  // namespace taut
