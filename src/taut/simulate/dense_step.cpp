#include <algorithm>
#include <taut/simulate/dense_step.hpp>

namespace taut {

DenseStep::DenseStep(const System& system, const SolverMethod& method, int order, Middle middle)
    : system_(system), method_(method), order_(order), find_middle_(std::move(middle)) {
  const std::vector<Set> sets = system.sets();
  projects_ = std::all_of(sets.begin(), sets.end(), [](Set set) { return set == Set::zero; });
  smooth_ = projects_ && order >= 4;
}

void DenseStep::renew() {
  equations_.reset();
  smooth_ = projects_ && order_ >= 4;
  size_ = {};
  fitted_ = false;
}

void DenseStep::set(const State& before, const State& after) {
  before_ = &before;
  after_ = &after;
  fitted_ = false;
}

IndexOne& DenseStep::equations() {
  if (!equations_) equations_.emplace(system_, method_);
  return *equations_;
}

bool DenseStep::add_node(const State& state, double share) {
  const double h = after_->t - before_->t;
  const int given = smooth_ ? 3 : 2;
  if (smooth_) {
    a_.resize(system_.size());
    lambda_.resize(system_.constraint_count());
    if (equations().accelerate(instant(state), a_, lambda_).status != Status::ok) return false;
  }
  for (int k = 0; k < given; ++k) {
    shares_.push_back(share);
    derivatives_.push_back(k == 0 ? state.q : (k == 1 ? Vector(h * state.v) : Vector(0.5 * h * h * a_)));
  }
  return true;
}

/// Newton's divided differences with confluent nodes: f[x, x] = f′, f[x, x, x] = f″/2.
void DenseStep::fit() {
  fitted_ = true;
  const auto gather = [&](bool with_middle) {
    shares_.clear();
    derivatives_.clear();
    return add_node(*before_, 0.0) && (!with_middle || add_node(middle_, 0.5)) && add_node(*after_, 1.0);
  };
  if (!gather(smooth_ && find_middle_(middle_))) {
    smooth_ = false;  // accelerations cannot be had, and will not be later
    gather(false);
  }
  const int nodes = int(shares_.size());
  const std::vector<Vector> given = derivatives_;
  const auto first_of = [&](int i) { return int(std::find(shares_.begin(), shares_.end(), shares_[i]) - shares_.begin()); };
  std::vector<Vector> column(given.size());
  for (int i = 0; i < nodes; ++i) column[i] = given[first_of(i)];
  derivatives_[0] = column[0];
  for (int k = 1; k < nodes; ++k) {
    for (int i = 0; i + k < nodes; ++i) {
      const double width = shares_[i + k] - shares_[i];
      column[i] = width == 0.0 ? given[first_of(i) + k] : Vector((column[i + 1] - column[i]) / width);
    }
    derivatives_[k] = column[0];
  }
}

void DenseStep::at(double t, State& out) {
  if (!fitted_) fit();
  const double h = after_->t - before_->t, x = h != 0.0 ? (t - before_->t) / h : 0.0;
  // Horner's scheme for the value and the slope.
  out.t = t;
  out.q = derivatives_.back();
  slope_.setZero(out.q.size());
  for (int k = int(derivatives_.size()) - 2; k >= 0; --k) {
    slope_ = (x - shares_[k]) * slope_ + out.q;
    out.q = (x - shares_[k]) * out.q + derivatives_[k];
  }
  out.v = slope_ / (h != 0.0 ? h : 1.0);
}

void DenseStep::reactions(State& state) {
  state.lambda = after_->lambda;
  if (system_.constraint_count() == 0 || !projects_) return;
  a_.resize(system_.size());
  lambda_.resize(system_.constraint_count());
  if (equations().accelerate(instant(state), a_, lambda_).status == Status::ok) state.lambda = lambda_;
}

void DenseStep::project(State& state) {
  const int m = system_.constraint_count();
  state.lambda = after_->lambda;
  if (m == 0 || !projects_) return;  // with inequalities, contact belongs to the step
  a_.resize(system_.size());
  lambda_.resize(m);
  projected_ = state;
  // The first solve leaves a factor near the place to be found.
  const bool found =
      equations().accelerate(instant(state), a_, lambda_).status == Status::ok &&
      equations().settle(state.t, size_.of(system_, state), projected_.q, projected_.v, a_, lambda_).status == Status::ok;
  if (!found) return;
  state.q = projected_.q;
  state.v = projected_.v;
  state.lambda = lambda_;
}

}  // namespace taut
