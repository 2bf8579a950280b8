#pragma once

#include <array>
#include <string>
#include <vector>

namespace taut {

/// What the runs of a sweep say together about one number.
struct ColumnSummary {
  long count = 0;  ///< of runs that have it
  double mean = 0.0, deviation = 0.0;
  std::array<double, 5> quantiles{};  ///< of 5, 25, 50, 75 and 95 %
  double least = 0.0, largest = 0.0;
  long least_run = -1, largest_run = -1;  ///< where
};
constexpr std::array<double, 5> summary_shares{0.05, 0.25, 0.5, 0.75, 0.95};

/// Over the runs that count and have a finite value. Quantiles are interpolated linearly between neighbours; the deviation divides by n − 1.
ColumnSummary summary_of(const std::vector<double>& values, const std::vector<char>& counts);

}  // namespace taut
