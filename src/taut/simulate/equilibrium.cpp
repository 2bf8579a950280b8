#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/step/affine_problem.hpp>

namespace taut {
namespace {

double lowest_eigenvalue(const System& system, const State& at) {
  constexpr int largest_dense = 300;
  const int n = system.size();
  if (n > largest_dense) return std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd K = system.stiffness(instant(at));
  const double* lambda = at.lambda.data();
  for (const auto& block : system.constraints()) {
    const auto slots = square_slots(*block, [n](int i, int j) { return i + n * j; });
    block->add_curvature(at.t, at.q.data(), lambda, 1.0, slots.data(), K.data());
    lambda += block->terms() * block->rows();
  }
  // Inequalities that do not push do not hold either.
  const Eigen::MatrixXd all = system.constraint_gradient(at.t, at.q);
  const std::vector<Set> sets = system.sets();
  Eigen::MatrixXd G(0, n);
  for (int row = 0; row < system.constraint_count(); ++row) {
    if (sets[row] != Set::zero && at.lambda[row] == 0.0) continue;
    G.conservativeResize(G.rows() + 1, n);
    G.row(G.rows() - 1) = all.row(row);
  }
  Eigen::MatrixXd tangent = Eigen::MatrixXd::Identity(n, n);
  if (G.rows() > 0) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(G.transpose());
    tangent = Eigen::MatrixXd(qr.householderQ()).rightCols(n - qr.rank());
  }
  if (tangent.cols() == 0) return std::numeric_limits<double>::infinity();
  const Eigen::MatrixXd M = tangent.transpose() * system.mass(instant(at)) * tangent;
  const Eigen::MatrixXd reduced = tangent.transpose() * (0.5 * (K + K.transpose())) * tangent;
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(reduced, M, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

}  // namespace

Equilibrium equilibrium(const System& system, const State& start, const EquilibriumOptions& options) {
  require(system.holonomic(), "equilibrium: constraints on velocities say nothing about rest.");
  const int n = system.size();
  Equilibrium out{.state = state_at(system, start.t, start.q, Vector::Zero(n))};
  AffineProblem problem(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true}));
  StepSolver solver{Multipliers{}};
  const Vector zero = Vector::Zero(n);
  Vector from, minus, x, lambda = Vector::Zero(system.constraint_count());
  const double size = std::max(ConfigurationSize().of(system, out.state), 1e-300);
  // A time in which the forces move the configuration by a tenth of itself, to begin with.
  const double force = system.force(instant(out.state)).lpNorm<Eigen::Infinity>();
  const Vector ones = Vector::Ones(n);
  const double mass = system.momentum({start.t, start.q.data(), ones.data()}).lpNorm<Eigen::Infinity>();
  double tau = force > 0.0 ? 0.1 * size * mass / force : 1.0;
  const double longest = 1e12 * tau;
  for (out.steps = 1; out.steps <= options.max_steps; ++out.steps) {
    from = out.state.q;
    minus = -from / tau;
    const bool last = tau >= longest;
    problem.inertias[0] = {
        .t = start.t, .q = &from, .v = &minus, .v_slope = 1.0 / tau, .momentum = last ? 0.0 : 1.0, .rate = true};
    problem.inertias[1] = {.t = start.t, .q = &zero, .v = &zero, .q_slope = 1.0, .force = -1.0};
    problem.reactions[0] = {.t = start.t, .q = &zero, .q_slope = 1.0, .weight = 1.0};
    problem.condition = {.t = start.t, .q = &zero, .q_slope = 1.0};
    problem.size = size;
    x = from;
    Vector trial = lambda;
    const SolveReport report = solver.solve(problem, x, trial);
    out.newton_iterations += report.newton_iterations;
    if (report.status != Status::ok || !x.allFinite()) {
      if (report.status == Status::contradictory || tau < 1e-12 * longest * 1e-12) {
        out.status = report.status;
        out.trouble = explain(report, system, instant(out.state), 0.0);
        return out;
      }
      tau *= 0.1;
      continue;
    }
    const double change = (x - from).lpNorm<Eigen::Infinity>();
    out.state.q = x;
    lambda = trial;
    if (change <= options.tolerance * size && tau > 1e-6 * longest) {
      out.state.lambda = lambda;
      out.state.p = system.momentum(instant(out.state));
      Vector balance = system.force(instant(out.state));
      system.add_constraint_forces(start.t, out.state.q.data(), lambda.data(), -1.0, balance.data());
      out.residual = balance.lpNorm<Eigen::Infinity>();
      out.lowest_eigenvalue = lowest_eigenvalue(system, out.state);
      return out;
    }
    tau = std::min(tau * (change < 0.05 * size ? 10.0 : 2.0), longest);
  }
  out.status = Status::slow;
  out.trouble = message("no equilibrium after {} steps; the configuration still moves", options.max_steps);
  return out;
}

}  // namespace taut
