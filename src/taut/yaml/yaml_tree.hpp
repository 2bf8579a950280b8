#pragma once

#include <taut/model/tree.hpp>

/// YAML to trees and back.
namespace taut {

/// The text of a file. Throws InputError if there is none.
std::string read_text(const std::string& path);

/// One YAML or JSON text as a tree. Aliases are written out; depth and size are limited, and keys given twice are refused.
Tree parse_yaml(const std::string& text, const std::string& file);

/// A tree as YAML text that parse_yaml reads as the same tree.
std::string to_yaml(const Tree& tree);

/// A text and the files it includes, those first; only the given keys may stand at the top. `all` collects the texts.
///
/// Files are included from the folder of `file` and below, and from the other folders given: a model from a stranger reads nothing else. Their
/// number and their size are limited.
std::vector<Document> load_documents(const std::string& text, const std::string& file,
                                     const std::vector<std::string>& sections, const std::vector<std::string>& folders,
                                     std::string& all);

}  // namespace taut
