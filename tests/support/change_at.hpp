#pragma once

#include <taut/taut.hpp>

namespace taut {

/// Options in which another system moves from a time on.
inline SimulateOptions change_at(double t, std::shared_ptr<const System> later, SimulateOptions options) {
  options.mode = {0.0};
  options.events.push_back({.name = "change", .at = t, .then = [](Moment& moment) { moment.mode = {1.0}; }});
  options.system_of = [later = std::move(later)](const Mode&) { return later; };
  return options;
}

}  // namespace taut
