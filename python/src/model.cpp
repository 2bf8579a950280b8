#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <taut/model/model_builder.hpp>
#include <taut/model/section.hpp>
#include <taut/yaml/yaml_tree.hpp>

#include "built.hpp"
#include "callable_blocks.hpp"

namespace taut::python {
namespace {

/// What a model says, on its way.
struct Builder {
  explicit Builder(const std::string& name) : content(name) {}

  ModelBuilder content;
  std::string called = "model";
};

/// In these a later file replaces what an earlier one says.
bool replaces(const std::string& section) {
  constexpr std::array all{"parameters", "run", "initial"};
  return std::find(all.begin(), all.end(), section) != all.end();
}

void join(ModelBuilder& into, const Tree& document) {
  for (std::size_t k = 0; k < document.keys.size(); ++k) {
    const std::string& section = document.keys[k];
    const Tree& content = document.items[k];
    if (section == "include" || content.kind == Tree::Kind::nothing) continue;
    if (content.kind == Tree::Kind::table && replaces(section)) {
      for (std::size_t i = 0; i < content.items.size(); ++i) into.set(section, content.keys[i], content.items[i]);
    } else {
      into.add(section, content);
    }
  }
}

Builder from_text(const std::string& text, const std::string& file, const std::vector<std::string>& folders) {
  std::string all;
  const std::vector<Document> documents = load_documents(text, file, section_names(), folders, all);
  Builder out({});
  out.called = file;
  if (documents.size() == 1) {
    out.content = ModelBuilder::from(documents.front().root, file);
    return out;
  }
  ModelBuilder joined = ModelBuilder::from(Tree::table(), file);
  for (const Document& one : documents) join(joined, one.root);
  out.content = std::move(joined);
  return out;
}

/// A force that a function of Python's gives, called at every turn: on some coordinates, of these and of others.
struct Callback {
  std::string name;
  std::vector<std::string> on, reads;
  nb::object f, slopes;
};

std::vector<Callback> callbacks_of(const nb::list& given) {
  std::vector<Callback> out;
  for (const nb::handle one : given)
    out.push_back({nb::cast<std::string>(one["name"]), nb::cast<std::vector<std::string>>(one["on"]),
                   nb::cast<std::vector<std::string>>(one["reads"]), one["f"], one["slopes"]});
  return out;
}

void add_callbacks(ModelFile& model, const std::vector<Callback>& all) {
  if (all.empty()) return;
  require(!model.rests,
          "initial: `equilibrium` is found before Python's functions are asked; start from what m.static() finds.");
  std::map<std::string, int> numbers;
  for (int i = 0; i < model.system.size(); ++i) numbers.emplace(model.system.coordinate_name(i), i);
  for (const Callback& one : all) {
    std::vector<int> stencil;
    for (const auto* names : {&one.on, &one.reads})
      for (const std::string& name : *names) {
        const auto found = numbers.find(name);
        require(found != numbers.end(),
                "force '{}': there is no coordinate '{}'; a function that is called acts on coordinates and masses.",
                one.name, name);
        require(std::find(stencil.begin(), stencil.end(), found->second) == stencil.end(),
                "force '{}': '{}' is named twice.", one.name, name);
        stencil.push_back(found->second);
      }
    model.system.add_block(callable_dynamics(
        std::move(stencil), {.f = one.f, .slopes = one.slopes, .acts = int(one.on.size()), .name = one.name}));
  }
  // Other values of parameters, the same functions; these die with the interpreter's lock.
  const std::shared_ptr<const std::vector<Callback>> shared(new std::vector<Callback>(all), [](const auto* one) {
    const nb::gil_scoped_acquire gil;
    delete one;
  });
  model.with = [with = model.with, shared](const std::map<std::string, double>& parameters) {
    ModelFile other = with(parameters);
    const nb::gil_scoped_acquire gil;
    add_callbacks(other, *shared);
    return other;
  };
}

Built build(const Builder& builder, const std::vector<std::pair<std::string, std::string>>& parameters, const nb::dict& run,
            bool assemble, const nb::list& callbacks) {
  const std::vector<Callback> called = callbacks_of(callbacks);
  ModelOverrides overrides;
  overrides.parameters = parameters;
  for (const auto& [key, value] : run) overrides.run[nb::cast<std::string>(key)] = to_tree(value);
  Built out;
  {
    const nb::gil_scoped_release released;
    out.reader = std::make_shared<const ModelReader>(builder.content.reader(overrides));
    out.model = std::make_shared<ModelFile>(out.reader->read({}, assemble));
  }
  add_callbacks(*out.model, called);
  return out;
}

std::vector<std::string> coordinates(const Built& built) {
  std::vector<std::string> out;
  for (int i = 0; i < built.model->system.size(); ++i) out.push_back(built.model->system.coordinate_name(i));
  return out;
}

}  // namespace

void add_model(nb::module_& module) {
  nb::class_<Builder>(module, "Builder", "What a model says, section by section.")
      .def(nb::init<const std::string&>())
      .def_static("from_text", from_text)
      .def("copy", [](const Builder& b) { return Builder(b); })
      .def(
          "add", [](Builder& b, const std::string& section, nb::object of) { b.content.add(section, to_tree(of)); },
          nb::arg("section"), nb::arg("of").none())
      .def(
          "entry",
          [](Builder& b, const std::string& section, const std::string& name, nb::object of) {
            b.content.entry(section, name, to_tree(of));
          },
          nb::arg("section"), nb::arg("name"), nb::arg("of").none())
      .def(
          "item", [](Builder& b, const std::string& section, nb::object of) { b.content.item(section, to_tree(of)); },
          nb::arg("section"), nb::arg("of").none())
      .def(
          "set",
          [](Builder& b, const std::string& section, const std::string& name, nb::object of) {
            b.content.set(section, name, to_tree(of));
          },
          nb::arg("section"), nb::arg("name"), nb::arg("of").none())
      .def("get",
           [](const Builder& b, const std::string& section) {
             const Tree* found = b.content.tree().find(section);
             return found == nullptr ? nb::none() : to_object(*found);
           })
      .def("names", [](const Builder& b) { return b.content.tree().keys; })
      .def("to_yaml", [](const Builder& b) { return to_yaml(b.content.tree()); })
      .def_ro("called", &Builder::called)
      .def("build", build, nb::arg("parameters"), nb::arg("run"), nb::arg("assemble"), nb::arg("callbacks"));

  nb::class_<Built>(module, "Built", "A model that has been read.")
      .def_prop_ro("name", [](const Built& b) { return b.model->name; })
      .def_prop_ro("coordinates", coordinates)
      .def_prop_ro("output_names",
                   [](const Built& b) {
                     std::vector<std::string> out;
                     for (const NamedExpression& one : b.model->outputs) out.push_back(one.name);
                     return out;
                   })
      .def_prop_ro("until", [](const Built& b) { return b.model->run.until; })
      .def_prop_ro("inputs",
                   [](const Built& b) {
                     nb::dict out;
                     for (const ModelInput& one : b.model->inputs) out[nb::cast(one.name)] = one.initial;
                     return out;
                   })
      .def_prop_ro("parameters", [](const Built& b) { return b.model->parameters; });
}

}  // namespace taut::python
