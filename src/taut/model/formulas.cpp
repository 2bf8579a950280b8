#include <algorithm>
#include <cmath>
#include <taut/base/bits.hpp>
#include <taut/model/formulas.hpp>

namespace taut {

Formulas::Formulas(const Scope& scope, const std::vector<std::pair<std::string, double>>& parameters, const Seen& seen) {
  Scope own;
  own.functions = scope.functions;
  own.tables = scope.tables;
  std::vector<double> numbers;
  for (const auto& [name, number] : parameters) {
    own.symbols[name] = graph_.variable(int(numbers.size()));
    numbers.push_back(number);
  }
  for (const auto& [tree, number] : seen) try {
      places_.emplace(tree, parse(graph_, own, tree->word));
    } catch (const ExpressionError&) {  // of names that are no parameters
    }
  const std::vector<double> again = values(numbers);
  for (const auto& [tree, number] : seen)
    if (const int k = find(*tree); k >= 0 && bits_as<std::uint64_t>(again[std::size_t(k)]) != bits_as<std::uint64_t>(number))
      places_.erase(tree);
}

std::vector<double> Formulas::values(const std::vector<double>& parameters) const {
  const std::vector<Graph::Entry>& entries = graph_.entries();
  std::vector<double> out(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {  // arguments come first
    const Graph::Entry& e = entries[k];
    const auto argument = [&](int a) { return a >= 0 ? out[std::size_t(a)] : 0.0; };
    if (e.op == Op::constant) {
      out[k] = e.value;
    } else if (e.op == Op::variable) {
      out[k] = parameters[std::size_t(e.a)];
    } else if (e.op == Op::integer_power) {
      out[k] = std::pow(argument(e.a), e.value);
    } else if (e.op == Op::table) {
      out[k] = graph_.tables()[std::size_t(e.b)]->value(argument(e.a), e.c);
    } else {
      out[k] = apply(e.op, argument(e.a), argument(e.b), argument(e.c));
    }
  }
  return out;
}

}  // namespace taut
