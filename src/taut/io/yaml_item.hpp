#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <taut/base/excerpt.hpp>
#include <taut/base/require.hpp>
#include <utility>
#include <vector>

/// YAML with places: what was wrong, in which file, line and entry.
namespace taut {

/// A mistake whose place is known already.
class LocatedError : public InputError {
 public:
  using InputError::InputError;
};

/// A place in a document. Assigning a YAML::Node changes the document it stands in; a handle that is given another node looks elsewhere, and that is all.
struct NodeHandle : YAML::Node {
  NodeHandle() = default;
  NodeHandle(const YAML::Node& node) : YAML::Node(node) {}  // NOLINT: by design
  NodeHandle(const NodeHandle&) = default;
  NodeHandle& operator=(const NodeHandle& other) {
    reset(other);
    return *this;
  }
};

/// A node with the file it stands in and the way to it: "run.integrator".
struct Item {
  std::string file, key;
  NodeHandle node;

  [[noreturn]] void fail(const std::string& what) const;
  Item under(const std::string& name, const YAML::Node& child) const {
    return {file, key.empty() ? name : key + "." + name, child};
  }
  Item at(std::size_t index, const YAML::Node& child) const {
    return {file, key + "[" + std::to_string(index) + "]", child};
  }

  std::string word() const;

  /// Entries of a table, in the order of the file; refuses keys that are given twice.
  std::vector<std::pair<std::string, Item>> entries() const;

  /// The same with known names only.
  std::vector<std::pair<std::string, Item>> entries(const std::vector<std::string>& known) const;

  std::vector<Item> list() const;
};

struct Document {
  std::string file;
  YAML::Node root;
};

/// The text of a file. Throws InputError if there is none.
std::string read_text(const std::string& path);

/// A text and the files it includes, those first; only the given keys may stand at the top. `all` collects the texts.
///
/// Files are included from the folder of `file` and below, and from the other folders given: a model from a stranger reads nothing else. Their
/// number and their size are limited.
void load_documents(const std::string& text, const std::string& file, const std::vector<std::string>& sections,
                    const std::vector<std::string>& folders, std::vector<Document>& out, std::string& all);

}  // namespace taut
