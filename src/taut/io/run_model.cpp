#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/io/run_file.hpp>
#include <taut/io/run_model.hpp>
#include <taut/simulate/choose.hpp>

namespace taut {
namespace {

constexpr double default_rtol = 1e-8;

/// Watches expressions for a change of sign.
class EventWatch {
 public:
  EventWatch(std::vector<Event>& events, ResultsWriter* writer, RunOutcome& outcome)
      : events_(events), writer_(writer), outcome_(outcome), value_(events.size(), 0.0) {}

  void operator()(const Progress& p) {
    if (p.within == nullptr || !armed_) {
      arm(p.state);
      return;
    }
    // In parts of the step, so that a step which crosses twice is not taken for one that does not.
    constexpr int parts = 4;
    const double begin = before_, length = p.state.t - begin;
    for (int part = 1; part <= parts; ++part) {
      const bool end = part == parts;
      const double t = end ? p.state.t : begin + length * part / parts;
      if (!end) p.within->at(t, sample_);
      for (std::size_t k = 0; k < events_.size(); ++k) {
        const double last = value_[k], now = events_[k].when.at(end ? p.state : sample_);
        value_[k] = now;
        if (last * now < 0.0 || (now == 0.0 && last != 0.0)) locate(p, k, before_, t, last);
      }
      before_ = t;
    }
  }

  bool stopped() const { return stopped_; }

  /// For a resumed run: the state it goes on from.
  void arm(const State& state) {
    for (std::size_t k = 0; k < events_.size(); ++k) value_[k] = events_[k].when.at(state);
    before_ = state.t;
    armed_ = true;
  }

 private:
  /// The crossing between two times, by halving to the last digit of the dense motion; its state lies on the constraints.
  void locate(const Progress& p, std::size_t k, double low, double high, double before) {
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      p.within->at(middle, there_);
      (before * events_[k].when.at(there_) > 0.0 ? low : high) = middle;
    }
    p.within->at(high, there_);
    p.within->project(there_);
    outcome_.events.emplace_back(events_[k].when.name, high);
    if (writer_ != nullptr) writer_->event(int(k), high, there_.q, there_.v);
    if (!events_[k].stop) return;
    *p.stop = message("the event '{}' at t = {}", events_[k].when.name, high);
    stopped_ = true;
  }

  std::vector<Event>& events_;
  ResultsWriter* writer_;
  RunOutcome& outcome_;
  std::vector<double> value_;
  double before_ = 0.0;
  State sample_, there_;
  bool armed_ = false, stopped_ = false;
};

/// The system without the supports that have let go by then.
System let_go(const ModelFile& model, const System& system, double t) {
  const auto gone = [&](const std::string& name) {
    return std::any_of(model.releases.begin(), model.releases.end(),
                       [&](const ModelFile::Release& one) { return one.constraint == name && one.t <= t; });
  };
  if (std::none_of(model.releases.begin(), model.releases.end(), [&](const auto& one) { return one.t <= t; })) return system;
  return released(system, gone);
}

}  // namespace

System formulated(const ModelFile& model, double penalty) {
  const auto support = [&](const ConstraintBlock& block) {
    return std::find(model.supports.begin(), model.supports.end(), block.name(0)) != model.supports.end();
  };
  System system = penalty > 0.0
                      ? penalized(model.system, penalty, [&](const ConstraintBlock& block) { return !support(block); })
                      : model.system;
  return let_go(model, system, model.start.state.t);
}

System judged_system(const ModelFile& model) { return let_go(model, model.system, model.run.until); }

std::vector<SystemChange> changes(const ModelFile& model, const System& system) {
  const double start = model.start.state.t;
  std::vector<double> times;
  for (const ModelFile::Release& one : model.releases)
    if (one.t > start && one.t < model.run.until) times.push_back(one.t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<SystemChange> out;
  for (const double t : times) out.push_back({t, std::make_shared<const System>(let_go(model, system, t))});
  return out;
}

RunPlan plan(const ModelFile& model) {
  const RunSection& run = model.run;
  require(!std::isnan(run.until), "run: needs `until`, the end time (or --until on the command line).");
  System system = formulated(model, run.penalty);
  std::string name = run.integrator, choice;
  NamedOptions named_options = run.integrator_options;
  double rtol = run.rtol;
  bool reversible = run.control == "reversible";
  if (name.empty()) {
    const bool fixed = run.step > 0.0 && rtol == 0.0 && run.atol == 0.0;
    const std::vector<Set> sets = system.sets();
    const bool inequalities =
        std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
    // What beams are is known; a look at all their frequencies would take longer than the run.
    const Character of =
        model.beams ? Character{.inequalities = inequalities} : character(system, model.start.state, run.until);
    require(!of.inequalities || run.step > 0.0,
            "run: the model has inequalities, held exactly; moreau-jean needs a `step` (or --step).");
    Choice found = choose(of, fixed);
    if (run.solver != "multipliers" && found.name.starts_with("spark"))
      found = {.name = fixed ? "rk4" : "dop853",
               .reason = message("{}, because it takes the solver {}", fixed ? "rk4" : "dop853", run.solver)};
    // Bending is stiff, and its fast part of no interest: what keeps energy and takes any step serves best.
    if (model.beams && !of.inequalities)
      found = {.name = "energy-momentum", .reason = "energy-momentum, because beams are stiff: it keeps energy at any step"};
    name = found.name;
    named_options = found.options;
    choice = found.reason;
    if (run.control.empty()) reversible = found.reversible;
    if (reversible && !integrator_named(name, named_options).traits().symmetric) {
      name = "spark3";
      named_options.clear();
      choice = "spark3, because reversible steps are asked for: symmetric, of order 6";
    }
  }
  const Integrator integrator = integrator_named(name, named_options);
  if (run.step == 0.0 && rtol == 0.0 && run.atol == 0.0) {
    require(integrator.traits().levels == 1, "run: {} needs a `step` (or --step).", name);
    rtol = default_rtol;
    choice += (choice.empty() ? "" : ", ") + message("rtol = {}", rtol);
  }
  RunPlan out{.system = std::move(system),
              .integrator = integrator,
              .method = solver_named(run.solver, run.solver_options),
              .options = {.step = run.step,
                          .end = run.until,
                          .rtol = rtol,
                          .atol = run.atol,
                          .reversible = reversible,
                          .breaks = run.breaks,
                          .every = run.every,
                          .interval = run.interval},
              .choice = choice};
  out.options.changes = changes(model, out.system);
  std::sort(out.options.breaks.begin(), out.options.breaks.end());
  if (run.until < model.start.state.t) std::reverse(out.options.breaks.begin(), out.options.breaks.end());
  // Says now what would not work, before a results file is begun.
  check_options(out.integrator, model.start.state.t, out.options);
  out.integrator.bind(out.system, out.method);
  return out;
}

RunOutcome run_model(ModelFile& model, RunPlan planned, const RunModelOptions& asked) {
  // Constraints are judged by the model, whatever formulation holds them.
  const System judged = judged_system(model);
  RunOutcome outcome;
  Certifier certifier(judged, planned.system);
  const double start = model.start.state.t, length = model.run.until - start;
  const auto done = [&](double t) { return length != 0.0 ? (t - start) / length : 1.0; };

  ResultsHeader header{.version = asked.version,
                       .model_path = asked.model_path,
                       .model_text = model.text,
                       .name = model.name,
                       .integrator = planned.integrator.traits().name,
                       .solver = name_of(planned.method),
                       .options = asked.settings,
                       .until = model.run.until,
                       .coordinates = {},
                       .constraints = {},
                       .outputs = {}};
  for (int i = 0; i < judged.size(); ++i) header.coordinates.push_back(judged.coordinate_name(i));
  for (int row = 0; row < planned.system.constraint_count(); ++row)
    header.constraints.push_back(planned.system.constraint_name(row));
  for (const NamedExpression& output : model.outputs) header.outputs.push_back(output.name);

  std::optional<RunFile> file;
  const Results* old = nullptr;
  SimulateOptions& options = planned.options;
  options.keep = false;
  if (!asked.out.empty()) {
    require(!asked.resume || options.changes.empty(), "--resume: a run in which supports are released cannot be resumed.");
    options.renew = options.changes.empty() ? RunFile::renewal_steps(judged.size(), planned.integrator.traits()) : 0;
    const bool equal_steps = options.rtol == 0.0 && options.atol == 0.0;
    file.emplace(RunFileOptions{.path = asked.out,
                                .resume = asked.resume,
                                .force = asked.force,
                                .start = start,
                                .step = equal_steps ? options.step : 0.0,
                                .checkpoint_seconds = asked.checkpoint_seconds},
                 header);
    old = file->old();
    outcome.resumed = old != nullptr;
  }
  if (old != nullptr && old->checkpoint) {
    const long rows = old->checkpoint_records, n = judged.size();
    for (long r = 0; r < rows; ++r)
      certifier.add({old->t[r], old->q.data() + r * n, old->v.data() + r * n}, done(old->t[r]));
    for (long e = 0; e < old->checkpoint_events; ++e) {
      const double* row = old->events.data() + e * (2 + 2 * n);
      outcome.events.emplace_back(model.events.at(std::size_t(row[0])).when.name, row[1]);
    }
    options.from = &*old->checkpoint;
    outcome.resumed_at = old->checkpoint->last.t;
  }
  ResultsWriter* writer = file ? &file->writer() : nullptr;

  EventWatch watch(model.events, writer, outcome);
  if (options.from != nullptr) watch.arm(options.from->last);
  Vector outputs(Eigen::Index(model.outputs.size()));
  double last_record = options.from != nullptr && old->checkpoint_records > 0
                           ? old->t[std::size_t(old->checkpoint_records) - 1]
                           : std::numeric_limits<double>::quiet_NaN();
  const auto record = [&](const Progress& p) {
    if (p.recorded) {
      last_record = p.state.t;
      const Measured now = certifier.add(instant(p.state), p.done);
      if (writer) {
        for (std::size_t k = 0; k < model.outputs.size(); ++k) outputs[Eigen::Index(k)] = model.outputs[k].at(p.state);
        writer->append({p.state.t, p.state.q.data(), p.state.v.data(), p.state.lambda.data(), outputs.data(), now.kinetic,
                        now.potential, std::max(now.position_residual, now.penetration), now.velocity_residual,
                        p.report.solve.newton_iterations});
      }
    }
    if (file && p.checkpoint != nullptr) file->checkpoint(*p.checkpoint);
  };
  if (!model.events.empty()) options.observers.emplace_back([&](const Progress& p) { watch(p); });
  options.observers.emplace_back(record);
  for (const Observer& observer : asked.observers) options.observers.push_back(observer);

  const Trajectory path = simulate(planned.system, model.start.state, planned.integrator, planned.method, options);
  // A run that was stopped between two records keeps its last state too.
  if (path.last.t != last_record) {
    const StepReport none;
    record({planned.system, path.last, none, 0, done(path.last.t), true, nullptr, nullptr, nullptr});
  }
  outcome.certificate = certifier.certificate(path);
  outcome.last = path.last;
  if (file) file->finish(outcome.certificate.verdict, path.message, asked.interrupted && asked.interrupted());
  return outcome;
}

}  // namespace taut
