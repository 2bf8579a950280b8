#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/linalg/thin_rows.hpp>

namespace taut {
namespace {

/// Neighbours of an unknown that is eliminated on its own. Beyond, panels share what there is to look up.
constexpr int most_thin = 3;

/// Of which there must be so many to begin with: a few, as at the rims of nets, go into panels as well, and would only disturb their order.
constexpr double least_share = 0.25;

}  // namespace

ThinRows::ThinRows(bool symmetric, const std::vector<int>& starts, const std::vector<int>& rows) : symmetric_(symmetric) {
  const std::vector<std::vector<int>> near = take(starts, rows);
  for (int i = 0; i < int(near.size()); ++i)
    if (row_of_[i] < 0) {
      row_of_[i] = -1 - int(left_.size());
      left_.push_back(i);
    }
  left_starts_.push_back(0);
  for (const int i : left_) {
    const auto first = std::ptrdiff_t(left_rows_.size());
    left_rows_.push_back(-1 - row_of_[i]);
    for (const int j : near[i]) left_rows_.push_back(-1 - row_of_[j]);
    std::sort(left_rows_.begin() + first, left_rows_.end());
    left_starts_.push_back(int(left_rows_.size()));
  }
  for (const Row& row : rows_) {
    const int* end = ends_.data() + row.ends;
    for (int j = 0; j < row.neighbours; ++j)
      for (int i = symmetric_ ? j : 0; i < row.neighbours; ++i) targets_.push_back(slot(end[i], end[j]));
  }
  diagonal_.resize(rows_.size());
}

/// The rows in their order. Returns the neighbours of what is left.
std::vector<std::vector<int>> ThinRows::take(const std::vector<int>& starts, const std::vector<int>& rows) {
  const int size = int(starts.size()) - 1;
  std::vector<std::vector<int>> near(size), waiting(most_thin + 1);
  const auto wait = [&](int i) {
    if (const std::size_t met = std::max<std::size_t>(near[i].size(), 2); met <= most_thin) waiting[met].push_back(i);
  };
  int thin = 0;
  for (int j = 0; j < size; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k)
      if (rows[k] != j) near[j].push_back(rows[k]);
    thin += near[j].size() <= most_thin ? 1 : 0;
    wait(j);
  }
  row_of_.assign(size, -1);
  if (thin < least_share * size) return near;
  std::vector<int> met_in(size, 0), round;
  for (int number = 1;; ++number) {
    const auto thinnest = std::find_if(waiting.begin(), waiting.end(), [](const auto& list) { return !list.empty(); });
    if (thinnest == waiting.end()) return near;
    const auto most = std::size_t(thinnest - waiting.begin());
    round.clear();
    std::swap(round, *thinnest);
    for (const int u : round) {
      if (row_of_[u] >= 0 || near[u].size() > most) continue;  // gone, or waiting elsewhere
      if (met_in[u] == number) {
        wait(u);
        continue;
      }
      const int count = int(near[u].size());
      row_of_[u] = int(rows_.size());
      rows_.push_back({u, count, numbers_, int(ends_.size())});
      numbers_ += 1 + (symmetric_ ? 1 : 2) * count;
      ends_.insert(ends_.end(), near[u].begin(), near[u].end());
      for (const int i : near[u]) {
        std::vector<int>& list = near[i];
        list.erase(std::lower_bound(list.begin(), list.end(), u));
        for (const int j : near[u])
          if (const auto place = std::lower_bound(list.begin(), list.end(), j);
              j != i && (place == list.end() || *place != j))
            list.insert(place, j);
        met_in[i] = number;
      }
      for (const int i : near[u]) wait(i);
    }
  }
}

int ThinRows::slot(int i, int j) const {
  int row = row_of_[i], other = j;
  if (const int across = row_of_[j]; row < 0 && across < 0) {
    int place = -1 - row, column = -1 - across;
    if (symmetric_ && place < column) std::swap(place, column);
    const auto first = left_rows_.begin() + left_starts_[column], last = left_rows_.begin() + left_starts_[column + 1];
    const auto found = std::lower_bound(first, last, place);
    require(found != last && *found == place, "ThinRows: the entry ({}, {}) is not part of the pattern.", i, j);
    return numbers_ + int(found - left_rows_.begin());
  } else if (row < 0 || (across >= 0 && across < row)) {
    row = across, other = i;
  }
  const Row& at = rows_[row];
  if (i == j) return at.numbers;
  const auto first = ends_.begin() + at.ends, last = first + at.neighbours, found = std::find(first, last, other);
  require(found != last, "ThinRows: the entry ({}, {}) is not part of the pattern.", i, j);
  const int above = !symmetric_ && i == at.unknown ? at.neighbours : 0;
  return at.numbers + 1 + above + int(found - first);
}

template <bool symmetric> double ThinRows::eliminate_as(double* values) {
  for (std::size_t r = 0; r < rows_.size(); ++r) diagonal_[r] = values[rows_[r].numbers];
  const int* target = targets_.data();
  double smallest = 1.0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const int count = rows_[r].neighbours;
    double* number = values + rows_[r].numbers;
    const double pivot = symmetric ? *number : std::abs(*number), ratio = pivot / std::abs(diagonal_[r]);
    if (!(ratio > 0.0) || !std::isfinite(ratio)) return 0.0;
    smallest = std::min(smallest, ratio);
    const double inverse = *number = 1.0 / *number;
    const double *column = number + 1, *row = symmetric ? column : column + count;
    for (int j = 0; j < count; ++j) {
      const double factor = row[j] * inverse;
      for (int i = symmetric ? j : 0; i < count; ++i) values[*target++] -= column[i] * factor;
    }
  }
  return smallest;
}

double ThinRows::eliminate(double* values) { return symmetric_ ? eliminate_as<true>(values) : eliminate_as<false>(values); }

void ThinRows::forward(const double* values, double* x) const {
  for (const Row& row : rows_) {
    const double* number = values + row.numbers;
    const int* end = ends_.data() + row.ends;
    const double own = x[row.unknown] *= *number;
    for (int k = 0; k < row.neighbours; ++k) x[end[k]] -= number[1 + k] * own;
  }
}

void ThinRows::backward(const double* values, double* x) const {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    const double *pivot = values + row->numbers, *number = pivot + 1 + (symmetric_ ? 0 : row->neighbours);
    const int* end = ends_.data() + row->ends;
    double sum = 0.0;
    for (int k = 0; k < row->neighbours; ++k) sum += number[k] * x[end[k]];
    x[row->unknown] -= *pivot * sum;
  }
}

}  // namespace taut
