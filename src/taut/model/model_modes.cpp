#include <algorithm>
#include <cmath>
#include <map>
#include <taut/base/decimal.hpp>
#include <taut/base/require.hpp>
#include <taut/expression/parse.hpp>
#include <taut/model/model_modes.hpp>
#include <taut/simulate/start.hpp>

namespace taut {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

double softness(const ModelFile& model, const Formulation& formulation, int row) {
  if (const auto named = formulation.rows.find(row); named != formulation.rows.end()) return named->second;
  if (const auto own = model.soft.find(row); own != model.soft.end()) return own->second;
  return std::binary_search(model.exact.begin(), model.exact.end(), row) ? 0.0 : formulation.penalty;
}

System formulated(const ModelFile& model, const Formulation& formulation) {
  if (formulation.penalty <= 0.0 && formulation.rows.empty() && model.soft.empty()) return model.system;
  return penalized(model.system, [&](int row) { return softness(model, formulation, row); });
}

std::unordered_map<std::string, std::vector<int>> rows_by_name(const System& system) {
  std::unordered_map<std::string, std::vector<int>> rows;
  int row = 0;
  for (const auto& block : system.constraints())
    for (int term = 0; term < block->terms(); ++term)
      for (int k = 0; k < block->rows(); ++k, ++row) {
        const std::string one = block->row_name(term, k);
        rows[one].push_back(row);
        const std::size_t bracket = one.rfind('['), dot = one.rfind('.');
        if (bracket != std::string::npos && one.back() == ']') rows[one.substr(0, bracket)].push_back(row);
        if (dot != std::string::npos && dot + 2 == one.size()) rows[one.substr(0, dot)].push_back(row);
      }
  return rows;
}

Formulation formulation_named(const System& system, const std::string& text) {
  if (text == "multipliers") return {};
  const std::size_t sign = text.rfind('=');
  double epsilon = 0.0;
  const char* end = text.data() + text.size();
  const bool sound = sign != std::string::npos && from_decimal(text.data() + sign + 1, end, epsilon).ptr == end;
  require(sound && epsilon > 0.0 && std::isfinite(epsilon),
          "the formulation must be multipliers, penalty=EPSILON, or NAME=EPSILON for one constraint; got '{}'.", text);
  const std::string name = text.substr(0, sign);
  if (name == "penalty") return {.penalty = epsilon};
  const auto all = rows_by_name(system);
  const auto found = all.find(name);
  std::vector<std::string> known;
  for (int row = 0; row < system.constraint_count(); ++row) known.push_back(system.constraint_name(row));
  const std::string near = nearest(name, known);
  require(found != all.end(), "there is no constraint '{}'{}.", name,
          near.empty() ? "" : message("; did you mean '{}'?", near));
  Formulation out;
  for (const int row : found->second) out.rows[row] = epsilon;
  return out;
}

ModelModes::ModelModes(const ModelFile& model, const Formulation& formulation) : model_(model), formulation_(formulation) {
  const std::vector<Set> sets = model.system.sets();
  bool hard_inequalities = false;
  for (int row = 0; row < int(sets.size()); ++row) {
    softness_.push_back(softness(model, formulation, row));
    const bool soft = softness_.back() > 0.0;
    exact_ = exact_ && !soft;
    hard_inequalities =
        hard_inequalities || (!soft && sets[std::size_t(row)] != Set::zero && sets[std::size_t(row)] != Set::whole);
  }
  for (const Switch& one : model.switches)
    for (const int row : one.rows)
      require(softness(model, formulation, row) == 0.0,
              "formulation: '{}' is released or held by an event, which goes with exact constraints only.",
              model.system.constraint_name(row));
  const auto among = [](const auto& all, const auto& of) { return std::any_of(all.begin(), all.end(), of); };
  current_ = variants_.emplace(std::map<std::string, double>{}, std::make_unique<Variant>(model)).first->second.get();
  mode_ = first();
  const bool accelerate = among(model.outputs, [](const NamedExpression& one) { return one.accelerations; }) ||
                          among(model.events, [](const ModelEvent& one) { return one.when.accelerations; });
  require(
      !accelerate || !hard_inequalities,
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

std::vector<double> ModelModes::values(std::span<const NamedExpression> all, const State& state) {
  Derived derived;
  const auto any = [&](bool NamedExpression::*of) {
    return std::any_of(all.begin(), all.end(), [&](const NamedExpression& one) { return one.*of; });
  };
  if (any(&NamedExpression::accelerations)) derived.a = accelerations(state);
  if (any(&NamedExpression::energies)) {
    const std::shared_ptr<const System> system = moving(mode_);
    derived.kinetic = system->kinetic_energy(instant(state));
    derived.potential = system->potential_energy(instant(state));
  }
  State with_springs;
  const bool springs = !exact_ && any(&NamedExpression::reactions);
  if (springs) {
    with_springs = state;
    with_springs.lambda = reactions(state);
  }
  std::vector<double> out;
  out.reserve(all.size());
  for (const NamedExpression& one : all) out.push_back(one.at(springs ? with_springs : state, derived));
  return out;
}

/// λ of all rows of the model: of those that are springs g/ε, of the others what the run found.
Vector ModelModes::reactions(const State& state) {
  const System& all = variant(mode_).model->system;
  const Vector g = all.constraint_values(state.t, state.q);
  const std::vector<Set> sets = all.sets();
  Vector out(g.size());
  Eigen::Index exact = 0;
  for (Eigen::Index row = 0; row < g.size(); ++row) {
    const double epsilon = softness_[std::size_t(row)];
    const bool known = exact < state.lambda.size();
    if (epsilon > 0.0) {
      out[row] = excess(sets[std::size_t(row)], g[row]) / epsilon;
    } else {
      out[row] = known ? state.lambda[exact++] : std::numeric_limits<double>::quiet_NaN();
    }
  }
  return out;
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
    found = std::make_shared<const System>(with_switches(mode, formulated(*variant(mode).model, formulation_)));
  return found;
}

std::shared_ptr<const System> ModelModes::judged(const Mode& mode) {
  if (formulation_.penalty == 0.0 && formulation_.rows.empty()) return moving(mode);
  std::shared_ptr<const System>& found = judged_[mode];
  if (found == nullptr) found = std::make_shared<const System>(with_switches(mode, formulated(*variant(mode).model, {})));
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
        std::vector<int> carried;
        for (ModelEvent::Assignment& one : happens.assignments) {
          (one.velocity ? moment.state.v : moment.state.q)[one.coordinate] = value(one.value, before);
          if (one.velocity && model_.carried.contains(one.coordinate)) carried.push_back(one.coordinate);
        }
        // A velocity of what has no inertia of its own means that of the bodies which carry it.
        if (!carried.empty()) moment.state.v = velocities_with(moment.system, moment.state, carried);
        for (auto& [number, next] : happens.switches) moment.mode[std::size_t(number)] = value(next, before);
        if (happens.stop) moment.stop = message("the event '{}' at t = {}", happens.name, moment.state.t);
        if (!happens.switches.empty()) enter(moment.mode);
      };
    all.push_back(std::move(event));
  }
  return all;
}

}  // namespace taut
