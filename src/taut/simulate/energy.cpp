#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/event.hpp>

namespace taut {
namespace {

constexpr double times_of_a_run[] = {0.0131, 0.213, 0.57, 0.89};

/// Whether energies or momenta change while nothing moves.
bool energies_change(const System& system, const State& start, double length) {
  const Vector p = system.momentum(instant(start));
  const double T = system.kinetic_energy(instant(start)), V = system.potential_energy(instant(start));
  for (const double share : times_of_a_run) {
    const Instant later{start.t + share * length, start.q.data(), start.v.data()};
    const double off = std::max(std::abs(system.kinetic_energy(later) - T), std::abs(system.potential_energy(later) - V));
    if (off > 1e-12 * (1.0 + std::abs(T) + std::abs(V))) return true;
    if ((system.momentum(later) - p).lpNorm<Eigen::Infinity>() > 1e-12 * (1.0 + p.lpNorm<Eigen::Infinity>())) return true;
  }
  return false;
}

/// Whether constraints move what rests.
bool constraints_drive(const System& system, const State& start, double length) {
  if (system.constraint_count() == 0) return false;
  const Vector rest = Vector::Zero(system.size()), g = system.constraint_values(start.t, start.q);
  for (const double share : times_of_a_run) {
    const double t = start.t + share * length;
    if ((system.constraint_values(t, start.q) - g).lpNorm<Eigen::Infinity>() > 1e-12) return true;
    if (system.constraint_rates({t, start.q.data(), rest.data()}).lpNorm<Eigen::Infinity>() > 1e-12) return true;
  }
  return false;
}

/// Inequalities that are held exactly may take energy.
bool only_equations(const System& system) {
  const std::vector<Set> sets = system.sets();
  return std::all_of(sets.begin(), sets.end(), [](Set set) { return set == Set::zero || set == Set::whole; });
}

/// Whether forces besides ∂L/∂q do work at some velocity near a state at a time: Q·v, or, where a block does not tell it, f·v − ∂L/∂q·v, the latter by
/// differences. A place where they are not known well enough tells nothing.
bool forces_work(const System& system, double t, const State& around, double within) {
  const Eigen::Index n = around.q.size();
  const bool constant = system.constant_mass();
  const double speed = std::max(1.0, ConfigurationSize{}.of(system, around));  // beside which dampers are seen
  for (int sample = 0; sample < 3; ++sample) {
    Vector v = around.v, q = around.q, there(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      v[i] += speed * std::cos(0.7 + 1.9 * sample + 2.3 * double(i));
      q[i] += within * sample * std::sin(1.1 + 1.3 * sample + 3.1 * double(i));
    }
    const Vector f = system.force({t, q.data(), v.data()});
    const double power = system.power({t, q.data(), v.data()}), small = 1e-6 * f.norm() * v.norm();
    if (std::abs(power) > small) return true;
    if (!std::isnan(power)) continue;
    double largest = 0.0;
    const auto lagrangian = [&](double along) {
      there = q + along * v;
      const Instant at{t, there.data(), v.data()};
      const double L = (constant ? 0.0 : system.kinetic_energy(at)) - system.potential_energy(at);
      largest = std::max(largest, std::abs(L));
      return L;
    };
    const auto slope = [&](double step) { return (lagrangian(step) - lagrangian(-step)) / (2.0 * step); };
    for (const double e : {1e-5, 1e-6, 1e-7}) {  // short ones for stiff springs
      largest = 0.0;
      const double near = slope(e), far = slope(2.0 * e);
      const double noise = small + 2e-14 * largest / e, curved = std::abs(near - far);
      if (std::abs(f.dot(v) - near) > noise + curved) return true;
      if (curved <= noise) break;
    }
  }
  return false;
}

/// The same at some times of a run, and farther away: a force that is zero at the start may not stay so, nor be so elsewhere.
bool forces_work_on_the_way(const System& system, const State& start, double length) {
  constexpr double near = 0.01;
  for (const double share : {0.0, 1e-3, 0.0131, 0.107, 0.213, 0.39, 0.57, 0.71, 0.89})
    if (forces_work(system, start.t + share * length, start, near)) return true;
  // As far as it is large, and as far as it gets in a time in which it goes on at its speed.
  const double size = ConfigurationSize{}.of(system, start), reach = start.v.lpNorm<Eigen::Infinity>() * std::abs(length);
  for (const double within : {0.3 * size, size, 0.03 * reach, 0.3 * reach})
    if (within > near && forces_work(system, start.t, start, within)) return true;
  return false;
}

bool forces_take_no_energy(const System& system, const State& start, double length) {
  return system.conservative() || !forces_work_on_the_way(system, start, length);
}

/// Neither by forces nor by impacts; what changes with time is another matter.
bool takes_no_energy(const System& system, const State& start, double length) {
  return only_equations(system) && forces_take_no_energy(system, start, length);
}

}  // namespace

bool conserves_energy(const System& system, const State& start, double length) {
  return takes_no_energy(system, start, length) && !energies_change(system, start, length) &&
         !constraints_drive(system, start, length);
}

Work::Work(const System& system, const State& start, double length)
    : system_(system),
      applied_(!system.conservative()),
      timed_(energies_change(system, start, length)),
      drives_(constraints_drive(system, start, length)),
      known_((applied_ || timed_) && !drives_ && only_equations(system) && std::isfinite(system.power(instant(start)))),
      began_(start.t),
      t_(start.t) {
  if (!known_) return;
  q_ = q_within_ = start.q;
  v_ = v_within_ = start.v;
}

double Work::power(const Instant& at, double within) const {
  double out = applied_ ? system_.power(at) : 0.0;
  if (!timed_) return out;
  const auto lagrangian = [&](double t) {
    return system_.kinetic_energy({t, at.q, at.v}) - system_.potential_energy({t, at.q, at.v});
  };
  return out - (lagrangian(at.t + within) - lagrangian(at.t - within)) / (2.0 * within);
}

/// A potential that jumps by time brings its jump in, at the place where the motion then is.
double Work::jump_behind(double later) const {
  const Instant before{t_, q_.data(), v_.data()}, after{later, q_.data(), v_.data()};
  const double first = system_.potential_energy(before), jump = system_.potential_energy(after) - first;
  if (std::abs(jump) <= 1e-9 * std::abs(first)) return 0.0;  // what is smooth changes by its round-off
  const bool same_inertia =
      std::abs(system_.kinetic_energy(after) - system_.kinetic_energy(before)) <= 1e-9 * std::abs(jump);
  return same_inertia ? jump : 0.0;
}

void Work::see(const Instant& at) {
  if (!known_ || at.t == t_) return;
  const Eigen::Map<const Vector> q(at.q, q_.size()), v(at.v, v_.size());
  const double h = at.t - t_, jump = timed_ ? jump_behind(past_jump(t_, at.t)) : 0.0;
  double part[2];
  for (int k = 0; k < 2; ++k) {
    const double s = 0.5 + (k - 0.5) / std::numbers::sqrt3, r = 1.0 - s;
    q_within_ = r * r * (1.0 + 2.0 * s) * q_ + s * r * r * h * v_ + s * s * (3.0 - 2.0 * s) * q - s * s * r * h * v;
    v_within_ = 6.0 * s * r / h * (q - q_) + r * (1.0 - 3.0 * s) * v_ + s * (3.0 * s - 2.0) * v;
    part[k] = h * power({t_ + s * h, q_within_.data(), v_within_.data()}, 1e-3 * h);
  }
  sums_.done += jump + 0.5 * (part[0] + part[1]);
  sums_.least += jump + std::min(part[0], part[1]);
  sums_.most += jump + std::max(part[0], part[1]);
  sums_.largest = std::max(sums_.largest, std::abs(sums_.done));
  t_ = at.t;
  q_ = q;
  v_ = v;
}

void Work::begin_with(const Work& other) {
  known_ = other.known_;
  began_ = other.began_;
  before_ = other.sums_;
}

void Work::take(const Work& other) {
  known_ = known_ && other.known_;
  if (other.began_ != began_) before_ = {-sums_.done, -sums_.least, -sums_.most, 0.0};
  began_ = other.began_;
  sums_.done = other.sums_.done - before_.done;
  sums_.least = other.sums_.least - before_.least;
  sums_.most = other.sums_.most - before_.most;
  sums_.largest = std::max(sums_.largest, std::abs(sums_.done));
}

void Work::save(std::vector<double>& out) const {
  out.insert(out.end(), {known_ ? 1.0 : 0.0, sums_.done, sums_.least, sums_.most, sums_.largest, began_, before_.done,
                         before_.least, before_.most});
}

void Work::load(const double* saved) {
  known_ = known_ && saved[0] != 0.0;
  sums_ = {saved[1], saved[2], saved[3], saved[4]};
  began_ = saved[5];
  before_ = {saved[6], saved[7], saved[8], 0.0};
}

EnergyWatch::EnergyWatch(const System& system, const State& start, double length)
    : system_(system),
      work_(system, start, length),
      conservative_(work_.idle() && takes_no_energy(system, start, length)),
      only_loses_(work_.idle() && !only_equations(system) && forces_take_no_energy(system, start, length)),
      constant_mass_(system.constant_mass()),
      start_(measure(instant(start))),
      since_(start.t),
      held_(start_.kinetic),
      first_invariant_(std::numeric_limits<double>::quiet_NaN()) {
  // Round-off of a potential is that of its terms, which may cancel in the sum: as large as force times place.
  double terms = std::abs(start_.potential);
  const Vector f = system.force(instant(start));
  for (Eigen::Index i = 0; i < f.size(); ++i) terms += std::abs(f[i] * start.q[i]);
  // Where a potential has its least they are not seen; what a shift next to nothing makes of it is.
  const double shift = 1e-8 * ConfigurationSize{}.of(system, start);
  Vector q = start.q;
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += shift * std::cos(0.3 + 1.7 * double(i));
  const double shifted =
      std::abs(system.potential_energy({start.t, q.data(), start.v.data()}) - system.potential_energy(instant(start)));
  floor_ = 1e-9 * terms + (std::isfinite(shifted) ? shifted : 0.0) + 1e-40;  // less is nothing in any units
}

bool EnergyWatch::finds_work(const Instant& at, double since) {
  const State here{
      at.t, Eigen::Map<const Vector>(at.q, system_.size()), Eigen::Map<const Vector>(at.v, system_.size()), {}, {}};
  const bool work = !system_.conservative() &&
                    (forces_work(system_, at.t, here, 0.01) || forces_work(system_, 0.5 * (at.t + since), here, 0.01));
  const bool changes = energies_change(system_, here, since - at.t), drives = constraints_drive(system_, here, since - at.t);
  if (work || changes || drives) conservative_ = false;
  work_.meet(changes, drives);
  return !conservative_;
}

Energy EnergyWatch::measure(const Instant& at) {
  Energy now{.kinetic = system_.kinetic_energy(at), .potential = system_.potential_energy(at)};
  if (constant_mass_) return now;
  p_.setZero(system_.size());
  system_.add_dynamics(at, 1.0, 0.0, p_.data());
  // v·p − T = T₂ − T₀
  rest_.setZero(system_.size());
  const double at_rest = system_.kinetic_energy({at.t, at.q, rest_.data()});
  now.kinetic = Eigen::Map<const Vector>(at.v, p_.size()).dot(p_) - now.kinetic + at_rest;
  now.potential -= at_rest;
  return now;
}

double EnergyWatch::broken(const State& before, const State& after) {
  if (!conservative_) return 0.0;
  const Energy from = measure(instant(before)), to = measure(instant(after));
  const double off = std::abs(to.total() - from.total());
  const double scale = std::max({largest_, from.kinetic, to.kinetic});
  // Positions are met to their round-off; over the step that is one of velocities.
  const double size = std::max(before.q.lpNorm<Eigen::Infinity>(), after.q.lpNorm<Eigen::Infinity>());
  const double speed = 16.0 * std::numeric_limits<double>::epsilon() * size / std::abs(after.t - before.t);
  if (off <= 1e-11 * scale + 1e-5 * floor_ + speed * after.p.lpNorm<1>()) {
    largest_ = scale;
    return 0.0;
  }
  if (finds_work(instant(before), after.t) || finds_work(instant(after), before.t)) return 0.0;
  return std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
}

std::vector<double> EnergyWatch::save() const {
  std::vector<double> out{conservative_ ? 1.0 : 0.0, start_.kinetic,  start_.potential, held_, floor_,
                          first_invariant_,          double(beyond_), largest_};
  work_.save(out);
  return out;
}

void EnergyWatch::load(const double* saved) {
  conservative_ = saved[0] != 0.0;
  start_ = {saved[1], saved[2]};
  held_ = saved[3];
  floor_ = saved[4];
  first_invariant_ = saved[5];
  beyond_ = int(saved[6]);
  largest_ = saved[7];
  work_.load(saved + 8);
}

void EnergyWatch::inherit(const EnergyWatch& before) {
  floor_ += 1e-9 * std::max(before.held_, before.largest_);
  largest_ = std::max(largest_, before.largest_);
}

void EnergyWatch::see(const Instant& at, const Energy& now, const Work* seen) {
  if (seen != nullptr) {
    work_.take(*seen);
  } else {
    work_.see(at);
  }
  since_ = at.t;
  held_ = std::max(held_, start_.total() - balance({.kinetic = 0.0, .potential = now.potential}));
}

double EnergyWatch::unbalanced(const Energy& now) const {
  const double change = now.total() - start_.total();
  return std::max({0.0, change - work_.most(), work_.least() - change});
}

bool EnergyWatch::diverged(const State& state, const Energy& now, double invariant) {
  if (!std::isfinite(now.total())) return true;
  if (!balances()) return false;
  const double since = since_;
  see(instant(state), now);
  // The work is not known better than to a hundredth.
  const double held = held_ + floor_ + (conservative_ ? 0.0 : 0.01 * work_.largest());
  // Springs that the step does not resolve may hold any energy while the motion is right; what moves may not have more than there is.
  double off = now.kinetic - held;
  if (!conservative_) off = now.kinetic - std::max(0.0, start_.total() + work_.most() - now.potential);
  if (!std::isnan(invariant)) {
    if (std::isnan(first_invariant_)) first_invariant_ = invariant;
    if (std::abs(invariant - first_invariant_) <= held) off = 0.0;
  }
  if (off > held) {
    const bool was = conservative_;
    if (finds_work(instant(state), since) && (was || !balances())) return false;
  }
  // What swings and grows stands still now and then. What rests until something acts on it holds nothing, and the work of its first step is a guess.
  beyond_ = off > held ? beyond_ + 1 : (conservative_ ? 0 : std::max(0, beyond_ - 2));
  return (conservative_ && off > 100.0 * held) || beyond_ >= 16;
}

}  // namespace taut
