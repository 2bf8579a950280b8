#pragma once

#include <limits>
#include <taut/model/model_certifier.hpp>
#include <taut/model/run_model.hpp>

namespace taut {

RunHeader header_of(const ModelFile& model, const RunPlan& planned, const RunModelOptions& asked);

/// Measures every state of a run and hands on what is to be recorded.
class Scribe {
 public:
  Scribe(const ModelFile& model, const RunPlan& planned, Recorder* recorder, RunOutcome& outcome)
      : model_(model),
        modes_(*planned.modes),
        recorder_(recorder),
        outcome_(outcome),
        certifier_(*planned.modes, planned.options.end - model.start.state.t),
        tracks_(Eigen::Index(model.tracks.size())) {}

  void resume(const Resumption& from);
  void see(const Progress& p);
  void begin_anew() { certifier_.begin_anew(); }  ///< something outside has changed

  double last_record() const { return last_record_; }
  Certificate certificate(const Trajectory& path) const { return certifier_.certificate(path); }

 private:
  void record(const Progress& p, const Measured& now);

  const ModelFile& model_;
  ModelModes& modes_;
  Recorder* recorder_;
  RunOutcome& outcome_;
  ModelCertifier certifier_;
  Vector tracks_;
  double last_record_ = std::numeric_limits<double>::quiet_NaN(), last_step_ = last_record_, step_ = 0.0;
};

}  // namespace taut
