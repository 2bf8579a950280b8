#include <algorithm>
#include <taut/base/large_vector.hpp>
#include <taut/step/assembly.hpp>

namespace taut {

Assembly::Assembly(const System& system, Parts parts) : system_(system), parts_(parts_of(system)) {
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
  layout_ = std::make_shared<const Layout>(n + int(sets_.size()), entries, n);

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
  int reached = 0;
  const auto reach = [&](const std::vector<int>& slots) {
    for (const int one : slots) reached = std::max(reached, one + 1);
  };
  for (const Part& part : parts_) {
    for (const int b : part.dynamics) reach(dynamics_[b]);
    for (const Part::Rows& rows : part.constraints)
      for (const Slots* slots : {&gradient_, &directions_, &curvature_})
        if (!slots->empty()) reach((*slots)[rows.block]);
    reached_.push_back(reached);
  }
  reached_.back() = layout_->storage();

  if (layout_->storage() * sizeof(double) < 4 * huge_page) return;
  for (const auto& block : system.dynamics()) prefer_huge_pages(block->stencils(), 0);  // and the terms beside them
  for (const auto& block : system.constraints()) prefer_huge_pages(block->stencils(), 0);
  for (const Slots* slots : {&dynamics_, &gradient_, &directions_, &curvature_})
    for (const std::vector<int>& one : *slots) prefer_huge_pages(one, 0);
}

void Assembly::clear(const Part& part, double* values) const {
  const std::ptrdiff_t k = &part - parts_.data();
  std::fill(values + (k == 0 ? 0 : reached_[k - 1]), values + reached_[k], 0.0);
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
  add_gradient(part, Instant{t, q, nullptr}, weight, row_weight, values);
}

void Assembly::add_directions(const Part& part, double t, const double* q, double weight, double* values) const {
  add_directions(part, Instant{t, q, nullptr}, weight, values);
}

void Assembly::add_curvature(const Part& part, double t, const double* q, const double* lambda, double weight,
                             double* values) const {
  add_curvature(part, Instant{t, q, nullptr}, lambda, weight, values);
}

void Assembly::add_gradient(const Part& part, const Instant& at, double weight, const double* row_weight,
                            double* values) const {
  for (const Part::Rows& rows : part.constraints)
    system_.constraints()[rows.block]->add_gradient_at(at, weight, row_weight + rows.first, gradient_[rows.block].data(),
                                                       values);
}

void Assembly::add_directions(const Part& part, const Instant& at, double weight, double* values) const {
  for (const Part::Rows& rows : part.constraints)
    system_.constraints()[rows.block]->add_gradient_at(at, weight, nullptr, directions_[rows.block].data(), values);
}

void Assembly::add_curvature(const Part& part, const Instant& at, const double* lambda, double weight,
                             double* values) const {
  if (curvature_.empty()) return;
  for (const Part::Rows& rows : part.constraints)
    system_.constraints()[rows.block]->add_curvature_at(at, lambda + rows.first, weight, curvature_[rows.block].data(),
                                                        values);
}

void Assembly::add_discrete_dynamics(const Part& part, const Segment& step, double weight, double dq, double* values) const {
  for (const int b : part.dynamics)
    system_.dynamics()[b]->discrete()->add_discrete_slopes(step, weight, dq, dynamics_[b].data(), values);
}

void Assembly::add_discrete_directions(const Part& part, const Segment& step, double weight, double* values) const {
  for (const Part::Rows& rows : part.constraints)
    system_.constraints()[rows.block]->discrete()->add_discrete_gradient(step, weight, directions_[rows.block].data(),
                                                                         values);
}

void Assembly::add_discrete_curvature(const Part& part, const Segment& step, const double* lambda, double weight,
                                      double* values) const {
  if (curvature_.empty()) return;
  for (const Part::Rows& rows : part.constraints)
    system_.constraints()[rows.block]->discrete()->add_discrete_curvature(step, lambda + rows.first, weight,
                                                                          curvature_[rows.block].data(), values);
}

}  // namespace taut
