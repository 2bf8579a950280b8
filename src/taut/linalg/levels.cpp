#include <algorithm>
#include <array>
#include <cstdint>
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
};

/// The node of each coordinate: those with the same neighbours among the coordinates are one.
std::vector<int> nodes_of(const LevelPattern& pattern, int& count) {
  std::vector<std::pair<std::uint64_t, int>> keys;
  for (int i = 0; i < pattern.coordinates; ++i) {
    std::uint64_t key = 1469598103934665603U;
    pattern.neighbours(i, [&](int j) {
      if (j < pattern.coordinates) key = (key ^ std::uint64_t(j)) * 1099511628211U;
    });
    keys.emplace_back(key, i);
  }
  std::sort(keys.begin(), keys.end());
  const auto same = [&](int i, int j) {
    const auto list = [&](int of) {
      const int* first = pattern.ends.data() + pattern.starts[of];
      return std::pair(first, std::lower_bound(first, pattern.ends.data() + pattern.starts[of + 1], pattern.coordinates));
    };
    const auto [a, a_end] = list(i);
    const auto [b, b_end] = list(j);
    return std::equal(a, a_end, b, b_end);
  };
  std::vector<int> node(std::size_t(pattern.coordinates), 0);
  count = 0;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const bool goes_on = k > 0 && keys[k].first == keys[k - 1].first && same(keys[k].second, keys[k - 1].second);
    if (!goes_on) ++count;
    node[std::size_t(keys[k].second)] = count - 1;
  }
  return node;
}

/// Which nodes meet, by coordinates or by a multiplier. Empty where a multiplier holds so many that there are no levels.
std::vector<std::vector<int>> meetings(const LevelPattern& pattern, const std::vector<int>& node, int count) {
  std::vector<std::vector<int>> near(static_cast<std::size_t>(count));
  const auto tidy = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  std::vector<char> seen(std::size_t(count), 0);
  std::vector<int> held;
  for (int i = 0; i < pattern.size; ++i) {
    held.clear();
    if (i < pattern.coordinates) {
      if (seen[std::size_t(node[i])] != 0) continue;  // one coordinate speaks for its node
      seen[std::size_t(node[i])] = 1;
      held.push_back(node[i]);
    }
    pattern.neighbours(i, [&](int j) {
      if (j < pattern.coordinates) held.push_back(node[j]);
    });
    tidy(held);
    if (int(held.size()) > widest_inner) return {};
    for (const int a : held)
      for (const int b : held)
        if (a != b && (i >= pattern.coordinates || a == node[i] || b == node[i])) near[std::size_t(a)].push_back(b);
  }
  for (auto& list : near) tidy(list);
  return near;
}

/// Breadth-first levels of all nodes, from a rim of each component.
std::vector<int> levels_from_rims(const std::vector<std::vector<int>>& near, int& count) {
  std::vector<int> level(near.size(), -1), queue, trial(near.size(), -1);
  const auto sweep = [&](int root, std::vector<int>& depth, int first) {
    queue.assign(1, root);
    depth[std::size_t(root)] = first;
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const int other : near[std::size_t(queue[k])])
        if (depth[std::size_t(other)] < 0) {
          depth[std::size_t(other)] = depth[std::size_t(queue[k])] + 1;
          queue.push_back(other);
        }
    return depth[std::size_t(queue.back())];
  };
  count = 0;
  for (int seed = 0; seed < int(near.size()); ++seed) {
    if (level[std::size_t(seed)] >= 0) continue;
    int root = seed, depth = -1;
    for (;;) {
      const int found = sweep(root, trial, 0), last = queue.back();
      for (const int seen : queue) trial[std::size_t(seen)] = -1;
      if (found <= depth) break;
      depth = found;
      root = last;
    }
    count = sweep(root, level, count) + 1;
  }
  return level;
}

}  // namespace

std::shared_ptr<const Levels> Levels::of(int size, int coordinates, const std::vector<int>& starts,
                                         const std::vector<int>& ends, int half_bandwidth) {
  if (half_bandwidth <= narrow_band || coordinates == size) return nullptr;
  const LevelPattern pattern{size, coordinates, starts, ends};
  int nodes = 0, count = 0;
  const std::vector<int> node = nodes_of(pattern, nodes);
  const auto near = meetings(pattern, node, nodes);
  if (near.empty()) return nullptr;
  const std::vector<int> node_level = levels_from_rims(near, count);

  auto out = std::make_shared<Levels>();
  out->levels_.resize(std::size_t(count));
  out->level_.assign(std::size_t(size), 0);
  out->place_.assign(std::size_t(size), 0);
  // 0: plain, 1: touched, 2: own
  std::vector<char> role(std::size_t(size), 0);
  for (int i = 0; i < coordinates; ++i) out->level_[i] = node_level[std::size_t(node[i])];
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
