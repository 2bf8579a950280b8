#pragma once

#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// The blocks of a system in lists, for loops that ask a few of them for a few numbers: rows are counted once, and forces that never change are found once.
/// The system must outlive it, unchanged.
struct FlatBlocks {
  /// The entry (row, coordinate) of G is to lie at row·stride + coordinate; without a stride nobody will ask for G.
  explicit FlatBlocks(const System& system, int stride = 0);

  struct Rows {
    const ConstraintBlock* block;
    int first;
    std::vector<int> slots;
  };
  std::vector<Rows> constraints;
  std::vector<const DynamicsBlock*> forces;  // those that change
  Vector weights;                            // the sum of the others

  /// To what already holds the weights.
  void add_forces(const Instant& at, double* f) const {
    note_force_evaluation();
    for (const DynamicsBlock* block : forces) block->add(at, 0.0, 1.0, f);
  }
  void values(double t, const double* q, double* g) const {
    for (const Rows& rows : constraints) rows.block->values(t, q, g + rows.first);
  }
  void accelerations(const Instant& at, double* gamma) const {
    for (const Rows& rows : constraints) rows.block->linearize(at, {.acceleration = gamma + rows.first});
  }
  void values_and_rates(const Instant& at, double* g, double* rate) const {
    for (const Rows& rows : constraints) rows.block->linearize(at, {.value = g + rows.first, .rate = rate + rows.first});
  }
  /// G, and what else has a place.
  void linearize(const Instant& at, double* rate, double* gamma, double* G) const {
    for (const Rows& rows : constraints) {
      Linearization out{.rate = rate != nullptr ? rate + rows.first : nullptr,
                        .acceleration = gamma != nullptr ? gamma + rows.first : nullptr};
      if (distinct) {
        out.gradient = G;
        out.slots = rows.slots.data();
      }
      rows.block->linearize(at, out);
      if (distinct) continue;
      for (const int slot : rows.slots) G[slot] = 0.0;
      rows.block->add_gradient(at.t, at.q, 1.0, nullptr, rows.slots.data(), G);
    }
  }
  bool distinct = true;  ///< no stencil of a constraint names a coordinate twice
};

}  // namespace taut
