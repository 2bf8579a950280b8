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

}  // namespace

Equilibrium equilibrium(const System& system, const State& start, const EquilibriumOptions& options) {
  require(system.holonomic(),
          "equilibrium: constraints on velocities say nothing about rest: where they hold, a whole family of places is at "
          "rest. Take "
          "the model without them, or let it run with damping.");
  const auto* splitting = std::get_if<Splitting>(&options.method);
  require(splitting == nullptr || splitting->power == 0.0,
          "equilibrium: has no step h that the tolerance of Splitting could follow; give a number.");
  const int n = system.size();
  // Sweeps of Splitting go downhill by themselves, and with one matrix.
  const bool direct =
      options.approach == EquilibriumOptions::Approach::direct || (splitting != nullptr && system.constraint_count() > 0);
  Equilibrium out{.state = state_at(system, start.t, start.q, Vector::Zero(n))};
  AffineProblem problem(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true}));
  StepSolver solver{options.method};
  const Vector zero = Vector::Zero(n);
  Vector from, minus, x, lambda = Vector::Zero(system.constraint_count());
  if (start.lambda.size() == lambda.size()) lambda = start.lambda;
  double size = ConfigurationSize().of(system, out.state);
  if (size == 0.0) size = reach(system, out.state);
  problem.inertias[1] = {.t = start.t, .q = &zero, .v = &zero, .q_slope = 1.0, .force = -1.0};
  problem.reactions[0] = {.t = start.t, .q = &zero, .q_slope = 1.0, .weight = 1.0};
  problem.condition = {.t = start.t, .q_slope = 1.0};
  problem.size = size;
  const auto settle = [&] {
    out.state.lambda = lambda;
    out.state.p = system.momentum(instant(out.state));
    Vector balance = system.force(instant(out.state));
    system.add_constraint_forces(start.t, out.state.q.data(), lambda.data(), -1.0, balance.data());
    out.residual = n > 0 ? balance.lpNorm<Eigen::Infinity>() : 0.0;
    out.lowest_eigenvalue = lowest_eigenvalue(system, out.state);
    for (const ContactBlock* contact : contacts_of(system)) {
      const double gap = contact->least_gap(out.state.q.data());
      if (gap >= -1e-9 * size) continue;
      out.status = Status::refused;
      out.trouble = message(
          "'{}': where the forces balance parts are {} in each other, and statics does not hold contact of beams. Let a run "
          "with "
          "damping come to rest; a wall may also be a penalty, formulation: {\"{}\": epsilon}",
          contact->name(0), -gap, contact->name(0));
    }
  };
  // One solution of the equations in x, from where we are.
  const auto solve = [&](Vector& trial) {
    const SolveReport report = solver.solve(problem, x, trial);
    out.newton_iterations += report.newton_iterations;
    out.multiplier_updates += report.multiplier_updates;
    out.status = report.status == Status::ok && !x.allFinite() ? Status::not_finite : report.status;
    if (out.status != Status::ok) out.trouble = explain(report, system, instant(out.state), 0.0);
    return out.status == Status::ok;
  };
  if (direct) {
    out.steps = 1;
    x = out.state.q;
    if (!solve(lambda)) return out;
    out.state.q = x;
    settle();
    return out;
  }

  // A time in which the forces move the configuration by a tenth of itself, to begin with.
  const double force = system.force(instant(out.state)).lpNorm<Eigen::Infinity>();
  const Vector ones = Vector::Ones(n);
  const double mass = system.momentum({start.t, start.q.data(), ones.data()}).lpNorm<Eigen::Infinity>();
  double tau = force > 0.0 ? 0.1 * size * mass / force : 1.0;
  const double longest = 1e12 * tau, shortest = 1e-12 * tau;
  for (out.steps = 1; out.steps <= options.max_steps; ++out.steps) {
    from = out.state.q;
    minus = -from / tau;
    const bool last = tau >= longest;
    problem.inertias[0] = {
        .t = start.t, .q = &from, .v = &minus, .v_slope = 1.0 / tau, .momentum = last ? 0.0 : 1.0, .rate = true};
    x = from;
    Vector trial = lambda;
    if (!solve(trial)) {
      if (out.status == Status::contradictory || tau < shortest) return out;
      tau *= 0.1;
      continue;
    }
    out.trouble.clear();
    const double change = (x - from).lpNorm<Eigen::Infinity>();
    out.state.q = x;
    lambda = trial;
    if (change <= options.tolerance * size && tau > 1e-6 * longest) {
      settle();
      return out;
    }
    tau = std::min(tau * (change < 0.05 * size ? 10.0 : 2.0), longest);
  }
  out.status = Status::slow;
  out.trouble = message("no equilibrium after {} steps; the configuration still moves", options.max_steps);
  return out;
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
