#pragma once

#include <string>

namespace taut {

/// The parts of a kernel that are the same for all models: vectors and functions of them, before; the loop over steps, after. See lane_code().
std::string lane_prelude();
std::string lane_driver();

}  // namespace taut
