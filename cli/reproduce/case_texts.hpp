#pragma once

#include <string>

namespace taut::reproduce {

/// A model file of cases/, by its name without the ending; those that cli/CMakeLists.txt lists are part of the program.
std::string case_text(const std::string& name);

}  // namespace taut::reproduce
