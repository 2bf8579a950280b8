#pragma once

#include <taut/diagnostics/certificate.hpp>
#include <taut/io/model_file.hpp>
#include <taut/io/results.hpp>
#include <taut/model/model_modes.hpp>

namespace taut {

/// A model put together for a run: formulation, integrator, solver and options by their names.
struct RunPlan {
  std::shared_ptr<const System> system;  ///< of the formulation, as it moves at the start
  Integrator integrator;
  SolverMethod method;
  SimulateOptions options;
  std::shared_ptr<ModelModes> modes;  ///< what events change
  std::string choice;                 ///< what was chosen where the model says nothing, and why
};

/// What happens in a run of a model: its events, with the systems they lead to, and times at which forces jump.
void set_events(const ModelFile& model, const std::shared_ptr<ModelModes>& modes, SimulateOptions& options);

/// The model must outlive the plan. Throws InputError with what would work if the pieces do not go together.
RunPlan plan(const ModelFile& model);

struct RunModelOptions {
  std::string out{};                ///< results file; none: nothing is kept but the certificate
  bool resume = false;              ///< go on from the checkpoint in `out`
  bool force = false;               ///< overwrite whatever is in `out`
  double checkpoint_seconds = 2.0;  ///< at least so long between checkpoints
  std::string version{}, model_path{};
  std::string settings{};  ///< JSON of what was asked for, kept in the file
  std::vector<Observer> observers{};
  std::function<bool()> interrupted{};  ///< whether somebody ended the run, who may want to go on later
};

struct RunOutcome {
  Certificate certificate;
  State last;
  struct Told {
    std::string name;
    double t;
    double impulse;  ///< largest change of a momentum by it
  };
  std::vector<Told> events;  ///< in order
  double resumed_at = 0.0;   ///< time at which a resumed run went on
  bool resumed = false;
};

/// Runs a model as planned and streams the results. Memory does not grow with the length of the run.
RunOutcome run_model(ModelFile& model, RunPlan planned, const RunModelOptions& options);

}  // namespace taut
