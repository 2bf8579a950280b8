#pragma once

#include <string>

namespace taut::cli {

struct FilmOptions {
  std::string at{};  ///< time of a still picture; the end unless given
  bool dark = false, strobe = false, reactions = false;
};

/// A picture (.png) or a film (.gif, .mp4) of the motion that a page shows, by a browser that draws it and ffmpeg that joins the pictures. Throws
/// InputError that says what is missing.
void shoot(const std::string& page, const std::string& to, const FilmOptions& options);

}  // namespace taut::cli
