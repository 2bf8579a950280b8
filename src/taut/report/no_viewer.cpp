#include <taut/base/require.hpp>
#include <taut/report/viewer_bundle.hpp>

namespace taut {

bool has_viewer() { return false; }

std::string_view viewer_script() {
  throw InputError("report: this program was built without the viewer (-DTAUT_REPORT=OFF); build it with Node and npm.");
}

std::string_view viewer_style() { return {}; }

}  // namespace taut
