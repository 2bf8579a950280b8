#include <algorithm>
#include <taut/model/run_model.hpp>
#include <taut/model/scribe.hpp>

namespace taut {

long renewal_steps(int coordinates, const Traits& traits) {
  // A renewal costs as much as four or five steps: one in 200 is not felt. Small models afford rarer ones, large ones lose no more than a minute.
  const long steps = std::clamp(200'000L / std::max(1, coordinates), 200L, 1'000L);
  // Multiscale schemes take thousands of small steps in each.
  return traits.takes_constraints ? steps : steps / 20;
}

RunOutcome run_model(const ModelFile& model, RunPlan planned, const RunModelOptions& asked) {
  RunOutcome outcome;
  const System& system = *planned.system;
  const double start = model.start.state.t, length = model.run.until - start;
  SimulateOptions& options = planned.options;
  options.keep = false;
  options.interrupted = asked.interrupted;
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
  if (path.last.t != scribe.last_record() && (options.marks.empty() || !path.finished())) {
    const StepReport none;
    const double done = length != 0.0 ? (path.last.t - start) / length : 1.0;
    scribe.see({system, path.last, none, 0, done, true, nullptr, nullptr, nullptr, true});
  }
  outcome.certificate = scribe.certificate(path);
  if (!planned.doubt.empty()) doubt(outcome.certificate, planned.doubt);
  outcome.last = path.last;
  for (const NamedExpression& half : model.halves)
    if (NamedExpression(half).at(path.last) < 0.0)
      doubt(outcome.certificate,
            message("the angle '{}' and its body are half a turn apart at the end: steps turned it too far; "
                    "take smaller ones",
                    half.name));
  if (asked.recorder != nullptr) {
    asked.recorder->certify(outcome.certificate);
    asked.recorder->finish(outcome.certificate.verdict, path.message, asked.interrupted && asked.interrupted());
  }
  return outcome;
}

}  // namespace taut
