#include <algorithm>
#include <cstdlib>
#include <taut/base/require.hpp>
#include <taut/linalg/layout.hpp>
#include <taut/linalg/levels.hpp>
#include <utility>

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

/// Cuthill–McKee: number by breadth-first levels from a node at the rim of each component.
std::vector<int> cuthill_mckee(const Graph& graph, int size) {
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
  // Of the two directions, the one along the numbering given.
  if (!order.empty() && order.front() > order.back()) std::reverse(order.begin(), order.end());
  std::vector<int> position(size);
  for (int k = 0; k < size; ++k) position[order[k]] = k;
  return position;
}

/// Unknowns in the order of their keys, equal ones in the order they have.
std::vector<int> sorted_by(const std::vector<int>& keys, const std::vector<int>& position) {
  const int size = int(keys.size());
  std::vector<int> starts(2 * std::size_t(size) + 1, 0), order(size), sorted(size);
  for (int i = 0; i < size; ++i) order[position[i]] = i;
  for (const int key : keys) ++starts[key + 1];
  for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
  for (const int i : order) sorted[i] = starts[keys[i]]++;
  return sorted;
}

/// The order given, the unknowns after the first `natural` placed amid those they meet.
std::vector<int> given_order(const Graph& graph, int size, int natural) {
  std::vector<int> keys(size), position(size);
  for (int i = 0; i < size; ++i) {
    position[i] = i;
    keys[i] = 2 * i;
    if (i < natural) continue;
    int first = size, last = 0;
    for (int k = graph.starts[i]; k < graph.starts[i + 1]; ++k)
      if (const int other = graph.ends[k]; other < natural) first = std::min(first, other), last = std::max(last, other);
    if (first <= last) keys[i] = first + last;
  }
  return sorted_by(keys, position);
}

/// Unknowns as far as `width` from a neighbour moved to the middle of the span of their neighbours.
std::vector<int> centred(const Graph& graph, const std::vector<int>& position, int width) {
  std::vector<int> keys(position.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const int here = position[i];
    int first = here, last = here;
    for (int k = graph.starts[i]; k < graph.starts[i + 1]; ++k) {
      first = std::min(first, position[graph.ends[k]]);
      last = std::max(last, position[graph.ends[k]]);
    }
    keys[i] = std::max(last - here, here - first) < width ? 2 * here : first + last;
  }
  return sorted_by(keys, position);
}

int half_bandwidth_of(const Graph& graph, const std::vector<int>& position) {
  int widest = 0;
  for (std::size_t i = 0; i < position.size(); ++i)
    for (int k = graph.starts[i]; k < graph.starts[i + 1]; ++k)
      widest = std::max(widest, std::abs(position[i] - position[graph.ends[k]]));
  return widest;
}

}  // namespace

Layout::Layout(int size, const std::vector<Entry>& entries) : Layout(size, entries, size, nullptr) {}
Layout::Layout(int size, const std::vector<Entry>& entries, int coordinates) : Layout(size, entries, coordinates, nullptr) {}
Layout::Layout(int size, const std::vector<Entry>& entries, Kind kind) : Layout(size, entries, size, &kind) {}
Layout::Layout(int size, const std::vector<Entry>& entries, int coordinates, Kind kind)
    : Layout(size, entries, coordinates, &kind) {}

Layout::Layout(int size, const std::vector<Entry>& entries, int coordinates, const Kind* prescribed)
    : size_(size), coordinates_(coordinates) {
  // Compressed columns of the symmetrised pattern: all entries by column, then each column without repetitions, and sorted.
  std::vector<int> ends(size + 1, 0);
  for (const auto& [row, column] : entries) ++ends[row + 1], ++ends[column + 1];
  for (int j = 0; j < size; ++j) ends[j + 1] += ends[j];
  std::vector<int> rows(ends[size]);
  {
    std::vector<int> next(ends.begin(), ends.end() - 1);
    for (const auto& [row, column] : entries) {
      rows[next[column]++] = row;
      rows[next[row]++] = column;
    }
  }
  column_starts_.assign(1, 0);
  std::vector<int> seen(std::size_t(size), -1);  // the last column that holds a row
  for (int j = 0; j < size; ++j) {
    const auto add = [&](int row) {
      if (std::exchange(seen[row], j) != j) row_indices_.push_back(row);
    };
    add(j);
    for (int k = ends[j]; k < ends[j + 1]; ++k) add(rows[k]);
    std::sort(row_indices_.begin() + column_starts_.back(), row_indices_.end());
    column_starts_.push_back(int(row_indices_.size()));
  }

  const Graph graph{column_starts_, row_indices_};
  position_ = cuthill_mckee(graph, size);
  half_bandwidth_ = half_bandwidth_of(graph, position_);
  // The order given, improved as long as there is hope.
  constexpr int rounds = 10;
  std::vector<int> other = given_order(graph, size, coordinates);
  for (int round = 0; round < rounds; ++round) {
    const int width = half_bandwidth_of(graph, other);
    if (width > 2 * half_bandwidth_) break;
    if (width < half_bandwidth_) {
      half_bandwidth_ = width;
      position_ = other;
    }
    std::vector<int> better = centred(graph, other, width);
    if (better == other) break;
    other = std::move(better);
  }

  // Elimination costs about 2n³/3 dense and 4nb² banded with pivoting; below a dozen unknowns the plain loop wins.
  // Patterns that leave a band wider than 40 are trees and nets, where sparse factors fill in far less than a band would; those that fall into levels are rods.
  const double n = size, b = half_bandwidth_;
  if (prescribed != nullptr) {
    kind_ = *prescribed;
  } else if (size <= 12 || 6.0 * b * b >= n * n) {
    kind_ = size <= 300 ? Kind::dense : Kind::sparse;
  } else {
    levels_ = Levels::of(size, coordinates, column_starts_, row_indices_, half_bandwidth_);
    kind_ = levels_ != nullptr ? Kind::levels : half_bandwidth_ <= 40 ? Kind::banded : Kind::sparse;
  }

  if (kind_ == Kind::dense) storage_ = size * size;
  if (kind_ == Kind::banded) storage_ = size * (2 * half_bandwidth_ + 1);
  if (kind_ == Kind::levels) storage_ = levels_->storage();
  if (kind_ == Kind::sparse) storage_ = int(row_indices_.size());
}

int Layout::slot(int row, int column) const {
  if (kind_ == Kind::dense) return row + size_ * column;
  if (kind_ == Kind::banded) {
    const int i = position_[row], j = position_[column];
    return i * (2 * half_bandwidth_ + 1) + (j - i + half_bandwidth_);
  }
  if (kind_ == Kind::levels) return levels_->slot(row, column);
  const auto first = row_indices_.begin() + column_starts_[column];
  const auto last = row_indices_.begin() + column_starts_[column + 1];
  const auto found = std::lower_bound(first, last, row);
  require(found != last && *found == row, "Layout: the entry ({}, {}) is not part of the pattern.", row, column);
  return int(found - row_indices_.begin());
}

}  // namespace taut
