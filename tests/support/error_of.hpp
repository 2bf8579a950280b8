#pragma once

#include <functional>
#include <string>
#include <taut/base/require.hpp>

namespace taut::testing {

/// What the caller's mistake is told.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace taut::testing
