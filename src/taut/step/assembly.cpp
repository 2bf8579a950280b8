#include <algorithm>
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
      first_row_.push_back(row - n);
      row += block->terms() * block->rows();
    }
  }
  divide();
}

void Assembly::divide() {
  // Blocks are of limited size (see System); the coordinate they begin with tells where they are.
  constexpr int coordinates_of_part = 2000;
  const int n = system_.size(), count = std::max(1, n / coordinates_of_part);
  parts_.resize(std::size_t(count));
  const auto part_of = [&](const Block& block) -> Part& {
    const long first = block.stencils().empty() ? 0 : block.stencils().front();
    return parts_[std::size_t(std::min<long>(count - 1, first * count / std::max(1, n)))];
  };
  for (std::size_t b = 0; b < dynamics_.size(); ++b) {
    part_of(*system_.dynamics()[b]).dynamics.push_back(int(b));
    whole_.dynamics.push_back(int(b));
  }
  for (std::size_t b = 0; b < gradient_.size(); ++b) {
    part_of(*system_.constraints()[b]).constraints.push_back(int(b));
    whole_.constraints.push_back(int(b));
  }
}

void Assembly::add_dynamics(const Part& part, const Instant& at, const SlopeWeights& weights, double* values) const {
  const bool force = weights.force != 0.0 && (weights.dq != 0.0 || weights.dv != 0.0);
  for (const int b : part.dynamics) {
    const DynamicsBlock& block = *system_.dynamics()[b];
    // p has no slope in q where the mass is constant; a pass over a large matrix that adds nothing would cost as much as any other.
    const bool momentum = weights.momentum != 0.0 && (weights.dv != 0.0 || (weights.dq != 0.0 && !block.constant_mass()));
    if (momentum || force) block.add_slopes(at, weights, dynamics_[b].data(), values);
  }
}

void Assembly::add_gradient(const Part& part, double t, const double* q, double weight, const double* row_weight,
                            double* values) const {
  for (const int b : part.constraints)
    system_.constraints()[b]->add_gradient(t, q, weight, row_weight + first_row_[b], gradient_[b].data(), values);
}

void Assembly::add_directions(const Part& part, double t, const double* q, double weight, double* values) const {
  for (const int b : part.constraints)
    system_.constraints()[b]->add_gradient(t, q, weight, nullptr, directions_[b].data(), values);
}

void Assembly::add_curvature(const Part& part, double t, const double* q, const double* lambda, double weight,
                             double* values) const {
  if (curvature_.empty()) return;
  for (const int b : part.constraints)
    system_.constraints()[b]->add_curvature(t, q, lambda + first_row_[b], weight, curvature_[b].data(), values);
}

void Assembly::add_discrete_dynamics(const Part& part, const Segment& step, double weight, double dq, double* values) const {
  for (const int b : part.dynamics)
    system_.dynamics()[b]->discrete()->add_discrete_slopes(step, weight, dq, dynamics_[b].data(), values);
}

void Assembly::add_discrete_directions(const Part& part, const Segment& step, double weight, double* values) const {
  for (const int b : part.constraints)
    system_.constraints()[b]->discrete()->add_discrete_gradient(step, weight, directions_[b].data(), values);
}

void Assembly::add_discrete_curvature(const Part& part, const Segment& step, const double* lambda, double weight,
                                      double* values) const {
  if (curvature_.empty()) return;
  for (const int b : part.constraints)
    system_.constraints()[b]->discrete()->add_discrete_curvature(step, lambda + first_row_[b], weight, curvature_[b].data(),
                                                                 values);
}

}  // namespace taut
