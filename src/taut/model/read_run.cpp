#include <cmath>
#include <map>
#include <sstream>
#include <taut/model/model_modes.hpp>
#include <taut/model/readers.hpp>

namespace taut {
namespace {

/// A tolerance that follows the step h: "h^4/10" is 0.1 with the power 4.
bool read_power(const Item& item, NamedOptions& options, Draft& draft) {
  if (draft.scope.find("h") || item.word().find('h') == std::string::npos) return false;
  Scope names = draft.scope;
  names.symbols["h"] = draft.graph->variable(draft.numbering.time());  // time has no meaning here
  names.symbols.erase("t");
  const Graph::Node node = draft.value(item, names);
  const auto at = [&](double h) { return draft.graph->value(node, [h](int) { return h; }); };
  const double factor = at(1.0), power = std::log2(at(2.0) / factor);
  if (!(factor > 0.0) || !(std::abs(at(3.0) / (factor * std::pow(3.0, power)) - 1.0) < 1e-9))
    item.fail(message("must be a number, or a multiple of a power of the step h as in h^4/10; got \"{}\"", item.word()));
  std::ostringstream exact;
  exact.precision(17);
  exact << factor << ' ' << std::round(power * 1e9) / 1e9;
  std::istringstream(exact.str()) >> options["tolerance"] >> options["power"];
  return true;
}

/// A name, or a table with a name and options.
void read_method(const Item& item, std::string& name, NamedOptions& options, Draft& draft) {
  options.clear();
  if (item.is_word()) {
    name = item.word();
    return;
  }
  bool found = false;
  for (const auto& [key, one] : item.entries()) {
    if (key == "name") {
      name = one.word();
      found = true;
    } else {
      const std::string& text = one.word();
      if (key == "tolerance" && read_power(one, options, draft)) continue;
      const bool word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) && !draft.scope.find(text);
      std::ostringstream exact;
      exact.precision(17);
      if (!word) exact << draft.number(one);
      options[key] = word ? text : exact.str();
    }
  }
  if (!found) item.fail("needs a `name`");
}

/// multipliers, {penalty: ε}, {NAME: ε, …}; or as a word: penalty=ε, NAME=ε.
void read_formulation(const Item& item, Draft& draft) {
  Formulation& out = draft.model.run.formulation;
  out = {};
  if (item.is_word()) {
    out = located(item, [&] { return formulation_named(*draft.system, item.word()); });
    return;
  }
  const auto given = item.entries();
  if (given.empty()) item.fail("must be multipliers, {penalty: epsilon}, or name constraints: {\"rod A-B\": epsilon}");
  for (const auto& [name, one] : given) {
    const double epsilon = draft.number(one);
    if (!(epsilon > 0.0 || (epsilon == 0.0 && name != "penalty"))) one.fail(message("must be positive, got {}", epsilon));
    if (name == "penalty") out.penalty = epsilon;
    if (name == "penalty") continue;
    for (const int row : draft.rows_named(one, name)) out.rows[row] = epsilon;
  }
}

/// {x: 1e-9} is an absolute tolerance; {fast: {of: [x, y], rtol: …, atol: …}} gives several one of their own.
void read_tolerances(const Item& item, Draft& draft) {
  draft.model.run.tolerances.clear();
  for (const auto& [name, one] : item.entries()) {
    RunSection::Tolerance group;
    bool listed = false;
    if (one.is_table()) {
      for (const auto& [key, part] : one.entries(forms().tolerance.keys)) {
        if (key == "rtol") group.rtol = draft.positive(part);
        if (key == "rtol" && !(group.rtol < 1.0 && group.rtol >= 1e-14))
          part.fail(message("must lie between 1e-14 and 1, got {}", group.rtol));
        if (key == "atol") group.atol = draft.positive(part);
        if (key != "of") continue;
        listed = true;
        for (const Item& which : part.list())
          for (const int i : draft.coordinates_of(which, which.word())) group.coordinates.push_back(i);
      }
      if (group.rtol == 0.0 && group.atol == 0.0) one.fail("needs `rtol` or `atol`");
      if (listed && group.coordinates.empty()) one.fail("names no coordinate");
    } else {
      group.atol = draft.positive(one);
    }
    if (!listed) group.coordinates = draft.coordinates_of(one, name);
    draft.model.run.tolerances.push_back(std::move(group));
  }
}

/// In order, whichever way the run goes.
void read_times(const Item& item, Draft& draft) {
  std::vector<double>& times = draft.model.run.times;
  times.clear();
  for (const Item& one : item.list()) times.push_back(draft.number(one));
}

void read_methods(const std::string& key, const Item& one, Draft& draft) {
  RunSection& run = draft.model.run;
  located(one, [&] {
    if (key == "integrator") {
      read_method(one, run.integrator, run.integrator_options, draft);
      if (run.integrator == "auto") run.integrator.clear();
      if (!run.integrator.empty()) integrator_named(run.integrator, run.integrator_options);
    }
    if (key == "solver") {
      read_method(one, run.solver, run.solver_options, draft);
      solver_named(run.solver, run.solver_options);
    }
  });
}

}  // namespace

void read_run(const Item& item, Draft& draft) {
  RunSection& run = draft.model.run;
  for (const auto& [key, one] : item.entries(forms().run.keys)) {
    if (key == "until") run.until = draft.number(one);
    if (key == "step") run.step = draft.positive(one);
    if (key == "rtol") run.rtol = draft.positive(one);
    if (key == "atol") run.atol = draft.positive(one);
    if (key == "interval") run.interval = draft.positive(one);
    if (key == "times") read_times(one, draft);
    if (key == "every") {
      run.every = draft.whole(one);
      if (run.every < 0) one.fail(message("must not be negative, got {}", run.every));
    }
    if (key == "integrator" || key == "solver") read_methods(key, one, draft);
    if (key == "breaks") {
      run.breaks.clear();
      for (const Item& time : one.list()) run.breaks.push_back(draft.number(time));
    }
    if (key == "control") {
      run.control = one.word();
      if (run.control != "error" && run.control != "reversible")
        one.fail(message("must be error or reversible, got '{}'", run.control));
    }
    if (key == "formulation") read_formulation(one, draft);
    if (key == "tolerances") read_tolerances(one, draft);
    if (key == "events")
      for (const Item& event : one.list()) read_event(event, draft);
  }
}

void override_run(Draft& draft) {
  const std::map<std::string, Tree>& changes = draft.overrides.run;
  if (changes.empty()) return;
  RunSection& run = draft.model.run;
  // A method given from outside comes without the options of the one in the file; a step turns tolerances off, and the other way round.
  if (changes.contains("step") && !changes.contains("rtol")) {
    run.rtol = run.atol = run.interval = 0.0;
    run.times.clear();
    run.control.clear();
    run.breaks.clear();
    run.tolerances.clear();
  }
  if (changes.contains("rtol") && !changes.contains("step")) run.step = 0.0;
  if (changes.contains("times")) run.interval = 0.0;
  if (changes.contains("interval") || changes.contains("every")) run.times.clear();
  Tree given = Tree::table();
  for (const auto& [key, value] : changes) given.entry(key) = value;
  read_run(draft.outside("command line", Tree::table({{"run", given}})), draft);
  // Of the times in the file, those that a shorter run does not come to are left out.
  if (changes.contains("until") && !changes.contains("times"))
    std::erase_if(run.times, [&](double t) { return (t - draft.t) * (run.until - t) < 0.0; });
}

}  // namespace taut
