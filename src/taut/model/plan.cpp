#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/model/plan.hpp>
#include <taut/simulate/start.hpp>
#include <taut/simulate/trial.hpp>

namespace taut {
namespace {

constexpr double default_rtol = 1e-8;

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

/// When something short begins and ends in a run, see pulses_in_time.
std::vector<double> pulses_of(const ModelFile& model) {
  return model.pulses ? model.pulses(model.start.state.t, model.run.until) : std::vector<double>{};
}

/// What equal steps do not see, in words.
std::string passed_by_equal_steps(const ModelFile& model, double step) {
  const std::vector<double> pulses = pulses_of(model);
  for (std::size_t k = 0; k + 1 < pulses.size(); ++k)
    if (pulses[k + 1] - pulses[k] < 4.0 * step)
      return message("something acts at t = {} for {} only, and steps of {} pass it; give rtol, or much smaller steps",
                     pulses[k], pulses[k + 1] - pulses[k], step);
  return {};
}

Choice choose_scheme(const ModelFile& model, const System& system) {
  const RunSection& run = model.run;
  const bool fixed = run.step > 0.0 && run.rtol == 0.0 && run.atol == 0.0;
  const std::vector<Set> sets = system.sets();
  const bool inequalities =
      std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
  // What beams are is known; a look at all their frequencies would take longer than the run.
  const ActingView moving(system);
  Character of = model.beams ? Character{.inequalities = inequalities} : character(*moving, model.start.state, run.until);
  of.conservative = of.conservative && pulses_of(model).empty();
  require(!of.inequalities || run.step > 0.0,
          "run: the model has inequalities, held exactly; moreau-jean needs a `step` (or --step).");
  Choice found = choose(of, fixed);
  const bool plain = model.events.empty() && model.switches.empty() && run.control.empty();  // the trial is a run of its own
  if (plain && !fixed && !model.beams && !of.inequalities && run.solver == "multipliers") {
    const double rtol = run.step == 0.0 && run.rtol == 0.0 && run.atol == 0.0 ? default_rtol : run.rtol;
    found = choose_by_cost(*moving, model.start.state, found,
                           {.step = run.step, .end = run.until, .rtol = rtol, .atol = run.atol});
  }
  if (run.solver != "multipliers" && found.name.starts_with("spark"))
    found = {.name = fixed ? "rk4" : "dop853",
             .reason = message("{}, because it takes the solver {}", fixed ? "rk4" : "dop853", run.solver)};
  // Bending is stiff, and its fast part of no interest: what keeps energy and takes any step serves best.
  if (model.beams && !of.inequalities)
    found = {.name = "energy-momentum", .reason = "energy-momentum, because beams are stiff: it keeps energy at any step"};
  if (!run.control.empty()) found.reversible = run.control == "reversible";
  if (found.reversible && !integrator_named(found.name, found.options).traits().symmetric)
    found = {.name = "spark3",
             .reversible = true,
             .reason = "spark3, because reversible steps are asked for: symmetric, of order 6"};
  return found;
}

}  // namespace

/// Contacts among them, perhaps.
static bool softened(const RunSection& run) { return run.formulation.penalty > 0.0 || !run.formulation.rows.empty(); }

double longest_step(const ModelFile& model) {
  constexpr double parts = 64.0;
  const RunSection& run = model.run;
  const bool watches =
      std::any_of(model.events.begin(), model.events.end(), [](const ModelEvent& one) { return !one.timed(); });
  if (run.step > 0.0 || !(model.sudden || softened(run) || watches)) return run.step;
  return std::abs(run.until - model.start.state.t) / parts;
}

void set_events(const ModelFile& model, const std::shared_ptr<ModelModes>& modes, SimulateOptions& options) {
  require_forward(model);
  options.mode = modes->first();
  options.system_of = [modes](const Mode& mode) { return modes->moving(mode); };
  options.events = modes->events();
  // Jumps by time alone, found in the expressions, and those declared.
  const double start = model.start.state.t, end = model.run.until;
  std::vector<double> times = model.jumps ? model.jumps(start, end) : std::vector<double>{};
  times.insert(times.end(), model.run.breaks.begin(), model.run.breaks.end());
  if (options.rtol > 0.0 || options.atol > 0.0) {  // equal steps stay equal
    const std::vector<double> pulses = pulses_of(model);
    times.insert(times.end(), pulses.begin(), pulses.end());
  }
  std::sort(times.begin(), times.end());
  for (const double t : times) {
    const bool inside = (t - start) * (end - t) > 0.0;
    const bool known = std::any_of(options.events.begin(), options.events.end(), [&](const Event& one) {
      return one.timed() && std::abs(one.at - t) <= 1e-12 * (std::abs(start) + std::abs(end));
    });
    if (inside && !known) options.events.push_back(jump_at(before_jump(t, start, end)));
  }
}

Choice choose_for(const ModelFile& model) {
  ModelModes modes(model, model.run.formulation);
  return choose_scheme(model, *modes.moving(modes.first()));
}

RunPlan untried_plan(const ModelFile& model, const Choice* chosen_before) {
  const RunSection& run = model.run;
  require(!std::isnan(run.until), "run: needs `until`, the end time (or --until on the command line).");
  const auto modes = std::make_shared<ModelModes>(model, run.formulation);
  const std::shared_ptr<const System> held = modes->moving(modes->first());
  Choice chosen{run.integrator, run.integrator_options, run.control == "reversible", {}};
  if (chosen.name.empty()) chosen = chosen_before != nullptr ? *chosen_before : choose_scheme(model, *held);
  const Integrator integrator = integrator_named(chosen.name, chosen.options);
  double rtol = run.rtol, step = longest_step(model);
  if (run.step == 0.0 && rtol == 0.0 && run.atol == 0.0 && model.beams && run.integrator.empty() && !chosen.reversible) {
    // Tolerances ask for every wave along a beam, which is millions of steps where bodies swing on a light one.
    constexpr double parts = 1000.0;
    step = std::abs(run.until - model.start.state.t) / parts;
    chosen.reason += message(", with steps of {}, a thousandth of the run; smaller ones show faster waves", step);
  } else if (run.step == 0.0 && rtol == 0.0 && run.atol == 0.0) {
    require(integrator.traits().levels == 1, "run: {} needs a `step` (or --step).", chosen.name);
    rtol = default_rtol;
    chosen.reason += (chosen.reason.empty() ? "" : ", ") + message("rtol = {}", rtol);
  }
  RunPlan out{.system = held,
              .integrator = integrator,
              .method = solver_named(run.solver, run.solver_options),
              .options = {.step = step,
                          .end = run.until,
                          .rtol = rtol,
                          .atol = run.atol,
                          .sudden = model.sudden || softened(run),
                          .reversible = chosen.reversible,
                          .every = run.every,
                          .interval = run.interval,
                          .marks = run.times},
              .modes = modes,
              .choice = chosen.reason};
  set_events(model, modes, out.options);
  if (rtol == 0.0 && run.atol == 0.0) out.doubt = passed_by_equal_steps(model, step);
  // Where nobody chose the scheme, it may be another where this one cannot go on.
  const bool explicit_scheme = chosen.name == "dop853" || chosen.name == "dopri5";
  if (run.integrator.empty() && explicit_scheme && run.solver == "multipliers" && !chosen.reversible)
    out.options.beyond_singular = integrator_named("spark3", {});
  for (const RunSection::Tolerance& one : run.tolerances)
    out.options.tolerances.push_back({one.coordinates, one.rtol, one.atol});
  return out;
}

RunPlan plan(const ModelFile& model, const Choice* chosen_before) {
  RunPlan out = untried_plan(model, chosen_before);
  check_options(out.integrator, model.start.state.t, out.options);
  const ActingView moving(*out.system);
  out.integrator.bind(*moving, out.method);
  require_gradients(*moving, model.start.state);
  return out;
}

}  // namespace taut
