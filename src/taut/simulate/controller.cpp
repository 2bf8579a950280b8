#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/simulate/controller.hpp>
#include <taut/simulate/simulate.hpp>

namespace taut {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A group whose coordinates stay below this share of the largest there are is measured by that share: what is that small is round-off of the others,
/// or of no matter beside them.
constexpr double smallest_scale = 1e-6;

double largest(const std::vector<double>& of) { return of.empty() ? 0.0 : *std::max_element(of.begin(), of.end()); }

bool equalities_only(const System& system) {
  const std::vector<Set> sets = system.sets();
  return std::all_of(sets.begin(), sets.end(), [](Set set) { return set == Set::zero; });
}

/// The largest acceleration at the start by loads that are to come.
double load_to_come(IndexOne& equations, const State& start, const SimulateOptions& options, Vector a, Vector lambda) {
  std::vector<double> times;
  for (const double share : {1e-3, 0.0131, 0.107, 0.213, 0.39, 0.57, 0.71, 0.89, 1.0})
    times.push_back(start.t + share * (options.end - start.t));
  const std::vector<double> breaks = breaks_ahead(options, start.t);
  for (std::size_t k = 1; k < breaks.size(); ++k) times.push_back(0.5 * (breaks[k - 1] + breaks[k]));
  double push = 0.0;
  for (const double t : times) {
    const Instant at{t, start.q.data(), start.v.data()};
    if (equations.accelerate(at, a, lambda).status != Status::ok || !a.allFinite()) return 0.0;
    push = std::max(push, a.lpNorm<Eigen::Infinity>());
  }
  return push;
}

struct Beginning {
  double step;  ///< a first one
  double load =
      0.0;  ///< acceleration to come of what rests in equilibrium: then neither places nor velocities tell what is small
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
  if (!equalities_only(system) || averages || (size > small && speed > 0.0)) return {0.01 * time};
  IndexOne equations(system, Multipliers{});
  Vector a = Vector::Zero(system.size()), b = a, lambda = Vector::Zero(system.constraint_count());
  if (equations.accelerate(instant(start), a, lambda).status != Status::ok) return {0.01 * time};
  const double push = a.lpNorm<Eigen::Infinity>();
  const double load = speed == 0.0 && push == 0.0 ? load_to_come(equations, start, options, a, lambda) : 0.0;
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
  return {std::max(h, 1e-9 * length), load};
}

/// Below this a step is lost in the round-off of time.
double smallest_step(double now, double length) { return 16.0 * epsilon * std::max(std::abs(now), std::abs(length)); }

}  // namespace

std::vector<ToleranceGroup> natural_groups(const System& system) {
  const int n = system.size(), dim = system.points() ? system.points()->dim : 1;
  std::vector<char> taken(std::size_t(n), 0);
  std::vector<ToleranceGroup> groups;
  for (const std::set<int>* vectors : {&system.places(), &system.directions()}) {
    ToleranceGroup group;
    for (const int first : *vectors)
      for (int k = first; k < std::min(first + dim, n); ++k)
        if (taken[k]++ == 0) group.coordinates.push_back(k);
    if (!group.coordinates.empty()) groups.push_back(std::move(group));
  }
  for (int i = 0; i < n; ++i)
    if (taken[i] == 0) groups.push_back({.coordinates = {i}});
  return groups;
}

ErrorScale::ErrorScale(const System& system, const SimulateOptions& options)
    : system_(&system), group_(std::size_t(system.size()), -1) {
  const auto add = [&](const ToleranceGroup& group) {
    const int number = int(tolerances_.size());
    int count = 0;
    for (const int i : group.coordinates) {
      require(i >= 0 && i < system.size(), "simulate: tolerances name the coordinate {}, and there are {}.", i,
              system.size());
      if (group_[i] >= 0) continue;
      group_[i] = number;
      ++count;
    }
    if (count == 0) return;
    const bool own = group.rtol > 0.0 || group.atol > 0.0;
    tolerances_.push_back({own ? group.rtol : options.rtol, own ? group.atol : options.atol});
  };
  for (const ToleranceGroup& group : options.tolerances) add(group);
  for (const ToleranceGroup& group : natural_groups(system)) add(group);
  if (!system.places().empty()) places_ = group_[std::size_t(*system.places().begin())];
  for (std::vector<double>* one : {&q_, &v_, &q_now_, &v_now_, &q_sum_, &v_sum_}) one->assign(tolerances_.size(), 0.0);
}

void ErrorScale::see(const State& state) {
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const int g = group_[i];
    q_[g] = std::max(q_[g], std::abs(state.q[Eigen::Index(i)]));
    v_[g] = std::max(v_[g], std::abs(state.v[Eigen::Index(i)]));
  }
}

void ErrorScale::forget() {
  std::fill(v_.begin(), v_.end(), 0.0);
  if (places_ >= 0 && system_->constraint_count() > 0) q_[std::size_t(places_)] = 0.0;
}

double ErrorScale::size(const State& before, const State& after, const Vector& error, double h, double share) {
  const Eigen::Index n = after.q.size();
  q_now_ = q_;
  v_now_ = v_;
  std::fill(q_sum_.begin(), q_sum_.end(), 0.0);
  std::fill(v_sum_.begin(), v_sum_.end(), 0.0);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int g = group_[std::size_t(i)];
    q_now_[g] = std::max(q_now_[g], std::abs(after.q[i]));
    v_now_[g] = std::max(v_now_[g], std::abs(after.v[i]));
    q_sum_[g] += error[i] * error[i];
    v_sum_[g] += error[n + i] * error[n + i];
  }
  // Lengths of rods count as places do: what hangs through the origin is no smaller for that.
  const double lengths = size_.of(*system_, before);
  if (places_ >= 0) q_now_[std::size_t(places_)] = std::max(q_now_[std::size_t(places_)], lengths);
  const double q = largest(q_now_), v = largest(v_now_);
  // What round-off hides is no error: that of q, and in v what it becomes over the step.
  const double q_noise = 4.0 * epsilon * std::max(q, lengths);
  const double v_noise = 4.0 * epsilon * v + q_noise / std::abs(h);
  double all = 0.0;
  for (std::size_t g = 0; g < tolerances_.size(); ++g) {
    const auto& [rtol, atol] = tolerances_[g];
    const double in_q = share * (atol + rtol * std::max({q_now_[g], smallest_scale * q, expected_ * h * h})) + q_noise;
    const double in_v = share * (atol + rtol * std::max({v_now_[g], smallest_scale * v, expected_ * std::abs(h)})) + v_noise;
    const double sum = (in_q > 0.0 ? q_sum_[g] / (in_q * in_q) : 0.0) + (in_v > 0.0 ? v_sum_[g] / (in_v * in_v) : 0.0);
    if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
    all += sum;
  }
  return std::sqrt(all / (2.0 * double(n)));
}

std::vector<double> ErrorScale::save() const {
  std::vector<double> out = q_;
  out.insert(out.end(), v_.begin(), v_.end());
  out.push_back(expected_);
  return out;
}

void ErrorScale::load(const double* saved) {
  std::copy_n(saved, q_.size(), q_.begin());
  std::copy_n(saved + q_.size(), v_.size(), v_.begin());
  expected_ = saved[2 * q_.size()];
  size_ = {};
}

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
  scale_.expect(first.load);
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
  const System& system = run.system();
  const State &before = run.newest(), &after = run.candidate();
  const auto energy = [&](const Instant& at) { return system.kinetic_energy(at) + system.potential_energy(at); };
  const double first = energy(instant(before)), last = energy(instant(after)), h = after.t - before.t;
  const double moving =
      std::max({system.kinetic_energy(instant(before)), system.kinetic_energy(instant(after)), resting * fastest_});
  for (int k = 1; k < parts; ++k) {
    const double s = double(k) / parts, r = 1.0 - s;
    q_ = r * r * (1.0 + 2.0 * s) * before.q + s * s * (3.0 - 2.0 * s) * after.q + (h * s * r) * (r * before.v - s * after.v);
    v_ = 6.0 * s * r / h * (after.q - before.q) + r * (1.0 - 3.0 * s) * before.v + s * (3.0 * s - 2.0) * after.v;
    const double here = energy({before.t + s * h, q_.data(), v_.data()});
    if (!(std::abs(here - r * first - s * last) <= known * moving)) return true;
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
    if (options_.sudden) fastest_ = std::max(fastest_, run.system().kinetic_energy(instant(run.newest())));
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

double Pace::of(double t, const Vector& q, const Vector& v) {
  a_.resize(system_.size());
  lambda_.resize(system_.constraint_count());
  equations_.accelerate({t, q.data(), v.data()}, a_, lambda_);
  // Smooth where one of them passes zero: a kink twice a period would add up.
  const double square = std::hypot(v.squaredNorm() / (size_ * size_), a_.norm() / size_);
  return std::isfinite(square) ? std::sqrt(square) : 0.0;
}

double Pace::at(const State& state) { return last_ = of(state.t, state.q, state.v); }

double Pace::growth(const State& state) {
  const double here = at(state);
  if (here == 0.0) return 0.0;
  a_here_ = a_;
  const double d = 1e-4 / here;  // the error of the difference is 1e-8, that of round-off 1e-12
  double logs[2];
  for (const int side : {0, 1}) {
    const double e = side == 0 ? -d : d;
    q_ = state.q + e * state.v + (0.5 * e * e) * a_here_;
    v_ = state.v + e * a_here_;
    logs[side] = std::log(std::max(of(state.t + e, q_, v_), 1e-300));
  }
  return (logs[1] - logs[0]) / (2.0 * d);
}

double motion_size(const System& system, const State& start, double length) {
  const double size = ConfigurationSize{}.of(system, start), speed = start.v.lpNorm<Eigen::Infinity>();
  Vector a = Vector::Zero(system.size()), lambda = Vector::Zero(system.constraint_count());
  double push = 0.0;
  if (equalities_only(system) && IndexOne(system, Multipliers{}).accelerate(instant(start), a, lambda).status == Status::ok)
    push = a.lpNorm<Eigen::Infinity>();
  // How far it gets before its accelerations turn it, or in the time of the run.
  const double reach = push > 0.0 ? speed * speed / push : speed * length;
  return std::max(size < 1e-3 * reach ? reach : size, 1e-300);
}

ReversibleControl::ReversibleControl(const System& system, const SolverMethod& method, const SimulateOptions& options,
                                     const State& start, double epsilon_of_run, double size)
    : method_(method), options_(options), system_(&system), epsilon_(epsilon_of_run) {
  pace_.emplace(system, method, size);
  density_ = pace_->at(start) + 0.5 * epsilon_ * pace_->growth(start);
}

void ReversibleControl::load(const std::vector<double>& saved) {
  density_ = saved.at(0);
  epsilon_ = saved.at(1);
  pace_.emplace(*system_, method_, saved.at(2));  // with nothing remembered
  step_.drop();
}

void ReversibleControl::restart(const Run& run) {
  system_ = &run.system();
  pace_.emplace(*system_, method_, pace_->size());
  density_ = pace_->at(run.newest()) + 0.5 * epsilon_ * pace_->growth(run.newest());
  step_.drop();
}

Taken ReversibleControl::take(Run& run, double target, RunCounts& counts) {
  const double now = run.newest().t, rest = std::abs(target - now);
  if (!step_.under_way()) {
    double h = std::abs(epsilon_) / density_;
    if (!(h > 0.0) || !std::isfinite(h)) h = rest;
    if (options_.step > 0.0) h = std::min(h, options_.step);
    const bool lands = h >= rest * (1.0 - 1e-12);
    if (lands) h = rest;
    const double sign = target < now ? -1.0 : 1.0;
    step_.begin(lands ? target : now + sign * h, sign * h, options_.halvings);
  }
  const Taken taken = step_.take(run, counts, trouble_);
  if (taken == Taken::step && run.newest().t != target) {
    density_ += epsilon_ * pace_->growth(run.newest());
    if (!(density_ > 0.1 * pace_->last())) density_ = pace_->last();  // steps too large to follow the pace: begin anew
  }
  return taken;
}

}  // namespace taut
