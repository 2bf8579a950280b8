#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/simulate/controller.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {

Controller::Controller(const System& system, const State& start, const SimulateOptions& options, int error_order,
                       int local_order)
    : system_(&system), options_(&options), exponent_(1.0 / (error_order + 1)) {
  const double length = std::abs(options.end - start.t), speed = start.v.lpNorm<Eigen::Infinity>(),
               size = size_.of(system, start);
  step_ = 0.01 * length;
  if (speed > 0.0) step_ = std::min(step_, 0.01 * size / speed);
  const double relative = options.rtol + (size > 0.0 ? options.atol / size : 0.0);
  if (local_order > 0) {
    calibration_ = std::pow(std::min(relative, 1.0), 1.0 / local_order);
    roughness_ = std::pow(2.0, local_order) - 1.0;
  }
  limit();
}

void Controller::save(Checkpoint& point) const { point.control = {step_, last_, first_ ? 1.0 : 0.0, grown_ ? 1.0 : 0.0}; }

void Controller::load(const Checkpoint& point) {
  step_ = point.control.at(0);
  last_ = point.control.at(1);
  first_ = point.control.at(2) != 0.0;
  grown_ = point.control.at(3) != 0.0;
  usual_ = shrunk_ = 0.0;
  size_ = {};
}

void Controller::halve() {
  step_ *= 0.5;
  grown_ = false;
}

bool Controller::judge(const State& before, const State& after, const Vector& error, double h) {
  const int n = system_->size();
  const double q = std::max(size_.of(*system_, before), after.q.lpNorm<Eigen::Infinity>());
  const double v = std::max(before.v.lpNorm<Eigen::Infinity>(), after.v.lpNorm<Eigen::Infinity>());
  // What round-off hides is no error: that of q, and in v what it becomes over the step.
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double in_q = calibration_ * (options_->atol + options_->rtol * q) + 4.0 * epsilon * q,
               in_v = calibration_ * (options_->atol + options_->rtol * v) + 4.0 * epsilon * (v + q / std::abs(h));
  const double sum = (in_q > 0.0 ? error.head(n).squaredNorm() / (in_q * in_q) : 0.0) +
                     (in_v > 0.0 ? error.tail(n).squaredNorm() / (in_v * in_v) : 0.0);
  // An infinite estimate, or none, asks for the smallest factor.
  double size = std::isfinite(sum) ? std::max(std::sqrt(sum / (2.0 * n)), 1e-10) : 1e10;
  // A smaller step whose error did not shrink by its order holds a jump: there doubling is as wrong as its two solutions differ.
  if (rejected_step_ > 0.0 && size > 10.0 * rejected_size_ * std::pow(std::abs(h) / rejected_step_, 1.0 / exponent_))
    rough_ = true;
  if (rough_) size *= roughness_;
  if (size > 1.0) {
    rejected_step_ = std::abs(h);
    rejected_size_ = rough_ ? size / roughness_ : size;
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
  rough_ = false;
  rejected_step_ = 0.0;
  usual_ = std::max(std::abs(h), 0.98 * usual_);
  shrunk_ = std::min(std::abs(h), 1e-4 * usual_);
  return true;
}

double Controller::leap(double h) {
  if (std::abs(h) >= shrunk_) return 0.0;
  shrunk_ = 1e-3 * std::abs(h);
  return usual_;
}

void Controller::limit() {
  if (options_->step > 0.0) step_ = std::min(step_, options_->step);
}

double Pace::of(double t, const Vector& q, const Vector& v) {
  a_.resize(system_.size());
  lambda_.resize(system_.constraint_count());
  equations_.accelerate({t, q.data(), v.data()}, a_, lambda_);
  const double square = v.squaredNorm() / (size_ * size_) + a_.norm() / size_;
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

ReversibleControl::ReversibleControl(Pace& pace, const State& start, double epsilon)
    : pace_(pace), epsilon_(epsilon), density_(pace.at(start) + 0.5 * epsilon * pace.growth(start)) {}

void ReversibleControl::save(Checkpoint& point) const { point.control = {density_, epsilon_}; }

void ReversibleControl::load(const Checkpoint& point) {
  density_ = point.control.at(0);
  epsilon_ = point.control.at(1);
}

void ReversibleControl::advance(const State& state) {
  density_ += epsilon_ * pace_.growth(state);
  if (!(density_ > 0.1 * pace_.last())) density_ = pace_.last();  // steps too large to follow the pace: begin anew
}

}  // namespace taut
