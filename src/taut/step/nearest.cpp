#include <taut/step/nearest.hpp>

namespace taut {

SolveReport Nearest::position(double t, double size, Vector& q, StepSolver& solver) {
  place_ = q;
  minus_q_ = -q;
  position_.inertias[0] = {.t = t, .q = &place_, .v = &minus_q_, .v_slope = 1.0, .momentum = 1.0, .rate = true};
  if (turning_) {
    position_.reactions[0] = {.t = t, .q_slope = 1.0, .weight = 1.0};
  } else {
    position_.reactions[0] = {.t = t, .q = &place_, .weight = 1.0};
  }
  position_.condition = {.t = t, .q_slope = 1.0};
  position_.size = size;
  lambda_.setZero(position_.constraints());
  return solver.solve(position_, q, lambda_);
}

void Nearest::pose_velocity(double t, const Vector& q) {
  velocity_.inertias[0] = {.t = t, .q = &q, .v = &minus_v_, .v_slope = 1.0, .momentum = 1.0, .rate = true};
  velocity_.reactions[0] = {.t = t, .q = &q, .weight = 1.0};
  velocity_.condition = {.t = t, .q = &q, .rate_weight = 1.0};
}

void Nearest::inspect(double t, const Vector& q, StepSolver& solver) {
  minus_v_.setZero(q.size());
  pose_velocity(t, q);
  solver.inspect(velocity_, minus_v_);
}

SolveReport Nearest::velocity(double t, double size, const Vector& q, Vector& v, StepSolver& solver) {
  minus_v_ = -v;
  pose_velocity(t, q);
  velocity_.size = size;
  lambda_.setZero(velocity_.constraints());
  return solver.solve(velocity_, v, lambda_);
}

}  // namespace taut
