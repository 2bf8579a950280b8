#include "convert.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <taut/model/section.hpp>

namespace taut::python {
namespace {

constexpr int deepest = 32;

Tree converted(nb::handle object, int depth) {
  require(depth < deepest, "a model is not nested deeper than {} levels.", deepest);
  if (object.is_none()) return {};
  if (nb::isinstance<nb::bool_>(object)) return Tree(nb::cast<bool>(object));
  if (nb::isinstance<nb::str>(object)) return Tree(nb::cast<std::string>(object));
  if (nb::isinstance<nb::int_>(object)) return Tree(nb::cast<std::string>(nb::str(object)));
  if (nb::isinstance<nb::float_>(object)) {
    const double number = nb::cast<double>(object);
    require(std::isfinite(number), "a number of a model must be finite, got {}.", number);
    return Tree(number);
  }
  if (nb::isinstance<nb::dict>(object)) {
    Tree out = Tree::table();
    for (const auto& [key, value] : nb::borrow<nb::dict>(object)) {
      out.keys.push_back(nb::cast<std::string>(nb::str(key)));
      out.items.push_back(converted(value, depth + 1));
    }
    return out;
  }
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    std::vector<Tree> items;
    for (const nb::handle one : nb::iter(object)) items.push_back(converted(one, depth + 1));
    return Tree(std::move(items));
  }
  throw InputError(message("{} cannot stand in a model; numbers, words, lists and dictionaries can.",
                           nb::cast<std::string>(nb::repr(object))));
}

nb::object to_object(const Form& form);

nb::dict to_object(const Field& field) {
  nb::dict out;
  out["name"] = field.name;
  out["form"] = to_object(field.form);
  out["doc"] = field.doc;
  out["standard"] = field.standard;
  out["required"] = field.required;
  return out;
}

const char* name_of(Form::Kind kind) {
  switch (kind) {
    case Form::Kind::list:
      return "list";
    case Form::Kind::table:
      return "table";
    case Form::Kind::names:
      return "names";
    case Form::Kind::any_of:
      return "any_of";
    case Form::Kind::words:
      return "words";
    case Form::Kind::text:
      return "text";
    case Form::Kind::truth:
      return "truth";
    case Form::Kind::relation:
      return "relation";
    case Form::Kind::name:
      return "name";
    case Form::Kind::coordinate:
      return "coordinate";
    default:
      return "value";
  }
}

nb::object to_object(const Form& form) {
  nb::dict out;
  out["kind"] = name_of(form.kind);
  nb::list parts, fields, words;
  for (const Form& one : form.parts) parts.append(to_object(one));
  for (const Field& one : form.fields) fields.append(to_object(one));
  for (const std::string& one : form.words) words.append(one);
  out["parts"] = parts;
  out["fields"] = fields;
  out["words"] = words;
  out["fewest"] = form.fewest;
  out["at_most"] = form.at_most;
  return out;
}

}  // namespace

Tree to_tree(nb::handle object) { return converted(object, 0); }

nb::object to_object(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::word:
      return nb::cast(tree.word);
    case Tree::Kind::list: {
      nb::list out;
      for (const Tree& one : tree.items) out.append(to_object(one));
      return out;
    }
    case Tree::Kind::table: {
      nb::dict out;
      for (std::size_t k = 0; k < tree.items.size(); ++k) out[nb::cast(tree.keys[k])] = to_object(tree.items[k]);
      return out;
    }
    default:
      return nb::none();
  }
}

namespace {

constexpr double nothing = 0.0;  // the address of arrays without numbers

const double* address(const std::vector<double>& numbers) { return numbers.empty() ? &nothing : numbers.data(); }

}  // namespace

Rows view(const std::vector<double>& numbers, std::size_t rows, std::size_t columns, nb::handle owner) {
  return Rows(address(numbers), {rows, columns}, owner);
}

Row view(const std::vector<double>& numbers, nb::handle owner) { return Row(address(numbers), {numbers.size()}, owner); }

nb::object array_of(std::vector<double> numbers) {
  auto* kept = new std::vector<double>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(const_cast<double*>(address(*kept)), {kept->size()}, owner));
}

nb::object array_of(std::vector<double> numbers, std::size_t columns) {
  auto* kept = new std::vector<double>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  const std::size_t rows = columns > 0 ? kept->size() / columns : 0;
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(const_cast<double*>(address(*kept)), {rows, columns}, owner));
}

nb::object array_of(const Vector& vector) { return array_of(std::vector<double>(vector.begin(), vector.end())); }

Vector to_vector(const Given& given) { return Eigen::Map<const Vector>(given.data(), Eigen::Index(given.shape(0))); }

nb::object number_or_none(double value) { return std::isnan(value) ? nb::none() : nb::cast(value); }

void add_sections(nb::module_& module) {
  module.def(
      "sections",
      [] {
        nb::list out;
        for (const Section& one : sections()) {
          nb::dict entry;
          entry["name"] = one.name;
          entry["doc"] = one.doc;
          entry["form"] = to_object(one.form);
          out.append(entry);
        }
        return out;
      },
      "The sections that a model may have: names, what they hold, and what they mean.");
}

}  // namespace taut::python
