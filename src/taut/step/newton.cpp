#include <algorithm>
#include <cmath>
#include <taut/base/large_vector.hpp>
#include <taut/step/newton.hpp>

namespace taut {
namespace {

constexpr double smallest_share = 1.0 / 1024.0;

/// Corrections that stop shrinking this close to the threshold are round-off, not divergence.
constexpr double roundoff_band = 1e3;

}  // namespace

NewtonReport Newton::solve(NewtonProblem& problem, Vector& z) {
  NewtonReport report;
  if (residual_.size() != z.size()) {
    prefer_huge_pages(z);
    for (Vector* one : {&residual_, &step_, &next_, &trial_}) {
      one->resize(z.size());
      prefer_huge_pages(*one);  // before it is touched
      one->setZero();
    }
  }
  const auto ended = [&](Status status) {
    report.status = status;
    if (status != Status::ok) factored_ = false;
    return report;
  };
  bool fresh = false;
  // δ = J⁻¹F at z, whose residual is known, with a new matrix.
  const auto renew = [&] {
    ++report.factorizations;
    factored_ = problem.linearize(z);
    fresh = true;
    if (factored_) problem.solve(residual_, step_);
    return factored_;
  };
  // A correction that is not finite comes from the residual or from the matrix.
  const auto blame = [&] { return residual_.allFinite() ? Status::singular : Status::not_finite; };

  problem.residual(z, residual_);
  if (problem.linear()) {
    if (!residual_.allFinite()) return ended(Status::not_finite);
    if (!renew()) return ended(Status::singular);
    z -= step_;
    report.iterations = 1;
    report.first_correction = problem.size(step_);
    return ended(std::isfinite(report.first_correction) ? Status::ok : Status::singular);
  }
  if (!factored_ || options_.refresh == Refresh::iteration || problem.switched()) {
    if (!residual_.allFinite()) return ended(Status::not_finite);
    if (!renew()) return ended(Status::singular);
  } else {
    problem.solve(residual_, step_);
  }
  double size = problem.size(step_);
  for (int k = 0; k < options_.unjudged && std::isfinite(size); ++k) {
    z -= step_;
    ++report.iterations;
    problem.residual(z, residual_);
    problem.solve(residual_, step_);
    size = problem.size(step_);
  }
  report.first_correction = size;

  double size_of_z = problem.size(z);
  while (report.iterations < options_.max_iterations) {
    if (!std::isfinite(size)) return ended(blame());
    const double enough = problem.threshold(size_of_z, options_.tolerance);
    double share = 1.0, next_size = 0.0, theta = 0.0;
    bool branch = false;
    for (;;) {
      trial_ = z - share * step_;
      problem.residual(trial_, residual_);
      branch = problem.switched();
      if (branch) break;
      problem.solve(residual_, next_);
      next_size = problem.size(next_);
      theta = size > 0.0 ? next_size / size : next_size;
      const bool finite = std::isfinite(next_size);
      if (finite && (!options_.damping || next_size <= enough || theta <= 1.0 - 0.5 * share)) break;
      const double noise = roundoff_band * enough;
      if (finite && (size <= noise || (fresh && share == 1.0 && size <= problem.stagnation(size_of_z)))) {
        // Cannot do better in x; the correction still counts, because other unknowns may need it.
        z.swap(trial_);
        ++report.iterations;
        report.last_correction = size;
        report.contraction = theta;
        return ended(Status::ok);
      }
      if (!fresh) {
        problem.residual(z, residual_);
        if (!renew()) return ended(Status::singular);
        size = problem.size(step_);
        if (!std::isfinite(size)) return ended(blame());
        share = 1.0;
        continue;
      }
      share *= 0.5;
      report.contraction = theta;
      report.last_correction = size;
      if (share < smallest_share) return ended(finite ? Status::slow : Status::not_finite);
    }
    z.swap(trial_);
    ++report.iterations;
    if (size > 0.01 * size_of_z) size_of_z = problem.size(z);  // smaller corrections change it less than matters

    if (branch) {  // another branch of a nonsmooth equation: its own matrix, no verdict yet
      if (!residual_.allFinite()) return ended(Status::not_finite);
      if (!renew()) return ended(Status::singular);
      size = problem.size(step_);
      continue;
    }
    report.contraction = theta;
    report.last_correction = next_size;
    recent_ = std::max(theta, 0.5 * recent_);
    const bool small = next_size <= enough;
    if (small || (share == 1.0 && recent_ < 0.5 && next_size * recent_ <= (1.0 - recent_) * enough)) {
      z -= next_;
      ++report.iterations;
      return ended(Status::ok);
    }
    const bool poor = theta > options_.reuse_below && next_size > roundoff_band * enough;
    if (options_.refresh == Refresh::iteration || poor || share < 1.0) {
      if (!renew()) return ended(Status::singular);
    } else {
      step_.swap(next_);
      fresh = false;
    }
    size = problem.size(step_);
  }
  return ended(Status::slow);
}

}  // namespace taut
