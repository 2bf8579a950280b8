#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "reproduce/experiment.hpp"

namespace taut::reproduce {

/// The numbers of an experiment, which must not fail. Lists of numbers appear as NAME_0, NAME_1, ….
inline std::map<std::string, double> figures(const std::string& name,
                                             const std::vector<std::pair<std::string, std::string>>& set = {}) {
  for (const Experiment& experiment : experiments())
    if (experiment.name == name) {
      const Outcome outcome = experiment.run(Settings(experiment.settings, set), [](const std::string&, double) {});
      EXPECT_EQ(outcome.failure, "");
      std::map<std::string, double> numbers;
      for (const auto& [key, values] : outcome.figures)
        for (std::size_t k = 0; k < values.size(); ++k)
          numbers[values.size() == 1 ? key : key + "_" + std::to_string(k)] = values[k];
      return numbers;
    }
  ADD_FAILURE() << "no experiment " << name;
  return {};
}

}  // namespace taut::reproduce
