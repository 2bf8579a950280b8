#pragma once

#include <filesystem>
#include <vector>

#include "experiment.hpp"

namespace taut::reproduce {

/// An experiment that has run, with the folder of its figures as a page sees it ("" or "NAME/").
struct Chapter {
  Experiment experiment;
  Outcome outcome;
  std::string folder;
};

/// One page of HTML: each experiment with its table (the paper's numbers, ours, the ratio), its figures and remarks.
void write_index(const std::vector<Chapter>& chapters, const std::filesystem::path& file);

}  // namespace taut::reproduce
