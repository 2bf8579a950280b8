#pragma once

#include <filesystem>

namespace taut {

/// One name for one place, whatever links and dots lead there, whether or not there is anything yet.
inline std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code trouble;
  const std::filesystem::path whole = std::filesystem::absolute(path, trouble);
  const std::filesystem::path out = std::filesystem::weakly_canonical(trouble ? path : whole, trouble);
  return trouble ? path.lexically_normal() : out;
}

}  // namespace taut
