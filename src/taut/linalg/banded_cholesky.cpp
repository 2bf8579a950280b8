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
      ordered_(size_, 0.0) {}

int BandedCholesky::slot(int i, int j) const {
  const auto [low, high] = std::minmax(position_[i], position_[j]);
  return high * (band_ + 1) + (low - high + band_);
}

bool BandedCholesky::factor() {
  const int b = band_;
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
