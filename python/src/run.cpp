#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <taut/results/scene_text.hpp>

#include "result.hpp"

namespace taut::python {
namespace {

Result solve(const Built& built, bool signals, nb::object progress) {
  Result out;
  out.model = built.model;
  Attention attention(signals, progress);
  RunModelOptions options;
  options.version = TAUT_VERSION;
  options.observers.emplace_back([&](const Progress& p) { attention.look(p.done); });
  MemoryRecorder recorder;
  options.recorder = &recorder;
  {
    const nb::gil_scoped_release released;
    RunPlan planned = plan(*built.model);
    out.choice = planned.choice;
    out.system = planned.modes->judged(planned.modes->first());
    if (planned.system->constraint_count() != out.system->constraint_count()) out.system = planned.system;
    out.outcome = run_model(*built.model, std::move(planned), options);
    out.recording = recorder.take();
  }
  if (!progress.is_none()) progress(1.0);
  return out;
}

std::string text(const Certificate& certificate) {
  std::ostringstream out;
  out << certificate;
  return out.str();
}

nb::list events_of(const Result& r) {
  nb::list out;
  for (const auto& [name, t, impulse] : r.outcome.events) out.append(nb::make_tuple(name, t, impulse));
  return out;
}

void add_certificates(nb::module_& module) {
  nb::class_<Conserved>(module, "Conserved", "How a quantity that should not change did change over a run.")
      .def_ro("name", &Conserved::name)
      .def_ro("start", &Conserved::start, "Its value at the start.")
      .def_ro("deviation", &Conserved::deviation, "The largest difference from it.")
      .def_ro("drift", &Conserved::drift, "Mean of the last quarter less mean of the first quarter of the run.")
      .def_ro("scale", &Conserved::scale, "What the deviation is to be compared with.")
      .def_prop_ro("relative", &Conserved::relative)
      .def("__repr__", [](const Conserved& c) {
        return message("Conserved({}: start {}, deviation {}, drift {}, scale {})", c.name, c.start, c.deviation, c.drift,
                       c.scale);
      });
  nb::class_<Certificate>(module, "Certificate", "What a run can say about its own accuracy, measured at every step.")
      .def_prop_ro(
          "verdict", [](const Certificate& c) { return name_of(c.verdict); }, "reached, stopped, failed or diverged.")
      .def_prop_ro("finished", &Certificate::finished, "Whether it ended as was asked for.")
      .def_ro("message", &Certificate::message)
      .def_prop_ro(
          "grade", [](const Certificate& c) { return name_of(c.grade); }, "good, fair, poor, unverified or bad.")
      .def_ro("summary", &Certificate::summary, "In plain words.")
      .def_ro("integrator", &Certificate::integrator)
      .def_ro("solver", &Certificate::solver)
      .def_ro("states", &Certificate::states)
      .def_ro("t_start", &Certificate::t_start)
      .def_ro("t_end", &Certificate::t_end)
      .def_ro("conservative", &Certificate::conservative, "Whether energy should be constant.")
      .def_ro("energy", &Certificate::energy)
      .def_ro("balance", &Certificate::balance,
              "Energy less the work of forces, where energy is not constant; without a name where the work is not known.")
      .def_ro("own_energy", &Certificate::own_energy,
              "An energy that the scheme keeps in a form of its own, if it has a name.")
      .def_ro("momenta", &Certificate::momenta)
      .def_ro("position_residual", &Certificate::position_residual)
      .def_ro("velocity_residual", &Certificate::velocity_residual)
      .def_ro("penetration", &Certificate::penetration)
      .def_ro("gap", &Certificate::gap, "The largest distance by which a constraint was missed.")
      .def_ro("velocity_gap", &Certificate::velocity_gap)
      .def_ro("worst", &Certificate::worst, "The constraint with the largest gap.")
      .def_ro("singular", &Certificate::singular, "Times at which constraints lost rank.")
      .def_ro("dependent", &Certificate::dependent, "Constraints that repeat others.")
      .def_prop_ro("steps", [](const Certificate& c) { return c.counts.steps; })
      .def_prop_ro("retried", [](const Certificate& c) { return c.counts.retried; })
      .def_prop_ro("rejected", [](const Certificate& c) { return c.counts.rejected; })
      .def_prop_ro("smallest_step", [](const Certificate& c) { return c.counts.smallest_step; })
      .def_prop_ro("largest_step", [](const Certificate& c) { return c.counts.largest_step; })
      .def_prop_ro("newton_iterations", [](const Certificate& c) { return c.counts.newton_iterations; })
      .def_prop_ro("evaluations", [](const Certificate& c) { return c.counts.evaluations; })
      .def("__str__", text)
      .def("__repr__", text);
}

using Self = nb::pointer_and_handle<Result>;

void add_results(nb::module_& module) {
  nb::class_<Result>(module, "Result", "A run that has ended.")
      .def_prop_ro("t", [](Self r) { return view(r.p->recording.t, r.h); })
      .def_prop_ro("q", [](Self r) { return view(r.p->recording.q, r.p->records(), r.p->coordinates(), r.h); })
      .def_prop_ro("v", [](Self r) { return view(r.p->recording.v, r.p->records(), r.p->coordinates(), r.h); })
      .def_prop_ro("lam", [](Self r) { return view(r.p->recording.lambda, r.p->records(), r.p->constraints(), r.h); })
      .def_prop_ro(
          "outputs",
          [](Self r) { return view(r.p->recording.outputs, r.p->records(), r.p->recording.header.outputs.size(), r.h); })
      .def_prop_ro("energies", [](Self r) { return view(r.p->recording.energy, r.p->records(), 2, r.h); })
      .def_prop_ro("residuals", [](Self r) { return view(r.p->recording.residual, r.p->records(), 2, r.h); })
      .def_prop_ro("event_rows",
                   [](Self r) { return view(r.p->recording.events, r.p->events(), 2 + 2 * r.p->coordinates(), r.h); })
      .def_prop_ro("newton", [](const Result& r) { return r.recording.newton; })
      .def_prop_ro("coordinates", [](const Result& r) { return r.recording.header.coordinates; })
      .def_prop_ro("constraints", [](const Result& r) { return r.recording.header.constraints; })
      .def_prop_ro("output_names", [](const Result& r) { return r.recording.header.outputs; })
      .def_prop_ro("integrator", [](const Result& r) { return r.recording.header.integrator; })
      .def_prop_ro("solver", [](const Result& r) { return r.recording.header.solver; })
      .def_prop_ro("until", [](const Result& r) { return r.recording.header.until; })
      .def_prop_ro("scene", [](const Result& r) { return scene_text(r.recording.header.scene); })
      .def_prop_ro("event_names", [](const Result& r) { return r.recording.header.events; })
      .def_prop_ro("tracks",
                   [](Self r) {
                     return view(r.p->recording.tracks, r.p->records(), r.p->recording.header.scene.track_numbers(), r.h);
                   })
      .def_prop_ro("steps", [](Self r) { return view(r.p->recording.step, r.p->records(), 1, r.h); })
      .def_prop_ro(
          "certificate", [](const Result& r) -> const Certificate& { return r.outcome.certificate; },
          nb::rv_policy::reference_internal)
      .def_prop_ro("message", [](const Result& r) { return r.recording.message; })
      .def_prop_ro("choice", [](const Result& r) { return r.choice; })
      .def_prop_ro("events", events_of)
      .def("force", [](const Result& r, int row) { return array_of(force_of(r, row)); })
      .def("at", [](const Result& r, const std::vector<double>& times) {
        std::vector<double> q, v;
        states_at(r, times, q, v);
        return nb::make_tuple(array_of(std::move(q), r.coordinates()), array_of(std::move(v), r.coordinates()));
      });
}

}  // namespace

void add_runs(nb::module_& module) {
  add_certificates(module);
  add_results(module);
  module.def("solve", solve, nb::arg("built"), nb::arg("signals"), nb::arg("progress").none());
  module.def("integrators", [] {
    nb::list out;
    for (const NamedIntegrator& one : integrators()) out.append(nb::make_tuple(one.name, one.summary));
    return out;
  });
  module.def("solvers", [] {
    nb::list out;
    for (const NamedSolver& one : solvers()) out.append(nb::make_tuple(one.name, one.summary));
    return out;
  });
}

}  // namespace taut::python
