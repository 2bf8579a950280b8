#include <algorithm>
#include <cmath>
#include <taut/study/sweep_summary.hpp>

namespace taut {

ColumnSummary summary_of(const std::vector<double>& values, const std::vector<char>& counts) {
  ColumnSummary out;
  std::vector<double> sorted;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (counts[k] == 0 || !std::isfinite(values[k])) continue;
    if (sorted.empty() || values[k] < out.least) out.least = values[k], out.least_run = long(k);
    if (sorted.empty() || values[k] > out.largest) out.largest = values[k], out.largest_run = long(k);
    sorted.push_back(values[k]);
  }
  out.count = long(sorted.size());
  if (sorted.empty()) return out;
  // Sums of differences from the first value, so that a large common part costs no digits; in the order of the runs, so that bits stay.
  const double first = sorted[0], n = double(sorted.size());
  double sum = 0.0, squares = 0.0;
  for (const double value : sorted) sum += value - first;
  out.mean = first + sum / n;
  for (const double value : sorted) squares += (value - out.mean) * (value - out.mean);
  out.deviation = sorted.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < summary_shares.size(); ++k) {
    const double at = summary_shares[k] * (n - 1.0);
    const auto below = std::size_t(at);
    const double above = sorted[std::min(below + 1, sorted.size() - 1)];
    out.quantiles[k] = sorted[below] + (at - double(below)) * (above - sorted[below]);
  }
  return out;
}

}  // namespace taut
