#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/energy.hpp>

namespace taut {
namespace {

/// Whether energies, momenta or constraints change while nothing moves.
bool depends_on_time(const System& system, const State& start, double length) {
  const Vector rest = Vector::Zero(system.size()), g = system.constraint_values(start.t, start.q);
  const Vector p = system.momentum(instant(start));
  const double T = system.kinetic_energy(instant(start)), V = system.potential_energy(instant(start));
  for (const double share : {0.0131, 0.213, 0.57, 0.89}) {
    const Instant later{start.t + share * length, start.q.data(), start.v.data()};
    const double off = std::max(std::abs(system.kinetic_energy(later) - T), std::abs(system.potential_energy(later) - V));
    if (off > 1e-12 * (1.0 + std::abs(T) + std::abs(V))) return true;
    if ((system.momentum(later) - p).lpNorm<Eigen::Infinity>() > 1e-12 * (1.0 + p.lpNorm<Eigen::Infinity>())) return true;
    if (g.size() == 0) continue;
    if ((system.constraint_values(later.t, start.q) - g).lpNorm<Eigen::Infinity>() > 1e-12) return true;
    if (system.constraint_rates({later.t, start.q.data(), rest.data()}).lpNorm<Eigen::Infinity>() > 1e-12) return true;
  }
  return false;
}

/// Whether forces besides ∂L/∂q do work at some velocity near a state at a time: Q·v = f·v − ∂L/∂q·v, the latter by differences. A place where they
/// are not known well enough tells nothing.
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
    double largest = 0.0;
    const auto lagrangian = [&](double along) {
      there = q + along * v;
      const Instant at{t, there.data(), v.data()};
      const double L = (constant ? 0.0 : system.kinetic_energy(at)) - system.potential_energy(at);
      largest = std::max(largest, std::abs(L));
      return L;
    };
    const auto slope = [&](double step) { return (lagrangian(step) - lagrangian(-step)) / (2.0 * step); };
    const Vector f = system.force({t, q.data(), v.data()});
    for (const double e : {1e-5, 1e-6, 1e-7}) {  // short ones for stiff springs
      largest = 0.0;
      const double near = slope(e), far = slope(2.0 * e);
      const double noise = 1e-6 * f.norm() * v.norm() + 2e-14 * largest / e, curved = std::abs(near - far);
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

}  // namespace

bool conserves_energy(const System& system, const State& start, double length) {
  const std::vector<Set> sets = system.sets();
  if (std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; })) return false;
  if (!system.conservative() && forces_work_on_the_way(system, start, length)) return false;
  return !depends_on_time(system, start, length);
}

EnergyWatch::EnergyWatch(const System& system, const State& start, double length)
    : system_(system),
      conservative_(conserves_energy(system, start, length)),
      constant_mass_(system.constant_mass()),
      start_(measure(instant(start))),
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
  const double shifted = std::abs(system.potential_energy({start.t, q.data(), start.v.data()}) - start_.potential);
  floor_ = 1e-9 * terms + (std::isfinite(shifted) ? shifted : 0.0) + std::numeric_limits<double>::min();
}

bool EnergyWatch::finds_work(const Instant& at, double since) {
  const State here{
      at.t, Eigen::Map<const Vector>(at.q, system_.size()), Eigen::Map<const Vector>(at.v, system_.size()), {}, {}};
  const bool work = !system_.conservative() &&
                    (forces_work(system_, at.t, here, 0.01) || forces_work(system_, 0.5 * (at.t + since), here, 0.01));
  if (work || depends_on_time(system_, here, since - at.t)) conservative_ = false;
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
  return {conservative_ ? 1.0 : 0.0, start_.kinetic,  start_.potential, held_, floor_,
          first_invariant_,          double(beyond_), largest_};
}

void EnergyWatch::load(const double* saved) {
  conservative_ = saved[0] != 0.0;
  start_ = {saved[1], saved[2]};
  held_ = saved[3];
  floor_ = saved[4];
  first_invariant_ = saved[5];
  beyond_ = int(saved[6]);
  largest_ = saved[7];
}

void EnergyWatch::inherit(const EnergyWatch& before) {
  floor_ += 1e-9 * std::max(before.held_, before.largest_);
  largest_ = std::max(largest_, before.largest_);
}

void EnergyWatch::see(const Energy& now) { held_ = std::max(held_, start_.total() - now.potential); }

bool EnergyWatch::diverged(const State& state, const Energy& now, double invariant) {
  if (!std::isfinite(now.total())) return true;
  if (!conservative_) return false;
  see(now);
  const double held = held_ + floor_;
  // Springs that the step does not resolve may hold any energy while the motion is right; what moves may not have more than there is.
  double off = now.kinetic - held;
  if (!std::isnan(invariant)) {
    if (std::isnan(first_invariant_)) first_invariant_ = invariant;
    if (std::abs(invariant - first_invariant_) <= held) off = 0.0;
  }
  if (off > held && finds_work(instant(state), state.t)) return false;
  beyond_ = off > held ? beyond_ + 1 : 0;
  return off > 100.0 * held || beyond_ >= 16;
}

}  // namespace taut
