#include <algorithm>
#include <taut/linalg/definite_factor.hpp>

namespace taut {
namespace {

constexpr int most_conjugate_rounds = 8;  // of conjugate gradients with an old factor
constexpr double settled = 1e-14;         // what the next round would add, of the solution, in its energy norm
constexpr double worth_keeping = 3;       // solutions in the time of a factor
constexpr double singular_below = 1e-13;  // the matrix is singular, or nearly so

}  // namespace

DefiniteFactor::DefiniteFactor(Form form, const std::vector<int>& starts, const std::vector<int>& rows)
    : lost_(form == Form::symmetric ? singular_below : 0.0),
      thin_(form == Form::symmetric, starts, rows),
      values_(std::size_t(thin_.storage()), 0.0) {
  if (thin_.left().empty()) return;
  panels_.emplace(form, thin_.left_starts(), thin_.left_rows());
  for (const int i : thin_.left()) diagonal_slots_.push_back(slot(i, i));
  left_.resize(panels_->size());
  diagonal_.resize(panels_->size());
}

bool DefiniteFactor::eliminate_thin() {
  for (std::size_t k = 0; k < diagonal_slots_.size(); ++k) diagonal_[Eigen::Index(k)] = values_[diagonal_slots_[k]];
  thin_ratio_ = thin_.eliminate(values_.data());
  return thin_ratio_ > lost_;
}

bool DefiniteFactor::factor_panels() {
  old_ = false;
  if (!panels_) return true;
  const bool good = panels_->factor(values_.data() + thin_.first_left(), diagonal_.data());
  panels_ratio_ = panels_->pivot_ratio();
  return factored_ = good && panels_ratio_ > lost_;
}

bool DefiniteFactor::factor() {
  factored_ = false;
  return eliminate_thin() && factor_panels();
}

bool DefiniteFactor::approach() {
  if (!panels_ || !factored_ || panels_->factor_over_solve() < worth_keeping) return factor();
  old_ = true;
  return eliminate_thin();
}

/// Conjugate gradients with the old factor as preconditioner: each round gains the digits that the change of the matrix leaves. False where that are too few.
bool DefiniteFactor::iterate(Vector& x) {
  const double* values = values_.data() + thin_.first_left();
  right_ = residual_ = x;
  image_.resize(x.size());
  x.setZero();
  double before = 0.0, first = 0.0;
  for (int round = 0; round <= most_conjugate_rounds; ++round) {
    preconditioned_ = residual_;
    panels_->solve(preconditioned_.data());
    const double now = residual_.dot(preconditioned_);
    if (!(now > 0.0)) return now == 0.0;
    if (round == 0) first = now;
    // What this round would add is known, and the next one would add less by as much as this does than the last.
    if (round > 0 && now / before * now <= settled * settled * first) {
      x += preconditioned_;
      return true;
    }
    if (round == 0) {
      direction_ = preconditioned_;
    } else {
      direction_ = preconditioned_ + now / before * direction_;
    }
    panels_->multiply(values, direction_.data(), image_.data());
    const double share = now / direction_.dot(image_);
    x += share * direction_;
    residual_ -= share * image_;
    before = now;
  }
  return false;
}

bool DefiniteFactor::solve_left(bool roughly) {
  if (!panels_) return true;
  if (old_ && !roughly) {
    if (iterate(left_)) return true;
    left_ = right_;
    if (!factor_panels()) return false;
  }
  panels_->solve(left_.data());
  return true;
}

bool DefiniteFactor::solve(double* b, bool roughly) {
  const std::vector<int>& left = thin_.left();
  thin_.forward(values_.data(), b);
  for (std::size_t k = 0; k < left.size(); ++k) left_[Eigen::Index(k)] = b[left[k]];
  if (!solve_left(roughly)) return false;
  for (std::size_t k = 0; k < left.size(); ++k) b[left[k]] = left_[Eigen::Index(k)];
  thin_.backward(values_.data(), b);
  return true;
}

}  // namespace taut
