#pragma once

#include <optional>
#include <string>
#include <taut/simulate/trajectory.hpp>
#include <vector>

namespace taut {

/// Numbers of one kind that are kept of each run of a sweep.
struct SweepGroup {
  std::string name;                  ///< parameters, outputs, …
  std::vector<std::string> columns;  ///< what each number is, the last direction fastest
  std::vector<std::size_t> shape;    ///< of the numbers of one run; their product is the number of columns
};

/// What a sweep is about, for whoever keeps it.
struct SweepHeader {
  std::string version, model_path, model_text, name;
  std::string settings;  ///< JSON: everything that decides on the numbers
  long runs = 0;
  std::vector<SweepGroup> groups;
  std::vector<double> times;  ///< at which outputs are kept

  std::size_t width() const {
    std::size_t out = 0;
    for (const SweepGroup& one : groups) out += one.columns.size();
    return out;
  }
};

/// What became of one run.
struct SweepRow {
  long run = 0;
  Verdict verdict = Verdict::failed;
  std::string reason{};  ///< where it did not reach the end
  std::vector<double>
      numbers;  ///< of all groups, one after the other; those that the run did not come to are not numbers, or missing at the end
};

}  // namespace taut
