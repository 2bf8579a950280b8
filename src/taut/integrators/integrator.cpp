#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>

namespace taut {
namespace {

/// Names the coordinate without inertia if the mass matrix is singular.
std::string massless(const System& system, const Instant& at) {
  constexpr int largest_dense = 500;  // a dense rank beyond this takes longer than the run that failed
  if (system.size() > largest_dense) return {};
  // Scaled to a unit diagonal, so that light beside heavy does not look like nothing.
  Eigen::MatrixXd M = system.mass(at);
  const Vector scale = M.diagonal().cwiseAbs().cwiseSqrt().unaryExpr([](double d) { return d > 0.0 ? 1.0 / d : 1.0; });
  M = scale.asDiagonal() * M * scale.asDiagonal();
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(M);
  if (lu.rank() == system.size()) return {};
  Eigen::Index worst = 0;
  lu.kernel().col(0).cwiseAbs().maxCoeff(&worst);
  return message("the mass matrix is singular: {} has no inertia", system.coordinate_name(int(worst)));
}

}  // namespace

/// The gradient of a condition on a length is as large as the length, if it is written as |x|² = l². In other units it is not: then the length is where the curvature
/// says that it turns, and straight ones tell none.
static double lengths_by_curvature(const System& system, const State& state, const Vector& norms) {
  constexpr double known = 4.0;  // one direction of many
  const double reach = std::max(state.q.lpNorm<Eigen::Infinity>(), std::numeric_limits<double>::min());
  Vector there(state.q.size());
  for (Eigen::Index i = 0; i < there.size(); ++i) there[i] = std::cos(1.0 + 2.3 * double(i));
  const Vector q = state.q + reach * there;
  const Instant here{state.t, state.q.data(), nullptr};
  const Vector turns = system.constraint_gradient_norms({state.t, q.data(), nullptr}, nullptr, &here);
  double longest = 0.0;
  for (Eigen::Index row = 0; row < norms.size(); ++row) {
    const double curvature = turns[row] / reach;
    if (curvature > 1e-9 * norms[row] / reach)
      longest = std::max(longest, std::min(norms[row], known * norms[row] / curvature));
  }
  return longest;
}

double ConfigurationSize::of(const System& system, const State& state) {
  constexpr double odd = 100.0;  // times as large as the configuration
  const double configuration = state.q.lpNorm<Eigen::Infinity>();
  if (lengths_ < 0.0) {
    lengths_ = 0.0;
    if (system.constraint_count() > 0) {
      const Vector norms = system.constraint_gradient_norms(state.t, state.q);
      lengths_ = norms.maxCoeff();
      if (configuration > 0.0 && lengths_ > odd * configuration) lengths_ = lengths_by_curvature(system, state, norms);
    }
  }
  return std::max(configuration, lengths_);
}

void require_equalities(const System& system, const std::string& scheme) {
  const std::vector<Set> sets = system.sets();
  const auto found = std::find_if(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
  if (found == sets.end()) return;
  require(false,
          "{}: cannot hold the inequality '{}' exactly, because the rebound would be an accident of the step size; "
          "MoreauJean (moreau-jean) does, with a law of impact, and every scheme takes it penalised: penalized(system, "
          "epsilon), or "
          "formulation: {penalty: epsilon}.",
          scheme, system.constraint_name(int(found - sets.begin())));
}

void require_acting(const System& system, const std::string& scheme) {
  const std::vector<Set> sets = system.sets();
  const auto found = std::find(sets.begin(), sets.end(), Set::whole);
  if (found == sets.end()) return;
  require(false, "{}: cannot go on when '{}' is released; newmark, energy-momentum and the other schemes of order two do.",
          scheme, system.constraint_name(int(found - sets.begin())));
}

void require_holonomic(const System& system, const std::string& scheme) {
  for (const auto& block : system.constraints())
    require(
        block->holonomic(),
        "{}: cannot take the nonholonomic constraint '{}': the one condition of its step is g = 0 at the new position, and "
        "a constraint on velocities is the rate of no g. Spark (spark1, which is the midpoint scheme with a row for it, to "
        "spark8), RungeKutta (rk4, dopri5, dop853) and MoreauJean take it.",
        scheme, block->name(0));
}

void require_quadratic(const System& system, const std::string& scheme) {
  for (const auto& block : system.dynamics())
    require(block->quadratic(),
            "{}: needs a kinetic energy that is quadratic in the velocities, because it takes M v for p, and '{}' is not; "
            "midpoint, rattle, spark1 to spark8, rk4, dopri5 and dop853 take p(q, v) as it is.",
            scheme, block->name(0));
}

void require_linear_rates(const System& system, const std::string& scheme) {
  for (const auto& block : system.constraints())
    require(
        !block->turns(),
        "{}: takes constraints that are linear in the velocities, and '{}' is not; spark1 to spark8, rk4, dopri5 and dop853 "
        "take it, with Chetaev's forces.",
        scheme, block->name(0));
}

void require_splitting(const Traits& traits, const SolverMethod& method) {
  require(traits.splits || !std::holds_alternative<Splitting>(method),
          "{}: does not go with Splitting, which needs a step with one reaction that turns with it: Gcn (gcn) and Newmark "
          "(newmark) with the reaction `new` or `centred`, and Houbolt (houbolt); or take Multipliers.",
          traits.name);
}

std::string explain(const SolveReport& report, const System& system, const Instant& at, double h) {
  const auto worst = [&] {
    return report.worst_constraint >= 0 ? system.constraint_name(report.worst_constraint) : std::string("none");
  };
  switch (report.status) {
    case Status::ok:
      return {};
    case Status::not_finite: {
      // At the start of the step, or somewhere along it.
      const Eigen::Map<const Vector> q(at.q, system.size()), v(at.v, system.size());
      for (const double share : {0.0, 0.5, 1.0}) {
        const Vector ahead = q + share * h * v;
        const std::string culprit = system.find_not_finite({at.t + share * h, ahead.data(), at.v});
        if (!culprit.empty()) return culprit + " is not finite";
      }
      return "the equations of the step are not finite away from its start";
    }
    case Status::singular: {
      const std::string cause = massless(system, at);
      return cause.empty() ? "the matrix of the step is singular: the constraints stand in a singular position" : cause;
    }
    case Status::slow:
      if (report.compression > 0.0)
        return message(
            "no convergence after {} sweeps; Splitting needs r above the largest compression, which is {} here: r = {} "
            "would do",
            report.multiplier_updates, report.compression, 2.0 * report.compression);
      if (report.multiplier_updates > 0)
        return message(
            "no convergence after {} updates of the multipliers, the last shrank by {}; the worst constraint is '{}', off "
            "by {}{}",
            report.multiplier_updates, report.contraction, worst(), report.violation,
            *report.advice == 0 ? "" : message("; {} would help", report.advice));
      return message("no convergence after {} corrections, the last shrank by {} only; ", report.newton_iterations,
                     report.contraction) +
             (report.violation > 0.0
                  ? message("the worst constraint is '{}', off by {}", worst(), report.violation)
                  : std::string("a smaller step may do, unless a force jumps with a place or a velocity, as sign(x') does"));
    case Status::contradictory:
      return message("the constraints contradict each other: '{}' is off by {} while those before it hold", worst(),
                     report.violation);
    case Status::broken:
      return "the step broke what its scheme promises to keep";
    case Status::refused:
      return "the step was refused";
  }
  return {};
}

StepReport failed(StepReport report, const System& system, const Instant& at, double h) {
  report.trouble = explain(report.solve, system, at, h);
  return report;
}

SolveReport solve_from_guesses(StepSolver& solver, StepProblem& problem, const Vector& w, Vector& x, Vector& lambda,
                               const Vector& last_lambda) {
  lambda = last_lambda;
  SolveReport report = solver.solve(problem, x, lambda);
  // Sweeps of Splitting hardly depend on the guess.
  if (std::holds_alternative<Splitting>(solver.method())) return report;
  for (const double share : {1.0, 0.5, 0.0}) {
    if (report.status == Status::ok) break;
    x = share * w;
    lambda = last_lambda;
    const SolveReport before = report;
    report = solver.solve(problem, x, lambda);
    report.newton_iterations += before.newton_iterations;
    report.multiplier_updates += before.multiplier_updates;
    report.factorizations += before.factorizations;
  }
  return report;
}

double DiscreteEnergy::of(const System& system, History past, double alpha) {
  if (past.size() < 2 || !system.constant_mass()) return std::numeric_limits<double>::quiet_NaN();
  const State &before = past[past.size() - 2], &after = past.back();
  const double h = after.t - before.t;
  w_ = (after.q - before.q) / h;
  middle_ = 0.5 * (after.q + before.q);
  const Instant between{before.t + 0.5 * h, middle_.data(), w_.data()};
  double sum = system.kinetic_energy(between) + (2.0 - 4.0 * alpha) * system.potential_energy(between);
  if (alpha != 0.25)
    sum += (2.0 * alpha - 0.5) * (system.potential_energy(instant(after)) + system.potential_energy(instant(before)));
  return sum;
}

void set_momentum(const System& system, State& state) {
  state.p.setZero(system.size());
  system.add_dynamics(instant(state), 1.0, 0.0, state.p.data());
}

}  // namespace taut
