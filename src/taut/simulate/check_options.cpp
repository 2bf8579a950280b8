#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::reached:
      return "reached";
    case Verdict::stopped:
      return "stopped";
    case Verdict::failed:
      return "failed";
    case Verdict::diverged:
      return "diverged";
  }
  return "";
}

void check_options(const Integrator& integrator, double start, const SimulateOptions& options) {
  const bool controlled = options.rtol != 0.0 || options.atol != 0.0;
  require(std::isfinite(options.step) && (options.step > 0.0 || (controlled && options.step == 0.0)),
          "simulate: step must be positive, got {}.", options.step);
  require(options.rtol >= 0.0 && options.rtol < 1.0 && options.atol >= 0.0 && std::isfinite(options.atol),
          "simulate: tolerances must be positive and rtol below 1, got rtol = {} and atol = {}.", options.rtol,
          options.atol);
  require(options.rtol == 0.0 || options.rtol >= 1e-14, "simulate: rtol = {} is below round-off.", options.rtol);
  require(options.interval >= 0.0 && (options.interval == 0.0 || controlled),
          "simulate: interval = {} goes with tolerances only; with fixed steps use every.", options.interval);
  require(std::isfinite(options.end) && std::isfinite(start), "simulate: start and end time must be finite, got {} and {}.",
          start, options.end);
  require(options.step == 0.0 || std::abs(options.end - start) / options.step < 1e15,
          "simulate: from {} to {} in steps of {} is more steps than time can count.", start, options.end, options.step);
  require(start == options.end || options.step == 0.0 || start + options.step != start,
          "simulate: a step of {} is lost in the round-off of t = {}.", options.step, start);
  require(options.interval == 0.0 || (std::abs(options.end - start) / options.interval < 1e15 &&
                                      std::max(std::abs(start), std::abs(options.end)) + options.interval !=
                                          std::max(std::abs(start), std::abs(options.end))),
          "simulate: an interval of {} is lost in the round-off of time between {} and {}.", options.interval, start,
          options.end);
  constexpr double shortest = 1e-200;  // steps are a part of it, and their powers must be numbers
  require(start == options.end || std::abs(options.end - start) > shortest,
          "simulate: from {} to {} is too short a time to step through.", start, options.end);
  constexpr double most_records = 1e8;
  require(options.interval == 0.0 || std::abs(options.end - start) / options.interval <= most_records,
          "simulate: from {} to {} in intervals of {} are more than {} records; take a longer interval.", start, options.end,
          options.interval, most_records);
  const double sign = options.end < start ? -1.0 : 1.0;
  for (std::size_t k = 0; k < options.marks.size(); ++k) {
    const double t = options.marks[k];
    require(std::isfinite(t) && sign * (t - start) >= 0.0 && sign * (options.end - t) >= 0.0,
            "simulate: states are asked for at t = {}, which is not between {} and {}.", t, start, options.end);
    require(k == 0 || sign * (t - options.marks[k - 1]) > 0.0,
            "simulate: times at which states are asked for must be in order, but {} follows {}.", t,
            options.marks[k == 0 ? 0 : k - 1]);
  }
  require(options.marks.empty() || options.interval == 0.0, "simulate: give an interval or times, not both.");
  require(options.halvings >= 0 && options.halvings <= 40, "simulate: halvings must lie between 0 and 40, got {}.",
          options.halvings);
  for (const Observer& observer : options.observers) require(bool(observer), "simulate: an observer is empty.");
  require(options.every >= 0, "simulate: every must not be negative, got {}.", options.every);
  const Traits traits = integrator.traits();
  for (const Event& event : options.events) {
    require(event.timed() != bool(event.when),
            "simulate: the event '{}' needs either a time or a function that crosses zero.", event.name);
    require(!event.timed() || std::isfinite(event.at), "simulate: the event '{}' has no finite time.", event.name);
  }
  require(!options.reversible || controlled, "simulate: reversible control needs tolerances; give rtol.");
  require(!options.reversible || traits.symmetric,
          "simulate: reversible control is for symmetric schemes, and {} is not; use Spark (spark2 to spark4) or Midpoint.",
          traits.name);
  require(!controlled || traits.levels == 1,
          "simulate: {} needs equal steps and takes no tolerances; give a step, or use a scheme of one level.", traits.name);
}

}  // namespace taut
