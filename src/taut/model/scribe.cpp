#include <algorithm>
#include <cmath>
#include <taut/model/scribe.hpp>

namespace taut {
namespace {

/// The scene of a run. Where constraints are springs, only those that hold ends of beams have reactions still: their rows are numbered anew.
Scene scene_of(const ModelFile& model, const System& system) {
  Scene scene = model.scene;
  if (model.contours)
    for (Scene::Curve& one : model.contours()) scene.curves.push_back(std::move(one));
  if (system.constraint_count() == model.system.constraint_count()) return scene;
  std::erase_if(scene.reactions, [&](Scene::Reaction& one) {
    const auto found = std::lower_bound(model.exact.begin(), model.exact.end(), one.row);
    if (found == model.exact.end() || *found != one.row) return true;
    const int row = int(found - model.exact.begin());
    const bool same =
        row < system.constraint_count() && system.constraint_name(row) == model.system.constraint_name(one.row);
    one.row = row;
    return !same;
  });
  return scene;
}

}  // namespace

RunHeader header_of(const ModelFile& model, const RunPlan& planned, const RunModelOptions& asked) {
  const SimulateOptions& options = planned.options;
  const bool equal_steps = options.rtol == 0.0 && options.atol == 0.0;
  const double apart = options.interval > 0.0 ? options.interval : equal_steps ? options.step * double(options.every) : 0.0;
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
  header.records = !options.marks.empty() ? double(options.marks.size())
                   : apart > 0.0          ? std::abs(options.end - model.start.state.t) / apart
                                          : 0.0;
  return header;
}

void Scribe::resume(const Resumption& from) {
  for (const auto& [which, t] : from.events) outcome_.events.push_back({model_.events.at(which).name, t, 0.0});
  modes_.enter(from.checkpoint->mode);
  certifier_.load(*from.certificate, *from.checkpoint);
  outcome_.resumed_at = from.checkpoint->last.t;
  last_record_ = from.last_record;
  last_step_ = from.checkpoint->last.t;
}

void Scribe::see(const Progress& p) {
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

void Scribe::record(const Progress& p, const Measured& now) {
  const std::vector<double> outputs = modes_.values(modes_.outputs(), p.state);
  std::vector<NamedExpression>& tracks = modes_.tracks();
  for (std::size_t k = 0; k < tracks.size(); ++k) tracks_[Eigen::Index(k)] = tracks[k].at(p.state);
  recorder_->record({p.state.t, p.state.q.data(), p.state.v.data(), p.state.lambda.data(), outputs.data(), now.kinetic,
                     now.potential, std::max(now.position_residual, now.penetration), now.velocity_residual,
                     p.report.solve.newton_iterations, tracks_.data(), step_});
}

}  // namespace taut
