#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <taut/diagnostics/certificate.hpp>
#include <taut/diagnostics/symmetry.hpp>

namespace taut {
namespace {

/// The larger of two numbers; once one is not a number, so is the result: a certificate must not hide it.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// Whether a constraint moves by itself at this state, and so may do work.
bool driven(const System& system, double t, const Vector& q) {
  if (system.constraint_count() == 0) return false;
  const Vector rest = Vector::Zero(system.size());
  return !system.constraint_rates({t, q.data(), rest.data()}).isZero(0.0);
}

/// Follows one quantity over the states.
class Follower {
 public:
  explicit Follower(std::string name) { result_.name = std::move(name); }

  void add(double value, double done) {
    if (seen_++ == 0) result_.start = value;
    result_.deviation = larger(result_.deviation, std::abs(value - result_.start));
    if (done <= 0.25) first_.add(value - result_.start);
    if (done >= 0.75) last_.add(value - result_.start);
  }
  Conserved result() const {
    Conserved out = result_;
    out.drift = last_.mean() - first_.mean();
    return out;
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
  long seen_ = 0;
  Mean first_, last_;
};

}  // namespace

struct Certifier::Followers {
  std::vector<Set> sets;
  std::vector<Symmetry> symmetries;
  Follower energy{"energy"};
  std::vector<Follower> momenta;
  Vector g, rate;
};

Certifier::Certifier(const System& judged, const System& moving)
    : system_(judged), moving_(moving), followers_(std::make_unique<Followers>()) {
  followers_->sets = judged.sets();
  followers_->g = followers_->rate = Vector::Zero(judged.constraint_count());
  const std::vector<Set> held = moving.sets();
  const bool impacts = std::any_of(held.begin(), held.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
  found_.conservative = moving.conservative() && !impacts;
}
Certifier::~Certifier() = default;

Measured Certifier::add(const Instant& at, double done) {
  Followers& f = *followers_;
  Measured now{.kinetic = moving_.kinetic_energy(at), .potential = moving_.potential_energy(at)};
  if (found_.states++ == 0) {
    const Eigen::Map<const Vector> q(at.q, system_.size()), v(at.v, system_.size());
    f.symmetries = symmetries(moving_, State{at.t, q, v, {}, {}});
    for (const Symmetry& symmetry : f.symmetries) f.momenta.emplace_back(symmetry.name);
    found_.t_start = at.t;
  }
  found_.t_end = at.t;
  // Whether constraints move by themselves is looked at now and then: at the first, second, fourth, … state.
  if (found_.conservative && (found_.states & (found_.states - 1)) == 0)
    found_.conservative = !driven(moving_, at.t, Eigen::Map<const Vector>(at.q, system_.size()));
  f.energy.add(now.kinetic + now.potential, done);
  for (std::size_t k = 0; k < f.symmetries.size(); ++k) f.momenta[k].add(f.symmetries[k].momentum(moving_, at), done);
  if (system_.constraint_count() == 0) return now;
  system_.constraint_values(at.t, at.q, f.g.data());
  system_.constraint_rates(at, f.rate.data());
  for (int row = 0; row < system_.constraint_count(); ++row) {
    const double off = std::abs(excess(f.sets[row], f.g[row]));
    double& residual = f.sets[row] == Set::zero ? now.position_residual : now.penetration;
    residual = larger(residual, off);
    if (f.sets[row] == Set::zero) now.velocity_residual = larger(now.velocity_residual, std::abs(f.rate[row]));
  }
  found_.position_residual = larger(found_.position_residual, now.position_residual);
  found_.velocity_residual = larger(found_.velocity_residual, now.velocity_residual);
  found_.penetration = larger(found_.penetration, now.penetration);
  return now;
}

Certificate Certifier::certificate(const Trajectory& path) const {
  Certificate out = found_;
  out.verdict = path.verdict;
  out.message = path.message;
  out.integrator = path.integrator;
  out.solver = path.solver;
  out.counts = path.counts;
  out.dependent = path.dependent;
  out.energy = followers_->energy.result();
  for (const Follower& momentum : followers_->momenta) out.momenta.push_back(momentum.result());
  return out;
}

Certificate certificate(const System& system, const Trajectory& path) {
  Certifier certifier(system);
  const int last = path.size() - 1;
  for (int k = 0; k <= last; ++k)
    certifier.add({path.t(k), path.q(k).data(), path.v(k).data()}, last > 0 ? double(k) / last : 1.0);
  return certifier.certificate(path);
}

std::ostream& operator<<(std::ostream& out, const Certificate& c) {
  std::ostringstream text;
  const auto line = [&](const std::string& name) -> std::ostream& {
    return text << "  " << std::left << std::setw(28) << name << std::right;
  };
  const auto conserved = [&](const Conserved& quantity) {
    line(quantity.name) << std::setprecision(10) << quantity.start << std::setprecision(3) << ", off by at most "
                        << quantity.deviation << ", drift " << quantity.drift << "\n";
  };
  text << "certificate: " << c.integrator << ", " << c.solver << ", t = " << c.t_start << " to " << c.t_end << ", "
       << c.states << " states\n";
  line("run") << (c.message.empty() ? "finished" : c.message) << "\n";
  conserved(c.energy);
  if (!c.conservative) line("") << "(forces, driven constraints or impacts do work: energy need not be constant)\n";
  for (const Conserved& momentum : c.momenta) conserved(momentum);
  text << std::setprecision(3);
  line("constraints, position") << c.position_residual << "\n";
  line("constraints, velocity") << c.velocity_residual << "\n";
  if (c.penetration > 0.0) line("penetration") << c.penetration << "\n";
  const double steps = double(std::max(1L, c.counts.steps));
  line("steps") << c.counts.steps << ", " << c.counts.retried << " retried";
  if (c.counts.rejected > 0) text << ", " << c.counts.rejected << " of them for the tolerance";
  if (c.counts.largest_step > c.counts.smallest_step * (1.0 + 1e-9))
    text << "; from " << c.counts.smallest_step << " to " << c.counts.largest_step;
  text << "\n";
  if (c.counts.projection_energy != 0.0) line("energy by projections") << c.counts.projection_energy << "\n";
  line("Newton per step") << double(c.counts.newton_iterations) / steps << ", at most " << c.counts.newton_most
                          << "; matrices per step " << double(c.counts.factorizations) / steps << "\n";
  line("force evaluations") << c.counts.evaluations << "\n";
  if (c.counts.multiplier_updates > 0)
    line("updates per step") << double(c.counts.multiplier_updates) / steps << ", at most " << c.counts.updates_most << "\n";
  for (const std::string& name : c.dependent) line("depends on others") << name << "\n";
  return out << text.str();
}

}  // namespace taut
