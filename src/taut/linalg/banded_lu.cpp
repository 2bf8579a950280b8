#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/linalg/banded_lu.hpp>
#include <utility>

namespace taut {
namespace {

/// B > 0 fixes the half bandwidth at compile time; B = 0 takes it from the argument.
///
/// The factors are kept compact, as the substitutions read them: in step i, lower[i b …] are the b multipliers of the rows below,
/// upper[i (2b + 1) …] the reciprocal pivot and the 2b entries to its right. Past the end all are zero.
template <int B> struct Kernel {
  static bool factor(int n, int band, double* values, unsigned char* exchange, double* lower, double* upper, double& ratio) {
    const int b = B > 0 ? B : band;
    const int stride = 3 * b + 1;
    double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
    for (int i = 0; i < n; ++i, lower += b, upper += 2 * b + 1) {
      double* row = values + std::ptrdiff_t(i) * stride + b;  // at the diagonal entry
      const int below = std::min(b, n - 1 - i);
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
      exchange[i] = static_cast<unsigned char>(best);
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
    ratio = n == 0 ? 1.0 : smallest / largest;
    return true;
  }

  /// x[order] = A⁻¹ right[order]; y is scratch of n + 2b entries. With B fixed, the entries a row touches stay in a sliding window of
  /// registers.
  static void solve(int n, int band, const unsigned char* exchange, const double* lower, const double* upper,
                    const int* order, const double* right, double* y, double* x) {
    if constexpr (B > 0) {
      double window[2 * B + 1] = {};
      for (int r = 0; r <= B; ++r) window[r] = r < n ? right[order[r]] : 0.0;
      for (int i = 0; i < n; ++i, lower += B) {
        for (int r = 1; r <= B; ++r)
          if (exchange[i] == r) std::swap(window[0], window[r]);
        const double top = window[0];
        y[i] = top;
        for (int r = 1; r <= B; ++r) window[r - 1] = window[r] - lower[r - 1] * top;
        window[B] = i + 1 + B < n ? right[order[i + 1 + B]] : 0.0;
      }
      std::fill(window, window + 2 * B + 1, 0.0);
      upper += std::ptrdiff_t(n) * (2 * B + 1);
      for (int i = n - 1; i >= 0; --i) {
        upper -= 2 * B + 1;
        double sum = y[i];
        for (int j = 2 * B; j >= 1; --j) sum -= upper[j] * window[j - 1];
        sum *= upper[0];
        for (int j = 2 * B; j >= 1; --j) window[j] = window[j - 1];
        window[0] = sum;
        x[order[i]] = sum;
      }
    } else {
      const int b = band;
      for (int i = 0; i < n; ++i) y[i] = right[order[i]];
      std::fill(y + n, y + n + 2 * b, 0.0);
      for (int i = 0; i < n; ++i, lower += b) {
        if (exchange[i] != 0) std::swap(y[i], y[i + exchange[i]]);
        for (int r = 1; r <= b; ++r) y[i + r] -= lower[r - 1] * y[i];
      }
      upper += std::ptrdiff_t(n) * (2 * b + 1);
      for (int i = n - 1; i >= 0; --i) {
        upper -= 2 * b + 1;
        double sum = y[i];
        for (int j = 2 * b; j >= 1; --j) sum -= upper[j] * y[i + j];
        y[i] = sum * upper[0];
        x[order[i]] = y[i];
      }
    }
  }
};

/// Calls action(kernel) with the kernel whose band is fixed where one exists.
template <class Action> auto with_kernel(int band, const Action& action) {
  switch (band) {
    case 1:
      return action(Kernel<1>{});
    case 2:
      return action(Kernel<2>{});
    case 3:
      return action(Kernel<3>{});
    case 4:
      return action(Kernel<4>{});
    case 5:
      return action(Kernel<5>{});
    case 6:
      return action(Kernel<6>{});
    default:
      return action(Kernel<0>{});
  }
}

}  // namespace

BandedLu::BandedLu(int half_bandwidth, const std::vector<int>& position)
    : size_(int(position.size())),
      band_(half_bandwidth),
      order_(size_),
      exchange_(size_),
      lower_(std::size_t(size_) * band_),
      upper_(std::size_t(size_) * (2 * band_ + 1)),
      ordered_(size_ + 2 * band_) {
  require(band_ < 256, "BandedLu: a half bandwidth of {} is too wide to pay; use sparse storage.", band_);
  for (int i = 0; i < size_; ++i) order_[position[i]] = i;
}

bool BandedLu::factor(double* values) {
  return with_kernel(band_, [&](auto kernel) {
    return kernel.factor(size_, band_, values, exchange_.data(), lower_.data(), upper_.data(), pivot_ratio_);
  });
}

void BandedLu::solve(const double* b, double* x) {
  with_kernel(band_, [&](auto kernel) {
    kernel.solve(size_, band_, exchange_.data(), lower_.data(), upper_.data(), order_.data(), b, ordered_.data(), x);
  });
}

}  // namespace taut
