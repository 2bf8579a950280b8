#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/step/split_rows.hpp>

namespace taut {

SplitRows split_rows(const System& system, const SplitForm& form) {
  SplitRows out;
  int row = 0;
  const Vector q = form.q != nullptr ? *form.q : Vector::Zero(system.size());
  const std::vector<Set> sets = system.sets();
  SpanRow described;
  for (const auto& block : system.constraints()) {
    const int width = block->width(), rows = block->rows();
    int next = 0;
    const auto slots = gradient_slots(*block, 0, [&next](int, int) { return next++; });
    Vector entries = Vector::Zero(Eigen::Index(slots.size()));
    block->add_gradient(form.t, q.data(), 1.0, nullptr, slots.data(), entries.data());
    for (int k = 0; k < block->terms(); ++k) {
      const int* stencil = block->stencils().data() + std::size_t(k) * width;
      if (block->span(k, described)) {
        const int dim = int(described.a.size());
        SplitSpan one{{}, described.c, described.a, described.length, described.weight, row, sets[row] != Set::zero};
        require(sets[row] == Set::zero || sets[row] == Set::nonpositive,
                "Splitting: cannot take '{}', which is at least so long.", block->name(k));
        for (int shape = 0; shape * dim < width; ++shape) one.at.push_back(stencil[shape * dim]);
        out.dim = std::max(out.dim, dim);
        out.spans.push_back(std::move(one));
        ++row;
        continue;
      }
      for (int i = 0; i < rows; ++i, ++row) {
        if (sets[row] == Set::whole) continue;
        // A row that gives one coordinate is no constraint but a boundary value.
        int found = -1, count = 0;
        for (int j = 0; j < width; ++j)
          if (entries[(Eigen::Index(k) * rows + i) * width + j] != 0.0) {
            found = j;
            ++count;
          }
        require(count == 1 && sets[row] == Set::zero,
                "Splitting: takes lengths (rods, pins, inextensible beams) and given coordinates, but '{}' is neither; use "
                "Multipliers.",
                block->row_name(k, i));
        out.given.push_back({row, stencil[found], entries[(Eigen::Index(k) * rows + i) * width + found]});
      }
    }
  }
  require(!out.spans.empty(), "Splitting: the system has no constraint on a length; use Multipliers.");
  for (const SplitSpan& one : out.spans)
    require(int(one.a.size()) == out.dim, "Splitting: constraints in different dimensions do not go together.");
  return out;
}

}  // namespace taut
