#include <taut/step/acceleration_problem.hpp>

namespace taut {

AccelerationProblem::AccelerationProblem(std::shared_ptr<const Assembly> assembly)
    : assembly_(std::move(assembly)), shifted_(assembly_->system().size()), gamma_(assembly_->sets().size()) {}

void AccelerationProblem::residual(const double* a, const double* lambda, double* r, double* c) {
  const System& system = assembly_->system();
  const Eigen::Map<const Vector> A(a, unknowns()), V(at.v, unknowns());
  Eigen::Map<Vector> R(r, unknowns());
  R.setZero();
  // p_q v + p_t − f
  system.add_inertial(at, 1.0, r);
  system.add_dynamics(at, 0.0, -1.0, r);
  // M a = p(v + a) − p(v), because p is linear in v; nothing to do for the guess a = 0
  if ((A.array() != 0.0).any()) {
    shifted_ = V + A;
    system.add_dynamics({at.t, at.q, shifted_.data()}, 1.0, 0.0, r);
    system.add_dynamics(at, -1.0, 0.0, r);
  }
  if (constraints() == 0) return;
  system.add_constraint_forces(at.t, at.q, lambda, 1.0, r);
  // γ + G a; the rate at the velocity a is G a + g_t, that at zero is g_t
  Eigen::Map<Vector> C(c, constraints());
  if ((A.array() != 0.0).any()) {
    system.constraint_rates({at.t, at.q, a}, c);
    shifted_.setZero();
    system.constraint_rates({at.t, at.q, shifted_.data()}, gamma_.data());
    C -= gamma_;
    system.constraint_accelerations(at, gamma_.data());
    C += gamma_;
  } else {
    system.constraint_accelerations(at, c);
  }
}

void AccelerationProblem::slopes(const double*, const double*, const double* row_weight, double* values) {
  for (const Part& part : assembly_->parts()) {
    assembly_->clear(part, values);
    assembly_->add_dynamics(part, at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, values);
    if (constraints() == 0) continue;
    assembly_->add_directions(part, at.t, at.q, 1.0, values);
    assembly_->add_gradient(part, at.t, at.q, 1.0, row_weight, values);
  }
}

}  // namespace taut
