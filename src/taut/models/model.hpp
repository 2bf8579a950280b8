#pragma once

#include <taut/system/state.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// A system with the start that belongs to it.
struct Model {
  System system;
  State start;
};

}  // namespace taut
