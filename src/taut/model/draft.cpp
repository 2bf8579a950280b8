#include <algorithm>
#include <cmath>
#include <taut/base/decimal.hpp>
#include <taut/model/draft.hpp>
#include <taut/model/model_modes.hpp>
#include <taut/model/repeat.hpp>
#include <taut/model/section.hpp>

namespace taut {
namespace {

/// A plain number needs no parser.
std::optional<double> plain_number(const std::string& text) {
  double number = 0.0;
  const auto [end, trouble] = from_decimal(text.data(), text.data() + text.size(), number);
  if (trouble != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return {};
  return number;
}

template <class Parse> auto guarded(const Item& item, const Parse& parse_it) {
  const std::string& text = item.word();
  try {
    return parse_it(text);
  } catch (const ExpressionError& error) {
    item.fail(message("{}, at character {} of \"{}\"", error.what(), error.position + 1, excerpt(text, error.position)));
  }
}

/// Numbers from parameters, functions and indices.
Repeats::Evaluate calculator(const Draft& draft) {
  struct Desk {
    Graph graph;
    Scope scope;
  };
  const auto made = [&draft] {
    auto desk = std::make_shared<Desk>();
    desk->scope = draft.numbers_in(desk->graph);
    return desk;
  };
  // Indices stay among the names while they are the same ones.
  return [desk = made(), made, names = std::vector<std::string>{}](const std::string& text,
                                                                   const Repeats::Indices& indices) mutable {
    constexpr std::size_t full = 10'000;  // nodes; a graph forgets nothing
    if (desk->graph.entries().size() > full) {
      desk = made();
      names.clear();
    }
    const auto same = [](const auto& index, const std::string& name) { return index.first == name; };
    if (!std::equal(indices.begin(), indices.end(), names.begin(), names.end(), same)) {
      for (const std::string& name : names) desk->scope.symbols.erase(name);
      names.clear();
      for (const auto& [name, number] : indices) {
        require(!desk->scope.symbols.contains(name), "the index '{}' has the name of a parameter, or stands twice", name);
        desk->scope.symbols.try_emplace(name);
        names.push_back(name);
      }
    }
    for (const auto& [name, number] : indices) desk->scope.symbols[name] = desk->graph.constant(number);
    double out = 0.0;
    const Graph::Node node = parse(desk->graph, desk->scope, text);
    require(desk->graph.is_constant(node, &out) && std::isfinite(out), "this is no finite number");
    return out;
  };
}

}  // namespace

std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest(name, known);
  return message("there is no {} '{}'", what, excerpt(name)) + (near.empty() ? "" : message("; did you mean '{}'?", near));
}

Contents::Contents(std::shared_ptr<const std::vector<Document>> from) : documents(std::move(from)) {
  for (const Document& document : *documents)
    for (std::size_t k = 0; k < document.root.keys.size(); ++k) {
      const std::string& section = document.root.keys[k];
      const Tree& tree = document.root.items[k];
      if (tree.kind == Tree::Kind::nothing) continue;
      sections[section].push_back({{document, tree}, section != "name" && section != "source" && Repeats::needed(tree)});
    }
  for (const Section& one : taut::sections())
    if (const std::vector<Text>& texts = of(one.name); !texts.empty()) filled.emplace_back(&one, &texts);
}

const std::vector<Contents::Text>& Contents::of(std::string_view section) const {
  static const std::vector<Text> none;
  const auto found = sections.find(section);
  return found == sections.end() ? none : found->second;
}

Draft::Draft(const Contents& found, const ModelOverrides& changes, std::shared_ptr<Shapes> shapes)
    : contents(found), overrides(changes), shapes_(std::move(shapes)) {}

void Draft::each(const std::string& section, const std::vector<Contents::Text>& texts,
                 const std::function<void(const Item&)>& action) {
  for (const auto& [item, repeats] : texts) {
    if (!repeats) {
      action(item);
    } else {
      action(outside(item.file(), Tree::table({{section, Repeats(calculator(*this)).written_out(item)}})));
    }
  }
}

Item Draft::outside(const std::string& file, Tree root, std::size_t entry) {
  const Document& made = outside_.emplace_back(Document{file, std::move(root)});
  return {made, made.root.items[entry]};
}

Scope Draft::numbers_in(Graph& other) const {
  Scope out;
  out.functions = scope.functions;
  out.tables = scope.tables;
  for (const auto& [name, node] : parameters) {
    double number = 0.0;
    graph->is_constant(node, &number);
    out.symbols[name] = other.constant(number);
  }
  return out;
}

Graph::Node Draft::value(const Item& item, const Scope& symbols) {
  if (const auto plain = plain_number(item.word())) return graph->constant(*plain);
  return guarded(item, [&](const std::string& text) { return parse(*graph, symbols, text); });
}

Relation Draft::relation(const Item& item) {
  return guarded(item, [&](const std::string& text) { return parse_relation(*graph, scope, text); });
}

double Draft::number(const Item& item) {
  if (const auto plain = plain_number(item.word())) return *plain;
  if (formulas != nullptr && !formula_values.empty())
    if (const int k = formulas->find(item.tree()); k >= 0 && std::isfinite(formula_values[std::size_t(k)]))
      return formula_values[std::size_t(k)];
  const double out = number(item, value(item));
  const std::vector<Document>& lasting = *contents.documents;
  if (seen != nullptr && &item.document() >= lasting.data() && &item.document() < lasting.data() + lasting.size())
    seen->emplace_back(&item.tree(), out);
  return out;
}

double Draft::number(const Item& item, Graph::Node node) const {
  double out = 0.0;
  if (!graph->is_constant(node, &out))
    item.fail(message("must be a number, but \"{}\" changes with the motion", excerpt(item.text())));
  if (!std::isfinite(out)) item.fail(message("\"{}\" is not finite", excerpt(item.text())));
  return out;
}

double Draft::positive(const Item& item) {
  const double out = number(item);
  if (!(out > 0.0)) item.fail(message("must be positive, got {}", item.text()));
  return out;
}

bool Draft::is_number(const Item& item) {
  if (!item.is_word()) return false;
  try {
    return graph->is_constant(parse(*graph, scope, item.word()));
  } catch (const ExpressionError&) {
    return false;
  }
}

int Draft::whole(const Item& item) {
  const double out = number(item);
  if (out != std::round(out) || std::abs(out) > 1e9)
    item.fail(message("must be a whole number, got {}", excerpt(item.text())));
  return int(out);
}

Graph::Node Draft::of_time(const Item& item) {
  const Graph::Node node = value(item);
  if (graph->is_constant(node)) return node;
  for (const int variable : graph->variables_of({node}))
    if (variable != numbering.time())
      item.fail(message("may depend on time only, but \"{}\" does not", excerpt(item.text())));
  return node;
}

std::vector<Item> Draft::axes(const Item& item) const {
  std::vector<Item> all = item.list();
  if (int(all.size()) != dim) item.fail(message("needs {} numbers, got {}", dim, all.size()));
  return all;
}

bool Draft::truth(const Item& item) {
  const std::string& word = item.word();
  if (word != "true" && word != "false") item.fail(message("must be true or false, got '{}'", word));
  return word == "true";
}

bool Draft::is_name(const std::string& name) {
  const auto good = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 128;
  };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && std::all_of(name.begin(), name.end(), good);
}

void Draft::check_name(const Item& item, const std::string& name) const {
  if (!is_name(name))
    item.fail(message("'{}' is not a name; names hold letters, digits and _, and do not start with a digit", name));
  for (const std::string_view word : {"t", "pi", "and", "or", "not"})
    if (name == word) item.fail(message("'{}' has a meaning already", name));
  if (taken_.contains(name)) item.fail(message("the name '{}' is taken already", name));
}

void Draft::take_name(const Item& item, const std::string& name) {
  check_name(item, name);
  taken_.try_emplace(name);
}

int Draft::coordinate(const Item& item, const std::string& name) const {
  const auto found = coordinate_index.find(name);
  if (found != coordinate_index.end()) return found->second;
  item.fail(unknown("coordinate", name, names));
}

std::pair<int, bool> Draft::coordinate_or_velocity(const Item& item, const std::string& name) const {
  if (const int i = coordinate_with('v', name); i >= 0) return {i, true};
  const bool velocity = !name.empty() && name.back() == '\'';
  return {coordinate(item, velocity ? name.substr(0, name.size() - 1) : name), velocity};
}

int Draft::coordinate_with(char letter, std::string_view name) const {
  if (name.size() < 4 || name[name.size() - 3] != '.' || name[name.size() - 2] != letter) return -1;
  std::string place(name.substr(0, name.size() - 2));
  const auto found = coordinate_index.find(place += name.back());
  return found == coordinate_index.end() ? -1 : found->second;
}

std::vector<int> Draft::coordinates_of(const Item& item, const std::string& name) {
  if (const auto found = coordinate_index.find(name); found != coordinate_index.end()) return {found->second};
  if (sorted_.empty()) {
    sorted_.assign(coordinate_index.begin(), coordinate_index.end());
    std::sort(sorted_.begin(), sorted_.end());
  }
  const std::string start = name + ".";
  std::vector<int> all;
  for (auto one = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(start, -1));
       one != sorted_.end() && one->first.starts_with(start); ++one)
    all.push_back(one->second);
  if (all.empty()) return {coordinate(item, name)};  // says what there is
  return all;
}

const Spot& Draft::spot(const Item& item) const {
  const auto found = spots.find(item.word());
  if (found != spots.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [one, place] : spots) known.push_back(one);
  std::sort(known.begin(), known.end());
  item.fail(unknown("mass or point", item.word(), known));
}

const Spot& Draft::mass(const Item& item) const {
  const Spot& found = spot(item);
  if (!found.massive) item.fail(message("'{}' is a point without mass; a mass is wanted", item.word()));
  return found;
}

void Draft::add_coordinate(const std::string& name) {
  const int i = int(names.size());
  coordinate_index[name] = i;
  names.push_back(name);
}

const std::unordered_map<std::string, std::vector<int>>& Draft::all_rows() {
  if (rows_.empty()) rows_ = rows_by_name(*system);
  return rows_;
}

int Draft::row_called(const std::string& name) {
  const auto found = all_rows().find(name);
  if (found == all_rows().end()) return -1;
  const int row = found->second.back();
  return system->constraint_name(row) == name ? row : -1;
}

const std::vector<int>& Draft::rows_named(const Item& item, const std::string& name) {
  if (const auto found = all_rows().find(name); found != all_rows().end()) return found->second;
  std::vector<std::string> known;
  for (int row = 0; row < system->constraint_count(); ++row) known.push_back(system->constraint_name(row));
  item.fail(unknown("constraint", name, known));
}

}  // namespace taut
