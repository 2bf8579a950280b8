#include <algorithm>
#include <taut/linalg/banded_cholesky.hpp>

namespace taut {
namespace {

constexpr double lost = 1e-13;

}  // namespace

BandedCholesky::BandedCholesky(int half_bandwidth, const std::vector<int>& position)
    : size_(int(position.size())),
      band_(half_bandwidth),
      position_(position),
      values_(std::size_t(size_) * (band_ + 1), 0.0),
      ordered_(size_, 0.0) {
  for (int i = 0; i < size_; ++i) in_order_ = in_order_ && position_[i] == i;
}

int BandedCholesky::slot(int i, int j) const {
  const auto [low, high] = std::minmax(position_[i], position_[j]);
  return high * (band_ + 1) + (low - high + band_);
}

/// A chain: one number is carried from row to row, and off² is ready before it.
bool BandedCholesky::factor_tridiagonal() {
  double* row = values_.data();
  double inverse = 0.0;
  bool good = true;
  for (int i = 0; i < size_; ++i, row += 2) {
    const double off = row[0], whole = row[1], pivot = whole - (off * off) * inverse;
    good = good && pivot > lost * whole;
    row[0] = off * inverse;
    row[1] = inverse = 1.0 / pivot;
  }
  return good;
}

void BandedCholesky::solve_tridiagonal(double* x) const {
  const double* row = values_.data();
  double carried = 0.0;
  for (int i = 0; i < size_; ++i) x[i] = carried = x[i] - row[2 * i] * carried;
  carried = 0.0;
  for (int i = size_ - 1; i >= 0; --i) {
    const double next = i + 1 < size_ ? row[2 * i + 2] * carried : 0.0;
    x[i] = carried = x[i] * row[2 * i + 1] - next;
  }
}

bool BandedCholesky::factor() {
  const int b = band_;
  if (b == 1) return factor_tridiagonal();
  for (int i = 0; i < size_; ++i) {
    double* row = values_.data() + std::size_t(i) * (b + 1) + (b - i);  // row[j] is entry (i, j)
    const int first = std::max(0, i - b);
    const double whole = row[i];
    double pivot = whole;
    for (int j = first; j < i; ++j) {
      const double* other = values_.data() + std::size_t(j) * (b + 1) + (b - j);
      // row[k] for k < j already holds L_ik D_k
      double sum = row[j];
      for (int k = std::max(first, j - b); k < j; ++k) sum -= row[k] * other[k];
      row[j] = sum;
    }
    for (int j = first; j < i; ++j) {
      const double scaled = row[j] * values_[std::size_t(j) * (b + 1) + b];
      pivot -= scaled * row[j];
      row[j] = scaled;
    }
    if (!(pivot > lost * whole)) return false;
    row[i] = 1.0 / pivot;
  }
  return true;
}

void BandedCholesky::solve(double* b) {
  const int band = band_;
  if (band == 1 && in_order_) return solve_tridiagonal(b);
  double* x = ordered_.data();
  for (int i = 0; i < size_; ++i) x[position_[i]] = b[i];
  for (int i = 0; i < size_; ++i) {
    const double* row = values_.data() + std::size_t(i) * (band + 1) + (band - i);
    double sum = x[i];
    for (int k = std::max(0, i - band); k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum;
  }
  for (int i = size_ - 1; i >= 0; --i) {
    const double* row = values_.data() + std::size_t(i) * (band + 1) + (band - i);
    double sum = x[i] * row[i];
    for (int k = i + 1; k <= std::min(size_ - 1, i + band); ++k)
      sum -= values_[std::size_t(k) * (band + 1) + (band - k) + i] * x[k];
    x[i] = sum;
  }
  for (int i = 0; i < size_; ++i) b[i] = x[position_[i]];
}

}  // namespace taut
