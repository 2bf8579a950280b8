#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// Dense work on the few unknowns of a level. Template numbers are those that the compiler knows, −1 those that it does not.
namespace taut::small {

inline constexpr int widest_level = 48;  ///< that Levels gives

/// Pivots of own rows, against the largest entry of their row, below which a level does not span what it owns.
inline constexpr double least_pivot = 1e-6;

/// A number that the compiler knows, or one that it does not.
template <int N> constexpr int count_of(int n) { return N >= 0 ? N : n; }

/// A small column of so many entries, or of no more than a level has.
template <int N> using Few = std::array<double, std::size_t(N >= 0 ? N : widest_level)>;

/// y += A x, or y −= A x, with A (R × K) by columns that lie `stride` apart: y stays in registers.
template <int R, int K, bool minus = false>
[[gnu::always_inline]] inline void add_product(const double* A, int stride, int rows, int columns, const double* x,
                                               double* y) {
  const int r = count_of<R>(rows), k = count_of<K>(columns);
  Few<R> sum;
  for (int i = 0; i < r; ++i) sum[std::size_t(i)] = y[i];
  for (int j = 0; j < k; ++j, A += stride)
    for (int i = 0; i < r; ++i) sum[std::size_t(i)] += (minus ? -A[i] : A[i]) * x[j];
  for (int i = 0; i < r; ++i) y[i] = sum[std::size_t(i)];
}

/// Y = A B by columns, A (R × K).
template <int R, int K, bool minus = false>
void set_product(const double* A, int stride, int rows, int columns, const double* B, int stride_B, int count, double* Y,
                 int stride_Y, bool add = false) {
  const int r = count_of<R>(rows);
  for (int c = 0; c < count; ++c, B += stride_B, Y += stride_Y) {
    if (!add) std::fill_n(Y, r, 0.0);
    add_product<R, K, minus>(A, stride, r, columns, B, Y);
  }
}

/// Gauss–Jordan elimination of rows (m × t, each t + m long, with the unit matrix behind) with pivots over the first t columns. Returns the worst pivot against its row, 0 if there is none;
/// column j is the pivot of row used[j], or of none for −1.
template <int T, int M> double eliminate_rows(double* rows, int t, int m, int* used) {
  const int wide = count_of<T>(t) + count_of<M>(m);
  t = count_of<T>(t);
  m = count_of<M>(m);
  std::fill_n(used, t, -1);
  double worst = 1.0;
  Few<M> whole;
  for (int i = 0; i < m; ++i) {
    whole[std::size_t(i)] = 0.0;
    for (int j = 0; j < t; ++j) whole[std::size_t(i)] = std::max(whole[std::size_t(i)], std::abs(rows[i * wide + j]));
  }
  for (int i = 0; i < m; ++i) {
    double* row = rows + i * wide;
    int best = -1;
    double size = 0.0;
    for (int j = 0; j < t; ++j)
      if (const double one = std::abs(row[j]); used[j] < 0 && one > size) size = one, best = j;
    if (best < 0 || !(size > least_pivot * whole[std::size_t(i)])) return 0.0;
    worst = std::min(worst, size / whole[std::size_t(i)]);
    used[best] = i;
    const double inverse = 1.0 / row[best];
    for (int j = 0; j < wide; ++j) row[j] *= inverse;
    for (int r = 0; r < m; ++r) {
      double* other = rows + r * wide;
      const double share = other[best];
      if (r == i || share == 0.0) continue;
      for (int j = 0; j < wide; ++j) other[j] -= share * row[j];
    }
  }
  return worst;
}

/// A (n × n, by columns) becomes its inverse, with row exchanges; false if it has none.
template <int N> bool invert_in_place(double* A, int n) {
  n = count_of<N>(n);
  std::array<int, widest_level> exchange{};
  for (int k = 0; k < n; ++k) {
    double* pivots = A + k * n;
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(pivots[i]) > std::abs(pivots[best])) best = i;
    const double pivot = pivots[best];
    if (!(std::abs(pivot) > 0.0) || !std::isfinite(pivot)) return false;
    exchange[std::size_t(k)] = best;
    if (best != k)
      for (int j = 0; j < n; ++j) std::swap(A[k + j * n], A[best + j * n]);
    const double inverse = 1.0 / pivot;
    Few<N> column;  // all rows but this one lose their share of it
    for (int i = 0; i < n; ++i) column[std::size_t(i)] = pivots[i], pivots[i] = 0.0;
    column[std::size_t(k)] = 0.0;
    pivots[k] = 1.0;
    for (int j = 0; j < n; ++j) {
      double* entries = A + j * n;
      const double top = entries[k] *= inverse;
      for (int i = 0; i < n; ++i) entries[i] -= top * column[std::size_t(i)];
    }
  }
  for (int k = n - 1; k >= 0; --k)
    if (const int other = exchange[std::size_t(k)]; other != k) std::swap_ranges(A + k * n, A + (k + 1) * n, A + other * n);
  return true;
}

}  // namespace taut::small
