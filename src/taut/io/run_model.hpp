#pragma once

#include <taut/diagnostics/certificate.hpp>
#include <taut/io/results.hpp>

namespace taut {

/// A model put together for a run: formulation, integrator, solver and options by their names.
struct RunPlan {
  System system{1};  ///< of the formulation
  Integrator integrator;
  SolverMethod method;
  SimulateOptions options;
  std::string choice;  ///< what was chosen where the model says nothing, and why
};

/// The system of a model in a formulation, as it moves at the start: penalty = 0 holds constraints exactly, and supports of beams are exact always.
System formulated(const ModelFile& model, double penalty);

/// The system whose constraints should hold all the time.
System judged_system(const ModelFile& model);

/// The changes of that system that come later: supports that are released.
std::vector<SystemChange> changes(const ModelFile& model, const System& system);

/// Throws InputError with what would work if the pieces do not go together.
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
  std::vector<std::pair<std::string, double>> events;  ///< name and time, in order
  double resumed_at = 0.0;                             ///< time at which a resumed run went on
  bool resumed = false;
};

/// Runs a model as planned and streams the results. Memory does not grow with the length of the run.
RunOutcome run_model(ModelFile& model, RunPlan planned, const RunModelOptions& options);

}  // namespace taut
