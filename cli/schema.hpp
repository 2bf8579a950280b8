#pragma once

#include <string>

namespace taut::cli {

/// The JSON Schema of model files, and the page of reference, both made from the table of sections.
std::string model_schema();
std::string model_reference();

/// Prints one of them.
int schema(bool reference);

}  // namespace taut::cli
