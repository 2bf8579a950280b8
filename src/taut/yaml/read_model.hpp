#pragma once

#include <taut/model/model_file.hpp>

namespace taut {

class ModelReader;

/// Reads a model; docs/model-files.md says what it may hold. Throws InputError that names file, line, key, what was given and what is
/// allowed. Violated initial conditions throw only if `assemble` is true; otherwise they are in `start`.
ModelFile read_model(const std::string& path, const ModelOverrides& overrides = {}, bool assemble = true);
ModelFile parse_model(const std::string& text, const std::string& name, const ModelOverrides& overrides = {},
                      bool assemble = true);

/// For a model that is to be read many times, with other numbers: see model/model_builder.hpp.
ModelReader model_reader(const std::string& path, const ModelOverrides& overrides = {});

}  // namespace taut
