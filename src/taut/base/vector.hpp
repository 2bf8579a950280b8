#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace taut {

using Vector = Eigen::VectorXd;
using VectorView = Eigen::Ref<const Vector>;

/// max |xᵢ|, or NaN if an entry is not finite. In four lanes, which do not wait for each other.
inline double largest_entry(const double* x, Eigen::Index size) {
  double largest[4] = {}, trace[4] = {};  // a − a is 0, or NaN where a is not finite
  const auto look = [&](double entry, int lane) {
    const double a = std::abs(entry);
    largest[lane] = a > largest[lane] ? a : largest[lane];
    trace[lane] += a - a;
  };
  Eigen::Index i = 0;
  for (; i + 4 <= size; i += 4)
    for (int lane = 0; lane < 4; ++lane) look(x[i + lane], lane);
  for (; i < size; ++i) look(x[i], 0);
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3])) +
         (trace[0] + trace[1] + trace[2] + trace[3]);
}

}  // namespace taut
