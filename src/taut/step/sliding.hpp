#pragma once

#include <algorithm>
#include <cstdint>
#include <taut/system/part.hpp>
#include <vector>

namespace taut {

/// Columns over the coordinates of a system that hold only those of one part at a time, addressed as if they held all: what lives no longer than
/// a part then never leaves the cache.
class Sliding {
 public:
  Sliding(const std::vector<Part>& parts, int columns) : columns_(columns) {
    for (const Part& part : parts) stride_ = std::max(stride_, part.to - part.settled);
    data_.resize(std::size_t(stride_) * columns);
  }

  /// Goes on to a part: what earlier parts left at coordinates that are not finished stays, those new to it are undefined. Moved only where there is no room: a
  /// constraint that reaches over the whole system makes the columns as long as it, and then each part would move all of them.
  void enter(const Part& part) {
    if (part.settled >= first_ && part.to - first_ <= stride_) return;
    const int kept = part.from - part.settled;
    for (int k = 0; k < columns_ && part.settled > first_; ++k) {
      const double* from = data_.data() + std::ptrdiff_t(k) * stride_ + (part.settled - first_);
      std::copy(from, from + kept, data_.data() + std::ptrdiff_t(k) * stride_);
    }
    first_ = part.settled;
  }

  /// The entry of coordinate i, for settled ≤ i < to of the part, is column(k)[i]. The address is computed as a number: it lies before the array.
  double* column(int k) {
    const auto base = reinterpret_cast<std::uintptr_t>(data_.data() + std::ptrdiff_t(k) * stride_);
    return reinterpret_cast<double*>(base - std::uintptr_t(first_) * sizeof(double));
  }

 private:
  int columns_, stride_ = 0, first_ = 0;
  std::vector<double> data_;
};

}  // namespace taut
