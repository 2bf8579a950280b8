#include <taut/model/model_builder.hpp>
#include <taut/model/section.hpp>
#include <taut/yaml/read_model.hpp>
#include <taut/yaml/yaml_tree.hpp>

namespace taut {

namespace {

ModelReader reader_of(const std::string& text, const std::string& name, const ModelOverrides& overrides) {
  std::string all;
  auto documents = std::make_shared<const std::vector<Document>>(
      load_documents(text, name, section_names(), overrides.include_folders, all));
  return {std::move(documents), name, std::move(all), overrides};
}

}  // namespace

ModelFile parse_model(const std::string& text, const std::string& name, const ModelOverrides& overrides, bool assemble) {
  return reader_of(text, name, overrides).read({}, assemble);
}

ModelFile read_model(const std::string& path, const ModelOverrides& overrides, bool assemble) {
  return parse_model(read_text(path), path, overrides, assemble);
}

ModelReader model_reader(const std::string& path, const ModelOverrides& overrides) {
  return reader_of(read_text(path), path, overrides);
}

}  // namespace taut
