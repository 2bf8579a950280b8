#include <algorithm>
#include <numeric>
#include <taut/linalg/symbolic.hpp>
#include <taut/linalg/tied_ordering.hpp>

namespace taut {
namespace {

/// Constraints that hold more coordinates than this do not join them for the order: a constraint on everything would make the graph complete.
constexpr int most_joined = 60;

/// Places of the coordinates in a fill-reducing order.
std::vector<int> place_coordinates(const Layout& layout) {
  const int n = layout.coordinates();
  const auto& starts = layout.column_starts();
  const auto& rows = layout.row_indices();
  std::vector<std::vector<int>> neighbours(n);
  for (int j = 0; j < layout.size(); ++j) {
    if (j < n) {
      for (int k = starts[j]; k < starts[j + 1]; ++k)
        if (rows[k] < n) neighbours[j].push_back(rows[k]);
    } else if (starts[j + 1] - starts[j] <= most_joined) {
      for (int a = starts[j]; a < starts[j + 1]; ++a)
        for (int b = starts[j]; b < starts[j + 1]; ++b)
          if (rows[a] < n && rows[b] < n) neighbours[rows[a]].push_back(rows[b]);
    }
  }
  std::vector<int> begins(1, 0), ends;
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    ends.insert(ends.end(), list.begin(), std::unique(list.begin(), list.end()));
    begins.push_back(int(ends.size()));
    list = {};
  }
  const std::vector<int> order = minimum_degree(begins, ends);
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  return place;
}

}  // namespace

std::vector<int> tied_ordering(const Layout& layout) {
  const int n = layout.coordinates(), m = layout.size() - n;
  const auto& starts = layout.column_starts();
  const auto& rows = layout.row_indices();
  const std::vector<int> place = place_coordinates(layout);

  std::vector<std::vector<int>> held(m);  // places of the coordinates of each multiplier, ascending
  for (int i = 0; i < m; ++i) {
    auto& places = held[i];
    for (int k = starts[n + i]; k < starts[n + i + 1]; ++k)
      if (rows[k] < n) places.push_back(place[rows[k]]);
    std::sort(places.begin(), places.end());
  }
  std::vector<int> sequence(m);
  std::iota(sequence.begin(), sequence.end(), 0);
  const auto last = [&](int i) { return held[i].empty() ? n - 1 : held[i].back(); };
  std::stable_sort(sequence.begin(), sequence.end(), [&](int a, int b) { return last(a) > last(b); });

  // After which place each multiplier comes.
  std::vector<char> taken(n, 0);
  std::vector<int> after(m), counts(n + 1, 0);
  for (const int i : sequence) {
    const auto& places = held[i];
    auto at = places.size() > 0 ? (places.size() - 1) / 2 : 0;
    while (at + 1 < places.size() && taken[places[at]] != 0) ++at;
    after[i] = places.empty() ? n - 1 : places[at];
    if (n > 0) taken[after[i]] = 1;
  }
  for (const int at : after) ++counts[at + 1];
  std::vector<int> ordered(layout.size());
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  for (int j = 0; j < n; ++j) ordered[place[j] + counts[place[j]]] = j;
  for (int i = 0; i < m; ++i) {
    const int at = after[i];
    ordered[at + 1 + counts[at]++] = n + i;
  }
  return ordered;
}

}  // namespace taut
