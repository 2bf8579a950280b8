#include <cmath>
#include <taut/simulate/energy.hpp>
#include <taut/step/index_one.hpp>
#include <taut/study/inspect.hpp>

namespace taut {

Inspection inspect(const ModelFile& model) {
  // Constraints as they are; but a start found at rest in a formulation is one of that.
  ModelModes modes(model, model.rests ? model.run.formulation : Formulation{});
  const System system = acting(*modes.moving(modes.first())).system;  // what holds at the start
  const ConsistentStart& start = model.start;
  Inspection out;
  out.coordinates = system.size();
  out.constraints = system.constraint_count();
  // Rank at the start: redundant constraints by name.
  if (system.constraint_count() > 0) {
    IndexOne equations(system, Multipliers{});
    Vector a(system.size()), lambda(system.constraint_count());
    equations.accelerate(instant(start.state), a, lambda);
    for (const int row : equations.dependent()) {
      out.redundant.push_back(system.constraint_name(row));
      const auto words = model.held.find(out.redundant.back());
      out.words.push_back((words == model.held.end() ? out.redundant.back() : words->second) + " is held already");
    }
  }
  const double length = std::isnan(model.run.until) ? 1.0 : model.run.until - start.state.t;
  out.conservative = conserves_energy(system, start.state, length) &&
                     (!model.pulses || model.pulses(start.state.t, start.state.t + length).empty());
  out.holonomic = system.holonomic();
  int equalities = 0;
  for (const Set set : system.sets()) equalities += set == Set::zero ? 1 : 0;
  out.inequalities = out.constraints - equalities;
  out.gruebler = system.size() - equalities;
  out.degrees_of_freedom = out.gruebler + int(out.redundant.size());
  out.moved_q = start.moved_q;
  out.moved_v = start.moved_v;
  out.violated = violations(system, start.state, 1e-8);
  out.start = start.state;
  if (std::isnan(model.run.until)) return out;
  try {
    plan(model);
  } catch (const InputError& error) {
    out.trouble = error.what();
  }
  return out;
}

}  // namespace taut
