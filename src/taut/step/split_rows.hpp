#pragma once

#include <taut/step/step_problem.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// A constraint on a length, as Splitting takes it: |Σ c q[at …] − a| = length.
struct SplitSpan {
  std::vector<int> at;
  std::vector<double> c, a;
  double length, weight;
  int row;
  bool slack;
};

/// A row that gives one coordinate: no constraint to Splitting, but a boundary value.
struct SplitGiven {
  int row, coordinate;
  double slope;
};

struct SplitRows {
  std::vector<SplitSpan> spans{};
  std::vector<SplitGiven> given{};
  int dim = 1;  ///< of the vectors
};

/// The constraints of a system as lengths and given coordinates. Throws InputError where they are something else, with what works.
SplitRows split_rows(const System& system, const SplitForm& form);

}  // namespace taut
