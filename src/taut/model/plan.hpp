#pragma once

#include <taut/model/model_modes.hpp>
#include <taut/simulate/choose.hpp>

namespace taut {

/// A model put together for a run: formulation, integrator, solver and options by their names.
struct RunPlan {
  std::shared_ptr<const System> system;  ///< of the formulation, as it moves at the start
  Integrator integrator;
  SolverMethod method;
  SimulateOptions options;
  std::shared_ptr<ModelModes> modes;  ///< what events change
  std::string choice;                 ///< what was chosen where the model says nothing, and why
  std::string doubt{};                ///< why the run cannot be right, if that is known: see doubt()
};

/// What happens in a run of a model: its events, with the systems they lead to, and times at which forces jump.
void set_events(const ModelFile& model, const std::shared_ptr<ModelModes>& modes, SimulateOptions& options);

/// The step of a run, with tolerances the largest. What acts in a small part of the way alone (contacts, barriers, events) must not lie between two looks of a scheme that
/// sees nothing else: a model that may hold such a thing and gives no `step` is taken in 64 steps at least.
double longest_step(const ModelFile& model);

/// The scheme for a model that names none, by its character and, where that is in doubt, by trials.
Choice choose_for(const ModelFile& model);

/// The model must outlive the plan. Throws InputError with what would work if the pieces do not go together: before a results file is begun. `chosen`: the scheme
/// where the model names none, from whoever knows it already.
RunPlan plan(const ModelFile& model, const Choice* chosen = nullptr);

/// The same for a run that begins at once, which says itself what does not go together.
RunPlan untried_plan(const ModelFile& model, const Choice* chosen = nullptr);

}  // namespace taut
