#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/natural_modes.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/study/compare.hpp>
#include <taut/study/inspect.hpp>
#include <taut/study/lane_sweep.hpp>
#include <taut/study/verify.hpp>

#include "built.hpp"

namespace taut::python {
namespace {

nb::dict check(const Built& built) {
  Inspection found;
  {
    const nb::gil_scoped_release released;
    found = inspect(*built.model);
  }
  nb::dict out, initial;
  out["coordinates"] = found.coordinates;
  out["constraints"] = found.constraints;
  out["inequalities"] = found.inequalities;
  out["degrees_of_freedom"] = found.degrees_of_freedom;
  out["gruebler"] = found.gruebler;
  out["redundant"] = nb::cast(found.redundant);
  out["held_already"] = nb::cast(found.words);
  out["holonomic"] = found.holonomic;
  out["conservative"] = found.conservative;
  out["moved_q"] = found.moved_q;
  out["moved_v"] = found.moved_v;
  nb::list violated;
  for (const Violation& one : found.violated)
    violated.append(nb::make_tuple(one.constraint, one.velocity ? "velocity" : "position", one.size));
  out["violated"] = violated;
  out["trouble"] = found.trouble;
  for (int i = 0; i < built.model->system.size(); ++i)
    initial[nb::cast(built.model->system.coordinate_name(i))] = nb::make_tuple(found.start.q[i], found.start.v[i]);
  out["initial"] = initial;
  return out;
}

nb::dict statics(const Built& built) {
  const ModelFile& model = *built.model;
  Equilibrium found;
  Stability small;
  {
    const nb::gil_scoped_release released;
    found = equilibrium(model.system, model.start.state);
    small.unknown = "no equilibrium";
    if (found.status == Status::ok) small = stability(model.system, found.state);
  }
  nb::dict out, outputs;
  std::vector<std::string> coordinates, constraints;
  for (int i = 0; i < model.system.size(); ++i) coordinates.push_back(model.system.coordinate_name(i));
  for (int i = 0; i < model.system.constraint_count(); ++i) constraints.push_back(model.system.constraint_name(i));
  out["found"] = found.status == Status::ok;
  out["trouble"] = found.trouble;
  out["coordinates"] = nb::cast(coordinates);
  out["constraints"] = nb::cast(constraints);
  out["q"] = array_of(found.state.q);
  out["lam"] = array_of(found.state.lambda);
  out["residual"] = found.residual;
  out["stable"] = small.stable() ? nb::cast(true) : small.unstable() ? nb::cast(false) : nb::none();
  out["instability"] = small.unknown.empty() ? nb::cast(name_of(small.instability)) : nb::none();
  out["neutral"] = small.neutral;
  out["eigenvalues"] = nb::cast(small.eigenvalues);
  out["frequencies"] = array_of(small.frequencies());
  out["unknown"] = small.unknown;
  out["frozen"] = small.frozen;
  out["lowest_eigenvalue"] = number_or_none(found.lowest_eigenvalue);
  out["potential"] = model.system.potential_energy(instant(found.state));
  ModelModes modes(model, Formulation{});
  for (NamedExpression& one : modes.outputs()) outputs[nb::cast(one.name)] = modes.value(one, found.state);
  out["outputs"] = outputs;
  return out;
}

nb::dict modes(const Built& built, int count) {
  const System& system = built.model->system;
  Equilibrium rest;
  NaturalModes found;
  {
    const nb::gil_scoped_release released;
    rest = equilibrium(system, built.model->start.state);
    found.unknown = "no equilibrium: " + rest.trouble;
    if (rest.status == Status::ok) found = natural_modes(system, rest.state, count);
  }
  nb::dict out;
  std::vector<std::string> coordinates;
  for (int i = 0; i < system.size(); ++i) coordinates.push_back(system.coordinate_name(i));
  std::vector<std::complex<double>> s;
  std::vector<std::vector<std::complex<double>>> shapes;
  std::vector<double> frequencies, damping;
  for (const NaturalMode& one : found.modes) {
    s.push_back(one.s);
    shapes.emplace_back(one.shape.begin(), one.shape.end());
    frequencies.push_back(one.frequency());
    damping.push_back(one.damping());
  }
  out["coordinates"] = nb::cast(coordinates);
  out["degrees_of_freedom"] = found.degrees_of_freedom;
  out["all"] = found.all;
  out["s"] = nb::cast(s);
  out["shapes"] = nb::cast(shapes);
  out["frequencies"] = array_of(frequencies);
  out["damping"] = array_of(damping);
  out["q"] = array_of(rest.state.q);
  out["unknown"] = found.unknown;
  out["frozen"] = found.frozen;
  return out;
}

/// Studies look at signals as runs do.
StudyWatch watch(Attention& attention) {
  return {.progress = {}, .interrupted = [&attention] {
            attention.look(0.0);
            return false;
          }};
}

nb::dict verify(const Built& built, bool signals) {
  Attention attention(signals, nb::none());
  Verification found;
  {
    const nb::gil_scoped_release released;
    VerifyOptions options;
    options.watch = watch(attention);
    found = taut::verify(*built.model, plan(*built.model), options);
  }
  nb::dict out;
  out["controlled"] = found.controlled;
  out["sizes"] = array_of(found.sizes);
  out["differences"] = array_of(found.differences);
  out["orders"] = array_of(found.orders);
  out["order"] = found.order();
  out["promised_order"] = found.promised;
  out["error"] = found.error;
  out["motion"] = found.moved;
  out["other"] = found.other;
  out["other_difference"] = found.other_difference;
  out["trusted"] = found.trusted;
  out["verdict"] = found.verdict;
  out["trouble"] = found.trouble;
  out["certificate"] = found.certificate;
  return out;
}

nb::dict compare(const Built& built, bool signals, std::vector<std::string> integrators, std::vector<std::string> solvers,
                 std::vector<std::string> formulations, int halvings, double seconds) {
  Attention attention(signals, nb::none());
  Comparison found;
  {
    const nb::gil_scoped_release released;
    found = taut::compare(*built.model, {.integrators = std::move(integrators),
                                         .solvers = std::move(solvers),
                                         .formulations = std::move(formulations),
                                         .halvings = halvings,
                                         .seconds = seconds,
                                         .watch = watch(attention)});
  }
  nb::dict out;
  out["reference"] = found.reference.name;
  out["reference_checked"] = found.reference.checked;
  out["reference_error"] = found.reference.error;
  out["reference_verified"] = found.reference.verified;
  out["motion"] = found.reference.moved;
  out["left_out"] = nb::cast(found.left_out);
  nb::list rows;
  for (const CompareRow& row : found.rows) {
    nb::dict one;
    one["integrator"] = row.integrator;
    one["solver"] = row.solver;
    one["formulation"] = row.formulation;
    one["step"] = row.step;
    one["error"] = row.error;
    one["seconds"] = row.seconds;
    one["verdict"] = name_of(row.verdict);
    one["message"] = row.message;
    one["certificate"] = row.certificate;
    rows.append(one);
  }
  out["rows"] = rows;
  return out;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What differs between runs and what is kept, in words; without any it is what the model says.
SweepSection section_of(const Built& built, const Pairs& vary, const Pairs& sample, bool zip, long samples, long seed,
                        const std::string& sampling, const std::vector<std::string>& keep) {
  SweepSection out = built.model->sweep;
  if (!vary.empty() || !sample.empty()) {
    out.vary = vary;
    out.sample = sample;
    out.zip = zip;
    if (sample.empty()) out.samples = 0, out.sampling.clear();
  }
  if (samples > 0) out.samples = samples;
  if (seed >= 0) out.seed = seed;
  if (!sampling.empty()) out.sampling = sampling;
  if (!keep.empty()) out.keep = keep;
  return out;
}

/// The rows of a group of numbers, run by run.
nb::object group_array(const std::vector<SweepRow>& rows, std::size_t first, std::size_t width) {
  std::vector<double> all;
  all.reserve(rows.size() * width);
  for (const SweepRow& row : rows)
    for (std::size_t k = first; k < first + width; ++k)
      all.push_back(k < row.numbers.size() ? row.numbers[k] : std::numeric_limits<double>::quiet_NaN());
  return array_of(std::move(all), width);
}

nb::dict sweep(const Built& built, bool signals, nb::object progress, const Pairs& vary, const Pairs& sample, bool zip,
               long samples, long seed, const std::string& sampling, const std::vector<std::string>& keep_words, int workers,
               const std::string& engine, const std::vector<long>& only) {
  Attention attention(signals, std::move(progress));
  const SweepSection asked = section_of(built, vary, sample, zip, samples, seed, sampling, keep_words);
  const SweepPlan runs(asked, *built.model);
  const SweepKeep keep = sweep_keep(asked.keep, *built.model);
  std::vector<SweepRow> rows;
  std::vector<std::string> choices;
  std::exception_ptr trouble;
  std::string chosen = engine, reason = "as asked for";
  {
    const nb::gil_scoped_release released;
    const RunPlan planned = plan(*built.model);
    if (engine == "auto") {
      const EngineChoice choice = choose_engine(*built.model, planned, keep, runs.runs());
      chosen = choice.name;
      reason = choice.reason;
    }
    require(chosen == "general" || chosen == "cpu" || chosen == "cuda",
            "engine must be auto, general, cpu or cuda, got '{}'.", engine);
    SweepOptions options{.workers = workers, .runs = only, .take = [&](const SweepRow& row) { rows.push_back(row); }};
    for (long run = 0; only.empty() && run < runs.runs(); ++run) options.runs.push_back(run);
    // Python's exceptions must not pass through the threads of the sweep: they end it, and come out afterwards.
    options.watch = {.progress =
                         [&](const std::string&, double done) {
                           if (trouble) return;
                           try {
                             attention.look(done);
                           } catch (...) {
                             trouble = std::current_exception();
                           }
                         },
                     .interrupted = [&] { return trouble != nullptr; }};
    SweepOutcome outcome;
    if (chosen == "general") {
      outcome = taut::sweep(*built.reader, runs, keep, options);
    } else {
      outcome =
          LaneSweep(*built.reader, runs, keep, *built.model, planned, chosen == "cuda" ? LaneTarget::gpu : LaneTarget::cpu)
              .run(options);
    }
    for (const auto& [choice, count] : outcome.choices) choices.push_back(choice);
    std::sort(rows.begin(), rows.end(), [](const SweepRow& a, const SweepRow& b) { return a.run < b.run; });
  }
  if (trouble) std::rethrow_exception(trouble);
  nb::dict out, groups, columns;
  std::size_t first = 0;
  for (const SweepGroup& group : keep.groups(runs.names())) {
    groups[nb::cast(group.name)] = group_array(rows, first, group.columns.size());
    columns[nb::cast(group.name)] = nb::cast(group.columns);
    first += group.columns.size();
  }
  std::vector<std::string> verdicts, reasons;
  std::vector<long> numbers;
  for (const SweepRow& row : rows) {
    verdicts.emplace_back(name_of(row.verdict));
    reasons.push_back(row.reason);
    numbers.push_back(row.run);
  }
  out["groups"] = groups;
  out["columns"] = columns;
  out["times"] = array_of(keep.times);
  out["verdicts"] = nb::cast(verdicts);
  out["reasons"] = nb::cast(reasons);
  out["runs"] = nb::cast(numbers);
  out["engine"] = chosen;
  out["engine_reason"] = reason;
  out["chosen"] = nb::cast(choices);
  return out;
}

long sweep_runs(const Built& built, const Pairs& vary, const Pairs& sample, bool zip, long samples) {
  return SweepPlan(section_of(built, vary, sample, zip, samples, -1, {}, {}), *built.model).runs();
}

}  // namespace

void add_studies(nb::module_& module) {
  module.def("check", check);
  module.def("static", statics);
  module.def("modes", modes);
  module.def("verify", verify);
  module.def("compare", compare);
  module.def("sweep", sweep, nb::arg("built"), nb::arg("signals"), nb::arg("progress").none(), nb::arg("vary"),
             nb::arg("sample"), nb::arg("zip"), nb::arg("samples"), nb::arg("seed"), nb::arg("sampling"), nb::arg("keep"),
             nb::arg("workers"), nb::arg("engine"), nb::arg("only"));
  module.def("sweep_runs", sweep_runs);
}

}  // namespace taut::python
