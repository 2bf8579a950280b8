#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <taut/base/require.hpp>
#include <taut/io/run_file.hpp>
#include <taut/io/run_model.hpp>
#include <taut/model/model_certifier.hpp>
#include <taut/simulate/choose.hpp>

namespace taut {
namespace {

constexpr double default_rtol = 1e-8;

}  // namespace

namespace {

/// What an event changes cannot be undone: no run goes back over it.
void require_forward(const ModelFile& model) {
  const double start = model.start.state.t, end = model.run.until;
  if (end >= start) return;
  for (const ModelEvent& event : model.events) {
    const bool changes = !event.assignments.empty() || !event.switches.empty();
    require(
        !changes || (event.timed() && !(event.at > end && event.at < start)),
        "run: time runs backward from {} to {}, and the event '{}' changes something that cannot be undone; run forward, or "
        "leave it out.",
        start, end, event.name);
  }
  for (const Switch& one : model.switches)
    require(!(one.since > end && one.since <= start),
            "run: time runs backward from {} to {} over the release of '{}' at t = {}, which cannot be undone.", start, end,
            one.name, one.since);
}

}  // namespace

void set_events(const ModelFile& model, const std::shared_ptr<ModelModes>& modes, SimulateOptions& options) {
  require_forward(model);
  options.mode = modes->first();
  options.system_of = [modes](const Mode& mode) { return modes->moving(mode); };
  options.events = modes->events();
  // Jumps by time alone, found in the expressions, and those declared.
  const double start = model.start.state.t, end = model.run.until;
  std::vector<double> times = model.jumps ? model.jumps(start, end) : std::vector<double>{};
  times.insert(times.end(), model.run.breaks.begin(), model.run.breaks.end());
  std::sort(times.begin(), times.end());
  for (const double t : times) {
    const bool inside = (t - start) * (end - t) > 0.0;
    const bool known = std::any_of(options.events.begin(), options.events.end(), [&](const Event& one) {
      return one.timed() && std::abs(one.at - t) <= 1e-12 * (std::abs(start) + std::abs(end));
    });
    if (inside && !known) options.events.push_back(jump_at(t));
  }
}

RunPlan plan(const ModelFile& model) {
  const RunSection& run = model.run;
  require(!std::isnan(run.until), "run: needs `until`, the end time (or --until on the command line).");
  const auto modes = std::make_shared<ModelModes>(model, run.penalty);
  const std::shared_ptr<const System> held = modes->moving(modes->first());
  const System& system = *held;
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
    const Character of = model.beams ? Character{.inequalities = inequalities}
                                     : character(acting(system).system, model.start.state, run.until);
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
  RunPlan out{.system = held,
              .integrator = integrator,
              .method = solver_named(run.solver, run.solver_options),
              .options = {.step = run.step,
                          .end = run.until,
                          .rtol = rtol,
                          .atol = run.atol,
                          .reversible = reversible,
                          .every = run.every,
                          .interval = run.interval},
              .modes = modes,
              .choice = choice};
  set_events(model, modes, out.options);
  // Where nobody chose the scheme, it may be another where this one cannot go on.
  if (run.integrator.empty() && (name == "dop853" || name == "dopri5") && run.solver == "multipliers" && !reversible)
    out.options.beyond_singular = integrator_named("spark3", {});
  for (const RunSection::Tolerance& one : run.tolerances)
    out.options.tolerances.push_back({one.coordinates, one.rtol, one.atol});
  // Says now what would not work, before a results file is begun.
  check_options(out.integrator, model.start.state.t, out.options);
  out.integrator.bind(acting(*out.system).system, out.method);
  return out;
}

RunOutcome run_model(ModelFile& model, RunPlan planned, const RunModelOptions& asked) {
  RunOutcome outcome;
  const System& system = *planned.system;
  const double start = model.start.state.t, length = model.run.until - start;
  ModelCertifier certifier(*planned.modes, length);
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
  for (int i = 0; i < system.size(); ++i) header.coordinates.push_back(system.coordinate_name(i));
  for (int row = 0; row < system.constraint_count(); ++row) header.constraints.push_back(system.constraint_name(row));
  for (const NamedExpression& output : model.outputs) header.outputs.push_back(output.name);

  std::optional<RunFile> file;
  const Results* old = nullptr;
  SimulateOptions& options = planned.options;
  options.keep = false;
  if (!asked.out.empty()) {
    options.renew = RunFile::renewal_steps(system.size(), planned.integrator.traits());
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
    const long n = system.size();
    for (long e = 0; e < old->checkpoint_events; ++e) {
      const double* row = old->events.data() + e * (2 + 2 * n);
      outcome.events.push_back({model.events.at(std::size_t(row[0])).name, row[1], 0.0});
    }
    options.from = &*old->checkpoint;
    planned.modes->enter(options.from->mode);
    certifier.load(old->checkpoint_certificate, *options.from);
    outcome.resumed_at = old->checkpoint->last.t;
  }
  ResultsWriter* writer = file ? &file->writer() : nullptr;

  Vector outputs(Eigen::Index(model.outputs.size()));
  double last_record = options.from != nullptr && old->checkpoint_records > 0
                           ? old->t[std::size_t(old->checkpoint_records) - 1]
                           : std::numeric_limits<double>::quiet_NaN();
  const auto record = [&](const Progress& p) {
    const Measured now = certifier.see(p);
    if (p.recorded) {
      last_record = p.state.t;
      if (writer) {
        std::vector<NamedExpression>& all = planned.modes->outputs();
        for (std::size_t k = 0; k < all.size(); ++k) outputs[Eigen::Index(k)] = all[k].at(p.state);
        writer->append({p.state.t, p.state.q.data(), p.state.v.data(), p.state.lambda.data(), outputs.data(), now.kinetic,
                        now.potential, std::max(now.position_residual, now.penetration), now.velocity_residual,
                        p.report.solve.newton_iterations});
      }
    }
    // Declared jumps are events too, though none that anyone asked to be told.
    if (p.happened != nullptr && p.happened->event < model.events.size()) {
      outcome.events.push_back({model.events[p.happened->event].name, p.happened->t, p.happened->impulse});
      if (writer) writer->event(int(p.happened->event), p.happened->t, p.happened->after.q, p.happened->after.v);
    }
    if (file && p.checkpoint != nullptr) file->checkpoint(*p.checkpoint, certifier.save());
  };
  options.observers.emplace_back(record);
  for (const Observer& observer : asked.observers) options.observers.push_back(observer);

  const Trajectory path = simulate(*planned.system, model.start.state, planned.integrator, planned.method, options);
  // A run that was stopped between two records keeps its last state too.
  if (path.last.t != last_record) {
    const StepReport none;
    record({system, path.last, none, 0, done(path.last.t), true, nullptr, nullptr, nullptr, true});
  }
  outcome.certificate = certifier.certificate(path);
  outcome.last = path.last;
  if (file) file->finish(outcome.certificate.verdict, path.message, asked.interrupted && asked.interrupted());
  return outcome;
}

}  // namespace taut
