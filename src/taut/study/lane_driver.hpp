#pragma once

#include <string>

namespace taut {

/// What a kernel is for.
enum class LaneTarget { cpu, gpu };

/// The parts of a kernel that are the same for all models: vectors and functions of them, before; the step of an implicit scheme; the loop over steps, after.
/// See lane_code().
std::string lane_prelude(LaneTarget target);
std::string lane_newton();
std::string lane_landing();  ///< on events
std::string lane_driver(LaneTarget target);

}  // namespace taut
