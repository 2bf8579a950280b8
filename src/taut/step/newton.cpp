#include <algorithm>
#include <cmath>
#include <optional>
#include <taut/base/large_vector.hpp>
#include <taut/step/newton.hpp>

namespace taut {
namespace {

constexpr double smallest_share = 1.0 / 1024.0;

/// Corrections that stop shrinking this close to the threshold are round-off, not divergence.
constexpr double roundoff_band = 1e3;

}  // namespace

/// One solution under way: z, the correction that is to come, and what the last ones told.
class Newton::Course {
 public:
  Course(Newton& newton, NewtonProblem& problem, Vector& z)
      : options_(newton.options_),
        factored_(newton.factored_),
        recent_(newton.recent_),
        residual_(newton.residual_),
        step_(newton.step_),
        next_(newton.next_),
        trial_(newton.trial_),
        problem_(problem),
        z_(z) {}

  NewtonReport run() {
    problem_.residual(z_, residual_);
    report_.status = problem_.linear() ? solve_at_once() : iterate();
    if (report_.status != Status::ok) factored_ = false;
    return report_;
  }

 private:
  using Ended = std::optional<Status>;

  /// δ = J⁻¹F at z, whose residual is known, with a new matrix.
  bool renew() {
    ++report_.factorizations;
    factored_ = problem_.linearize(z_);
    fresh_ = true;
    if (factored_) problem_.solve(residual_, step_);
    return factored_;
  }

  /// The same where the residual is new: nobody has looked whether it is finite.
  Status renew_here() {
    if (!residual_.allFinite()) return Status::not_finite;
    return renew() ? Status::ok : Status::singular;
  }

  /// A correction that is not finite comes from the residual or from the matrix.
  Status blame() const { return residual_.allFinite() ? Status::singular : Status::not_finite; }

  Status solve_at_once() {
    if (const Status status = renew_here(); status != Status::ok) return status;
    z_ -= step_;
    report_.iterations = 1;
    report_.first_correction = problem_.size(step_);
    return std::isfinite(report_.first_correction) ? Status::ok : Status::singular;
  }

  Status iterate() {
    if (const Status status = begin(); status != Status::ok) return status;
    size_of_z_ = problem_.size(z_);
    while (report_.iterations < options_.max_iterations) {
      if (!std::isfinite(size_)) return blame();
      enough_ = problem_.threshold(size_of_z_, options_.tolerance);
      if (const Ended ended = find_trial()) return *ended;
      z_.swap(trial_);
      ++report_.iterations;
      if (size_ > 0.01 * size_of_z_) size_of_z_ = problem_.size(z_);  // smaller corrections change it less than matters
      if (branch_) {  // of a nonsmooth equation: its own matrix, no verdict yet
        if (const Status status = renew_here(); status != Status::ok) return status;
      } else if (const Ended ended = judge()) {
        return *ended;
      }
      size_ = problem_.size(step_);
    }
    return Status::slow;
  }

  /// The first correction, and those before it that are not judged.
  Status begin() {
    if (!factored_ || options_.refresh == Refresh::iteration || problem_.switched()) {
      if (const Status status = renew_here(); status != Status::ok) return status;
    } else {
      problem_.solve(residual_, step_);
    }
    size_ = problem_.size(step_);
    for (int k = 0; k < options_.unjudged && std::isfinite(size_); ++k) {
      z_ -= step_;
      ++report_.iterations;
      problem_.residual(z_, residual_);
      problem_.solve(residual_, step_);
      size_ = problem_.size(step_);
    }
    report_.first_correction = size_;
    return Status::ok;
  }

  /// Shares of the correction, and a new matrix, until a trial leads closer, with the correction that follows it.
  Ended find_trial() {
    share_ = 1.0;
    for (;;) {
      trial_ = z_ - share_ * step_;
      problem_.residual(trial_, residual_);
      branch_ = problem_.switched();
      if (branch_) return {};
      problem_.solve(residual_, next_);
      next_size_ = problem_.size(next_);
      theta_ = size_ > 0.0 ? next_size_ / size_ : next_size_;
      const bool finite = std::isfinite(next_size_);
      if (finite && (!options_.damping || next_size_ <= enough_ || theta_ <= 1.0 - 0.5 * share_)) return {};
      if (finite && is_noise()) {
        // Cannot do better in x; the correction still counts, because other unknowns may need it.
        z_.swap(trial_);
        ++report_.iterations;
        report_.last_correction = size_;
        report_.contraction = theta_;
        return Status::ok;
      }
      if (!fresh_) {
        problem_.residual(z_, residual_);
        if (!renew()) return Status::singular;
        size_ = problem_.size(step_);
        if (!std::isfinite(size_)) return blame();
        share_ = 1.0;
        continue;
      }
      share_ *= 0.5;
      report_.contraction = theta_;
      report_.last_correction = size_;
      if (share_ < smallest_share) return finite ? Status::slow : Status::not_finite;
    }
  }
  bool is_noise() const {
    return size_ <= roundoff_band * enough_ || (fresh_ && share_ == 1.0 && size_ <= problem_.stagnation(size_of_z_));
  }

  /// Of a trial that was taken: whether the correction that follows is the last, and with which matrix the next one is found.
  Ended judge() {
    report_.contraction = theta_;
    report_.last_correction = next_size_;
    recent_ = std::max(theta_, 0.5 * recent_);
    const bool small = next_size_ <= enough_;
    if (small || (share_ == 1.0 && recent_ < 0.5 && next_size_ * recent_ <= (1.0 - recent_) * enough_)) {
      z_ -= next_;
      ++report_.iterations;
      return Status::ok;
    }
    const bool poor = theta_ > options_.reuse_below && next_size_ > roundoff_band * enough_;
    if (options_.refresh == Refresh::iteration || poor || share_ < 1.0) {
      if (!renew()) return Status::singular;
    } else {
      step_.swap(next_);
      fresh_ = false;
    }
    return {};
  }

  const NewtonOptions& options_;
  bool& factored_;
  double& recent_;
  Vector &residual_, &step_, &next_, &trial_;
  NewtonProblem& problem_;
  Vector& z_;
  NewtonReport report_;
  bool fresh_ = false;   // the matrix is that of z
  bool branch_ = false;  // the trial lies on another one
  double size_ = 0.0, size_of_z_ = 0.0, enough_ = 0.0, share_ = 1.0, next_size_ = 0.0, theta_ = 0.0;
};

NewtonReport Newton::solve(NewtonProblem& problem, Vector& z) {
  if (residual_.size() != z.size()) {
    prefer_huge_pages(z);
    for (Vector* one : {&residual_, &step_, &next_, &trial_}) {
      one->resize(z.size());
      prefer_huge_pages(*one);  // before it is touched
      one->setZero();
    }
  }
  return Course(*this, problem, z).run();
}

}  // namespace taut
