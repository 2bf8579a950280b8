#include "schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <taut/model/section.hpp>

namespace taut::cli {
namespace {

using nlohmann::ordered_json;
using Kind = Form::Kind;

std::optional<double> as_number(const std::string& text) {
  double value = 0.0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || trouble != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

/// A word as JSON has it: a number, true or false, or text.
ordered_json scalar(const std::string& word) {
  if (const auto number = as_number(word)) {
    if (*number == std::int64_t(*number)) return std::int64_t(*number);
    return *number;
  }
  return word;
}

/// Names, as regular expressions. What stands in braces is arithmetic on indices: P{i+1}.
const std::string letter = R"((?:[A-Za-z_]|[^\x00-\x7F]|\{[^{}]*\}))", more = R"((?:[A-Za-z0-9_]|[^\x00-\x7F]|\{[^{}]*\})*)";
std::string pattern(Kind kind) {
  const std::string name = letter + more;
  const std::string node = R"((?:0|[1-9][0-9]*|\{[^{}]*\}))";
  const std::string coordinate = name + R"((?:\.(?:)" + node + "|" + name + ")){0,2}";  // A.x, pipe.3.tx, u.7, arm.tip.x
  switch (kind) {
    case Kind::relation:
      return "=";
    case Kind::name:
      return "^(?!(?:t|pi|and|or|not)$)" + name + "$";
    case Kind::coordinate:
      return R"(^(?!(?:t|pi|and|or|not)(?:\.|$)))" + coordinate + "$";
    case Kind::coordinate_or_velocity:
      return R"(^(?!(?:t|pi|and|or|not)(?:[.']|$)))" + coordinate + "'?$";
    case Kind::spot:
      return R"(^(?!(?:t|pi|and|or|not)(?:\.|$)))" + name + R"((?:\.)" + name + ")?$";
    case Kind::head:
      return R"(^(?!(?:t|pi|and|or|not)\())" + name + R"(\( *(?:)" + name + " *(?:, *" + name + R"( *)*)?\)$)";
    default:
      return R"(\S)";
  }
}

class Writer {
 public:
  ordered_json whole() {
    ordered_json properties;
    for (const Section& section : sections()) {
      ordered_json one = of(section.form);
      if (section.name != "include") allow_nothing(one);
      one["description"] = section.doc;
      properties[section.name] = std::move(one);
    }
    ordered_json out{{"$schema", "http://json-schema.org/draft-07/schema#"},
                     {"title", "Model of taut"},
                     {"description",
                      "What a model file may hold; docs/model-files.md explains it. YAML and JSON files have the same "
                      "structure. Read YAML "
                      "by its version 1.2, where `on` is a word and not true. Made by `taut schema`."},
                     {"type", "object"},
                     {"additionalProperties", false},
                     {"properties", properties},
                     {"allOf", rules()},
                     {"definitions", definitions_}};
    return out;
  }

 private:
  static ordered_json rules() {
    const auto has = [](const char* name) { return ordered_json{{"required", {name}}}; };
    ordered_json moves, coordinates, gravity;
    moves["description"] = "Something must move; what is included may say what.";
    for (const char* name : {"masses", "bodies", "coordinates", "beams", "strings", "include"})
      moves["anyOf"].push_back(has(name));
    coordinates["description"] = "Coordinates need inertia.";
    coordinates["if"] = {{"required", {"coordinates"}}, {"not", has("include")}};
    coordinates["then"]["anyOf"] = {has("kinetic"), has("masses")};
    gravity["description"] = "Gravity acts on masses, bodies and beams.";
    gravity["if"] = {
        {"required", {"gravity"}}, {"properties", {{"gravity", {{"not", {{"type", "null"}}}}}}}, {"not", has("include")}};
    gravity["then"]["anyOf"] = {has("masses"), has("bodies"), has("beams")};
    return ordered_json::array({moves, coordinates, gravity});
  }

  /// A section may be there and hold nothing.
  static void allow_nothing(ordered_json& one) {
    if (one.contains("type")) {
      if (one["type"].is_string()) one["type"] = ordered_json::array({one["type"]});
      one["type"].push_back("null");
    } else if (one.contains("anyOf")) {
      one["anyOf"].push_back({{"type", "null"}});
    } else {
      one = {{"anyOf", ordered_json::array({one, {{"type", "null"}}})}};
    }
  }

  ordered_json of(const Form& form) {
    if (form.definition.empty()) return inside(form);
    if (!definitions_.contains(form.definition)) {
      definitions_[form.definition] = nullptr;  // its place; it may refer to itself
      ordered_json made = inside(form);
      if (!form.doc.empty()) made["description"] = form.doc;
      definitions_[form.definition] = std::move(made);
    }
    return {{"$ref", "#/definitions/" + form.definition}};
  }

  ordered_json inside(const Form& form) {
    switch (form.kind) {
      case Kind::text:
        return {{"type", {"string", "number"}}};
      case Kind::value:
        return limited({{"type", {"number", "string"}}, {"pattern", pattern(form.kind)}}, form);
      case Kind::whole:
        return {{"anyOf", {limited({{"type", "integer"}}, form), {{"type", "string"}, {"pattern", pattern(form.kind)}}}}};
      case Kind::truth:
        return {{"enum", {true, false, "true", "false"}}};
      case Kind::words:
        return words(form);
      case Kind::list:
        return list(form);
      case Kind::table:
        return table(form);
      case Kind::names:
        return names(form);
      case Kind::any_of: {
        ordered_json out;
        for (const Form& part : form.parts) out["anyOf"].push_back(of(part));
        return out;
      }
      case Kind::nothing:
        return {{"type", "null"}};
      default:
        return {{"type", "string"}, {"pattern", pattern(form.kind)}};
    }
  }

  static ordered_json limited(ordered_json out, const Form& form) {
    if (!form.least.empty()) out["minimum"] = scalar(form.least);
    if (!form.above.empty()) out["exclusiveMinimum"] = scalar(form.above);
    if (!form.most.empty()) out["maximum"] = scalar(form.most);
    if (!form.below.empty()) out["exclusiveMaximum"] = scalar(form.below);
    return out;
  }

  static ordered_json words(const Form& form) {
    ordered_json all = ordered_json::array();
    for (const std::string& word : form.words) {
      if (word == "true") all.push_back(true);
      all.push_back(scalar(word));
    }
    if (all.size() == 1) return {{"const", all[0]}};
    return {{"enum", all}};
  }

  /// Or a table that says it once for many: {repeat: {i: 1..N}, …}. What else it holds is looked at when it is written out.
  ordered_json repeatable(ordered_json one) {
    if (!definitions_.contains("repeated"))
      definitions_["repeated"] = {
          {"description", "So many of them: once for each index. {i}, {i+1} in any word is replaced by its value."},
          {"type", "object"},
          {"required", {"repeat"}},
          {"properties",
           {{"repeat",
             {{"description", "Indices and ranges, first..last or first..last..step; later ones may use those before."},
              {"type", "object"},
              {"minProperties", 1},
              {"additionalProperties", {{"type", "string"}, {"pattern", R"(\.\.)"}}}}},
            {"if", {{"description", "Leaves out those for which it is zero."}, {"type", {"string", "number"}}}},
            {"do", {{"description", "What is repeated, where it is no table that could stand beside `repeat`."}}}}}};
    const ordered_json reference{{"$ref", "#/definitions/repeated"}};
    if (one.contains("anyOf") && one.size() == 1) {
      one["anyOf"].push_back(reference);
      return one;
    }
    return {{"anyOf", ordered_json::array({std::move(one), reference})}};
  }

  ordered_json list(const Form& form) {
    ordered_json out{{"type", "array"}};
    if (form.fewest > 0) out["minItems"] = form.fewest;
    if (form.at_most > 0) out["maxItems"] = form.at_most;
    if (form.unique) out["uniqueItems"] = true;
    out["items"] = form.at_most == 0 ? repeatable(of(form.parts[0])) : of(form.parts[0]);
    return out;
  }

  ordered_json property(const Field& field) {
    ordered_json out = of(field.form);
    std::string doc = field.doc;
    if (!field.standard.empty()) {
      const bool word =
          std::find(field.form.words.begin(), field.form.words.end(), field.standard) != field.form.words.end();
      if (as_number(field.standard)) {
        out["default"] = scalar(field.standard);
      } else if (field.standard == "true" || field.standard == "false") {
        out["default"] = field.standard == "true";
      } else if (word) {
        out["default"] = field.standard;
      } else {
        doc += (doc.empty() ? "" : " ") + fmt::format("Unless given: {}.", field.standard);
      }
    }
    if (!doc.empty()) out["description"] = doc;
    return out;
  }

  ordered_json table(const Form& form) {
    ordered_json out{{"type", "object"}, {"additionalProperties", false}};
    for (const Field& field : form.fields) {
      if (field.required) out["required"].push_back(field.name);
      out["properties"][field.name] = property(field);
    }
    for (const std::string& name : form.some) out["anyOf"].push_back({{"required", {name}}});
    for (const auto& both : form.never) out["allOf"].push_back({{"not", {{"required", both}}}});
    for (const Form::Needs& one : form.needs) {
      if (one.one_of.size() == 1) {
        out["dependencies"][one.key] = one.one_of;
        continue;
      }
      for (const std::string& name : one.one_of) out["dependencies"][one.key]["anyOf"].push_back({{"required", {name}}});
    }
    return out;
  }

  ordered_json names(const Form& form) {
    ordered_json out{{"type", "object"}};
    if (form.fewest > 0) out["minProperties"] = form.fewest;
    if (form.parts[0].kind != Kind::text) {
      ordered_json name = of(form.parts[0]);
      if (!form.keys.empty()) name = {{"anyOf", {{{"enum", form.keys}}, name}}};
      out["propertyNames"] = std::move(name);
    }
    for (const Field& field : form.fields) out["properties"][field.name] = property(field);
    out["additionalProperties"] = repeatable(of(form.parts[1]));
    return out;
  }

  ordered_json definitions_;
};

/// A form in a few words.
std::string in_words(const Form& form) {
  const auto joined = [](const std::vector<std::string>& all, const std::string& between) {
    std::string out;
    for (const std::string& one : all) out += (out.empty() ? "" : between) + one;
    return out;
  };
  std::string limits;
  if (!form.least.empty()) limits += " ≥ " + form.least;
  if (!form.above.empty()) limits += " > " + form.above;
  if (!form.most.empty()) limits += (limits.empty() ? " ≤ " : ", ≤ ") + form.most;
  if (!form.below.empty()) limits += (limits.empty() ? " < " : ", < ") + form.below;
  switch (form.kind) {
    case Kind::value:
      return "value" + limits;
    case Kind::whole:
      return "whole number" + limits;
    case Kind::words: {
      std::vector<std::string> quoted;
      for (const std::string& word : form.words) quoted.push_back("`" + word + "`");
      return joined(quoted, ", ");
    }
    case Kind::list:
      return (form.fewest > 0 && form.fewest == form.at_most ? fmt::format("list of {}: ", form.fewest) : "list of ") +
             in_words(form.parts[0]);
    case Kind::table:
      return form.definition.empty() ? "table" : "table, see `" + form.definition + "`";
    case Kind::names:
      return "names and " + in_words(form.parts[1]);
    case Kind::any_of: {
      if (form.definition == "integrator" || form.definition == "solver") return "name, or table of `name` and options";
      std::vector<std::string> parts;
      for (const Form& part : form.parts) parts.push_back(in_words(part));
      return joined(parts, "; or ");
    }
    case Kind::truth:
      return "`true` or `false`";
    case Kind::text:
      return "text";
    case Kind::expression:
      return "text";
    case Kind::relation:
      return "relation";
    case Kind::name:
      return "name";
    case Kind::coordinate:
      return "coordinate";
    case Kind::coordinate_or_velocity:
      return "coordinate or velocity";
    case Kind::spot:
      return "mass, point or end of a beam";
    case Kind::head:
      return "head";
    case Kind::nothing:
      return "nothing";
  }
  return {};
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

void fields_of(const Form& form, std::string& out) {
  if (form.fields.empty()) return;
  out += "\n| key | holds | meaning | unless given |\n|---|---|---|---|\n";
  for (const Field& field : form.fields)
    out += fmt::format("| `{}` | {} | {} | {} |\n", field.name, escaped(in_words(field.form)), escaped(field.doc),
                       field.required ? "required" : field.standard);
}

/// The tables within a form, each once.
void tables_in(const Form& form, std::vector<const Form*>& found) {
  if (form.definition == "integrator" || form.definition == "solver") return;  // model-files.md tells of them
  const bool known = std::any_of(found.begin(), found.end(), [&](const Form* one) {
    return !form.definition.empty() && one->definition == form.definition;
  });
  if (known) return;
  if (!form.fields.empty()) found.push_back(&form);
  for (const Form& part : form.parts) tables_in(part, found);
  for (const Field& field : form.fields) tables_in(field.form, found);
}

}  // namespace

std::string model_schema() { return Writer().whole().dump(1); }

std::string model_reference() {
  std::string out =
      "# Reference of model files\n\nMade by `taut schema --reference` from the table that the reader of models goes by. "
      "[model-files.md](model-files.md) explains, with examples.\n\nA *value* is a number or an expression; every list and "
      "table may hold entries that are [repeated](model-files.md#repeat).\n";
  for (const Section& section : sections()) {
    out += fmt::format("\n## {}\n\n{} Holds: {}.\n", section.name, section.doc, in_words(section.form));
    std::vector<const Form*> found;
    tables_in(section.form, found);
    for (const Form* form : found) {
      if (form != found.front() || !form->definition.empty())
        out += fmt::format("\n{}\n", form->definition.empty() ? "Within it:" : "`" + form->definition + "`:");
      fields_of(*form, out);
    }
  }
  return out;
}

int schema(bool reference) {
  fmt::print("{}", reference ? model_reference() : model_schema() + "\n");
  return 0;
}

}  // namespace taut::cli
