#pragma once

#include <string>
#include <vector>

namespace taut::cli {

struct FilmOptions {
  std::string at{};  ///< time of a still picture; the end unless given
  bool dark = false, strobe = false, reactions = false;
};

/// Pictures (.png) and films (.gif, .mp4) of the motion that a page shows, by a browser that draws it and ffmpeg that joins what it drew. Throws
/// InputError that says what is missing.
void shoot(const std::string& page, const std::vector<std::string>& files, const FilmOptions& options);

}  // namespace taut::cli
