#pragma once

#include <taut/model/readers.hpp>

namespace taut {

/// A section of a model: the one place that says its name, what it may hold, and who reads it. Reading goes through the table of them in order; the
/// schema and the reference page are made from it.
struct Section {
  enum class Stage { title, values, bodies, start, places, terms, watched, run };
  std::string name;
  Stage stage;
  Form form;
  std::string doc;
  Reader read = nullptr;    ///< none: not by itself
  bool one_by_one = false;  ///< the reader takes the items of its list
};
const std::vector<Section>& sections();

std::vector<std::string> section_names();

}  // namespace taut
