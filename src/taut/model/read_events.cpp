#include <algorithm>
#include <sstream>
#include <taut/model/readers.hpp>

namespace taut {
namespace {

int read_direction(const Item& item) {
  const std::string& word = item.word();
  if (word == "rising" || word == "1" || word == "+1") return 1;
  if (word == "falling" || word == "-1") return -1;
  if (word == "both" || word == "0") return 0;
  item.fail(message("must be rising, falling or both, got '{}'", word));
}

/// Whether a parameter occurs in the words of an expression.
bool names_parameter(const std::string& text, const Draft& draft) {
  return std::any_of(draft.parameters.begin(), draft.parameters.end(),
                     [&](const auto& one) { return text.find(one.first) != std::string::npos; });
}

/// A comparison is watched for the moment it becomes true, at the zero of its difference; other conditions as such.
void read_when(const Item& item, ModelEvent& event, bool both, Draft& draft) {
  Graph& graph = *draft.graph;
  Graph::Node node = draft.value(item);
  // A parameter that is zero at the start may be another number later.
  if (graph.is_constant(node) && !names_parameter(item.text(), draft))
    item.fail(message("\"{}\" does not change with the motion", item.text()));
  if (graph.is_condition(node)) {
    const Graph::Entry top = graph.entries()[std::size_t(node)];
    if (top.op == Op::equal) item.fail("an equality holds for no time at all; give the difference, which crosses zero");
    if (top.op == Op::less || top.op == Op::less_equal) {
      node = graph.subtract(top.b, top.a);
    } else {
      node = graph.subtract(graph.multiply(graph.constant(2.0), node), graph.constant(1.0));
    }
    if (event.direction == 0 && !both) event.direction = 1;
  }
  if (event.name.empty()) event.name = item.word();
  event.when = draft.expression(event.name, node);
}

/// The number of a switch; `make` gives it where it is new.
int switch_named(const std::string& name, ModelFile& model, const std::function<Switch()>& make) {
  const auto found =
      std::find_if(model.switches.begin(), model.switches.end(), [&](const Switch& one) { return one.name == name; });
  if (found != model.switches.end()) return int(found - model.switches.begin());
  model.switches.push_back(make());
  return int(model.switches.size()) - 1;
}

int parameter_switch(const std::string& name, Draft& draft) {
  return switch_named(name, draft.model, [&] {
    double value = 0.0;
    draft.graph->is_constant(draft.parameters[draft.parameter_index.at(name)].second, &value);
    return Switch{.name = name, .initial = value};
  });
}

int row_switch(const std::string& name, std::vector<int> rows, Draft& draft) {
  return switch_named("constraint " + name, draft.model,
                      [&] { return Switch{.name = "constraint " + name, .rows = std::move(rows)}; });
}

/// Constraints that let go or hold from now on.
void read_switch(const Item& item, bool hold, ModelEvent& event, Draft& draft) {
  const auto add = [&](const Item& which) {
    const int number = row_switch(which.word(), draft.rows_named(which, which.word()), draft);
    for (const auto& [other, value] : event.switches)
      if (other == number) which.fail(message("'{}' is released or held in this event already", which.word()));
    event.switches.emplace_back(number,
                                draft.expression(hold ? "hold" : "release", draft.graph->constant(hold ? 1.0 : 0.0)));
  };
  if (!item.is_list()) return add(item);
  for (const Item& one : item.list()) add(one);
}

void read_then(const Item& item, ModelEvent& event, Draft& draft) {
  if (item.empty()) item.fail("says nothing; leave it out for an event that is recorded");
  if (item.is_list()) {
    for (const Item& one : item.list()) read_then(one, event, draft);
    return;
  }
  if (item.is_word()) {
    const std::string& word = item.word();
    if (word != "stop" && word != "record")
      item.fail(message("must be stop, record, or a table of what changes, got '{}'", word));
    event.stop = event.stop || word == "stop";
    return;
  }
  for (const auto& [key, one] : item.entries()) {
    if (key == "release" || key == "hold") {
      read_switch(one, key == "hold", event, draft);
    } else if (key == "stop") {
      if (!Draft::truth(one)) one.fail("must be true; leave it out otherwise");
      event.stop = true;
    } else if (draft.is_parameter(key)) {
      event.switches.emplace_back(parameter_switch(key, draft), draft.expression(key, draft.value(one)));
    } else {
      const auto [i, velocity] = draft.coordinate_or_velocity(one, key);
      event.assignments.push_back({i, velocity, draft.expression(key, draft.value(one))});
    }
  }
}

/// One event for each of the times.
void add_timed(const ModelEvent& event, const std::vector<double>& times, Draft& draft) {
  for (const double t : times) {
    ModelEvent one = event;
    std::ostringstream label;
    label << "t = " << t;
    if (one.name.empty()) one.name = label.str();
    if (one.acts()) {
      one.at = t;
    } else {  // recorded only: steps need not feel it
      Graph& graph = *draft.graph;
      one.when = draft.expression(one.name, graph.subtract(graph.variable(draft.numbering.time()), graph.constant(t)));
    }
    draft.model.events.push_back(std::move(one));
  }
}

}  // namespace

void read_event(const Item& item, Draft& draft) {
  ModelEvent event;
  std::vector<double> times;
  std::optional<Item> when, then;
  bool both = false;
  for (const auto& [key, one] : item.entries(forms().event.keys)) {
    if (key == "name") event.name = one.word();
    if (key == "when") when = one;
    if (key == "at")
      for (const Item& time : one.is_list() ? one.list() : std::vector<Item>{one}) times.push_back(draft.number(time));
    if (key == "direction") {
      event.direction = read_direction(one);
      both = event.direction == 0;
    }
    if (key != "then" && key != "action") continue;
    if (then) one.fail("`then` and `action` say the same; give one of them");
    then = one;
  }
  if (when.has_value() == !times.empty()) item.fail("needs either `when`, an expression that crosses zero, or `at`, a time");
  if (then) read_then(*then, event, draft);
  if (when) {
    read_when(*when, event, both, draft);
    draft.model.events.push_back(std::move(event));
    return;
  }
  if (event.direction != 0) item.fail("a time has no `direction`");
  add_timed(event, times, draft);
}

void read_outputs(const Item& item, Draft& draft) {
  for (const auto& [name, one] : item.entries()) draft.model.outputs.push_back(draft.expression(name, draft.value(one)));
}

/// Supports that let go at a time are events; those that let go at the start, or before it, do not hold from the beginning.
void add_switches(Draft& draft) {
  ModelFile& model = draft.model;
  for (const Draft::Release& release : draft.releases) {
    const int row = draft.row_of(release.constraint);
    const int number = row_switch(draft.system->constraint_name(row), {row}, draft);
    if (release.t <= draft.t) {
      model.switches[std::size_t(number)].initial = 0.0;
      model.switches[std::size_t(number)].since = release.t;
      continue;
    }
    const auto same = std::find_if(model.events.begin(), model.events.end(),
                                   [&](const ModelEvent& one) { return one.at == release.t && one.name == "release"; });
    ModelEvent& event = same != model.events.end() ? *same : model.events.emplace_back();
    event.name = "release";
    event.at = release.t;
    event.switches.emplace_back(number, draft.expression("release", draft.graph->constant(0.0)));
  }
  for (const std::size_t one : draft.loose) {
    const int row = draft.row_of(one);
    const int number = row_switch(draft.system->constraint_name(row), {row}, draft);
    model.switches[std::size_t(number)].initial = 0.0;
  }
}

}  // namespace taut
