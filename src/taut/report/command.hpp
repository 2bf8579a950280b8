#pragma once

#include <string>

namespace taut {

/// A word as a shell takes it.
std::string shell_word(const std::string& word);

/// How a run is made again: the command line as it was. `options` is the JSON of what was asked for.
std::string run_command(const std::string& model_path, const std::string& options);

}  // namespace taut
