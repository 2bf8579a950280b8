#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace taut {

/// What the runs of a sweep say together about one number.
struct ColumnSummary {
  long count = 0;                                                           ///< of runs that have it
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();  ///< all of these, where no run has it
  double mean = none, deviation = none;
  std::array<double, 5> quantiles{none, none, none, none, none};  ///< of 5, 25, 50, 75 and 95 %
  double least = none, largest = none;
  long least_run = -1, largest_run = -1;  ///< where
};
constexpr std::array<double, 5> summary_shares{0.05, 0.25, 0.5, 0.75, 0.95};

/// Over the runs that count and have a finite value. Quantiles are interpolated linearly between neighbours; the deviation divides by n − 1.
ColumnSummary summary_of(const std::vector<double>& values, const std::vector<char>& counts);

}  // namespace taut
