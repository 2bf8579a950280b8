#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/model/model_modes.hpp>

namespace taut {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

System formulated(const ModelFile& model, double penalty) {
  if (penalty <= 0.0) return model.system;
  return penalized(model.system, penalty,
                   [&](int row) { return !std::binary_search(model.supports.begin(), model.supports.end(), row); });
}

ModelModes::ModelModes(const ModelFile& model, double penalty) : model_(model), penalty_(penalty) {
  for (const Switch& one : model.switches)
    for (const int row : one.rows) {
      const bool support = std::binary_search(model.supports.begin(), model.supports.end(), row);
      require(penalty <= 0.0 || support,
              "formulation: '{}' is released or held by an event, which goes with exact constraints only.",
              model.system.constraint_name(row));
    }
  const auto reactions = [](const auto& all, const auto& of) { return std::any_of(all.begin(), all.end(), of); };
  const bool asked = reactions(model.outputs, [](const NamedExpression& one) { return one.reactions; }) ||
                     reactions(model.events, [](const ModelEvent& one) { return one.when.reactions; });
  require(penalty <= 0.0 || !asked,
          "formulation: an output or event asks for a `.lambda` or `.tension`, which springs in place of constraints do not "
          "have.");
  current_ = variants_.emplace(std::map<std::string, double>{}, std::make_unique<Variant>(model)).first->second.get();
  mode_ = first();
  const bool accelerate = reactions(model.outputs, [](const NamedExpression& one) { return one.accelerations; }) ||
                          reactions(model.events, [](const ModelEvent& one) { return one.when.accelerations; });
  const std::vector<Set> sets = model.system.sets();
  require(
      !accelerate || penalty > 0.0 ||
          std::all_of(sets.begin(), sets.end(), [](Set set) { return set == Set::zero || set == Set::whole; }),
      "an output or event asks for an acceleration, which impacts do not have: the model has inequalities; take a penalty.");
}

const Vector& ModelModes::accelerations(const State& state) {
  std::unique_ptr<Accelerations>& found = accelerations_[mode_];
  if (found == nullptr) found = std::make_unique<Accelerations>(*moving(mode_));
  found->a.resize(state.q.size());
  found->lambda.resize(found->system.constraint_count());
  found->equations.accelerate(instant(state), found->a, found->lambda);
  return found->a;
}

double ModelModes::value(NamedExpression& expression, const State& state) {
  if (!expression.derives()) return expression.at(state);
  Derived derived;
  if (expression.accelerations) derived.a = accelerations(state);
  if (expression.energies) {
    const std::shared_ptr<const System> system = moving(mode_);
    derived.kinetic = system->kinetic_energy(instant(state));
    derived.potential = system->potential_energy(instant(state));
  }
  return expression.at(state, derived);
}

Mode ModelModes::first() const {
  Mode mode;
  for (const Switch& one : model_.switches) mode.push_back(one.initial);
  return mode;
}

ModelModes::Variant& ModelModes::variant(const Mode& mode) {
  std::map<std::string, double> changed;
  for (std::size_t k = 0; k < model_.switches.size(); ++k)
    if (const Switch& one = model_.switches[k]; one.rows.empty() && mode.at(k) != one.initial) changed[one.name] = mode[k];
  std::unique_ptr<Variant>& found = variants_[changed];
  if (found == nullptr) {
    found = std::make_unique<Variant>(std::make_unique<ModelFile>(model_.with(changed)));
    const System &before = model_.system, &now = found->model->system;
    require(now.size() == before.size() && now.constraint_count() == before.constraint_count(),
            "an event changes a parameter on which the number of coordinates or constraints depends; it must stay.");
  }
  return *found;
}

/// The system in which the rows of switches that are off do not act.
System ModelModes::with_switches(const Mode& mode, System system) const {
  std::vector<std::string> off;
  for (std::size_t k = 0; k < model_.switches.size(); ++k)
    if (mode.at(k) == 0.0)
      for (const int row : model_.switches[k].rows) off.push_back(model_.system.constraint_name(row));
  if (off.empty()) return system;
  return released(system, [&](const std::string& name) { return contains(off, name); });
}

std::shared_ptr<const System> ModelModes::moving(const Mode& mode) {
  std::shared_ptr<const System>& found = moving_[mode];
  if (found == nullptr)
    found = std::make_shared<const System>(with_switches(mode, formulated(*variant(mode).model, penalty_)));
  return found;
}

std::shared_ptr<const System> ModelModes::judged(const Mode& mode) {
  if (penalty_ <= 0.0) return moving(mode);
  std::shared_ptr<const System>& found = judged_[mode];
  if (found == nullptr) found = std::make_shared<const System>(with_switches(mode, variant(mode).model->system));
  return found;
}

std::vector<Event> ModelModes::events() {
  std::vector<Event> all;
  for (std::size_t k = 0; k < model_.events.size(); ++k) {
    const ModelEvent& given = model_.events[k];
    Event event{.name = given.name, .at = given.at, .direction = given.direction};
    if (!given.timed()) {
      event.when = [this, k](const State& state) { return value(current_->events[k].when, state); };
      event.reactions = given.when.reactions;
    }
    if (given.acts())
      event.then = [this, k](Moment& moment) {
        ModelEvent& happens = current_->events[k];
        const State before = moment.state;  // all values are those before
        for (ModelEvent::Assignment& one : happens.assignments)
          (one.velocity ? moment.state.v : moment.state.q)[one.coordinate] = value(one.value, before);
        for (auto& [number, next] : happens.switches) moment.mode[std::size_t(number)] = value(next, before);
        if (happens.stop) moment.stop = message("the event '{}' at t = {}", happens.name, moment.state.t);
        if (!happens.switches.empty()) enter(moment.mode);
      };
    all.push_back(std::move(event));
  }
  return all;
}

}  // namespace taut
