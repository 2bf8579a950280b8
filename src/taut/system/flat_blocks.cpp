#include <set>
#include <taut/system/flat_blocks.hpp>

namespace taut {

FlatBlocks::FlatBlocks(const System& system, int stride) {
  int first = 0;
  for (const auto& block : system.constraints()) {
    constraints.push_back({block.get(), first, {}});
    first += block->terms() * block->rows();
    if (stride == 0) continue;
    Rows& rows = constraints.back();
    rows.slots = gradient_slots(*block, rows.first, [&](int row, int i) { return row * stride + i; });
    const int n = block->width();
    for (auto stencil = block->stencils().begin(); stencil != block->stencils().end(); stencil += n)
      distinct = distinct && std::set<int>(stencil, stencil + n).size() == std::size_t(n);
  }
  const Vector zero = Vector::Zero(system.size());
  weights = zero;
  for (const auto& block : system.dynamics()) {
    if (block->constant_force()) {
      block->add({0.0, zero.data(), zero.data()}, 0.0, 1.0, weights.data());
    } else {
      forces.push_back(block.get());
    }
  }
}

}  // namespace taut
