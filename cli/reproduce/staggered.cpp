#include "staggered.hpp"

#include <algorithm>
#include <cmath>

namespace taut::reproduce {

std::vector<double> staggered_energy(const System& system, const Trajectory& path, double alpha) {
  std::vector<double> energy;
  for (int k = 1; k < path.size(); ++k) {
    const double h = path.t(k) - path.t(k - 1);
    const Vector w = (path.q(k) - path.q(k - 1)) / h, middle = 0.5 * (path.q(k) + path.q(k - 1));
    const Instant at{path.t(k) - 0.5 * h, middle.data(), w.data()};
    energy.push_back(system.energy(at));
    if (alpha == 0.25) continue;
    // V₊ + V − 2V(middle) is (A d, d)/4.
    for (const auto& block : system.dynamics())
      if (block->affine())
        energy.back() += (2.0 * alpha - 0.5) *
                         (block->potential({path.t(k), path.q(k).data(), w.data()}) +
                          block->potential({path.t(k - 1), path.q(k - 1).data(), w.data()}) - 2.0 * block->potential(at));
  }
  return energy;
}

double relative_drift(const std::vector<double>& energy) {
  double largest = 0.0;
  for (const double one : energy) largest = std::max(largest, std::abs(one / energy.front() - 1.0));
  return largest;
}

}  // namespace taut::reproduce
