#include <algorithm>
#include <array>
#include <span>
#include <taut/base/require.hpp>
#include <taut/linalg/levels.hpp>
#include <utility>

namespace taut {
namespace {

/// Narrower bands are eliminated in registers, and levels wider than this leave the fixed arrays of LevelMatrix.
constexpr int narrow_band = 10, widest_inner = 48;

struct LevelPattern {
  int size, coordinates;
  const std::vector<int>&starts, &ends;

  template <class Visit> void neighbours(int i, const Visit& visit) const {
    for (int k = starts[i]; k < starts[i + 1]; ++k) visit(ends[k]);
  }

  /// Those among the coordinates, itself among them.
  std::span<const int> coordinates_near(int i) const {
    const int *first = ends.data() + starts[i], *last = ends.data() + starts[i + 1];
    return {first, std::lower_bound(first, last, coordinates)};
  }
};

/// Breadth-first levels of nodes: coordinates that meet the same coordinates are one. Nodes meet by coordinates or by a multiplier.
class Sweep {
 public:
  explicit Sweep(const LevelPattern& pattern)
      : pattern_(pattern), node_(std::size_t(pattern.coordinates), -1), expanded_(std::size_t(pattern.size), 0) {
    for (int i = 0; i < pattern.coordinates; ++i) {
      if (node_[i] >= 0) continue;
      const auto near = pattern.coordinates_near(i);
      for (const int j : near)
        if (std::ranges::equal(near, pattern.coordinates_near(j))) node_[j] = i;
    }
  }

  /// Levels from the node of this coordinate on, in a list that holds −1 for what was not seen; the last of them. Each sweep has a stamp of its own.
  int operator()(int root, std::vector<int>& level, int first, int stamp) {
    queue_.clear();
    reach(root, level, first);
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      const int next = level[queue_[k]] + 1;
      pattern_.neighbours(queue_[k], [&](int i) {
        if (i < pattern_.coordinates) return reach(i, level, next);
        if (expanded_[i] == stamp) return;
        expanded_[i] = stamp;
        for (const int j : pattern_.coordinates_near(i)) reach(j, level, next);
      });
    }
    return level[queue_.back()];
  }

  const std::vector<int>& seen() const { return queue_; }

 private:
  void reach(int i, std::vector<int>& level, int here) {
    if (level[i] >= 0) return;
    for (const int j : pattern_.coordinates_near(i))
      if (node_[j] == node_[i]) {
        level[j] = here;
        queue_.push_back(j);
      }
  }

  const LevelPattern& pattern_;
  std::vector<int> node_, expanded_, queue_;
};

/// Levels of all coordinates, from a rim of each component: the one that is numbered first, so that levels follow the order in which a matrix is filled. None where
/// one is too wide.
std::vector<int> levels_from_rims(const LevelPattern& pattern, int& count) {
  Sweep sweep(pattern);
  std::vector<int> level(std::size_t(pattern.coordinates), -1), trial = level;
  count = 0;
  int stamp = 0;
  for (int seed = 0; seed < pattern.coordinates; ++seed) {
    if (level[seed] >= 0) continue;
    int root = seed, depth = -1;
    for (;;) {
      const int found = sweep(root, trial, 0, ++stamp), last = sweep.seen().back();
      for (const int seen : sweep.seen()) trial[seen] = -1;
      // No sweep goes more than twice as far as another.
      if (std::ptrdiff_t(sweep.seen().size()) > std::ptrdiff_t(widest_inner) * (2 * found + 1)) return {};
      if (found <= depth) break;
      depth = found;
      root = last;
    }
    root = std::min(root, sweep.seen().back());
    count = sweep(root, level, count, ++stamp) + 1;
  }
  return level;
}

}  // namespace

std::shared_ptr<const Levels> Levels::of(int size, int coordinates, const std::vector<int>& starts,
                                         const std::vector<int>& ends, int half_bandwidth) {
  if (half_bandwidth <= narrow_band || coordinates == size) return nullptr;
  const LevelPattern pattern{size, coordinates, starts, ends};
  int count = 0;
  const std::vector<int> found = levels_from_rims(pattern, count);
  if (found.empty()) return nullptr;

  auto out = std::make_shared<Levels>();
  out->levels_.resize(std::size_t(count));
  out->level_.assign(std::size_t(size), 0);
  out->place_.assign(std::size_t(size), 0);
  // 0: plain, 1: touched, 2: own
  std::vector<char> role(std::size_t(size), 0);
  std::copy(found.begin(), found.end(), out->level_.begin());
  for (int i = coordinates; i < size; ++i) {
    int first = count, last = -1;
    pattern.neighbours(i, [&](int j) {
      if (j < coordinates) first = std::min(first, out->level_[j]), last = std::max(last, out->level_[j]);
    });
    if (last > first + 1) return nullptr;
    out->level_[i] = std::max(last, 0);
    if (first != last) continue;
    role[std::size_t(i)] = 2;
    pattern.neighbours(i, [&](int j) {
      if (j < coordinates) role[std::size_t(j)] = 1;
    });
  }
  for (int i = 0; i < size; ++i) {
    Level& level = out->levels_[std::size_t(out->level_[i])];
    ++(role[std::size_t(i)] == 0 ? level.plain : role[std::size_t(i)] == 1 ? level.touched : level.own);
  }
  int storage = 0, first = 0;
  double cost = 0.0, own = 0.0;
  for (std::size_t k = 0; k < out->levels_.size(); ++k) {
    Level& level = out->levels_[k];
    const int next = k + 1 < out->levels_.size() ? out->levels_[k + 1].inner() : 0, inner = level.inner(),
              kept = level.kept();
    if (inner > widest_inner || level.own > level.touched) return nullptr;
    level.start = storage;
    level.first = first;
    storage += inner * inner + 2 * inner * next + 2 * level.own * level.touched + level.own;
    first += inner + level.own;
    own += level.own;
    cost += 3.0 * kept * kept * kept + 3.0 * inner * level.touched * (kept - level.plain) +
            2.0 * level.own * level.own * level.touched;
  }
  // Rows that few levels own are no reason to give up pivoting over all of them.
  if (own < 0.2 * size || cost > double(half_bandwidth) * half_bandwidth * size) return nullptr;
  out->storage_ = storage;
  std::vector<std::array<int, 3>> next(out->levels_.size());
  for (std::size_t k = 0; k < next.size(); ++k) next[k] = {0, out->levels_[k].plain, out->levels_[k].inner()};
  out->order_.resize(std::size_t(size));
  for (int i = 0; i < size; ++i) {
    const auto k = std::size_t(out->level_[i]);
    out->place_[i] = next[k][std::size_t(role[std::size_t(i)])]++;
    out->order_[std::size_t(out->levels_[k].first + out->place_[i])] = i;
  }
  return out;
}

int Levels::slot(int row, int column) const {
  const int k = std::min(level_[row], level_[column]), i = place_[row], j = place_[column];
  const Level& level = levels_[std::size_t(k)];
  const int inner = level.inner(), after = inner * inner;
  const int next = std::size_t(k) + 1 < levels_.size() ? levels_[std::size_t(k) + 1].inner() : 0;
  if (level_[row] == level_[column]) {
    if (i < inner && j < inner) return level.start + i + inner * j;
    const int own = level.start + after + 2 * inner * next, r = i - inner, c = j - inner;
    if (i >= inner && j >= inner && i == j) return own + 2 * level.own * level.touched + r;
    if (i >= inner && j < inner && j >= level.plain) return own + r + level.own * (j - level.plain);
    if (j >= inner && i < inner && i >= level.plain)
      return own + level.own * level.touched + (i - level.plain) + level.touched * c;
  } else if (level_[column] == k + 1 && i < inner && j < next) {
    return level.start + after + i + inner * j;
  } else if (level_[row] == k + 1 && j < inner && i < next) {
    return level.start + after + inner * next + i + next * j;
  }
  require(false, "Layout: the entry ({}, {}) is not part of the pattern.", row, column);
  return -1;
}

}  // namespace taut
