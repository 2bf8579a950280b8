#include "model_commands.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <taut/io/export.hpp>
#include <taut/io/run_file.hpp>
#include <taut/io/run_model.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/step/index_one.hpp>
#include <taut/taut.hpp>

#include "progress_bar.hpp"
#include "reproduce/experiment.hpp"

namespace taut::cli {
namespace {

using nlohmann::ordered_json;

constexpr int ok = 0, failed_run = 1;

std::atomic<bool> interrupted{false};

/// Ctrl-C, or a request to end, ends the run after the step at hand, with everything so far on disk.
class Interrupt {
 public:
  Interrupt() : before_int_(std::signal(SIGINT, note)), before_term_(std::signal(SIGTERM, note)) {}
  ~Interrupt() {
    std::signal(SIGINT, before_int_);
    std::signal(SIGTERM, before_term_);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static Observer observer() {
    return [](const Progress& p) {
      if (interrupted) *p.stop = "interrupted";
    };
  }

 private:
  static void note(int) { interrupted = true; }
  void (*before_int_)(int);
  void (*before_term_)(int);
};

ModelOverrides overrides(const ModelArguments& arguments) {
  ModelOverrides out;
  out.include_folders = arguments.include_folders;
  for (const std::string& one : arguments.set) {
    const std::size_t sign = one.find('=');
    require(sign != std::string::npos && sign > 0, "--set {}: must read name=value.", one);
    out.parameters.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  for (const auto& [key, text] :
       {std::pair("until", arguments.until), std::pair("step", arguments.step), std::pair("rtol", arguments.rtol),
        std::pair("atol", arguments.atol), std::pair("integrator", arguments.integrator),
        std::pair("solver", arguments.solver), std::pair("control", arguments.control), std::pair("every", arguments.every),
        std::pair("interval", arguments.interval)})
    if (!text.empty()) out.run[key] = text;
  return out;
}

/// Mistakes that show only when a run is put together do not know the file.
RunPlan planned_run(const ModelFile& model, const std::string& path) {
  try {
    return plan(model);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json conserved(const Conserved& one) {
  return {{"name", one.name},
          {"start", number(one.start)},
          {"deviation", number(one.deviation)},
          {"drift", number(one.drift)},
          {"scale", number(one.scale)}};
}

ordered_json to_json(const Certificate& c) {
  ordered_json out{{"verdict", name_of(c.verdict)},
                   {"finished", c.finished()},
                   {"message", c.message},
                   {"grade", name_of(c.grade)},
                   {"summary", c.summary},
                   {"integrator", c.integrator},
                   {"solver", c.solver},
                   {"states", c.states},
                   {"t_start", c.t_start},
                   {"t_end", c.t_end},
                   {"conservative", c.conservative},
                   {"energy", conserved(c.energy)},
                   {"momenta", ordered_json::array()},
                   {"position_residual", number(c.position_residual)},
                   {"velocity_residual", number(c.velocity_residual)},
                   {"penetration", number(c.penetration)},
                   {"gap", number(c.gap)},
                   {"velocity_gap", number(c.velocity_gap)},
                   {"worst", c.worst},
                   {"singular", c.singular},
                   {"steps", c.counts.steps},
                   {"retried", c.counts.retried},
                   {"rejected", c.counts.rejected},
                   {"smallest_step", c.counts.smallest_step},
                   {"largest_step", c.counts.largest_step},
                   {"newton_iterations", c.counts.newton_iterations},
                   {"evaluations", c.counts.evaluations},
                   {"dependent", c.dependent}};
  for (const Conserved& one : c.momenta) out["momenta"].push_back(conserved(one));
  if (!c.own_energy.name.empty()) out["own_energy"] = conserved(c.own_energy);
  return out;
}

std::string title(const ModelFile& model, const std::string& path) {
  return (model.name.empty() ? path : model.name) + (model.source.empty() ? "" : " (" + model.source + ")");
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double largest_momentum(const Certificate& c) {
  double out = 0.0;
  for (const Conserved& one : c.momenta) out = std::max(out, one.deviation);
  return out;
}

}  // namespace

int run(const RunArguments& arguments) {
  const ModelOverrides changes = overrides(arguments);
  ModelFile model = read_model(arguments.model, changes);
  RunModelOptions options;
  options.version = TAUT_VERSION;
  options.model_path = std::filesystem::weakly_canonical(arguments.model).string();
  options.resume = arguments.resume;
  options.force = arguments.force;
  options.checkpoint_seconds = arguments.checkpoint_seconds;
  options.interrupted = [] { return interrupted.load(); };
  options.settings = ordered_json{{"set", changes.parameters}, {"run", changes.run}}.dump();
  if (!arguments.no_file)
    options.out = arguments.out.empty() ? default_results_name(arguments.model, changes.parameters) : arguments.out;
  require(arguments.out.empty() || !arguments.no_file, "--out and --no-file contradict each other.");
  require(!(arguments.resume && arguments.force), "--resume and --force contradict each other.");
  require(!(arguments.resume && arguments.no_file), "--resume goes on in a results file, and --no-file keeps none.");
  std::error_code none;
  require(options.out.empty() || !std::filesystem::equivalent(arguments.model, options.out, none),
          "--out {}: is the model; results would overwrite it.", options.out);
  const RunPlan planned = planned_run(model, arguments.model);
  const Interrupt interrupt;
  RunOutcome outcome;
  {
    ProgressBar bar;
    options.observers = {[&](const Progress& p) { bar.show(model.name, p.done); }, Interrupt::observer()};
    outcome = run_model(model, planned, options);
  }
  const Certificate& c = outcome.certificate;
  const bool done = c.finished() && !(c.verdict == Verdict::stopped && interrupted);  // an event is as good an end as any
  if (arguments.json) {
    ordered_json out{{"model", arguments.model}, {"name", model.name}, {"certificate", to_json(c)}};
    if (!options.out.empty()) out["results"] = options.out;
    if (!planned.choice.empty()) out["chosen"] = planned.choice;
    if (outcome.resumed) out["resumed_at"] = outcome.resumed_at;
    ordered_json last{{"t", outcome.last.t}};
    for (int i = 0; i < model.system.size(); ++i) last[model.system.coordinate_name(i)] = number(outcome.last.q[i]);
    out["last"] = last;
    for (NamedExpression& output : planned.modes->outputs()) out["outputs"][output.name] = number(output.at(outcome.last));
    for (const auto& [name, t, impulse] : outcome.events)
      out["events"].push_back({{"name", name}, {"t", t}, {"impulse", number(impulse)}});
    out["certificate"]["finished"] = done;
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    if (!planned.choice.empty()) fmt::print("chosen: {}\n", planned.choice);
    if (outcome.resumed) fmt::print("resumed at t = {}\n", outcome.resumed_at);
    std::fflush(stdout);
    std::cout << c << std::flush;
    for (const auto& [name, t, impulse] : outcome.events) {
      fmt::print("  event {:<22} t = {:.9g}", name, t);
      fmt::print("{}\n", impulse > 0.0 ? fmt::format(", impulse {:.4g}", impulse) : "");
    }
    for (NamedExpression& output : planned.modes->outputs())
      fmt::print("  at the end: {:<16} {:.9g}\n", output.name, output.at(outcome.last));
    if (!options.out.empty()) fmt::print("results are in {}\n", options.out);
  }
  if (done) return ok;
  fmt::print(stderr, "taut: {}\n", c.message);
  return failed_run;
}

int check(const ModelArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments), false);
  const System& system = model.system;
  const ConsistentStart& start = model.start;
  // Rank at the start: redundant constraints by name.
  std::vector<std::string> dependent;
  if (system.constraint_count() > 0) {
    IndexOne equations(system, Multipliers{});
    Vector a(system.size()), lambda(system.constraint_count());
    equations.accelerate(instant(start.state), a, lambda);
    for (const int row : equations.dependent()) dependent.push_back(system.constraint_name(row));
  }
  const double length = std::isnan(model.run.until) ? 1.0 : model.run.until - start.state.t;
  const bool conservative = conserves_energy(system, start.state, length);
  int equalities = 0;
  for (const Set set : system.sets()) equalities += set == Set::zero ? 1 : 0;
  const int freedom = system.size() - equalities + int(dependent.size());
  const auto left = violations(system, start.state, 1e-8);
  std::string trouble;
  if (!std::isnan(model.run.until)) {
    try {
      planned_run(model, arguments.model);
    } catch (const InputError& error) {
      trouble = error.what();
    }
  }
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"name", model.name},
                     {"coordinates", system.size()},
                     {"constraints", system.constraint_count()},
                     {"inequalities", system.constraint_count() - equalities},
                     {"degrees_of_freedom", freedom},
                     {"redundant", dependent},
                     {"holonomic", system.holonomic()},
                     {"conservative", conservative},
                     {"moved_q", start.moved_q},
                     {"moved_v", start.moved_v},
                     {"violated", ordered_json::array()},
                     {"trouble", trouble}};
    for (const Violation& one : left)
      out["violated"].push_back(
          {{"constraint", one.constraint}, {"level", one.velocity ? "velocity" : "position"}, {"size", one.size}});
    for (const auto& [name, value] : model.parameters) out["parameters"][name] = number(value);
    for (int i = 0; i < system.size(); ++i)
      out["initial"][system.coordinate_name(i)] = {number(start.state.q[i]), number(start.state.v[i])};
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    for (const auto& [name, value] : model.parameters)
      fmt::print("  parameter            {} = {:.9g} (SI units)\n", name, value);
    fmt::print("  coordinates          {}\n", system.size());
    fmt::print("  constraints          {}, {} of them inequalities{}\n", system.constraint_count(),
               system.constraint_count() - equalities, system.holonomic() ? "" : "; some hold velocities (nonholonomic)");
    fmt::print("  degrees of freedom   {}{}\n", freedom, system.holonomic() ? "" : " of the velocities");
    for (const std::string& name : dependent) fmt::print("  redundant            {}\n", name);
    fmt::print("  energy               {}\n", conservative ? "conserved" : "not conserved: forces, time or impacts act");
    if (start.moved_q > 0.0 || start.moved_v > 0.0)
      fmt::print("  initial values       found; positions moved by at most {:.3g}, velocities by {:.3g}\n", start.moved_q,
                 start.moved_v);
    constexpr int shown = 40;
    for (int i = 0; i < std::min(system.size(), shown); ++i)
      fmt::print("    {:<18} {:>16.9g}   velocity {:>16.9g}\n", system.coordinate_name(i), start.state.q[i],
                 start.state.v[i]);
    if (system.size() > shown) fmt::print("    and {} more\n", system.size() - shown);
    for (const Violation& one : left)
      fmt::print("  violated             {} by {:.3g} ({})\n", one.constraint, one.size,
                 one.velocity ? "velocity" : "position");
    if (!trouble.empty()) fmt::print("  trouble              {}\n", trouble);
  }
  if (left.empty() && trouble.empty()) return ok;
  throw InputError(trouble.empty() ? message("{}: the initial values violate {}.", arguments.model, describe(left))
                                   : trouble);
}

int statics(const ModelArguments& arguments) {
  ModelFile model = read_model(arguments.model, overrides(arguments), false);
  const Equilibrium found = equilibrium(model.system, model.start.state);
  const bool good = found.status == Status::ok;
  constexpr double neutral = 1e-9;  // 1/s²: nothing moves by it in a lifetime, and round-off is of that size
  const System& system = model.system;
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"found", good},
                     {"trouble", found.trouble},
                     {"residual", number(found.residual)},
                     {"lowest_eigenvalue", number(found.lowest_eigenvalue)},
                     {"potential", number(system.potential_energy(instant(found.state)))}};
    for (int i = 0; i < system.size(); ++i) out["q"][system.coordinate_name(i)] = number(found.state.q[i]);
    for (int row = 0; row < system.constraint_count(); ++row)
      out["lambda"][system.constraint_name(row)] = number(found.state.lambda[row]);
    for (NamedExpression& output : model.outputs) out["outputs"][output.name] = number(output.at(found.state));
    fmt::print("{}\n", out.dump(2));
  } else if (good) {
    fmt::print(
        "{}\nequilibrium, {}: lowest eigenvalue {:.6g} 1/s^2, residual {:.2g}, {} steps\n", title(model, arguments.model),
        found.lowest_eigenvalue > neutral ? "stable" : (found.lowest_eigenvalue < -neutral ? "not stable" : "neutral"),
        found.lowest_eigenvalue, found.residual, found.steps);
    for (int i = 0; i < std::min(system.size(), 60); ++i)
      fmt::print("  {:<20} {:>18.10g}\n", system.coordinate_name(i), found.state.q[i]);
    for (int row = 0; row < std::min(system.constraint_count(), 60); ++row)
      fmt::print("  lambda {:<30} {:>14.8g}\n", system.constraint_name(row), found.state.lambda[row]);
    for (NamedExpression& output : model.outputs) fmt::print("  {:<20} {:>18.10g}\n", output.name, output.at(found.state));
  }
  if (good) return ok;
  fmt::print(stderr, "taut: {}: {}\n", arguments.model, found.trouble);
  return failed_run;
}

int compare(const CompareArguments& arguments) {
  ModelFile model = read_model(arguments.model, overrides(arguments));
  require(!std::isnan(model.run.until), "compare: the model needs run: until (or --until).");
  const double length = std::abs(model.run.until - model.start.state.t);
  const double h = model.run.step > 0.0 ? model.run.step : length / 1000.0;
  require(arguments.halvings >= 0 && arguments.halvings <= 10, "--halvings must lie between 0 and 10, got {}.",
          arguments.halvings);

  const bool given = !arguments.integrators.empty();
  std::vector<std::string> names = arguments.integrators;
  if (!given)
    for (const NamedIntegrator& one : integrators()) names.push_back(one.name);
  std::vector<std::string> ways = arguments.solvers.empty() ? std::vector<std::string>{model.run.solver} : arguments.solvers;
  std::vector<std::string> forms = arguments.formulations;
  if (forms.empty()) forms = {model.run.penalty > 0.0 ? fmt::format("penalty={}", model.run.penalty) : "multipliers"};

  const Interrupt interrupt;
  ProgressBar bar;
  struct Row {
    std::string integrator, solver, formulation;
    double step, error, seconds;
    Certificate certificate;
  };
  std::vector<Row> rows;
  std::vector<std::string> left_out;
  std::vector<Vector> ends;
  const auto modes_of = [&](const std::string& form) {
    if (form == "multipliers") return ModelModes(model, 0.0);
    const std::string start = "penalty=";
    double epsilon = 0.0;
    require(form.rfind(start, 0) == 0 && (epsilon = std::atof(form.c_str() + start.size())) > 0.0,
            "--formulation must be multipliers or penalty=EPSILON, got '{}'.", form);
    return ModelModes(model, epsilon);
  };
  const double total = double(names.size() * ways.size() * forms.size()) * (arguments.halvings + 1) + 1.0;
  double count = 0.0;
  for (const std::string& form : forms) {
    ModelModes modes = modes_of(form);
    const System& system = *modes.moving(modes.first());
    const System& judged = *modes.judged(modes.first());
    for (const std::string& name : names)
      for (const std::string& way : ways) {
        const Integrator integrator =
            integrator_named(name, name == model.run.integrator ? model.run.integrator_options : NamedOptions{});
        const SolverMethod method = solver_named(way);
        try {
          integrator.bind(system, method);
        } catch (const InputError& error) {
          require(!given || names.size() > 1, "{}", error.what());
          left_out.push_back(fmt::format("{}, {}: {}", name, form, error.what()));
          continue;
        }
        for (int k = 0; k <= arguments.halvings; ++k) {
          bar.show(name, ++count / total);
          const double step = h / std::pow(2.0, k);
          Certifier certifier(judged, system);
          SimulateOptions options{.step = step, .end = model.run.until, .keep = false};
          options.events = modes.events();
          options.mode = modes.first();
          options.system_of = [&](const Mode& mode) { return modes.moving(mode); };
          options.observers = {[&](const Progress& p) { certifier.add(instant(p.state), p.done); }, Interrupt::observer()};
          // The run is timed without its diagnosis; the second pass is for the certificate.
          SimulateOptions bare = options;
          bare.observers = {Interrupt::observer()};
          double seconds = 1e300, spent = 0.0;
          for (int repeat = 0; repeat < 3 && spent < 0.2 && !interrupted; ++repeat) {  // the best of three where it is short
            const auto begin = std::chrono::steady_clock::now();
            simulate(system, model.start.state, integrator, method, bare);
            const double once = seconds_since(begin);
            seconds = std::min(seconds, once);
            spent += once;
          }
          const Trajectory path = simulate(system, model.start.state, integrator, method, options);
          if (interrupted) throw std::runtime_error("interrupted");
          rows.push_back({name, way, form, step, 0.0, seconds, certifier.certificate(path)});
          ends.push_back(path.last.q);
        }
      }
  }
  require(!rows.empty(), "compare: nothing of this works on the model; {}", left_out.empty() ? "" : left_out.front());
  // Error against the finest run there is: of order 8 to round-off where the system allows it, otherwise the finest of the table.
  Vector exact = ends.back();
  std::string reference = fmt::format("{} at h = {:.3g}", rows.back().integrator, rows.back().step);
  try {
    ModelModes modes = modes_of(forms.front());
    const System& system = *modes.moving(modes.first());
    const auto patience = [](const Progress& p) {  // stiff springs may ask for any number of steps
      const long most = std::min(1'000'000L, 20'000'000L / std::max(1, p.system.size()));
      if (p.step >= most) *p.stop = "too many steps for a reference";
    };
    const Trajectory path =
        simulate(system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                 {.end = model.run.until, .rtol = 1e-12, .keep = false, .observers = {Interrupt::observer(), patience}});
    if (path.finished()) {
      exact = path.last.q;
      reference = "dop853 with rtol = 1e-12";
    }
  } catch (const InputError&) {
    // said by the name of the reference
  }
  ordered_json json{{"model", arguments.model}, {"reference", reference}, {"runs", ordered_json::array()}};
  reproduce::Outcome outcome;
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k].error = rows[k].certificate.finished() ? (ends[k] - exact).lpNorm<Eigen::Infinity>() : NAN;
  if (!arguments.json) {
    fmt::print("{}\nerrors in q at t = {} against {}\n\n", title(model, arguments.model), model.run.until, reference);
    fmt::print("{:<18} {:<14} {:<14} {:>9} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}\n", "integrator", "solver", "formulation",
               "step", "error", "seconds", "energy", "momenta", "|g|", "|G v|");
  }
  for (const Row& row : rows) {
    const Certificate& c = row.certificate;
    json["runs"].push_back({{"integrator", row.integrator},
                            {"solver", row.solver},
                            {"formulation", row.formulation},
                            {"step", row.step},
                            {"error", number(row.error)},
                            {"seconds", row.seconds},
                            {"certificate", to_json(c)}});
    if (!arguments.json)
      fmt::print("{:<18} {:<14} {:<14} {:>9.3g} {:>10.2e} {:>10.2e} {:>10.2e} {:>10.2e} {:>9.1e} {:>9.1e}{}\n",
                 row.integrator, row.solver, row.formulation, row.step, row.error, row.seconds, c.energy.deviation,
                 largest_momentum(c), c.position_residual, c.velocity_residual, c.finished() ? "" : "  " + c.message);
    const std::string curve =
        row.integrator + (ways.size() > 1 ? "_" + row.solver : "") + (forms.size() > 1 ? "_" + row.formulation : "");
    auto found =
        std::find_if(outcome.curves.begin(), outcome.curves.end(), [&](const auto& one) { return one.name == curve; });
    if (found == outcome.curves.end())
      found = outcome.curves.insert(outcome.curves.end(), {curve, {"seconds", "error", "step"}, {}});
    if (std::isfinite(row.error) && row.error > 0.0) found->rows.push_back({row.seconds, row.error, row.step});
  }
  json["left_out"] = left_out;
  if (arguments.json) fmt::print("{}\n", json.dump(2));
  for (const std::string& one : left_out)
    if (!arguments.json) fmt::print("left out: {}\n", one);
  if (!arguments.directory.empty()) {
    reproduce::Figure figure{
        "work_precision",
        fmt::format("{}: error at t = {} against time", model.name, model.run.until),
        "seconds",
        "error in q",
        {},
        "set logscale xy\nset format y '10^{%L}'\nset format x '10^{%L}'\nset key outside right vertical"};
    int colour = 0;
    for (const auto& curve : outcome.curves)
      if (!curve.rows.empty())
        figure.lines.push_back(
            {curve.name, "error", curve.name, fmt::format("linespoints lw 2 pt {} lc {}", 4 + colour % 10, colour + 1)}),
            ++colour;
    outcome.plots = {figure};
    reproduce::prepare(arguments.directory);
    reproduce::write(outcome, arguments.directory);
    if (!arguments.json) fmt::print("\ncurves (CSV) and the work-precision plot (SVG) are in {}\n", arguments.directory);
  }
  return ok;
}

int verify(const ModelArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments));
  const RunPlan planned = planned_run(model, arguments.model);
  const Interrupt interrupt;
  ProgressBar bar;
  const System& judged = *planned.modes->judged(planned.options.mode);
  const bool controlled = planned.options.rtol > 0.0 || planned.options.atol > 0.0;
  std::vector<Vector> ends;
  std::vector<double> sizes;
  Certificate first;
  for (int k = 0; k < 3; ++k) {
    SimulateOptions options = planned.options;
    options.keep = false;
    const double share = controlled ? std::pow(0.1, k) : std::pow(0.5, k);
    if (controlled) {
      options.rtol = std::max(options.rtol * share, planned.options.rtol > 0.0 ? 1e-14 : 0.0);
      options.atol *= share;
    } else {
      options.step *= share;
    }
    Certifier certifier(judged, *planned.system);
    options.observers = {[&](const Progress& p) {
                           bar.show("verify", (k + p.done) / 3.0);
                           certifier.add(instant(p.state), p.done);
                         },
                         Interrupt::observer()};
    const Trajectory path = simulate(*planned.system, model.start.state, planned.integrator, planned.method, options);
    if (!path.finished()) {
      fmt::print(stderr, "taut: verify, run {} of 3: {}\n", k + 1, path.message);
      return failed_run;
    }
    if (k == 0) first = certifier.certificate(path);
    ends.push_back(path.last.q);
    sizes.push_back(controlled ? std::max(options.rtol, options.atol) : options.step);
  }
  const double a = (ends[0] - ends[1]).lpNorm<Eigen::Infinity>(), b = (ends[1] - ends[2]).lpNorm<Eigen::Infinity>();
  const int promised = planned.integrator.traits().order;
  const double order = std::log2(a / b);
  // Of the first run. With tolerances the last run is the better one; with steps the differences are a geometric series.
  const double error =
      controlled ? (ends[0] - ends[2]).lpNorm<Eigen::Infinity>() : (b > 0.0 && order > 0.3 ? a / (1.0 - b / a) : a);
  const bool round_off = a <= 1e-12 * (1.0 + ends[0].lpNorm<Eigen::Infinity>());
  std::string verdict;
  if (controlled) {
    verdict = fmt::format("the error at the end is about {:.2g} for tolerances of {:.2g}", error, sizes[0]);
  } else if (round_off) {
    verdict = "halving the step changes nothing beyond round-off: the run is converged";
  } else if (std::abs(order - promised) <= 0.3) {
    verdict =
        fmt::format("the order is what {} promises: the error estimate can be trusted", planned.integrator.traits().name);
  } else {
    verdict = fmt::format(
        "the order is not the {} that {} promises: the step is too large, or the motion is not smooth, or chaotic", promised,
        planned.integrator.traits().name);
  }
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},         {"sizes", sizes},     {"differences", {number(a), number(b)}},
                     {"estimated_error", number(error)}, {"verdict", verdict}, {"certificate", to_json(first)}};
    if (!controlled) out["order"] = number(order), out["promised_order"] = promised;
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    std::fflush(stdout);
    std::cout << first << std::flush;
    fmt::print("  {:<28}{:.3g}, {:.3g}, {:.3g}\n", controlled ? "tolerances" : "steps", sizes[0], sizes[1], sizes[2]);
    fmt::print("  {:<28}{:.3g}, {:.3g}\n", "differences in q at the end", a, b);
    if (!controlled) fmt::print("  {:<28}{:.3f} (promised {})\n", "observed order", order, promised);
    fmt::print("  {:<28}{:.3g}\n{}\n", "estimated error of the run", error, verdict);
  }
  return ok;
}

int convert(const std::string& from, const std::string& to) {
  export_results(read_results(from), to);
  return ok;
}

int init(const std::string& path) {
  require(!std::filesystem::exists(path), "init: '{}' exists already; it is not overwritten.", path);
  write_starter(path);
  fmt::print("{} is written; try: taut run {}\n", path, path);
  return ok;
}

std::vector<std::pair<std::string, std::string>> cases() {
  namespace fs = std::filesystem;
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code trouble;
  const fs::path program = fs::read_symlink("/proc/self/exe", trouble);
  for (const fs::path& folder : {fs::path("cases"), program.parent_path() / ".." / "share" / "taut" / "cases"}) {
    if (!fs::is_directory(folder, trouble)) continue;
    for (const auto& entry : fs::directory_iterator(folder, trouble)) {
      if (entry.path().extension() != ".yaml") continue;
      try {
        found.emplace_back(entry.path().lexically_normal().string(), read_model(entry.path().string(), {}, false).name);
      } catch (const InputError& error) {
        found.emplace_back(entry.path().lexically_normal().string(), error.what());
      }
    }
    break;
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace taut::cli
