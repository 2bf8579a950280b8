#pragma once

#include <string>
#include <taut/diagnostics/certificate.hpp>
#include <taut/model/scene.hpp>

namespace taut {

/// A scene as JSON, and back. A form offset + Σ weight · q[i] is the list [offset, i, weight, i, weight, …]. The second throws InputError where the text
/// is not such a scene, or names a coordinate, row or place that is not there.
std::string scene_text(const Scene& scene);
Scene scene_from(const std::string& text, std::size_t coordinates, std::size_t rows);

/// A certificate as JSON; with `printed`, what operator<< prints stands in it under `text`.
std::string certificate_text(const Certificate& certificate, bool printed = false);

}  // namespace taut
