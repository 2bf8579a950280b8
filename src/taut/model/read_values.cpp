#include <algorithm>
#include <sstream>
#include <taut/model/readers.hpp>

namespace taut {

void read_name(const Item& item, Draft& draft) { draft.model.name = item.word(); }
void read_source(const Item& item, Draft& draft) { draft.model.source = item.word(); }

namespace {

bool is_input(const std::string& name, const Draft& draft) {
  const std::vector<Contents::Text>& inputs = draft.contents.of("inputs");
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Contents::Text& one) { return one.item.tree().find(name) != nullptr; });
}

}  // namespace

/// A value from the command line comes last.
void read_inputs(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    Item given = one;
    for (const auto& [other, text] : draft.overrides.parameters)
      if (other == name) given = draft.outside("--set", Tree::table({{name, text}}));
    const double value = draft.number(given);
    std::shared_ptr<Table>& cell = (*draft.cells)[name];
    if (cell == nullptr) cell = std::make_shared<Table>(value);
    draft.model.inputs.push_back({name, value, cell});
    draft.scope.symbols[name] = draft.graph->table(cell, draft.graph->variable(draft.numbering.time()));
  }
}

/// A later file, and the command line after it, may change what an earlier one set.
void read_parameters(Draft& draft) {
  std::vector<Item> given;
  NameMap<std::size_t>& index = draft.parameter_index;
  draft.each("parameters", [&](const Item& item) {
    index.reserve(given.size() + item.tree().items.size());
    given.reserve(given.size() + item.tree().items.size());
    for (const auto& [name, one] : item.entries()) {
      const auto [found, fresh] = index.try_emplace(name, given.size());
      if (fresh) {
        given.push_back(one);
      } else {
        given[found] = one;
      }
    }
  });
  for (const auto& [name, text] : draft.overrides.parameters) {
    const auto same = index.find(name);
    if (same == index.end() && is_input(name, draft)) continue;
    if (same == index.end()) {
      std::vector<std::string> known;
      for (const auto& [other, number] : index) known.push_back(other);
      const std::string near = nearest(name, known);
      throw LocatedError(message("--set {}: the model has no parameter '{}'", name, name) +
                         (near.empty() ? "." : message("; did you mean '{}'?", near)));
    }
    given[same->second] = draft.outside("--set", Tree::table({{name, text}}));
  }
  draft.scope.symbols.reserve(given.size());
  draft.parameters.reserve(given.size());
  for (const auto& [name, number] : index) {
    const Item& item = given[number];
    draft.take_name(item, name);
    const Graph::Node node = draft.value(item);
    draft.number(item, node);
    draft.scope.symbols[name] = node;
    draft.parameters.emplace_back(name, node);
  }
  if (draft.formulas == nullptr) return;
  std::vector<double> numbers;
  for (const auto& [name, node] : draft.parameters) draft.graph->is_constant(node, &numbers.emplace_back());
  draft.formula_values = draft.formulas->values(numbers);
}

namespace {

/// f(x, y): the name, and the arguments.
Scope::Function read_head(const std::string& head, const Item& item) {
  const std::size_t open = head.find('('), close = head.find(')');
  if (open == std::string::npos || close != head.size() - 1 || close < open)
    item.fail(message("'{}' must read like f(x, y)", head));
  Scope::Function function;
  std::stringstream inside(head.substr(open + 1, close - open - 1));
  for (std::string argument; std::getline(inside, argument, ',');) {
    argument.erase(std::remove(argument.begin(), argument.end(), ' '), argument.end());
    if (argument.empty()) item.fail(message("'{}' must read like f(x, y)", head));
    function.arguments.push_back(argument);
  }
  return function;
}

}  // namespace

void read_functions(const Item& item, Draft& draft) {
  for (const auto& [head, one] : item.entries()) {
    Scope::Function function = read_head(head, one);
    function.body = one.word();
    const std::string name = head.substr(0, head.find('('));
    draft.check_name(one, name);
    if (is_function(name) || draft.scope.functions.contains(name))
      one.fail(message("the function '{}' is there already", name));
    for (const std::string& argument : function.arguments)
      if (!Draft::is_name(argument)) one.fail(message("'{}' is not a name for an argument", argument));
    for (auto argument = function.arguments.begin(); argument != function.arguments.end(); ++argument)
      if (std::find(function.arguments.begin(), argument, *argument) != argument)
        one.fail(message("'{}' has two arguments named '{}'; each needs a name of its own", excerpt(head), *argument));
    // Parsed once with its arguments as numbers, so that mistakes show here; it sees only what stands before it.
    Scope inner = draft.scope;
    inner.symbols["t"] = draft.graph->constant(0.5);
    for (const std::string& argument : function.arguments) inner.symbols[argument] = draft.graph->constant(0.5);
    draft.value(one, inner);
    draft.scope.functions[name] = std::move(function);
  }
}

void read_tables(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) {
    draft.take_name(one, name);
    std::vector<double> t, values;
    Table::Kind kind = Table::Kind::spline;
    for (const auto& [key, part] : one.entries(forms().table.keys)) {
      if (key == "t" || key == "values")
        for (const Item& x : part.list()) (key == "t" ? t : values).push_back(draft.number(x));
      if (key != "kind") continue;
      const std::string& word = part.word();
      if (word != "spline" && word != "linear") part.fail(message("must be spline or linear, got '{}'", word));
      kind = word == "linear" ? Table::Kind::linear : Table::Kind::spline;
    }
    draft.scope.tables[name] = located(one, [&] { return std::make_shared<const Table>(t, values, kind); });
  }
}

void read_dimension(const Item& item, Draft& draft) {
  draft.dim = draft.whole(item);
  if (draft.dim < 1 || draft.dim > 3) item.fail(message("must be 1, 2 or 3, got {}", draft.dim));
}

void read_gravity(const Item& item, Draft& draft) {
  draft.gravity_item = item;
  if (item.is_list()) {
    const std::vector<Item> numbers = draft.axes(item);
    for (int k = 0; k < draft.dim; ++k) draft.gravity[k] += draft.number(numbers[k]);
  } else {
    draft.gravity[draft.dim - 1] -= draft.number(item);
  }
}

void read_damping(const Item& item, Draft& draft) {
  draft.damping = draft.number(item);
  if (!(draft.damping >= 0.0)) item.fail(message("must not be negative, got {}", draft.damping));
}

}  // namespace taut
