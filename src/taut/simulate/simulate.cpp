#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/inertia.hpp>
#include <taut/simulate/timeline.hpp>

namespace taut {
namespace {

void check_start(const System& system, const State& start, const SimulateOptions& options) {
  require(start.q.size() == system.size() && start.v.size() == system.size(),
          "simulate: the system has {} coordinates, the start has {} in q and {} in v.", system.size(), start.q.size(),
          start.v.size());
  require(start.q.allFinite() && start.v.allFinite() && start.p.allFinite() && start.lambda.allFinite(),
          "simulate: the start is not finite.");
  require(start.p.size() == 0 || start.p.size() == system.size(), "simulate: the start has {} momenta for {} coordinates.",
          start.p.size(), system.size());
  if (options.resume) return;
  require_inertia(*ActingView(system), start);
  const std::vector<Violation> found = violations(system, start, Timeline::consistent);
  require(found.empty(),
          "simulate: the start violates {}; give a consistent one, or use consistent_start(system, start) to project it.",
          describe(found));
  require_gradients(system, start);
}

}  // namespace

State first_state(const System& system, const State& start, const Integrator& integrator, const SimulateOptions& options) {
  check_options(integrator, start.t, options);
  check_start(system, start, options);
  const Traits traits = integrator.traits();
  require(!options.resume || int(options.earlier.size()) >= traits.levels - 1,
          "simulate: {} needs {} states of the past and cannot be resumed from {}.", traits.name, traits.levels,
          options.earlier.size() + 1);
  State first = start;
  if (!options.resume) {  // a new start is (t, q, v); momenta or more belong to an earlier run
    first.carried.resize(0);
    first.p.resize(0);
  }
  if (first.p.size() == 0) first.p = system.momentum(instant(first));
  if (first.lambda.size() != system.constraint_count()) first.lambda = Vector::Zero(system.constraint_count());
  if (options.from != nullptr) first = options.from->last;
  return first;
}

Trajectory simulate(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    const SimulateOptions& options) {
  const State first = first_state(system, start, integrator, options);
  const std::vector<State> none;
  return Timeline(system, start, integrator, method, options)
      .follow(first, options.from != nullptr ? options.from->earlier : (options.resume ? options.earlier : none));
}

std::vector<double> breaks_ahead(const SimulateOptions& options, double from) {
  constexpr std::size_t most = 40;  // each is looked at, which takes time
  std::vector<double> out;
  for (const Event& event : options.events)
    if (event.timed() && (event.at - from) * (options.end - event.at) >= 0.0) out.push_back(event.at);
  std::sort(out.begin(), out.end(), [&](double a, double b) { return std::abs(a - from) < std::abs(b - from); });
  out.resize(std::min(out.size(), most));
  return out;
}

}  // namespace taut
