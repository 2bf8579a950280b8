#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/step/affine_problem.hpp>
#include <taut/system/contact.hpp>

namespace taut {
namespace {

constexpr int most_dense = 800;

/// A length for configurations at the origin, which have none of their own: how far the forces there would move them.
double reach(const System& system, const State& at) {
  const double force = system.force(instant(at)).lpNorm<Eigen::Infinity>();
  if (force == 0.0 || system.size() > most_dense) return 1.0;
  const double stiffness = system.stiffness(instant(at)).cwiseAbs().rowwise().sum().maxCoeff();
  return stiffness > 0.0 && std::isfinite(stiffness) ? force / stiffness : 1.0;
}

double lowest_eigenvalue(const System& system, const State& at) {
  const int n = system.size();
  if (n > most_dense) return std::numeric_limits<double>::quiet_NaN();
  const SmallMotions small = small_motions(system, at);
  if (small.size() == 0) return std::numeric_limits<double>::infinity();
  return symmetric_eigenvalues(0.5 * (small.K + small.K.transpose()), small.M)[0];
}

/// The way to one equilibrium.
class Settling {
 public:
  Settling(const System& system, const State& start, const EquilibriumOptions& options)
      : system_(system),
        options_(options),
        t_(start.t),
        problem_(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true})),
        solver_{options.method},
        zero_(Vector::Zero(system.size())),
        lambda_(Vector::Zero(system.constraint_count())),
        out_{.state = state_at(system, start.t, start.q, zero_)} {
    if (start.lambda.size() == lambda_.size()) lambda_ = start.lambda;
    size_ = ConfigurationSize().of(system, out_.state);
    if (size_ == 0.0) size_ = reach(system, out_.state);
    problem_.inertias[1] = {.t = t_, .q = &zero_, .v = &zero_, .q_slope = 1.0, .force = -1.0};
    problem_.reactions[0] = {.t = t_, .q = &zero_, .q_slope = 1.0, .weight = 1.0};
    problem_.condition = {.t = t_, .q_slope = 1.0};
    problem_.size = size_;
  }

  Equilibrium at_once() {
    out_.steps = 1;
    x_ = out_.state.q;
    if (!solve(lambda_)) return out_;
    out_.state.q = x_;
    settle();
    return out_;
  }

  /// Steps of time τ in which what moves loses its velocity, ever longer ones.
  Equilibrium downhill() {
    // A time in which the forces move the configuration by a tenth of itself, to begin with.
    const double force = system_.force(instant(out_.state)).lpNorm<Eigen::Infinity>();
    const Vector ones = Vector::Ones(system_.size());
    const double mass = system_.momentum({t_, out_.state.q.data(), ones.data()}).lpNorm<Eigen::Infinity>();
    double tau = force > 0.0 ? 0.1 * size_ * mass / force : 1.0;
    const double longest = 1e12 * tau, shortest = 1e-12 * tau;
    Vector from, minus;
    for (out_.steps = 1; out_.steps <= options_.max_steps; ++out_.steps) {
      from = out_.state.q;
      minus = -from / tau;
      const bool last = tau >= longest;
      problem_.inertias[0] = {
          .t = t_, .q = &from, .v = &minus, .v_slope = 1.0 / tau, .momentum = last ? 0.0 : 1.0, .rate = true};
      x_ = from;
      Vector trial = lambda_;
      if (!solve(trial)) {
        if (out_.status == Status::contradictory || tau < shortest) return out_;
        tau *= 0.1;
        continue;
      }
      out_.trouble.clear();
      const double change = (x_ - from).lpNorm<Eigen::Infinity>();
      out_.state.q = x_;
      lambda_ = trial;
      if (change <= options_.tolerance * size_ && tau > 1e-6 * longest) {
        settle();
        return out_;
      }
      tau = std::min(tau * (change < 0.05 * size_ ? 10.0 : 2.0), longest);
    }
    out_.status = Status::slow;
    out_.trouble = message("no equilibrium after {} steps; the configuration still moves", options_.max_steps);
    return out_;
  }

 private:
  /// One solution of the equations in x, from where we are.
  bool solve(Vector& trial) {
    const SolveReport report = solver_.solve(problem_, x_, trial);
    out_.newton_iterations += report.newton_iterations;
    out_.multiplier_updates += report.multiplier_updates;
    out_.status = report.status == Status::ok && !x_.allFinite() ? Status::not_finite : report.status;
    if (out_.status != Status::ok) out_.trouble = explain(report, system_, instant(out_.state), 0.0);
    return out_.status == Status::ok;
  }

  void settle() {
    out_.state.lambda = lambda_;
    out_.state.p = system_.momentum(instant(out_.state));
    Vector balance = system_.force(instant(out_.state));
    system_.add_constraint_forces(t_, out_.state.q.data(), lambda_.data(), -1.0, balance.data());
    out_.residual = balance.size() > 0 ? balance.lpNorm<Eigen::Infinity>() : 0.0;
    out_.lowest_eigenvalue = lowest_eigenvalue(system_, out_.state);
    for (const ContactBlock* contact : contacts_of(system_)) {
      const double gap = contact->least_gap(out_.state.q.data());
      if (gap >= -1e-9 * size_) continue;
      out_.status = Status::refused;
      out_.trouble = message(
          "'{}': where the forces balance parts are {} in each other, and statics does not hold contact of beams. Let a run "
          "with damping come to rest; a wall may also be a penalty, formulation: {\"{}\": epsilon}",
          contact->name(0), -gap, contact->name(0));
    }
  }

  const System& system_;
  const EquilibriumOptions& options_;
  double t_, size_ = 0.0;
  AffineProblem problem_;
  StepSolver solver_;
  Vector zero_, x_, lambda_;
  Equilibrium out_;
};

}  // namespace

Equilibrium equilibrium(const System& system, const State& start, const EquilibriumOptions& options) {
  require(system.holonomic(),
          "equilibrium: constraints on velocities say nothing about rest: where they hold, a whole family of places is at "
          "rest. Take the model without them, or let it run with damping.");
  const auto* splitting = std::get_if<Splitting>(&options.method);
  require(splitting == nullptr || splitting->power == 0.0,
          "equilibrium: has no step h that the tolerance of Splitting could follow; give a number.");
  // Sweeps of Splitting go downhill by themselves, and with one matrix.
  const bool direct =
      options.approach == EquilibriumOptions::Approach::direct || (splitting != nullptr && system.constraint_count() > 0);
  Settling settling(system, start, options);
  return direct ? settling.at_once() : settling.downhill();
}

EquilibriumPath follow(const std::function<System(double)>& system, const State& start, double from, double to,
                       int increments, const EquilibriumOptions& options) {
  require(increments > 0, "follow: needs at least one increment, got {}.", increments);
  constexpr double smallest = 1e-4;  // of the way: finer does not tell a limit point from a hard problem
  EquilibriumPath path;
  EquilibriumOptions direct = options, flow = options;
  direct.approach = EquilibriumOptions::Approach::direct;
  flow.approach = EquilibriumOptions::Approach::flow;
  const auto take = [&](double parameter, Equilibrium found) {
    path.parameter.push_back(parameter);
    path.points.push_back(std::move(found));
  };
  take(from, equilibrium(system(from), start, flow));
  if (path.points.back().status != Status::ok) {
    path.trouble = message("at the first parameter, {}: {}", from, path.points.back().trouble);
    return path;
  }
  double done = 0.0, share = 1.0 / increments;
  while (done < 1.0) {
    const State& last = path.points.back().state;
    const double ahead = std::min(1.0, done + share), parameter = from + ahead * (to - from);
    const System next = system(parameter);
    Equilibrium found = equilibrium(next, last, direct);
    // A configuration that moved by a tenth of itself is on another branch, or Newton went astray.
    const double size = std::max(last.q.lpNorm<Eigen::Infinity>(), 1e-300);
    const bool near = (found.state.q - last.q).lpNorm<Eigen::Infinity>() < 0.1 * size;
    const bool kept =
        found.lowest_eigenvalue >= 0.0 || path.points.back().lowest_eigenvalue < 0.0 || std::isnan(found.lowest_eigenvalue);
    if (found.status == Status::ok && near && kept) {
      take(parameter, std::move(found));
      done = ahead;
      share = std::min(1.5 * share, 1.0 / increments);
    } else if (share > smallest) {
      share *= 0.5;
    } else {
      path.jumps.push_back(parameter);
      // Off the branch, in no direction in particular, and farther while that leads back to an unstable equilibrium.
      Equilibrium landed;
      for (const double nudge : {1e-5, 1e-3, 3e-2}) {
        State off = last;
        for (Eigen::Index i = 0; i < off.q.size(); ++i) off.q[i] += nudge * size * std::sin(1.0 + 2.3 * double(i));
        landed = equilibrium(next, off, flow);
        if (landed.status == Status::ok && !(landed.lowest_eigenvalue < 0.0)) break;
      }
      take(parameter, std::move(landed));
      if (path.points.back().status != Status::ok) {
        path.trouble = message("at {}: {}", parameter, path.points.back().trouble);
        return path;
      }
      done = ahead;
      share = 1.0 / increments;
    }
  }
  path.finished = true;
  return path;
}

}  // namespace taut
