#include <algorithm>
#include <cstdlib>
#include <taut/base/require.hpp>
#include <taut/linalg/layout.hpp>

namespace taut {
namespace {

/// Neighbour lists in compressed form.
struct Graph {
  const std::vector<int>& starts;
  const std::vector<int>& ends;

  int degree(int node) const { return starts[node + 1] - starts[node]; }

  /// Breadth-first order from the root over unmarked nodes, neighbours by ascending degree; depth of the last node.
  int sweep(int root, std::vector<int>& mark, int stamp, std::vector<int>& order) const {
    const std::size_t first = order.size();
    order.push_back(root);
    mark[root] = stamp;
    int depth = 0;
    for (std::size_t level = first, level_end = order.size(); level < level_end; level_end = order.size()) {
      for (; level < level_end; ++level) {
        const int node = order[level];
        const auto added = std::ptrdiff_t(order.size());
        for (int k = starts[node]; k < starts[node + 1]; ++k) {
          if (mark[ends[k]] >= stamp) continue;
          mark[ends[k]] = stamp;
          order.push_back(ends[k]);
        }
        std::sort(order.begin() + added, order.end(), [this](int a, int b) { return degree(a) < degree(b); });
      }
      if (order.size() > level_end) ++depth;
    }
    return depth;
  }
};

/// Reverse Cuthill–McKee: number by breadth-first levels from a node at the rim of each component.
std::vector<int> reverse_cuthill_mckee(const Graph& graph, int size) {
  std::vector<int> order, trial;
  std::vector<int> mark(size, 0);
  constexpr int done = 1 << 30;
  int stamp = 0;
  for (int seed = 0; seed < size; ++seed) {
    if (mark[seed] == done) continue;
    // Walk to the rim: restart from the last node of the sweep while the depth grows.
    int root = seed, depth = -1;
    for (;;) {
      trial.clear();
      const int found = graph.sweep(root, mark, ++stamp, trial);
      if (found <= depth) break;
      depth = found;
      root = trial.back();
    }
    const std::size_t first = order.size();
    graph.sweep(root, mark, ++stamp, order);
    for (std::size_t k = first; k < order.size(); ++k) mark[order[k]] = done;
  }
  std::reverse(order.begin(), order.end());
  std::vector<int> position(size);
  for (int k = 0; k < size; ++k) position[order[k]] = k;
  return position;
}

}  // namespace

Layout::Layout(int size, std::vector<Entry> entries) : Layout(size, std::move(entries), nullptr) {}
Layout::Layout(int size, std::vector<Entry> entries, Kind kind) : Layout(size, std::move(entries), &kind) {}

Layout::Layout(int size, std::vector<Entry> entries, const Kind* prescribed) : size_(size) {
  // Compressed columns of the symmetrised pattern.
  const std::size_t given = entries.size();
  entries.reserve(2 * given + size);
  for (std::size_t k = 0; k < given; ++k) entries.emplace_back(entries[k].second, entries[k].first);
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  column_starts_.assign(size + 1, 0);
  row_indices_.reserve(entries.size());
  for (const auto& [row, column] : entries) {
    row_indices_.push_back(row);
    ++column_starts_[column + 1];
  }
  for (int j = 0; j < size; ++j) column_starts_[j + 1] += column_starts_[j];

  position_ = reverse_cuthill_mckee({column_starts_, row_indices_}, size);
  for (const auto& [row, column] : entries)
    half_bandwidth_ = std::max(half_bandwidth_, std::abs(position_[row] - position_[column]));

  // Elimination costs about 2n³/3 dense and 4nb² banded with pivoting; below a dozen unknowns the plain loop wins.
  // Patterns that leave a band wider than 40 are trees and nets, where KLU fills in far less than a band would.
  const double n = size, b = half_bandwidth_;
  if (prescribed != nullptr) {
    kind_ = *prescribed;
  } else if (size <= 12 || 6.0 * b * b >= n * n) {
    kind_ = size <= 300 ? Kind::dense : Kind::sparse;
  } else {
    kind_ = half_bandwidth_ <= 40 ? Kind::banded : Kind::sparse;
  }

  if (kind_ == Kind::dense) storage_ = size * size;
  if (kind_ == Kind::banded) storage_ = size * (3 * half_bandwidth_ + 1);
  if (kind_ == Kind::sparse) storage_ = int(row_indices_.size());
}

int Layout::slot(int row, int column) const {
  if (kind_ == Kind::dense) return row + size_ * column;
  if (kind_ == Kind::banded) {
    const int i = position_[row], j = position_[column];
    return i * (3 * half_bandwidth_ + 1) + (j - i + half_bandwidth_);
  }
  const auto first = row_indices_.begin() + column_starts_[column];
  const auto last = row_indices_.begin() + column_starts_[column + 1];
  const auto found = std::lower_bound(first, last, row);
  require(found != last && *found == row, "Layout: the entry ({}, {}) is not part of the pattern.", row, column);
  return int(found - row_indices_.begin());
}

}  // namespace taut
