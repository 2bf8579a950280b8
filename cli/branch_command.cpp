#include <fmt/format.h>

#include <algorithm>
#include <taut/model/model_builder.hpp>
#include <taut/simulate/continuation.hpp>
#include <taut/taut.hpp>

#include "command_tools.hpp"

namespace taut::cli {
namespace {

/// NAME=FROM:TO.
struct Varied {
  std::string name, from, to;
};
Varied varied(const std::string& text) {
  const std::size_t equals = text.find('='), colon = text.find(':', equals == std::string::npos ? 0 : equals);
  require(equals != std::string::npos && colon != std::string::npos && equals > 0,
          "--vary: '{}' is not of the form NAME=FROM:TO, such as --vary P=0:20000.", text);
  return {text.substr(0, equals), text.substr(equals + 1, colon - equals - 1), text.substr(colon + 1)};
}

/// The model with the parameter as given.
ModelFile with(const BranchArguments& arguments, const std::string& name, const std::string& value) {
  ModelOverrides changed = overrides(arguments);
  std::erase_if(changed.parameters, [&](const auto& one) { return one.first == name; });
  changed.parameters.emplace_back(name, value);
  changed.initial.emplace_back("equilibrium", "false");
  return read_model(arguments.model, changed, false);
}

double value_of(const ModelFile& model, const std::string& name) {
  for (const auto& [key, value] : model.parameters)
    if (key == name) return value;
  require(false, "--vary: the model has no parameter '{}'.", name);
  return 0.0;
}

}  // namespace

int branch(const BranchArguments& arguments) {
  const Varied along = varied(arguments.vary);
  const ModelFile first = with(arguments, along.name, along.from);
  const double from = value_of(first, along.name), to = value_of(with(arguments, along.name, along.to), along.name);
  ModelOverrides changed = overrides(arguments);
  changed.initial.emplace_back("equilibrium", "false");  // the branch begins with one, and goes on from there
  const ModelReader reader = model_reader(arguments.model, changed);
  const auto at = [&](double p) { return reader.read({.parameters = {{along.name, p}}}, false); };
  const auto family = [&](double p) {
    const ModelFile model = at(p);
    return formulated(model, model.run.formulation);
  };
  require(arguments.increments > 0 && arguments.leave_at >= 0, "--increments must be positive and --leave not negative.");
  const EquilibriumBranch found =
      continuation(family, first.start.state, from, to,
                   {.increments = arguments.increments, .leave_at = arguments.leave_at, .other_side = arguments.other_side});
  const auto outputs = [&](double p, const State& state) {
    ModelFile model = at(p);
    ModelModes modes(model, model.run.formulation);
    ordered_json out = ordered_json::object();
    for (NamedExpression& output : model.outputs) out[output.name] = number(modes.value(output, state));
    return out;
  };
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"parameter", along.name},
                     {"from", from},
                     {"to", to},
                     {"finished", found.finished},
                     {"trouble", found.trouble},
                     {"critical", ordered_json::array()},
                     {"points", ordered_json::array()}};
    for (const CriticalPoint& one : found.critical)
      out["critical"].push_back({{"kind", name_of(one.kind)},
                                 {along.name, one.parameter},
                                 {"branch", one.branch},
                                 {"outputs", outputs(one.parameter, one.state)}});
    for (const BranchPoint& one : found.points)
      out["points"].push_back({{along.name, one.parameter},
                               {"branch", one.branch},
                               {"unstable", one.unstable < 0 ? ordered_json(nullptr) : ordered_json(one.unstable)},
                               {"outputs", outputs(one.parameter, one.state)}});
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\nequilibria along {} from {:.9g} to {:.9g}\n", title(first, arguments.model), along.name, from, to);
    const auto line = [&](const char* what, int number_of_branch, double p, const State& state) {
      std::string text;
      const ordered_json shown = outputs(p, state);
      for (const auto& [key, value] : shown.items()) text += fmt::format("  {} = {}", key, value.dump());
      fmt::print("  {:<12} branch {}  {} = {:<14.9g}{}\n", what, number_of_branch, along.name, p, text);
    };
    for (const BranchPoint& one : found.points)
      line(one.unstable < 0 ? "" : one.unstable == 0 ? "stable" : "unstable", one.branch, one.parameter, one.state);
    for (const CriticalPoint& one : found.critical) line(name_of(one.kind), one.branch, one.parameter, one.state);
  }
  if (found.finished) return ok;
  fmt::print(stderr, "taut: {}: {}\n", arguments.model, found.trouble);
  return failed_run;
}

}  // namespace taut::cli
