#pragma once

#include <taut/diagnostics/certificate.hpp>
#include <taut/model/plan.hpp>
#include <taut/model/recorder.hpp>

namespace taut {

struct RunModelOptions {
  Recorder* recorder = nullptr;  ///< none: nothing is kept but the certificate
  std::string version{}, model_path{};
  std::string settings{};  ///< JSON of what was asked for, for the recorder
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
RunOutcome run_model(const ModelFile& model, RunPlan planned, const RunModelOptions& options = {});

/// Steps after which a scheme is bound anew, so that a run can go on from there: SimulateOptions::renew. A number that depends on the model
/// alone, because it decides on the last bits of the results.
long renewal_steps(int coordinates, const Traits& traits);

}  // namespace taut
