#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <taut/integrators/catalog.hpp>

#include "callable_blocks.hpp"
#include "result.hpp"

namespace taut::python {
namespace {

NamedOptions options_of(const nb::dict& given) {
  NamedOptions out;
  for (const auto& [key, value] : given) out[nb::cast<std::string>(key)] = to_tree(value).word;
  return out;
}

RunHeader header(const System& system, const Integrator& integrator, const SolverMethod& method,
                 const SimulateOptions& options, double start) {
  RunHeader out{.version = TAUT_VERSION,
                .model_path = {},
                .model_text = {},
                .name = "solve_dae",
                .integrator = integrator.traits().name,
                .solver = name_of(method),
                .options = {},
                .until = options.end,
                .coordinates = {},
                .constraints = {},
                .start = start,
                .step = options.step};
  for (int i = 0; i < system.size(); ++i) out.coordinates.push_back(system.coordinate_name(i));
  for (int i = 0; i < system.constraint_count(); ++i) out.constraints.push_back(system.constraint_name(i));
  return out;
}

/// Throws where a given G is not the slope of g: the run would hold something else.
void require_slope(const System& system, const State& at) {
  const Eigen::MatrixXd G = system.constraint_gradient(at.t, at.q);
  for (Eigen::Index j = 0; j < at.q.size(); ++j) {
    Vector q = at.q;
    const double h = 1e-5 * std::max(1.0, std::abs(q[j]));
    q[j] = at.q[j] + h;
    const Vector after = system.constraint_values(at.t, q);
    q[j] = at.q[j] - h;
    const Vector slope = (after - system.constraint_values(at.t, q)) / (2.0 * h);
    for (Eigen::Index i = 0; i < slope.size(); ++i)
      require(!(std::abs(slope[i] - G(i, j)) > 1e-4 * (1.0 + std::abs(slope[i]))),
              "solve_dae: G[{}, {}] is {} at the start, but g[{}] changes by {} with q[{}]; leave G out to have it by "
              "differences.",
              i, j, G(i, j), i, slope[i], j);
  }
}

/// Runs a system that functions give. Everything happens with the interpreter's lock: the functions need it at every turn.
Result solve_equations(const nb::dict& functions, const Given& q0, const Given& v0, const nb::dict& asked, bool signals,
                       nb::object progress) {
  const int n = int(q0.shape(0));
  require(n > 0 && v0.shape(0) == q0.shape(0), "solve_dae: q0 and v0 need as many numbers, at least one; got {} and {}.", n,
          v0.shape(0));
  const auto named = [&](const char* name) { return functions.contains(name) ? nb::object(functions[name]) : nb::none(); };
  auto system = std::make_shared<System>(n);
  std::vector<int> all(std::size_t(n), 0);
  for (int i = 0; i < n; ++i) all[std::size_t(i)] = i;
  system->add_block(callable_dynamics(
      all, {.M = named("M"), .f = named("f"), .V = named("V"), .slopes = named("slopes"), .acts = -1, .name = "f"}));
  State start{nb::cast<double>(asked["t0"]), to_vector(q0), to_vector(v0), {}, {}};
  if (!named("g").is_none()) system->add_block(callable_constraints(n, start.t, start.q, named("g"), named("G")));

  const Integrator integrator =
      integrator_named(nb::cast<std::string>(asked["integrator"]), options_of(nb::cast<nb::dict>(asked["options"])));
  const SolverMethod method = solver_named(nb::cast<std::string>(asked["solver"]), {});
  SimulateOptions options;
  options.end = nb::cast<double>(asked["until"]);
  options.step = nb::cast<double>(asked["step"]);
  options.rtol = nb::cast<double>(asked["rtol"]);
  options.atol = nb::cast<double>(asked["atol"]);
  options.marks = nb::cast<std::vector<double>>(asked["t_eval"]);
  options.keep = false;

  Result out;
  const ConsistentStart found = consistent_start(*system, start);
  require(found.status == Status::ok, "solve_dae: the initial values violate {}, and none near them are found: {}",
          describe(found.before), found.trouble);
  if (!named("G").is_none() && !named("g").is_none()) require_slope(*system, found.state);
  if (!found.before.empty()) {
    const std::string moved =
        message("solve_dae: the initial values violate {}; the nearest that do not are taken, {} away in q and {} in v",
                describe(found.before), found.moved_q, found.moved_v);
    if (PyErr_WarnEx(PyExc_UserWarning, moved.c_str(), 2) != 0) throw nb::python_error();
  }
  MemoryRecorder recorder;
  recorder.begin(header(*system, integrator, method, options, start.t));
  Certifier certifier(*system, options.end - start.t);
  Attention attention(signals, progress);
  options.observers.emplace_back([&](const Progress& p) {
    const Measured now =
        p.between ? certifier.measure(instant(p.state)) : certifier.add(instant(p.state), p.done, p.invariant);
    if (p.recorded)
      recorder.record({p.state.t, p.state.q.data(), p.state.v.data(), p.state.lambda.data(), nullptr, now.kinetic,
                       now.potential, now.position_residual, now.velocity_residual, p.report.solve.newton_iterations});
    attention.look(p.done);
  });
  const Trajectory path = simulate(*system, found.state, integrator, method, options);
  out.outcome.certificate = certifier.certificate(path);
  out.outcome.last = path.last;
  recorder.finish(out.outcome.certificate.verdict, path.message, false);
  out.recording = recorder.take();
  return out;
}

}  // namespace

void add_equations(nb::module_& module) {
  module.def("solve_equations", solve_equations, nb::arg("functions"), nb::arg("q0"), nb::arg("v0"), nb::arg("asked"),
             nb::arg("signals"), nb::arg("progress").none());
}

}  // namespace taut::python
