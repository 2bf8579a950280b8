#include <algorithm>
#include <cmath>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/diagnostics/certificate.hpp>
#include <taut/diagnostics/symmetry.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/energy.hpp>
#include <taut/simulate/tolerances.hpp>
#include <taut/system/flat_blocks.hpp>

namespace taut {
namespace {

/// The larger of two numbers; once one is not a number, so is the result: a certificate must not hide it.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// Follows one quantity over the states.
class Follower {
 public:
  explicit Follower(std::string name = {}) { result_.name = std::move(name); }

  void add(double value, double done) {
    if (seen_++ == 0) result_.start = value;
    if (!based_) base_ = value_ = value;
    based_ = true;
    change_ = std::abs(value - value_);
    leapt_ = change_ > std::max(2.0 * largest_change_, 1e-11 * result_.scale);
    largest_change_ = std::max(largest_change_, change_);
    value_ = value;
    result_.deviation = larger(result_.deviation, std::abs(value - base_));
    result_.rise = larger(result_.rise, value - base_);
    if (done <= 0.25) first_.add(value - base_);
    if (done >= 0.75) last_.add(value - base_);
  }
  void rebase() { based_ = false; }
  /// Whether the last state changed it by more than twice any change before: time to look whether something acts on it.
  bool leapt() const { return leapt_ && !gone_; }
  double change() const { return change_; }  ///< by the last state
  void drop() { gone_ = true; }
  bool gone() const { return gone_; }  ///< not constant after all
  void weigh(double scale) { result_.scale = std::max(result_.scale, scale); }
  const std::string& name() const { return result_.name; }
  Conserved result() const {
    Conserved out = result_;
    out.drift = last_.mean() - first_.mean();
    return out;
  }

  static constexpr std::size_t numbers = 14;
  void save(std::vector<double>& out) const {
    out.insert(out.end(), {result_.start, result_.deviation, result_.scale, base_, based_ ? 1.0 : 0.0, double(seen_),
                           first_.sum, double(first_.count), last_.sum, double(last_.count), value_, largest_change_,
                           gone_ ? 1.0 : 0.0, result_.rise});
  }
  const double* load(const double* from) {
    result_.start = from[0];
    result_.deviation = from[1];
    result_.scale = from[2];
    base_ = from[3];
    based_ = from[4] != 0.0;
    seen_ = long(from[5]);
    first_ = {from[6], long(from[7])};
    last_ = {from[8], long(from[9])};
    value_ = from[10];
    largest_change_ = from[11];
    gone_ = from[12] != 0.0;
    result_.rise = from[13];
    return from + numbers;
  }

 private:
  struct Mean {
    double sum = 0.0;
    long count = 0;
    void add(double value) {
      sum += value;
      ++count;
    }
    double mean() const { return count > 0 ? sum / double(count) : 0.0; }
  };
  Conserved result_;
  double base_ = 0.0, value_ = 0.0, change_ = 0.0, largest_change_ = 0.0;
  bool based_ = false, leapt_ = false, gone_ = false;
  long seen_ = 0;
  Mean first_, last_;
};

}  // namespace

struct Certifier::Followers {
  std::vector<Set> sets;
  std::optional<FlatBlocks> blocks;  // of the system that is judged
  std::vector<Symmetry> symmetries;
  std::optional<EnergyWatch> watch;
  Follower energy{"energy"}, balance{"energy less work"}, own;
  std::vector<Follower> momenta;
  Vector g, rate, norms, p, v_before, p_before;
  Vector q_before;
  Vector worst_rate;         // of each equality
  std::vector<int> kind;     // of each coordinate: lengths, directions, others
  std::vector<double> pace;  // of each kind, the largest velocity
  std::vector<double> slip;  // and how far a step led from where velocities at its ends do, over the step
  double moved = 0.0, spent = 0.0, kinetic = 0.0;  // ∫ T dt, the time it took, the last T
  long since_norms = 0;
  bool changed = true;  // what moves: another system, or from another state
  bool other = true;    // another system
  bool conservative = true;
  bool balances = true;  // or the work is known
};

Certifier::Certifier(const System& judged, const System& moving, double length)
    : system_(&judged), moving_(&moving), length_(length), followers_(std::make_unique<Followers>()) {}
Certifier::~Certifier() = default;

void Certifier::change(const System& judged, const System& moving) {
  system_ = &judged;
  moving_ = &moving;
  followers_->changed = followers_->other = true;
}

void Certifier::jump() { followers_->changed = true; }

void Certifier::forces_work() { followers_->conservative = false; }

/// Begins to follow the systems from this state on.
void Certifier::follow(const Instant& at, const Work* work) {
  Followers& f = *followers_;
  const Eigen::Map<const Vector> q(at.q, system_->size()), v(at.v, system_->size());
  const State here{at.t, q, v, {}, {}};
  const double held = f.watch ? f.watch->scale() : 0.0;
  f.watch.emplace(*moving_, here, length_);
  if (work != nullptr) f.watch->begin_with(*work);
  f.energy.weigh(std::max(held, f.watch->scale()));
  f.energy.rebase();
  f.balance.rebase();
  f.own.rebase();
  if (f.other) {
    f.sets = system_->sets();
    f.blocks.emplace(*system_);
    f.g = f.rate = Vector::Zero(system_->constraint_count());
    f.norms.resize(0);
    follow_velocities();
    f.symmetries = symmetries(*moving_, here);
    // A symmetry that one of the systems lacks is none of the run.
    const auto named = [&](const std::string& name) {
      return std::any_of(f.symmetries.begin(), f.symmetries.end(), [&](const Symmetry& one) { return one.name == name; });
    };
    if (found_.states == 0)
      for (const Symmetry& symmetry : f.symmetries) f.momenta.emplace_back(symmetry.name);
    std::erase_if(f.momenta, [&](const Follower& one) { return !named(one.name()); });
    std::erase_if(f.symmetries, [&](const Symmetry& one) {
      return std::none_of(f.momenta.begin(), f.momenta.end(), [&](const Follower& m) { return m.name() == one.name; });
    });
    f.conservative = f.conservative && f.watch->conservative();
  }
  f.balances = f.balances && f.watch->balances();
  for (Follower& one : f.momenta) one.rebase();
  f.q_before = q;
  f.v_before = v;
  f.p_before = moving_->momentum(at);
  f.changed = f.other = false;
}

/// Velocities of different kinds have different units, and are compared with their own.
void Certifier::follow_velocities() {
  Followers& f = *followers_;
  const std::vector<ToleranceGroup> kinds = natural_groups(*system_);
  f.kind.assign(std::size_t(system_->size()), 0);
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const int i : kinds[k].coordinates) f.kind[std::size_t(i)] = int(k);
  f.pace.resize(kinds.size(), 0.0);
  f.slip.resize(kinds.size(), 0.0);
  if (f.worst_rate.size() != system_->constraint_count()) f.worst_rate = Vector::Zero(system_->constraint_count());
}

double Certifier::velocity_share(const State& last) const {
  constexpr double unseen = 1e-8;  // of the size, in a unit of time: round-off of what rests
  const Followers& f = *followers_;
  if (f.norms.size() == 0 || last.q.size() != system_->size()) return 0.0;
  Vector pace(system_->size());
  for (Eigen::Index i = 0; i < pace.size(); ++i) pace[i] = f.pace[std::size_t(f.kind[std::size_t(i)])];
  const Vector most = system_->constraint_gradient_norms(instant(last), &pace);
  double share = 0.0;
  for (Eigen::Index row = 0; row < most.size(); ++row)
    if (f.worst_rate[row] > unseen * found_.size * f.norms[row] && most[row] > 0.0)
      share = larger(share, f.worst_rate[row] / most[row]);
  return share;
}

/// What moves, on the mean over the run; and whether places go on as velocities say.
void Certifier::follow_places(const Instant& at, double kinetic, double before) {
  constexpr double seen = 1e-8;     // of the configuration
  constexpr double resting = 1e-9;  // of the largest kinetic energy: time in which nothing moves counts for no mean
  Followers& f = *followers_;
  const Eigen::Map<const Vector> q(at.q, system_->size()), v(at.v, system_->size());
  const double h = std::abs(at.t - before), least = seen * std::max(q.lpNorm<Eigen::Infinity>(), found_.size);
  if (h > 0.0) {
    if (const double mean = 0.5 * (kinetic + f.kinetic); mean > resting * found_.motion) {
      f.moved += h * mean;
      f.spent += h;
    }
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const double off = std::abs(q[i] - f.q_before[i] - 0.5 * (at.t - before) * (v[i] + f.v_before[i]));
      double& slip = f.slip[std::size_t(f.kind[std::size_t(i)])];
      if (off > least) slip = larger(slip, off / h);
    }
  }
  f.kinetic = kinetic;
  f.q_before = q;
}

double Certifier::slip() const {
  const Followers& f = *followers_;
  double most = 0.0;
  for (std::size_t k = 0; k < f.slip.size(); ++k)
    if (f.slip[k] > 0.0) most = larger(most, f.slip[k] / f.pace[k]);
  return most;
}

/// An error is compared with what moves, but a moment's peak, as that of a comet near its sun, tells little of the motion.
Conserved Certifier::beside_motion(Conserved of) const {
  constexpr double peak = 5.0;  // of the mean: what moves evenly, falls or swings has less
  const Followers& f = *followers_;
  if (f.spent > 0.0 && f.moved > 0.0)
    of.scale = std::min(of.scale, std::max(peak * f.moved / f.spent, f.watch->smallest_scale()));
  return of;
}

Measured Certifier::add(const Instant& at, double done, double invariant, const Work* work) {
  Followers& f = *followers_;
  if (f.changed) follow(at, work);
  const double before = found_.states > 0 ? found_.t_end : at.t;
  const Energy energy = f.watch->measure(at);
  Measured now{.kinetic = energy.kinetic, .potential = energy.potential};
  f.watch->see(at, energy, work);
  f.energy.weigh(f.watch->scale());
  f.energy.add(energy.total(), done);
  f.balance.weigh(f.watch->scale());
  f.balance.add(f.watch->balance(energy), done);
  found_.unbalanced = larger(found_.unbalanced, f.watch->unbalanced(energy));
  follow_places(at, energy.kinetic, before);
  const Follower& constant = f.conservative ? f.energy : f.balance;
  if (f.balances && constant.leapt() && f.watch->finds_work(at, before)) f.conservative = false;
  f.balances = f.balances && f.watch->balances();
  if (!std::isnan(invariant)) {
    f.own.weigh(f.watch->scale());
    f.own.add(invariant, done);
  }
  if (found_.states++ == 0) found_.t_start = at.t;
  found_.t_end = at.t;
  const Eigen::Map<const Vector> v(at.v, moving_->size());
  for (std::size_t i = 0; i < f.kind.size(); ++i)
    f.pace[std::size_t(f.kind[i])] = larger(f.pace[std::size_t(f.kind[i])], std::abs(at.v[i]));
  f.p.setZero(moving_->size());
  moving_->add_dynamics(at, 1.0, 0.0, f.p.data());
  found_.motion = larger(found_.motion, v.dot(f.p));
  found_.turn = larger(found_.turn, (v - f.v_before).dot(f.p - f.p_before));
  for (std::size_t k = 0; k < f.symmetries.size(); ++k) {
    const Symmetry::Pairing paired = f.symmetries[k].pairing(f.p.data(), at.q);
    Follower& momentum = f.momenta[k];
    momentum.weigh(paired.size);
    momentum.add(paired.sum, done);
    if (momentum.leapt() && changed_by_forces(*moving_, f.symmetries[k], at, before, momentum.change())) momentum.drop();
  }
  f.v_before = v;
  std::swap(f.p, f.p_before);
  measure_constraints(at, now, &found_);
  return now;
}

Measured Certifier::measure(const Instant& at) {
  if (!followers_->watch) follow(at);
  const Energy energy = followers_->watch->measure(at);
  Measured now{.kinetic = energy.kinetic, .potential = energy.potential};
  measure_constraints(at, now, nullptr);
  return now;
}

/// Into the figures of this state and, for a state of the run, into those of the run. |G| is looked at now and then: it tells units, not errors.
void Certifier::measure_constraints(const Instant& at, Measured& now, Certificate* found) {
  Followers& f = *followers_;
  if (system_->constraint_count() == 0) return;
  constexpr long often = 64;
  if (f.norms.size() != f.g.size() || ++f.since_norms >= often) {
    const Eigen::Map<const Vector> q(at.q, system_->size());
    f.norms = system_->constraint_gradient_norms(at);
    f.since_norms = 0;
    const State here{at.t, q, {}, {}, {}};
    found_.size = std::max(found_.size, ConfigurationSize{}.of(*system_, here));
  }
  f.blocks->values_and_rates(at, f.g.data(), f.rate.data());
  for (int row = 0; row < system_->constraint_count(); ++row) {
    const double off = std::abs(excess(f.sets[row], f.g[row])), unit = f.norms[row] > 0.0 ? f.norms[row] : 1.0;
    const bool equality = f.sets[row] == Set::zero;
    double& residual = equality ? now.position_residual : now.penetration;
    residual = larger(residual, off);
    if (equality) now.velocity_residual = larger(now.velocity_residual, std::abs(f.rate[row]));
    if (found == nullptr) continue;
    if (!(off / unit <= found->gap)) {
      found->gap = off / unit;
      found->worst = system_->constraint_name(row);
    }
    if (!equality) continue;
    found->velocity_gap = larger(found->velocity_gap, std::abs(f.rate[row]) / unit);
    f.worst_rate[row] = larger(f.worst_rate[row], std::abs(f.rate[row]));
  }
  if (found == nullptr) return;
  found->position_residual = larger(found->position_residual, now.position_residual);
  found->velocity_residual = larger(found->velocity_residual, now.velocity_residual);
  found->penetration = larger(found->penetration, now.penetration);
}

std::vector<double> Certifier::save() const {
  const Followers& f = *followers_;
  std::vector<double> out{double(found_.states),
                          found_.t_start,
                          found_.t_end,
                          found_.position_residual,
                          found_.velocity_residual,
                          found_.penetration,
                          found_.gap,
                          found_.velocity_gap,
                          found_.size,
                          double(f.since_norms),
                          f.conservative ? 1.0 : 0.0,
                          double(f.momenta.size()),
                          found_.motion,
                          found_.turn,
                          found_.unbalanced,
                          f.balances ? 1.0 : 0.0,
                          f.moved,
                          f.spent,
                          f.kinetic};
  const std::vector<double> watch = f.watch ? f.watch->save() : std::vector<double>(EnergyWatch::numbers, 0.0);
  out.insert(out.end(), watch.begin(), watch.end());
  out.insert(out.end(), f.norms.begin(), f.norms.end());
  out.insert(out.end(), f.worst_rate.begin(), f.worst_rate.end());
  out.insert(out.end(), f.pace.begin(), f.pace.end());
  out.insert(out.end(), f.slip.begin(), f.slip.end());
  f.energy.save(out);
  f.balance.save(out);
  f.own.save(out);
  for (const Follower& one : f.momenta) one.save(out);
  return out;
}

void Certifier::load(const std::vector<double>& saved, const Instant& at) {
  constexpr std::size_t figures = 19;  // of the run, before those of what it follows
  Followers& f = *followers_;
  follow(at);
  const std::size_t norms = std::size_t(system_->constraint_count());
  const auto size = [&](std::size_t momenta) {
    return figures + EnergyWatch::numbers + 2 * norms + 2 * f.pace.size() + Follower::numbers * (3 + momenta);
  };
  if (saved.size() < figures || saved.size() != size(std::size_t(saved[11])))
    return;  // another layout: what follows is certified
  // Symmetries that are gone by then are gone at the start as well.
  while (double(f.momenta.size()) > saved[11]) f.momenta.pop_back(), f.symmetries.pop_back();
  if (double(f.momenta.size()) < saved[11]) return;
  found_.states = int(saved[0]);
  found_.t_start = saved[1];
  found_.t_end = saved[2];
  found_.position_residual = saved[3];
  found_.velocity_residual = saved[4];
  found_.penetration = saved[5];
  found_.gap = saved[6];
  found_.velocity_gap = saved[7];
  found_.size = saved[8];
  found_.motion = saved[12];
  found_.turn = saved[13];
  found_.unbalanced = saved[14];
  f.balances = saved[15] != 0.0;
  f.moved = saved[16];
  f.spent = saved[17];
  f.kinetic = saved[18];
  f.since_norms = long(saved[9]);
  f.conservative = saved[10] != 0.0;
  const double* from = saved.data() + figures;
  f.watch->load(from);
  from += EnergyWatch::numbers;
  f.norms = Eigen::Map<const Vector>(from, Eigen::Index(norms));
  from += norms;
  f.worst_rate = Eigen::Map<const Vector>(from, Eigen::Index(norms));
  from += norms;
  for (std::vector<double>* one : {&f.pace, &f.slip}) {
    one->assign(from, from + one->size());
    from += one->size();
  }
  from = f.energy.load(from);
  from = f.balance.load(from);
  from = f.own.load(from);
  for (Follower& one : f.momenta) from = one.load(from);
}

Certificate Certifier::certificate(const Trajectory& path) const {
  Certificate out = found_;
  out.verdict = path.verdict;
  out.message = path.message;
  out.integrator = path.integrator;
  out.solver = path.solver;
  out.counts = path.counts;
  out.dependent = path.dependent;
  out.singular = path.singular;
  out.units = moving_->points().has_value();
  out.conservative = followers_->conservative && followers_->watch.has_value();
  out.velocity_share = velocity_share(path.last);
  out.slip = slip();
  out.only_loses = followers_->watch.has_value() && followers_->watch->only_loses();
  out.energy = beside_motion(followers_->energy.result());
  out.balance = beside_motion(followers_->balance.result());
  if (out.conservative || !followers_->balances || out.states < 2) out.balance.name.clear();
  out.own_energy = beside_motion(followers_->own.result());
  out.own_energy.name = out.own_energy.scale > 0.0 || out.own_energy.start != 0.0 ? path.promise.invariant : "";
  for (const Follower& momentum : followers_->momenta)
    if (!momentum.gone()) out.momenta.push_back(momentum.result());
  judge(out, path.promise, moving_->constraint_count() < system_->constraint_count());
  return out;
}

Certificate certificate(const System& system, const Trajectory& path) {
  const int last = path.size() - 1;
  Certifier certifier(system, last > 0 ? path.t(last) - path.t(0) : 1.0);
  for (int k = 0; k <= last; ++k)
    certifier.add({path.t(k), path.q(k).data(), path.v(k).data()}, last > 0 ? double(k) / last : 1.0);
  return certifier.certificate(path);
}

}  // namespace taut
