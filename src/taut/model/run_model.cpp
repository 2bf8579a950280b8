#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/model/model_certifier.hpp>
#include <taut/model/run_model.hpp>

namespace taut {
namespace {

/// The scene of a run. Where constraints are springs, only those that hold ends of beams have reactions still: their rows are numbered anew.
Scene scene_of(const ModelFile& model, const System& system) {
  Scene scene = model.scene;
  if (system.constraint_count() == model.system.constraint_count()) return scene;
  std::erase_if(scene.reactions, [&](Scene::Reaction& one) {
    const auto found = std::lower_bound(model.supports.begin(), model.supports.end(), one.row);
    if (found == model.supports.end() || *found != one.row) return true;
    const int row = int(found - model.supports.begin());
    const bool same =
        row < system.constraint_count() && system.constraint_name(row) == model.system.constraint_name(one.row);
    one.row = row;
    return !same;
  });
  return scene;
}

RunHeader header_of(const ModelFile& model, const RunPlan& planned, const RunModelOptions& asked) {
  const SimulateOptions& options = planned.options;
  const bool equal_steps = options.rtol == 0.0 && options.atol == 0.0;
  RunHeader header{.version = asked.version,
                   .model_path = asked.model_path,
                   .model_text = model.text,
                   .name = model.name,
                   .integrator = planned.integrator.traits().name,
                   .solver = name_of(planned.method),
                   .options = asked.settings,
                   .until = model.run.until,
                   .coordinates = {},
                   .constraints = {},
                   .start = model.start.state.t,
                   .step = equal_steps ? options.step : 0.0,
                   .scene = scene_of(model, *planned.system)};
  const System& system = *planned.system;
  for (int i = 0; i < system.size(); ++i) header.coordinates.push_back(system.coordinate_name(i));
  for (const auto& block : system.constraints())
    for (int term = 0; term < block->terms(); ++term)
      for (int k = 0; k < block->rows(); ++k) header.constraints.push_back(block->row_name(term, k));
  for (const NamedExpression& output : model.outputs) header.outputs.push_back(output.name);
  for (const ModelEvent& event : model.events) header.events.push_back(event.name);
  return header;
}

/// Measures every state and hands on what is to be recorded.
class Scribe {
 public:
  Scribe(const ModelFile& model, const RunPlan& planned, Recorder* recorder, RunOutcome& outcome)
      : model_(model),
        modes_(*planned.modes),
        recorder_(recorder),
        outcome_(outcome),
        certifier_(*planned.modes, model.run.until - model.start.state.t),
        outputs_(Eigen::Index(model.outputs.size())),
        tracks_(Eigen::Index(model.tracks.size())) {}

  void resume(const Resumption& from) {
    for (const auto& [which, t] : from.events) outcome_.events.push_back({model_.events.at(which).name, t, 0.0});
    modes_.enter(from.checkpoint->mode);
    certifier_.load(*from.certificate, *from.checkpoint);
    outcome_.resumed_at = from.checkpoint->last.t;
    last_record_ = from.last_record;
    last_step_ = from.checkpoint->last.t;
  }

  void see(const Progress& p) {
    const Measured now = certifier_.see(p);
    if (!p.between && p.state.t != last_step_) {
      step_ = std::isnan(last_step_) ? 0.0 : std::abs(p.state.t - last_step_);
      last_step_ = p.state.t;
    }
    if (p.recorded) {
      last_record_ = p.state.t;
      if (recorder_ != nullptr) record(p, now);
    }
    // Declared jumps are events too, though none that anyone asked to be told.
    if (p.happened != nullptr && p.happened->event < model_.events.size()) {
      outcome_.events.push_back({model_.events[p.happened->event].name, p.happened->t, p.happened->impulse});
      if (recorder_ != nullptr) recorder_->event(p.happened->event, p.happened->t, p.happened->after.q, p.happened->after.v);
    }
    if (recorder_ != nullptr && p.checkpoint != nullptr) recorder_->checkpoint(*p.checkpoint, certifier_.save());
  }

  double last_record() const { return last_record_; }
  Certificate certificate(const Trajectory& path) const { return certifier_.certificate(path); }

 private:
  void record(const Progress& p, const Measured& now) {
    std::vector<NamedExpression>& all = modes_.outputs();
    for (std::size_t k = 0; k < all.size(); ++k) outputs_[Eigen::Index(k)] = modes_.value(all[k], p.state);
    std::vector<NamedExpression>& tracks = modes_.tracks();
    for (std::size_t k = 0; k < tracks.size(); ++k) tracks_[Eigen::Index(k)] = tracks[k].at(p.state);
    recorder_->record({p.state.t, p.state.q.data(), p.state.v.data(), p.state.lambda.data(), outputs_.data(), now.kinetic,
                       now.potential, std::max(now.position_residual, now.penetration), now.velocity_residual,
                       p.report.solve.newton_iterations, tracks_.data(), step_});
  }

  const ModelFile& model_;
  ModelModes& modes_;
  Recorder* recorder_;
  RunOutcome& outcome_;
  ModelCertifier certifier_;
  Vector outputs_, tracks_;
  double last_record_ = std::numeric_limits<double>::quiet_NaN(), last_step_ = last_record_, step_ = 0.0;
};

}  // namespace

long renewal_steps(int coordinates, const Traits& traits) {
  // A renewal costs as much as four or five steps: one in 200 is not felt. Small models afford rarer ones, large ones lose no more than a minute.
  const long steps = std::clamp(200'000L / std::max(1, coordinates), 200L, 1'000L);
  // Multiscale schemes take thousands of small steps in each.
  return traits.takes_constraints ? steps : steps / 20;
}

RunOutcome run_model(ModelFile& model, RunPlan planned, const RunModelOptions& asked) {
  RunOutcome outcome;
  const System& system = *planned.system;
  const double start = model.start.state.t, length = model.run.until - start;
  SimulateOptions& options = planned.options;
  options.keep = false;
  Scribe scribe(model, planned, asked.recorder, outcome);
  std::optional<Resumption> old;
  if (asked.recorder != nullptr) {
    if (asked.recorder->checkpoints()) options.renew = renewal_steps(system.size(), planned.integrator.traits());
    old = asked.recorder->begin(header_of(model, planned, asked));
  }
  outcome.resumed = old.has_value();
  if (old && old->checkpoint != nullptr) {
    options.from = old->checkpoint;
    scribe.resume(*old);
  }
  options.observers.emplace_back([&](const Progress& p) { scribe.see(p); });
  for (const Observer& observer : asked.observers) options.observers.push_back(observer);

  const Trajectory path = simulate(system, model.start.state, planned.integrator, planned.method, options);
  // A run that was stopped between two records keeps its last state too.
  if (path.last.t != scribe.last_record()) {
    const StepReport none;
    const double done = length != 0.0 ? (path.last.t - start) / length : 1.0;
    scribe.see({system, path.last, none, 0, done, true, nullptr, nullptr, nullptr, true});
  }
  outcome.certificate = scribe.certificate(path);
  outcome.last = path.last;
  if (asked.recorder != nullptr) {
    asked.recorder->certify(outcome.certificate);
    asked.recorder->finish(outcome.certificate.verdict, path.message, asked.interrupted && asked.interrupted());
  }
  return outcome;
}

}  // namespace taut
