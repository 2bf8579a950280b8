#pragma once

#include <algorithm>
#include <array>
#include <taut/step/elimination.hpp>

namespace taut::detail {

/// What dense matrices of fixed size are for: so many coordinates and rows together, and coordinates alone.
constexpr int most_dense = 28, most_dense_coordinates = 16;

inline bool dense(const System& system) {
  const int n = system.size(), m = system.constraint_count();
  return n <= most_dense_coordinates && n + m <= most_dense && system.equalities_only();
}

/// Moves q by corrections with the factor of the place it starts from: correction(x) is what x is to be moved by, the other way; nothing where there is none.
/// The metric is that of the place to start from, so that the nearest is the nearest.
template <class Correction>
bool dense_approach(int n, double size, double& curvature, double* q, SolveReport& report, const Correction& correction) {
  std::array<double, most_dense> x;
  std::copy_n(q, n, x.data());
  for (Approach approach(size, 0.0, curvature);;) {
    const double* change = correction(x.data());
    if (change == nullptr) return false;
    for (int i = 0; i < n; ++i) x[i] -= change[i];
    ++report.newton_iterations;
    report.correction = largest_entry(change, n);
    switch (approach.after(report.correction)) {
      case Approach::Next::done:
        std::copy_n(x.data(), n, q);
        return true;
      case Approach::Next::failed:
      case Approach::Next::renew:  // too far for the directions of the start: that takes a Newton iteration
        return false;
      case Approach::Next::again:
        break;
    }
  }
}

}  // namespace taut::detail
