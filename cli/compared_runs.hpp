#pragma once

#include <string>
#include <taut/study/compare.hpp>
#include <vector>

#include "model_commands.hpp"

namespace taut::cli {

/// Motions of a comparison for its page: runs as pages have them, by the schemes that did best with the model's step, at most five, each once more and recorded.
/// What would take long is left out.
std::vector<std::string> compared_runs(const CompareArguments& arguments, const Comparison& found);

}  // namespace taut::cli
