#pragma once

#include <memory>
#include <taut/expression/parse.hpp>
#include <taut/model/tree.hpp>
#include <unordered_map>

namespace taut {

/// Expressions of parameters that stand where numbers are wanted: parsed once, as nodes of one graph, however often the model is read with other parameters.
class Formulas {
 public:
  /// What a reading found: the places, and the numbers they came to.
  using Seen = std::vector<std::pair<const Tree*, double>>;

  /// `parameters`: names and numbers of that reading; `scope`: its functions and tables. Places that do not give the same numbers again, to the last bit, are
  /// left out: names meant something else there.
  Formulas(const Scope& scope, const std::vector<std::pair<std::string, double>>& parameters, const Seen& seen);

  /// All of them for other numbers of the parameters.
  std::vector<double> values(const std::vector<double>& parameters) const;

  /// Where the number of a place is among these; −1: it is not.
  int find(const Tree& place) const {
    const auto found = places_.find(&place);
    return found == places_.end() ? -1 : found->second;
  }

 private:
  Graph graph_;
  std::unordered_map<const Tree*, Graph::Node> places_;
};

}  // namespace taut
