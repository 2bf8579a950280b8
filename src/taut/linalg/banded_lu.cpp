#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/linalg/banded_lu.hpp>
#include <utility>

namespace taut {
namespace {

constexpr int chunk = 32;        // rows eliminated before the window moves on
constexpr int most_columns = 4;  // solved for at once

/// The factors are kept compact, as the substitutions read them: in step i, lower[i b …] are the b multipliers of the rows below,
/// upper[i (2b + 1) …] the reciprocal pivot and the 2b entries to its right. Past the end all are zero.
struct Factors {
  int size, band;
  unsigned char* exchange;
  double *lower, *upper;
};

/// Asks for the cache lines of a row long before it is used: elimination and substitution wait for themselves, not only for memory, and
/// hardware alone looks less far ahead than pays in bands of many megabytes.
constexpr std::ptrdiff_t ahead = 1024 * sizeof(double);
template <int Count> void fetch(const double* row, std::ptrdiff_t distance) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(row) + std::uintptr_t(distance);  // may lie past the ends, where nothing is fetched
  for (int k = 0; k < Count; k += 8) __builtin_prefetch(reinterpret_cast<const void*>(address + k * sizeof(double)));
}

/// B > 0 fixes the half bandwidth at compile time; B = 0 takes it from the factors.
///
/// The window holds chunk + b rows of 3b + 1 entries, from column i − b to i + 2b: the last b receive the fill of row exchanges.
template <int B> bool factor(const Factors& to, const double* values, double* window, double& ratio) {
  const int b = B > 0 ? B : to.band, n = to.size;
  const int stride = 3 * b + 1, stored = 2 * b + 1;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  double *lower = to.lower, *upper = to.upper;
  int loaded = 0;
  for (int first = 0; first < n; first += chunk) {
    for (; loaded < std::min(n, first + chunk + b); ++loaded) {
      double* row = window + (loaded - first) * stride;
      const double* from = values + std::ptrdiff_t(loaded) * stored;
      fetch<2 * B + 1>(from, ahead);
      std::copy_n(from, stored, row);
      std::fill_n(row + stored, b, 0.0);
    }
    const int end = std::min(n, first + chunk);
    for (int i = first; i < end; ++i, lower += b, upper += 2 * b + 1) {
      double* row = window + (i - first) * stride + b;  // at the diagonal entry
      const int below = std::min(b, n - 1 - i);
      fetch<B>(lower, ahead);
      fetch<2 * B + 1>(upper, ahead);
      // Largest entry of the column, at or below the diagonal.
      int best = 0;
      double size = std::abs(row[0]);
      for (int r = 1; r <= below; ++r) {
        const double candidate = std::abs(row[r * stride - r]);
        if (candidate > size) {
          size = candidate;
          best = r;
        }
      }
      to.exchange[i] = static_cast<unsigned char>(best);
      if (!(size > 0.0) || !std::isfinite(size)) return false;
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
      if (best != 0) {
        double* other = row + best * stride - best;
        for (int j = 0; j <= 2 * b; ++j) std::swap(row[j], other[j]);
      }
      const double inverse = 1.0 / row[0];
      upper[0] = inverse;
      for (int j = 1; j <= 2 * b; ++j) upper[j] = i + j < n ? row[j] : 0.0;
      for (int r = 1; r <= below; ++r) {
        double* target = row + r * stride - r;
        const double factor = target[0] * inverse;
        lower[r - 1] = factor;
        for (int j = 1; j <= 2 * b; ++j) target[j] -= factor * upper[j];
      }
      for (int r = below + 1; r <= b; ++r) lower[r - 1] = 0.0;
    }
    std::copy(window + chunk * stride, window + (chunk + b) * stride, window);
  }
  ratio = n == 0 ? 1.0 : smallest / largest;
  return true;
}

/// x[order] = A⁻¹ right[order] for R columns; y is scratch of (n + 2b) R entries. With B fixed, the entries a row touches stay in a sliding
/// window of registers, and several columns hide each other's latency.
template <int B, int R> void solve(const Factors& from, const int* order, const double* right, double* y, double* x) {
  const int n = from.size, b = B > 0 ? B : from.band;
  const double *lower = from.lower, *upper = from.upper + std::ptrdiff_t(n) * (2 * b + 1);
  const auto load = [&](int i, double* to) {
    for (int c = 0; c < R; ++c) to[c] = i < n ? right[std::ptrdiff_t(c) * n + order[i]] : 0.0;
  };
  if constexpr (B > 0) {
    double window[2 * B + 1][R] = {};
    for (int r = 0; r <= B; ++r) load(r, window[r]);
    for (int i = 0; i < n; ++i, lower += B) {
      fetch<B>(lower, ahead);
      for (int r = 1; r <= B; ++r)
        if (from.exchange[i] == r) std::swap(window[0], window[r]);
      double top[R];
      for (int c = 0; c < R; ++c) x[std::ptrdiff_t(c) * n + order[i]] = top[c] = window[0][c];
      for (int r = 1; r <= B; ++r)
        for (int c = 0; c < R; ++c) window[r - 1][c] = window[r][c] - lower[r - 1] * top[c];
      load(i + 1 + B, window[B]);
    }
    for (auto& row : window) std::fill(row, row + R, 0.0);
    for (int i = n - 1; i >= 0; --i) {
      upper -= 2 * B + 1;
      fetch<2 * B + 1>(upper, -ahead);
      double sum[R];
      for (int c = 0; c < R; ++c) sum[c] = x[std::ptrdiff_t(c) * n + order[i]];
      for (int j = 2 * B; j >= 1; --j)
        for (int c = 0; c < R; ++c) sum[c] -= upper[j] * window[j - 1][c];
      for (int j = 2 * B; j >= 1; --j)
        for (int c = 0; c < R; ++c) window[j][c] = window[j - 1][c];
      for (int c = 0; c < R; ++c) x[std::ptrdiff_t(c) * n + order[i]] = window[0][c] = sum[c] * upper[0];
    }
  } else {
    for (int i = 0; i < n + 2 * b; ++i) load(i, y + i * R);
    for (int i = 0; i < n; ++i, lower += b) {
      double* top = y + i * R;
      if (from.exchange[i] != 0) std::swap_ranges(top, top + R, top + from.exchange[i] * R);
      for (int r = 1; r <= b; ++r)
        for (int c = 0; c < R; ++c) top[r * R + c] -= lower[r - 1] * top[c];
    }
    for (int i = n - 1; i >= 0; --i) {
      upper -= 2 * b + 1;
      double* row = y + i * R;
      double even[R], odd[R] = {};  // two sums wait less for each other than one
      for (int c = 0; c < R; ++c) even[c] = row[c];
      for (int j = 2 * b; j >= 2; j -= 2)
        for (int c = 0; c < R; ++c) {
          even[c] -= upper[j] * row[j * R + c];
          odd[c] -= upper[j - 1] * row[(j - 1) * R + c];
        }
      for (int c = 0; c < R; ++c) x[std::ptrdiff_t(c) * n + order[i]] = row[c] = (even[c] + odd[c]) * upper[0];
    }
  }
}

/// Calls action with the value as a compile-time constant if that lies in First … Last, otherwise with 0.
template <int First, int Last, class Action> auto with_constant(int value, const Action& action) {
  if constexpr (First > Last) {
    return action(std::integral_constant<int, 0>{});
  } else {
    if (value == Last) return action(std::integral_constant<int, Last>{});
    return with_constant<First, Last - 1>(value, action);
  }
}

constexpr int widest_unrolled = 10, widest_in_registers = 8;
bool in_registers(int band) { return band >= 1 && band <= widest_in_registers; }

}  // namespace

BandedLu::BandedLu(int half_bandwidth, const std::vector<int>& position)
    : size_(int(position.size())),
      band_(half_bandwidth),
      order_(size_),
      exchange_(size_),
      lower_(std::size_t(size_) * band_),
      upper_(std::size_t(size_) * (2 * band_ + 1)),
      ordered_(in_registers(band_) ? 0 : size_ + 2 * band_),
      window_(std::size_t(chunk + band_) * (3 * band_ + 1)) {
  require(band_ < 256, "BandedLu: a half bandwidth of {} is too wide to pay; use sparse storage.", band_);
  for (int i = 0; i < size_; ++i) order_[position[i]] = i;
}

bool BandedLu::factor(const double* values) {
  const Factors to{size_, band_, exchange_.data(), lower_.data(), upper_.data()};
  return with_constant<1, widest_unrolled>(
      band_, [&](auto b) { return taut::factor<b.value>(to, values, window_.data(), pivot_ratio_); });
}

void BandedLu::solve(const double* b, double* x, int columns) {
  const Factors from{size_, band_, exchange_.data(), lower_.data(), upper_.data()};
  const std::size_t scratch = std::size_t(size_ + 2 * band_) * std::min(columns, most_columns);
  if (!in_registers(band_) && ordered_.size() < scratch) ordered_.resize(scratch);
  for (int done = 0; done < columns; done += most_columns) {
    const std::ptrdiff_t offset = std::ptrdiff_t(done) * size_;
    with_constant<1, most_columns>(std::min(columns - done, most_columns), [&](auto r) {
      if constexpr (r.value > 0)
        with_constant<1, widest_in_registers>(band_, [&](auto band) {
          taut::solve<band.value, r.value>(from, order_.data(), b + offset, ordered_.data(), x + offset);
        });
    });
  }
}

}  // namespace taut
