#include <taut/step/assembly.hpp>

namespace taut {

Assembly::Assembly(const System& system, Parts parts) : system_(system) {
  const int n = system.size();
  if (parts.constraints) sets_ = system.sets();

  // First pass: the pattern. Each list of slots is visited once more below, with the layout at hand.
  std::vector<Layout::Entry> entries;
  const auto note = [&](int i, int j) {
    entries.emplace_back(i, j);
    return 0;
  };
  for (const auto& block : system.dynamics()) square_slots(*block, note);
  if (parts.constraints) {
    int row = n;
    for (const auto& block : system.constraints()) {
      gradient_slots(*block, row, note);
      if (parts.curvature) square_slots(*block, note);
      row += block->terms() * block->rows();
    }
  }
  layout_ = std::make_shared<const Layout>(n + int(sets_.size()), std::move(entries));

  const auto slot = [this](int i, int j) { return layout_->slot(i, j); };
  const auto transposed = [this](int i, int j) { return layout_->slot(j, i); };
  for (const auto& block : system.dynamics()) dynamics_.push_back(square_slots(*block, slot));
  if (parts.constraints) {
    int row = n;
    for (const auto& block : system.constraints()) {
      gradient_.push_back(gradient_slots(*block, row, slot));
      directions_.push_back(gradient_slots(*block, row, transposed));
      if (parts.curvature) curvature_.push_back(square_slots(*block, slot));
      row += block->terms() * block->rows();
    }
  }
}

void Assembly::add_dynamics(const Instant& at, const SlopeWeights& weights, double* values) const {
  const bool force = weights.force != 0.0 && (weights.dq != 0.0 || weights.dv != 0.0);
  for (std::size_t b = 0; b < dynamics_.size(); ++b) {
    const DynamicsBlock& block = *system_.dynamics()[b];
    // p has no slope in q where the mass is constant; a pass over a large matrix that adds nothing would cost as much as any other.
    const bool momentum = weights.momentum != 0.0 && (weights.dv != 0.0 || (weights.dq != 0.0 && !block.constant_mass()));
    if (momentum || force) block.add_slopes(at, weights, dynamics_[b].data(), values);
  }
}

void Assembly::add_gradient(double t, const double* q, double weight, const double* row_weight, double* values) const {
  for (std::size_t b = 0; b < gradient_.size(); ++b) {
    const ConstraintBlock& block = *system_.constraints()[b];
    block.add_gradient(t, q, weight, row_weight, gradient_[b].data(), values);
    row_weight += block.terms() * block.rows();
  }
}

void Assembly::add_directions(double t, const double* q, double weight, double* values) const {
  for (std::size_t b = 0; b < directions_.size(); ++b)
    system_.constraints()[b]->add_gradient(t, q, weight, nullptr, directions_[b].data(), values);
}

void Assembly::add_curvature(double t, const double* q, const double* lambda, double weight, double* values) const {
  for (std::size_t b = 0; b < curvature_.size(); ++b) {
    const ConstraintBlock& block = *system_.constraints()[b];
    block.add_curvature(t, q, lambda, weight, curvature_[b].data(), values);
    lambda += block.terms() * block.rows();
  }
}

void Assembly::add_discrete_dynamics(const Segment& step, double weight, double dq, double* values) const {
  for (std::size_t b = 0; b < dynamics_.size(); ++b)
    system_.dynamics()[b]->discrete()->add_discrete_slopes(step, weight, dq, dynamics_[b].data(), values);
}

void Assembly::add_discrete_directions(const Segment& step, double weight, double* values) const {
  for (std::size_t b = 0; b < directions_.size(); ++b)
    system_.constraints()[b]->discrete()->add_discrete_gradient(step, weight, directions_[b].data(), values);
}

void Assembly::add_discrete_curvature(const Segment& step, const double* lambda, double weight, double* values) const {
  for (std::size_t b = 0; b < curvature_.size(); ++b) {
    const ConstraintBlock& block = *system_.constraints()[b];
    block.discrete()->add_discrete_curvature(step, lambda, weight, curvature_[b].data(), values);
    lambda += block.terms() * block.rows();
  }
}

}  // namespace taut
