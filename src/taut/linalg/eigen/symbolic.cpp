#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <taut/linalg/symbolic.hpp>

// In place of CHOLMOD where there is no SuiteSparse: Eigen's minimum degree, and a symbolic factorisation.
namespace taut {
namespace {

/// The rows below the diagonal of each column of the factor, by places in the order.
std::vector<std::vector<int>> factor_rows(const std::vector<int>& starts, const std::vector<int>& rows,
                                          const std::vector<int>& order) {
  const int n = int(order.size());
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  std::vector<std::vector<int>> below(n), children(n);
  // The lower half counts; each of its entries belongs to the column that comes first.
  for (int j = 0; j < n; ++j)
    for (int k = starts[j]; k < starts[j + 1]; ++k)
      if (rows[k] > j) below[std::min(place[j], place[rows[k]])].push_back(std::max(place[j], place[rows[k]]));
  for (int k = 0; k < n; ++k) {
    std::vector<int>& list = below[k];
    for (const int child : children[k])
      list.insert(list.end(), std::upper_bound(below[child].begin(), below[child].end(), k), below[child].end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!list.empty()) children[list.front()].push_back(k);
  }
  return below;
}

/// The order in which each column follows its children in the elimination tree at once: the same factor, with equal columns side by side.
std::vector<int> postordered(const std::vector<std::vector<int>>& below, const std::vector<int>& order) {
  const int n = int(order.size());
  std::vector<std::vector<int>> children(n);
  std::vector<int> open, out;
  for (int k = 0; k < n; ++k)
    if (!below[k].empty()) children[below[k].front()].push_back(k);
  std::vector<std::size_t> next(n, 0);
  for (int root = 0; root < n; ++root) {
    if (!below[root].empty()) continue;
    open.push_back(root);
    while (!open.empty()) {
      const int k = open.back();
      if (next[k] < children[k].size()) {
        open.push_back(children[k][next[k]++]);
      } else {
        out.push_back(order[k]);
        open.pop_back();
      }
    }
  }
  return out;
}

}  // namespace

std::vector<int> minimum_degree(const std::vector<int>& starts, const std::vector<int>& rows) {
  const int n = int(starts.size()) - 1;
  Eigen::SparseMatrix<double> pattern(n, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (int k = starts[j]; k < starts[j + 1]; ++k)
      if (rows[k] > j) entries.insert(entries.end(), {{rows[k], j, 1.0}, {j, rows[k], 1.0}});
  for (int j = 0; j < n; ++j) entries.emplace_back(j, j, 1.0);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> found;
  Eigen::AMDOrdering<int>()(pattern, found);
  return {found.indices().data(), found.indices().data() + n};
}

Supernodes supernodes_of(const std::vector<int>& starts, const std::vector<int>& rows) {
  std::vector<int> order = minimum_degree(starts, rows);
  order = postordered(factor_rows(starts, rows, order), order);
  const std::vector<std::vector<int>> below = factor_rows(starts, rows, order);
  const int n = int(order.size());
  Supernodes out{.order = std::move(order)};
  for (int first = 0; first < n;) {
    int end = first + 1;
    while (end < n && !below[end - 1].empty() && below[end - 1].front() == end &&
           below[end].size() + 1 == below[end - 1].size())
      ++end;
    out.firsts.push_back(first);
    out.lists.push_back(int(out.rows.size()));
    for (int k = first; k < end; ++k) out.rows.push_back(k);
    const std::vector<int>& rest = below[end - 1];
    out.rows.insert(out.rows.end(), rest.begin(), rest.end());
    out.largest_product = std::max(out.largest_product, rest.size() * rest.size());
    first = end;
  }
  out.firsts.push_back(n);
  out.lists.push_back(int(out.rows.size()));
  return out;
}

}  // namespace taut
