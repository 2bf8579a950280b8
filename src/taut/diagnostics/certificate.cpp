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
  Follower(std::string name, int states) : states_(states) { result_.name = std::move(name); }

  void add(double value) {
    if (seen_ == 0) result_.start = value;
    result_.deviation = larger(result_.deviation, std::abs(value - result_.start));
    const int quarter = std::max(1, states_ / 4);
    if (seen_ < quarter) first_ += value / quarter;
    if (seen_ >= states_ - quarter) last_ += value / quarter;
    ++seen_;
  }
  Conserved result() const {
    Conserved out = result_;
    out.drift = last_ - first_;
    return out;
  }

 private:
  Conserved result_;
  int states_, seen_ = 0;
  double first_ = 0.0, last_ = 0.0;
};

}  // namespace

Certificate certificate(const System& system, const Trajectory& path) {
  Certificate out;
  out.finished = path.finished;
  out.message = path.message;
  out.integrator = path.integrator;
  out.solver = path.solver;
  out.states = path.size();
  out.counts = path.counts;
  out.dependent = path.dependent;
  out.conservative = system.conservative();
  if (path.size() == 0) return out;
  for (int k : {0, path.size() / 3, path.size() - 1})
    out.conservative = out.conservative && !driven(system, path.t(k), path.q(k));
  out.t_start = path.t(0);
  out.t_end = path.t(path.size() - 1);

  const std::vector<Symmetry> known = symmetries(system, State{path.t(0), path.q(0), path.v(0), {}, {}});
  Follower energy("energy", path.size());
  std::vector<Follower> momenta;
  for (const Symmetry& symmetry : known) momenta.emplace_back(symmetry.name, path.size());
  const std::vector<Set> sets = system.sets();
  Vector g(system.constraint_count()), rate(system.constraint_count());
  for (int k = 0; k < path.size(); ++k) {
    const Instant at{path.t(k), path.q(k).data(), path.v(k).data()};
    energy.add(system.energy(at));
    for (std::size_t s = 0; s < known.size(); ++s) momenta[s].add(known[s].momentum(system, at));
    system.constraint_values(at.t, at.q, g.data());
    system.constraint_rates(at, rate.data());
    for (int row = 0; row < system.constraint_count(); ++row) {
      const double off = std::abs(excess(sets[row], g[row]));
      double& residual = sets[row] == Set::zero ? out.position_residual : out.penetration;
      residual = larger(residual, off);
      if (sets[row] == Set::zero) out.velocity_residual = larger(out.velocity_residual, std::abs(rate[row]));
    }
  }
  out.energy = energy.result();
  for (const Follower& momentum : momenta) out.momenta.push_back(momentum.result());
  return out;
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
  line("run") << (c.finished ? "finished" : c.message) << "\n";
  conserved(c.energy);
  if (!c.conservative) line("") << "(forces or driven constraints do work: energy need not be constant)\n";
  for (const Conserved& momentum : c.momenta) conserved(momentum);
  text << std::setprecision(3);
  line("constraints, position") << c.position_residual << "\n";
  line("constraints, velocity") << c.velocity_residual << "\n";
  if (c.penetration > 0.0) line("penetration") << c.penetration << "\n";
  const double steps = double(std::max(1L, c.counts.steps));
  line("steps") << c.counts.steps << ", " << c.counts.retried << " retried\n";
  line("Newton per step") << double(c.counts.newton_iterations) / steps << ", at most " << c.counts.newton_most
                          << "; matrices per step " << double(c.counts.factorizations) / steps << "\n";
  if (c.counts.multiplier_updates > 0)
    line("updates per step") << double(c.counts.multiplier_updates) / steps << ", at most " << c.counts.updates_most << "\n";
  for (const std::string& name : c.dependent) line("depends on others") << name << "\n";
  return out << text.str();
}

}  // namespace taut
