#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <taut/base/name_map.hpp>
#include <taut/base/require.hpp>
#include <taut/expression/graph.hpp>
#include <taut/system/set.hpp>

namespace taut {

/// A mistake in an expression, and the character it starts at, counted from 0.
class ExpressionError : public InputError {
 public:
  ExpressionError(const std::string& what, std::size_t at) : InputError(what), position(at) {}
  std::size_t position;
};

/// What names mean in an expression.
struct Scope {
  struct Function {
    std::vector<std::string> arguments;
    std::string body;
  };
  NameMap<Graph::Node> symbols;
  std::map<std::string, Function, std::less<>> functions;
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;  ///< functions of one argument
  std::function<std::optional<Graph::Node>(std::string_view name)>
      also{};                                                         ///< symbols that are made when they are asked for
  std::function<void(std::vector<std::string>& names)> more_names{};  ///< adds those, for "did you mean"
  /// What a name stands for, wherever it is known.
  std::optional<Graph::Node> find(std::string_view name) const;
};

/// An expression as a node of the graph:
///
///     + − * / ^ ( )     < <= > >= == !=     and or not
///     sin cos tan asin acos atan atan2 sinh cosh tanh sqrt exp log abs min max sign hypot
///     step(x), if(condition, a, b), piecewise(condition, value, …, otherwise), pi
///     numbers with units: 5 cm, 30 deg, 9.81 m/s^2; the unit follows the number, without blanks in it; the result is in SI
///
/// Names may hold dots (A.x) and end in primes (x'). Throws ExpressionError.
Graph::Node parse(Graph& graph, const Scope& scope, std::string_view text);

/// left = right, left <= right or left >= right, as left − right and where it must lie.
struct Relation {
  Graph::Node difference;
  Set set;
};
Relation parse_relation(Graph& graph, const Scope& scope, std::string_view text);

/// Whether expressions know a function of this name without being told.
bool is_function(std::string_view name);

/// The name nearest to the given one, if any is near: for "did you mean".
std::string nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace taut
