#pragma once

#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// Coordinates of one nature, whose errors are measured against the largest of them.
struct ToleranceGroup {
  std::vector<int> coordinates;
  double rtol = 0.0, atol = 0.0;  ///< both 0: those of the run
};

/// Places together, directions together, every other coordinate by itself: an angle does not hide an elastic amplitude.
std::vector<ToleranceGroup> natural_groups(const System& system);

}  // namespace taut
