#include <taut/step/acceleration_problem.hpp>

namespace taut {

AccelerationProblem::AccelerationProblem(std::shared_ptr<const Assembly> assembly)
    : assembly_(std::move(assembly)), shifted_(assembly_->system().size()), gamma_(assembly_->sets().size()) {
  turns_ = assembly_->system().turns();
  quadratic_ = assembly_->system().quadratic();
}

void AccelerationProblem::residual(const double* a, const double* lambda, double* r, double* c) {
  const System& system = assembly_->system();
  const Eigen::Map<const Vector> A(a, unknowns()), V(at.v, unknowns());
  Eigen::Map<Vector> R(r, unknowns());
  R.setZero();
  // p_q v + p_t − f
  system.add_inertial(at, 1.0, r);
  system.add_dynamics(at, 0.0, -1.0, r);
  // M a = p(v + a) − p(v) where p is linear in v; nothing to do for the guess a = 0
  const bool moves = (A.array() != 0.0).any();
  if (moves && !quadratic_) {
    add_products(a, r, nullptr);
  } else if (moves) {
    shifted_ = V + A;
    system.add_dynamics({at.t, at.q, shifted_.data()}, 1.0, 0.0, r);
    system.add_dynamics(at, -1.0, 0.0, r);
  }
  if (constraints() == 0) return;
  system.add_constraint_forces(at, lambda, 1.0, r);
  // γ + G a; where rates are linear in v, that at the velocity a is G a + g_t, and that at zero g_t
  Eigen::Map<Vector> C(c, constraints());
  if (moves && turns_) {
    system.constraint_accelerations(at, c);
    add_products(a, nullptr, c);
  } else if (moves) {
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

/// r += M a, or c += G a, from the matrices themselves: where p or the rates are not linear in v.
void AccelerationProblem::add_products(const double* a, double* r, double* c) const {
  const System& system = assembly_->system();
  std::vector<double> entries;
  std::vector<std::pair<int, int>> places;
  const auto place = [&](int i, int j) {
    places.emplace_back(i, j);
    return int(places.size()) - 1;
  };
  const auto multiply = [&](double* out) {
    for (std::size_t k = 0; k < places.size(); ++k) out[places[k].first] += entries[k] * a[places[k].second];
  };
  if (r != nullptr)
    for (const auto& block : system.dynamics()) {
      places.clear();
      const std::vector<int> slots = square_slots(*block, place);
      entries.assign(places.size(), 0.0);
      block->add_slopes(at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, slots.data(), entries.data());
      multiply(r);
    }
  int row = 0;
  for (const auto& block : system.constraints()) {
    if (c == nullptr) break;
    places.clear();
    const std::vector<int> slots = gradient_slots(*block, row, place);
    entries.assign(places.size(), 0.0);
    block->add_gradient_at(at, 1.0, nullptr, slots.data(), entries.data());
    multiply(c);
    row += block->terms() * block->rows();
  }
}

void AccelerationProblem::slopes(const double*, const double*, const double* row_weight, double* values) {
  for (const Part& part : assembly_->parts()) {
    assembly_->clear(part, values);
    assembly_->add_dynamics(part, at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, values);
    if (constraints() == 0) continue;
    assembly_->add_directions(part, at, 1.0, values);
    assembly_->add_gradient(part, at, 1.0, row_weight, values);
  }
}

}  // namespace taut
