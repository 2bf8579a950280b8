#include <taut/model/form.hpp>

namespace taut {
namespace {

std::vector<std::string> names_in(const std::vector<Field>& fields) {
  std::vector<std::string> out;
  for (const Field& one : fields) out.push_back(one.name);
  return out;
}

}  // namespace

Form form(Form::Kind kind) {
  Form out;
  out.kind = kind;
  return out;
}

Form whole(std::string least, std::string most) {
  Form out = form(Form::Kind::whole);
  out.least = std::move(least);
  out.most = std::move(most);
  return out;
}

Form values(const std::string& definition) {
  const bool tolerance = definition == "tolerance";
  std::string least = tolerance                     ? "1e-14"
                      : definition == "nonnegative" ? "0"
                                                    : "",
              above = definition == "positive" ? "0" : "", below = tolerance ? "1" : "";
  Form out;
  out.definition = definition;
  out.least = std::move(least);
  out.above = std::move(above);
  out.below = std::move(below);
  return out;
}

Form one_of(std::vector<std::string> words) {
  Form out = form(Form::Kind::words);
  out.words = std::move(words);
  return out;
}

Form list_of(Form item, int fewest, int at_most) {
  Form out = form(Form::Kind::list);
  out.parts = {std::move(item)};
  out.fewest = fewest;
  out.at_most = at_most;
  return out;
}

Form table_of(std::vector<Field> fields) {
  Form out = form(Form::Kind::table);
  out.keys = names_in(fields);
  out.fields = std::move(fields);
  return out;
}

Form names_of(Form name, Form value, std::vector<Field> known) {
  Form out = form(Form::Kind::names);
  out.parts = {std::move(name), std::move(value)};
  out.keys = names_in(known);
  out.fields = std::move(known);
  return out;
}

Form any_of(std::vector<Form> parts) {
  Form out = form(Form::Kind::any_of);
  out.parts = std::move(parts);
  return out;
}

Form defined(const std::string& definition, Form form, const std::string& doc) {
  form.definition = definition;
  form.doc = doc;
  return form;
}

Field required(Field field) {
  field.required = true;
  return field;
}

}  // namespace taut
