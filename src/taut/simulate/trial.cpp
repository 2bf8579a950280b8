#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/simulate/trial.hpp>

namespace taut {
namespace {

constexpr long look = 8, first_steps = 25, trial_steps = 100;
constexpr double iterations_of_a_step = 8.0;  // of spark3 with its error estimate: 6 to 11 were seen
constexpr int most_unknowns = 2000;           // beyond, a trial takes seconds

bool is_explicit(const Choice& scheme) { return scheme.name == "dop853"; }

std::string words(const Choice& scheme) {
  const auto family = scheme.options.find("family");
  return family != scheme.options.end() && family->second == "radau-iia" ? scheme.name + " with Radau IIA" : scheme.name;
}

/// Two digits, and no exponent before a million.
std::string about(double work) {
  const double unit = std::pow(10.0, std::max(std::floor(std::log10(std::max(work, 1.0))) - 1.0, 0.0));
  const double rounded = std::round(work / unit) * unit;
  return rounded < 1e6 ? text(long(rounded)) : text(rounded);
}

}  // namespace

double newton_weight(const System& system) {
  return std::min(8.0 + 0.7 * (system.size() + system.constraint_count()), 60.0);
}

Foretold foretell(const System& system, const State& start, const Choice& scheme, const SimulateOptions& options,
                  long steps) {
  double late = start.t, last = start.t;
  const long window = std::max(steps / 10, 1L);
  long taken = 0;
  const auto watch = [&](const Progress& p) {
    taken = p.step;
    last = p.state.t;
    if (p.step == steps - window) late = p.state.t;
    if (p.step == steps) *p.stop = "enough";
  };
  std::optional<Trajectory> tried;
  try {
    tried.emplace(simulate(system, start, integrator_named(scheme.name, scheme.options), Multipliers{},
                           {.step = options.step,
                            .end = options.end,
                            .rtol = options.rtol,
                            .atol = options.atol,
                            .tolerances = options.tolerances,
                            .every = 0,
                            .keep = false,
                            .observers = {watch}}));
  } catch (const InputError&) {  // not for this system: who asks for it is told
    return {std::numeric_limits<double>::infinity(), false};
  }
  const Trajectory& path = *tried;
  const RunCounts& counts = path.counts;
  const double work =
      is_explicit(scheme) ? double(counts.evaluations) : double(counts.newton_iterations) * newton_weight(system);
  if (path.verdict == Verdict::reached) return {work, true};
  if (path.verdict != Verdict::stopped || taken < steps) return {std::numeric_limits<double>::infinity(), false};
  // The first steps are guesses, and grow or shrink with what they meet: the last ones tell how it goes on.
  const double per_step = work / double(taken), step = std::abs(last - late) / double(window);
  return {work + per_step * std::abs(options.end - last) / step, false};
}

Choice choose_by_cost(const System& system, const State& start, const Choice& by_character, const SimulateOptions& options) {
  const bool matters = by_character.name == "dop853" || (by_character.name == "spark3" && !by_character.reversible);
  if (!matters || system.size() + system.constraint_count() > most_unknowns) return by_character;
  Choice quick{.name = "dop853", .reason = {}}, steady{.name = "spark3", .options = {{"family", "radau-iia"}}, .reason = {}};
  (is_explicit(by_character) ? quick : steady) = by_character;
  // A trial that takes more than a fifth of the run is not worth it; a short one tells of most runs that they are short.
  const double price = iterations_of_a_step * double(trial_steps) * newton_weight(system);
  if (is_explicit(by_character) && foretell(system, start, quick, options, look).work < price / 10.0) return by_character;
  Foretold by_quick = foretell(system, start, quick, options, first_steps);
  if (is_explicit(by_character) && by_quick.work < price) return by_character;
  if (!by_quick.finished) by_quick = foretell(system, start, quick, options, trial_steps);
  if (by_quick.finished && !is_explicit(by_character)) {
    quick.reason = message("dop853, because a trial came to the end of the run in {} evaluations", about(by_quick.work));
    return quick;
  }
  if (by_quick.work < 5.0 * price) return by_character;
  const Foretold by_steady = foretell(system, start, steady, options, trial_steps);
  const double own = is_explicit(by_character) ? by_quick.work : by_steady.work;
  const double other = is_explicit(by_character) ? by_steady.work : by_quick.work;
  if (!(other < own / 1.5)) return by_character;
  Choice out = is_explicit(by_character) ? steady : quick;
  out.reason = message("{}, because a trial foretells the work of {} evaluations, and {} by {}", words(out), about(other),
                       std::isfinite(own) ? about(own) : std::string("no end"), words(by_character));
  return out;
}

}  // namespace taut
