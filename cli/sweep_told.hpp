#pragma once

#include <map>
#include <taut/results/sweep_file.hpp>

#include "command_tools.hpp"

namespace taut::cli {

/// What a file of a sweep says.
struct Told {
  SweepReader file;
  std::map<std::string, long> verdicts{};
  std::vector<SweepRow> failures{};

  explicit Told(const std::string& path);
  std::string in_words() const;
  std::string parameters(const SweepRow& row) const;
};

/// As JSON, with the summary of every number; and on the screen, with the summary of those that matter, or all runs where there are few.
ordered_json told_json(const Told& told, const std::string& path);
void print_told(const Told& told, const std::string& path);

}  // namespace taut::cli
