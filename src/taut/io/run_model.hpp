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

/// Throws InputError with what would work if the pieces do not go together.
RunPlan plan(const ModelFile& model);

struct RunModelOptions {
  std::string out{};    ///< results file; none: nothing is kept but the certificate
  bool resume = false;  ///< go on from the checkpoint in `out`
  std::string version{}, model_path{};
  std::string settings{};  ///< JSON of what was asked for, kept in the file
  std::vector<Observer> observers{};
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
