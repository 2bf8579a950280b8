#include <cmath>
#include <limits>
#include <taut/model/run_model.hpp>
#include <taut/study/sweep_pool.hpp>

namespace taut {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Watches one run: values at times, least and largest ones.
class Watching {
 public:
  Watching(const SweepKeep& keep, ModelModes& modes)
      : keep_(keep),
        modes_(modes),
        series_(keep.times.size() * keep.watched.size(), missing),
        extremes_(keep.extremes ? 4 * keep.watched.size() : 0, missing) {}

  double value(const SweepKeep::Watched& one, const State& state) {
    if (!one.is_there()) return missing;
    if (one.output >= 0) return modes_.value(modes_.outputs()[std::size_t(one.output)], state);
    return (one.velocity ? state.v : state.q)[one.coordinate];
  }

  void see(const Progress& p) {
    const State& state = p.state;
    if (p.recorded && next_ < keep_.times.size()) note(state);
    if (!keep_.extremes || p.between) return;
    for (std::size_t k = 0; k < keep_.watched.size(); ++k) {
      const double now = value(keep_.watched[k], state);
      if (std::isnan(now)) continue;
      double* const at = &extremes_[4 * k];
      if (!(now >= at[0])) at[0] = now, at[1] = state.t;
      if (!(now <= at[2])) at[2] = now, at[3] = state.t;
    }
  }

  const std::vector<double>& series() const { return series_; }
  const std::vector<double>& extremes() const { return extremes_; }

 private:
  void note(const State& state) {
    const double near = 1e-12 * (1.0 + std::abs(state.t));
    for (; next_ < keep_.times.size() && std::abs(keep_.times[next_] - state.t) <= near; ++next_)
      for (std::size_t k = 0; k < keep_.watched.size(); ++k)
        series_[next_ * keep_.watched.size() + k] = value(keep_.watched[k], state);
  }

  const SweepKeep& keep_;
  ModelModes& modes_;
  std::size_t next_ = 0;  // of the times
  std::vector<double> series_, extremes_;
};

/// Steps between two looks at the world outside: those of small systems take less time than the look.
long polled_every(const System& system) {
  constexpr int large = 100;
  return system.size() < large ? 16 : 1;
}

}  // namespace

std::vector<double> figures_of(const Certificate& c) {
  // Where work is done, energy need not stay.
  const double relative = c.conservative ? c.energy.relative() : missing;
  return {c.energy.start,
          c.energy.deviation,
          relative,
          c.energy.drift,
          c.gap,
          c.velocity_gap,
          c.position_residual,
          c.velocity_residual,
          c.penetration,
          c.t_end,
          double(c.counts.steps),
          double(c.counts.retried),
          double(int(c.grade))};
}

std::optional<Choice> common_choice(const ModelReader& reader, const SweepPlan& plan) {
  constexpr long samples = 9, few = 100;
  if (plan.runs() < few) return {};
  std::optional<Choice> out;
  for (long k = 0; k < samples; ++k) try {
      const ModelFile model = reader.read(plan.numbers(k * (plan.runs() - 1) / (samples - 1)));
      if (!model.run.integrator.empty()) return {};
      const Choice one = choose_for(model);
      const bool same = !out || (one.name == out->name && one.options == out->options && one.reversible == out->reversible);
      if (!same) return {};
      if (!out) out = one;
    } catch (const InputError&) {  // a run that cannot begin has no say
    }
  return out;
}

std::optional<SweepRow> sweep_run(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, long run,
                                  const Choice* chosen, const std::function<bool()>& interrupted,
                                  const std::function<void(double)>& done, std::string* choice) {
  SweepRow row{.run = run, .numbers = plan.values(run)};
  const auto put = [&](const std::vector<double>& numbers) {
    row.numbers.insert(row.numbers.end(), numbers.begin(), numbers.end());
  };
  try {
    const ModelFile model = reader.read(plan.numbers(run));
    RunPlan planned = untried_plan(model, chosen);
    if (choice != nullptr) *choice = planned.choice;
    SimulateOptions& options = planned.options;
    options.marks = keep.times;
    options.interval = 0.0;
    options.every = 0;
    options.renew = renewal_steps(planned.system->size(), planned.integrator.traits());  // as runs that are kept in files do
    const std::shared_ptr<ModelModes> modes = planned.modes;
    const std::optional<SweepKeep> own = keep.found_in(model);
    Watching watching(own ? *own : keep, *modes);
    bool cut = false;
    RunModelOptions asked;
    const long often = polled_every(*planned.system);
    asked.observers = {[&](const Progress& p) {
      watching.see(p);
      if (p.step % often != 0) return;
      if (done) done(p.done);
      if (interrupted && interrupted() && p.stop != nullptr) {
        *p.stop = "interrupted";
        cut = true;
      }
    }};
    const RunOutcome outcome = run_model(model, std::move(planned), asked);
    if (cut) return {};
    const Certificate& c = outcome.certificate;
    row.verdict = c.verdict;
    if (c.verdict != Verdict::reached) row.reason = c.message;
    for (const SweepKeep::Watched& one : own ? own->watched : keep.watched)
      if (keep.ends) row.numbers.push_back(watching.value(one, outcome.last));
    put(watching.series());
    put(watching.extremes());
    for (const Vector* last : {&outcome.last.q, &outcome.last.v})
      for (const int i : own ? own->places : keep.places) row.numbers.push_back(i >= 0 ? (*last)[i] : missing);
    if (keep.certificate) put(figures_of(c));
  } catch (const InputError& error) {
    row.numbers.resize(plan.names().size());
    row.verdict = Verdict::failed;
    row.reason = error.what();
  }
  return row;
}

SweepOutcome sweep(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const SweepOptions& options) {
  const std::optional<Choice> common = common_choice(reader, plan);
  return SweepPool(options, 1,
                   [&](const SweepPool::Batch& batch) {
                     for (const long run : batch.runs) {
                       std::string choice;
                       std::optional<SweepRow> row = sweep_run(reader, plan, keep, run, common ? &*common : nullptr,
                                                               batch.interrupted, batch.behind, &choice);
                       if (!row) return;
                       if (!choice.empty()) batch.choices.push_back(choice);
                       batch.rows.push_back(std::move(*row));
                     }
                   })
      .run();
}

}  // namespace taut
