#pragma once

#include <string_view>

namespace taut {

/// The viewer, as viewer/build.mjs bundles it; made when the program is built.
bool has_viewer();  ///< false: built without it; the script throws InputError then
std::string_view viewer_script();
std::string_view viewer_style();

}  // namespace taut
