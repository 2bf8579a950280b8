#include <taut/model/form.hpp>

namespace taut {

Form form(Form::Kind kind) {
  Form out;
  out.kind = kind;
  return out;
}

Form values(const std::string& definition) {
  Form out;
  out.definition = definition;
  if (definition == "positive") out.above = "0";
  if (definition == "nonnegative") out.least = "0";
  if (definition == "tolerance") {
    out.least = "1e-14";
    out.below = "1";
  }
  return out;
}

Form one_of(std::vector<std::string> words) {
  Form out = form(Form::Kind::words);
  out.words = std::move(words);
  return out;
}

Form list_of(Form item, int fewest, int at_most) {
  Form out = form(Form::Kind::list);
  out.parts.push_back(std::move(item));
  out.fewest = fewest;
  out.at_most = at_most;
  return out;
}

Form table_of(std::vector<Field> fields) {
  Form out = form(Form::Kind::table);
  for (const Field& one : fields) out.keys.push_back(one.name);
  out.fields = std::move(fields);
  return out;
}

Form names_of(Form name, Form value, std::vector<Field> known) {
  Form out = form(Form::Kind::names);
  out.parts = {std::move(name), std::move(value)};
  for (const Field& one : known) out.keys.push_back(one.name);
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
