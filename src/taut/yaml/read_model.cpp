#include <taut/model/model_builder.hpp>
#include <taut/model/section.hpp>
#include <taut/yaml/read_model.hpp>
#include <taut/yaml/yaml_tree.hpp>

namespace taut {

ModelFile parse_model(const std::string& text, const std::string& name, const ModelOverrides& overrides, bool assemble) {
  std::string all;
  auto documents = std::make_shared<const std::vector<Document>>(
      load_documents(text, name, section_names(), overrides.include_folders, all));
  return build_model(std::move(documents), name, std::move(all), overrides, assemble);
}

ModelFile read_model(const std::string& path, const ModelOverrides& overrides, bool assemble) {
  return parse_model(read_text(path), path, overrides, assemble);
}

}  // namespace taut
