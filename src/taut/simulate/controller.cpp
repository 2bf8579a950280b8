#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/simulate/controller.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What loads that are to come make of what rests at the start.
struct ToCome {
  double acceleration = 0.0;
  double velocity = 0.0;  ///< by one that lasts for a moment
};
ToCome to_come(IndexOne& equations, const State& start, const SimulateOptions& options, Vector a, Vector lambda) {
  constexpr double moment = 0.01;  // of the run
  const double length = options.end - start.t;
  std::vector<std::pair<double, double>> loads;  // when, and for how long
  for (const double share : {1e-3, 0.0131, 0.107, 0.213, 0.39, 0.57, 0.71, 0.89, 1.0})
    loads.emplace_back(start.t + share * length, length);
  const std::vector<double> breaks = breaks_ahead(options, start.t);
  for (std::size_t k = 1; k < breaks.size(); ++k)
    loads.emplace_back(0.5 * (breaks[k - 1] + breaks[k]), breaks[k] - breaks[k - 1]);
  ToCome out;
  for (const auto& [t, lasts] : loads) {
    const Instant at{t, start.q.data(), start.v.data()};
    if (equations.accelerate(at, a, lambda).status != Status::ok || !a.allFinite()) return {};
    const double size = a.lpNorm<Eigen::Infinity>();
    out.acceleration = std::max(out.acceleration, size);
    if (std::abs(lasts) <= moment * std::abs(length)) out.velocity = std::max(out.velocity, std::abs(lasts) * size);
  }
  return out;
}

struct Beginning {
  double step;     ///< a first one
  ToCome ahead{};  ///< of what rests in equilibrium: then neither places nor velocities tell what is small
};

/// The shortest of the times in which the motion crosses its configuration, or is turned by its accelerations; a hundredth of it is a first step.
/// Where the accelerations a little later are others altogether, it is shorter. The first estimate of the error corrects what is left.
Beginning beginning(const System& system, const State& start, const SimulateOptions& options, bool averages) {
  const double length = std::abs(options.end - start.t);
  const double size = ConfigurationSize{}.of(system, start), speed = start.v.lpNorm<Eigen::Infinity>();
  double time = length;
  const auto take = [&](double other) {
    if (other > 0.0 && std::isfinite(other)) time = std::min(time, other);
  };
  take(size / speed);
  const double small = 1e-3 * speed * length;  // a size next to nothing tells nothing
  if (!system.equalities_only() || averages || (size > small && speed > 0.0)) return {0.01 * time};
  IndexOne equations(system, Multipliers{});
  Vector a = Vector::Zero(system.size()), b = a, lambda = Vector::Zero(system.constraint_count());
  if (equations.accelerate(instant(start), a, lambda).status != Status::ok) return {0.01 * time};
  const double push = a.lpNorm<Eigen::Infinity>();
  const ToCome ahead = speed == 0.0 && push == 0.0 ? to_come(equations, start, options, a, lambda) : ToCome{};
  take(std::sqrt(size / push));
  take(speed / push);
  double h = std::max(0.01 * time, 1e-9 * length);
  Vector q, v;
  for (int shorter = 0; shorter < 8; ++shorter) {
    q = start.q + h * start.v + (0.5 * h * h) * a;
    v = start.v + h * a;
    const Instant later{start.t + h, q.data(), v.data()};
    const bool known = equations.accelerate(later, b, lambda).status == Status::ok && b.allFinite();
    if (known && (b - a).lpNorm<Eigen::Infinity>() <= 0.1 * (speed / h + push)) break;
    h *= 0.1;
  }
  return {std::max(h, 1e-9 * length), ahead};
}

/// The part of T that is of degree two in v: what moves.
double moving_energy(const System& system, const State& state) {
  const double whole = system.kinetic_energy(instant(state));
  if (system.constant_mass()) return whole;
  const Vector back = -state.v, rest = Vector::Zero(state.v.size());
  const auto energy = [&](const Vector& v) { return system.kinetic_energy({state.t, state.q.data(), v.data()}); };
  return 0.5 * (whole + energy(back)) - energy(rest);
}

/// Below this a step is lost in the round-off of time.
double smallest_step(double now, double length) { return 16.0 * epsilon * std::max(std::abs(now), std::abs(length)); }

}  // namespace

ErrorControl::ErrorControl(const Run& run, const SimulateOptions& options, double start, double largest)
    : options_(options),
      direction_(options.end < start ? -1.0 : 1.0),
      length_(std::abs(options.end - start)),
      doubled_(run.traits().error_order == 0),
      largest_(largest),
      scale_(run.system(), options) {
  const Traits& traits = run.traits();
  exponent_ = 1.0 / (1 + (doubled_ ? traits.order : traits.error_order));
  const int local_order = doubled_ || traits.error_order >= traits.order ? traits.order : 0;
  const double size = ConfigurationSize{}.of(run.system(), run.newest());
  const double relative = options.rtol + (size > 0.0 ? options.atol / size : options.atol);
  if (local_order > 0) {
    calibration_ = std::pow(std::min(relative, 1.0), 1.0 / local_order);
    roughness_ = std::pow(2.0, local_order) - 1.0;
  }
  // Schemes that average over the fast motion must not begin by resolving it.
  const Beginning first = beginning(run.system(), run.newest(), options, !traits.takes_constraints);
  memory_.step = first.step;
  scale_.expect(first.ahead.acceleration, first.ahead.velocity, length_);
  limit(memory_);
  scale_.see(run.newest());
}

std::vector<double> ErrorControl::save() const {
  std::vector<double> out{memory_.step,
                          memory_.last,
                          memory_.first ? 1.0 : 0.0,
                          memory_.grown ? 1.0 : 0.0,
                          largest_,
                          double(creeping_),
                          calibration_,
                          double(chatter_),
                          chatter_since_,
                          path_,
                          fastest_};
  const std::vector<double> scales = scale_.save();
  out.insert(out.end(), scales.begin(), scales.end());
  return out;
}

void ErrorControl::load(const std::vector<double>& saved) {
  require(saved.size() == 11 + scale_.numbers(), "simulate: the checkpoint belongs to other tolerances or coordinates.");
  memory_ = {.step = saved[0], .last = saved[1], .first = saved[2] != 0.0, .grown = saved[3] != 0.0};
  largest_ = saved[4];
  creeping_ = int(saved[5]);
  calibration_ = saved[6];
  chatter_ = int(saved[7]);
  chatter_since_ = saved[8];
  path_ = saved[9];
  fastest_ = saved[10];
  scale_.load(saved.data() + 11);
}

void ErrorControl::restart(const Run& run) {
  memory_ = {.step = memory_.step};
  limit(memory_);
  creeping_ = 0;
  largest_ = memory_.step;
  scale_.enter(run.system());
  scale_.see(run.newest());
}

void ErrorControl::limit(Memory& memory) const {
  if (options_.step > 0.0) memory.step = std::min(memory.step, options_.step);
}

bool ErrorControl::attempt(Run& run, double time, double h, RunCounts& counts) {
  return doubled_ ? run.attempt_doubled(time, h, counts) : run.attempt(time, h, counts);
}

bool ErrorControl::judge(const Run& run, double h, Memory& memory) {
  double size = scale_.size(run.newest(), run.candidate(), run.error(), h, calibration_);
  // An infinite estimate, or none, asks for the smallest factor.
  size = std::isfinite(size) ? std::max(size, 1e-10) : 1e10;
  // A smaller step whose error did not shrink by its order holds a jump: there doubling is as wrong as its two solutions differ.
  if (memory.rejected_step > 0.0 && size > 10.0 * memory.rejected_size * std::pow(h / memory.rejected_step, 1.0 / exponent_))
    memory.rough = true;
  if (memory.rough) size *= roughness_;
  if (size > 1.0) {
    memory.rejected_step = h;
    memory.rejected_size = memory.rough ? size / roughness_ : size;
    memory.step = h * std::max(memory.first ? 1e-3 : 0.2, 0.9 * std::pow(size, -exponent_));
    memory.grown = false;
    return false;
  }
  double factor = 0.9 * std::pow(size, -0.7 * exponent_) * std::pow(memory.last, 0.4 * exponent_);
  factor = std::clamp(factor, 0.2, memory.grown ? 5.0 : 1.0);
  memory.step = h * (memory.first ? std::clamp(0.9 * std::pow(size, -exponent_), 0.2, 100.0) : factor);
  limit(memory);
  memory.last = std::max(size, 1e-4);
  memory.first = false;
  memory.grown = true;
  memory.rough = false;
  memory.rejected_step = 0.0;
  memory.usual = std::max(h, 0.98 * memory.usual);
  memory.shrunk = std::min(h, 1e-4 * memory.usual);
  return true;
}

bool ErrorControl::passes_over(const Run& run, int parts, double known) {
  constexpr double resting = 0.01;  // of the largest kinetic energy so far: what moves less than that is at rest
  constexpr double aside = 1e-4;    // of the step: for slopes at its ends
  const System& system = run.system();
  const State &before = run.newest(), &after = run.candidate();
  const double h = after.t - before.t;
  const auto potential = [&](double s) {
    const double r = 1.0 - s;
    q_ = r * r * (1.0 + 2.0 * s) * before.q + s * s * (3.0 - 2.0 * s) * after.q + (h * s * r) * (r * before.v - s * after.v);
    v_ = 6.0 * s * r / h * (after.q - before.q) + r * (1.0 - 3.0 * s) * before.v + s * (3.0 * s - 2.0) * after.v;
    return system.potential_energy({before.t + s * h, q_.data(), v_.data()});
  };
  const double first = system.potential_energy(instant(before)), last = system.potential_energy(instant(after));
  const double begins = (potential(aside) - first) / aside, ends = (last - potential(1.0 - aside)) / aside;
  const double moving = std::max({moving_energy(system, before), moving_energy(system, after), resting * fastest_});
  const double allowed = known * moving + 1e-11 * std::max(std::abs(first), std::abs(last));
  for (int k = 1; k < parts; ++k) {
    const double s = double(k) / parts, r = 1.0 - s;
    const double cubic = r * r * (1.0 + 2.0 * s) * first + s * s * (3.0 - 2.0 * s) * last + s * r * (r * begins - s * ends);
    if (!(std::abs(potential(s) - cubic) <= allowed)) return true;
  }
  return false;
}

bool ErrorControl::leap(Run& run, double rest, double& h, RunCounts& counts) {
  if (h >= memory_.shrunk) return false;
  memory_.shrunk = 1e-3 * h;
  const StepReport report = run.report();
  const double now = run.newest().t;
  for (const double share : {1.0, 0.5, 0.25, 2.0}) {
    const double longer = std::min(share * memory_.usual, 0.5 * rest);
    Memory other = memory_;
    if (!attempt(run, now + direction_ * longer, direction_ * longer, counts) || !judge(run, longer, other)) continue;
    if (passes_over(run, 32, 0.02)) continue;
    memory_ = other;
    h = longer;
    return true;
  }
  run.set_report(report);  // the trouble is that of the small step
  return false;
}

Taken ErrorControl::take(Run& run, double target, RunCounts& counts) {
  const double now = run.newest().t, smallest = smallest_step(now, length_), rest = std::abs(target - now);
  // No sliver is left before a time that must be met.
  double h = memory_.step;
  bool lands = h >= rest * (1.0 - 1e-12) || rest <= smallest;
  if (lands) {
    h = rest;
  } else if (2.0 * h > rest) {
    h = 0.5 * rest;
  }
  const bool jumps = memory_.rough && !memory_.first;
  const bool good = attempt(run, lands ? target : now + direction_ * h, direction_ * h, counts);
  const Memory before = memory_;
  bool taken = good && (rest <= smallest || judge(run, h, memory_));
  if (taken && options_.sudden && rest > smallest && passes_over(run, 8, doubled_ ? 0.02 : 0.25)) {
    memory_ = before;
    memory_.step = 0.5 * h;
    memory_.grown = taken = false;
  }
  if (!taken && leap(run, rest, h, counts)) {
    taken = true;
    lands = false;
  }
  if (taken) {
    if (jumps && counts.jumps++ == 0) counts.first_jump = now;
    const bool chatters = jumps && chatter(now);
    run.accept(counts);
    scale_.forget();
    scale_.see(run.newest());
    if (options_.sudden) fastest_ = std::max(fastest_, moving_energy(run.system(), run.newest()));
    // Steps that were cut for a jump grow again at once; those that creep for a thousand have met something they cannot pass.
    largest_ = std::max(largest_, h);
    creeping_ = h < 1e-5 * largest_ && !lands ? creeping_ + 1 : 0;
    path_ = creeping_ == 0 ? 0.0 : path_ + h * run.newest().v.lpNorm<Eigen::Infinity>();
    // A motion that has become fast takes short steps as well, but they lead somewhere, and come to an end.
    const double most_steps = run.system().constraint_count() > 0 ? 1e6 : 1e8;  // those that lose rank are slower still
    const bool stays = path_ < 1e-3 * run.newest().q.lpNorm<Eigen::Infinity>();
    const double left = std::abs(options_.end - now) / h;
    if (!chatters && (creeping_ < 1000 || (!stays && left <= most_steps))) return Taken::step;
    const bool constrained = run.system().constraint_count() > 0;
    if (!chatters && !stays && !constrained) {
      trouble_ = message("steps fell from {} to {}: the motion has become so fast that the rest would take {} of them",
                         largest_, h, left);
      return Taken::failed;
    }
    trouble_ = message("steps fell from {} to {} and stay there, as they do where ", largest_, h);
    trouble_ += constrained && !chatters
                    ? "constraints lose rank; Spark (spark2 to spark4) passes such places"
                    : "forces jump again and again, dry friction on what it holds at rest; write it smooth, tanh(x'/w) with "
                      "a small w "
                      "instead of sign(x'), or let events hold and release";
    return Taken::failed;
  }
  ++counts.retried;
  if (good) {
    ++counts.rejected;
  } else {
    memory_.step = 0.5 * h;
    memory_.grown = false;
  }
  const bool refused = !good && run.hopeless();
  if (!refused && memory_.step >= smallest) return Taken::retry;
  trouble_ = good ? message("the tolerances ask for steps below {}", smallest)
                  : run.report().trouble + message(" (steps down to {} were tried)", h);
  return Taken::failed;
}

bool ErrorControl::chatter(double now) {
  if (chatter_ == 0) chatter_since_ = now;
  // Each should be a good step away from the one before.
  if (std::abs(now - chatter_since_) > 1e-4 * largest_ * double(chatter_ + 100)) {
    chatter_ = 0;
    chatter_since_ = now;
  }
  return ++chatter_ >= chatter_most;
}

}  // namespace taut
