#include <algorithm>
#include <cmath>
#include <numbers>
#include <taut/simulate/choose.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/reversible_control.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

/// Spectral radii of ∂a/∂q and ∂a/∂v along the constraints, a from the index-1 equations, by power iteration on differences.
double fastest_of(const System& system, const State& start, double size, double pace) {
  IndexOne equations(system, Multipliers{});
  const int n = system.size();
  Vector a = Vector::Zero(n), b = a, lambda = Vector::Zero(system.constraint_count());
  if (equations.accelerate(instant(start), a, lambda).status != Status::ok) return 0.0;
  const auto radius = [&](bool velocity) {
    const double e = 1e-6 * (velocity ? size * pace : size);
    // No direction is preferred, and none is left out.
    Vector x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = std::cos(1.0 + 2.3 * i);
    double found = 0.0;
    for (int k = 0; k < 30; ++k) {
      Vector moved = start.v + x;  // the part along the constraints, as the difference of two velocities that meet them
      if (system.constraint_count() > 0) {
        if (equations.project_velocity(start.t, start.q, moved).status != Status::ok) return 0.0;
        x = moved - start.v;
      }
      const double length = x.norm();
      if (!(length > 0.0)) return 0.0;
      x /= length;
      y = (velocity ? start.v : start.q) + e * x;
      const Instant at = velocity ? Instant{start.t, start.q.data(), y.data()} : Instant{start.t, y.data(), start.v.data()};
      if (equations.accelerate(at, b, lambda).status != Status::ok) return 0.0;
      x = (b - a) / e;
      found = x.norm();
      if (!std::isfinite(found)) return 0.0;
    }
    return found;
  };
  return std::max(std::sqrt(radius(false)), pace > 0.0 ? radius(true) : 0.0);
}

/// How many periods a run is long. The pace at the start may be that of a moment, as where a comet passes the sun: steps that errors allow tell more, and
/// there are some twelve of them in a period.
double periods_of(const System& system, const State& start, double end, double guess) {
  constexpr long steps = 600;
  long taken = 0;
  double reached = start.t;
  const auto watch = [&](const Progress& p) {
    taken = p.step;
    reached = p.state.t;
    if (p.step == steps) *p.stop = "enough";
  };
  simulate(system, start, integrator_named("dop853"), Multipliers{},
           {.end = end, .rtol = 1e-8, .every = 0, .resume = true, .observers = {watch}});
  const double share = std::abs((reached - start.t) / (end - start.t));
  return share > 0.0 ? double(taken) / 12.0 / share : guess;
}

/// Two digits: more would pretend to be known.
double rounded(double x) {
  if (!(x > 0.0)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1.0);
  return std::round(x / unit) * unit;
}

}  // namespace

Character character(const System& system, const State& start, double end) {
  Character out;
  const std::vector<Set> sets = system.sets();
  out.inequalities = std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
  out.nonholonomic = !system.holonomic();
  if (out.inequalities) return out;
  const double length = std::abs(end - start.t), size = motion_size(system, start, length);
  out.conservative = conserves_energy(system, start, end - start.t);
  // What rests goes on at the pace of the run.
  const double slowest = length > 0.0 ? 2.0 * std::numbers::pi / length : 0.0;
  out.pace = std::max(Pace(system, Multipliers{}, size).at(start), slowest);
  out.fastest = fastest_of(system, start, size, out.pace);
  out.periods = out.pace * length / (2.0 * std::numbers::pi);
  if (out.conservative && !out.nonholonomic && !out.stiff() && out.long_run())
    out.periods = periods_of(system, start, end, out.periods);
  return out;
}

Choice choose(const Character& of, bool fixed_step) {
  if (of.inequalities)
    return {.name = "moreau-jean",
            .reason = "moreau-jean, because it holds inequalities exactly; inelastic unless `restitution` is given"};
  if (fixed_step && of.nonholonomic)
    return {.name = "spark2", .reason = "spark2, because a fixed step is given and constraints hold velocities: of order 4"};
  if (fixed_step) return {.name = "midpoint", .reason = "midpoint, because a fixed step is given: symplectic, no drift"};
  if (of.stiff())
    return {
        .name = "spark3",
        .options = {{"family", "radau-iia"}},
        .reason = message("spark3 with Radau IIA, because the system is stiff (a rate of {}/s beside a motion of {}/s): of "
                          "order 5, damps what it need not resolve",
                          rounded(of.fastest), rounded(of.pace))};
  if (of.nonholonomic)
    return {.name = "spark3", .reason = "spark3, because constraints hold velocities, which it keeps exactly: of order 6"};
  if (of.conservative && of.long_run())
    return {
        .name = "spark3",
        .reversible = true,
        .reason = message("spark3 with reversible steps, because the system is conservative and runs for some {} periods: "
                          "energy does not drift",
                          rounded(of.periods))};
  return {.name = "dop853", .reason = "dop853, because the motion is smooth and not stiff: of order 8, with error control"};
}

}  // namespace taut
