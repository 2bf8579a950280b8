#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <taut/taut.hpp>

/// Laws that every system must obey whatever its terms: each derivative against central differences of what it derives from.
namespace taut::testing {

/// Central difference of a vector function in one variable; h ~ ε^{1/3} balances truncation and round-off.
template <class Function> Vector difference(const Function& f, double at, double h = 6e-6) {
  return (f(at + h) - f(at - h)) / (2.0 * h);
}

inline void expect_close(const Eigen::MatrixXd& actual, const Eigen::MatrixXd& expected, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(actual.rows(), expected.rows()) << what;
  ASSERT_EQ(actual.cols(), expected.cols()) << what;
  const double scale = 1.0 + expected.cwiseAbs().maxCoeff();
  EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what << "\n"
                                                                          << actual << "\nexpected\n"
                                                                          << expected;
}

/// Dense slopes of momentum·p + force·f along (dq, dv).
inline Eigen::MatrixXd dense_slopes(const System& system, const State& at, const SlopeWeights& weights) {
  const int n = system.size();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  for (const auto& block : system.dynamics()) {
    const auto slots = square_slots(*block, [n](int i, int j) { return i + n * j; });
    block->add_slopes(instant(at), weights, slots.data(), out.data());
  }
  return out;
}

inline Eigen::MatrixXd dense_curvature(const System& system, const State& at, const Vector& lambda) {
  const int n = system.size();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  const double* part = lambda.data();
  for (const auto& block : system.constraints()) {
    const auto slots = square_slots(*block, [n](int i, int j) { return i + n * j; });
    block->add_curvature(at.t, at.q.data(), part, 1.0, slots.data(), out.data());
    part += block->terms() * block->rows();
  }
  return out;
}

inline void expect_dynamics_laws(const System& system, const State& at, double tolerance = 1e-7) {
  const int n = system.size();
  const auto moved = [&](int i, double q, double v) {
    State s = at;
    s.q[i] += q;
    s.v[i] += v;
    return s;
  };
  const Vector p = system.momentum(instant(at)), f = system.force(instant(at));
  for (int i = 0; i < n; ++i) {
    const Vector dT =
        difference([&](double x) { return Vector::Constant(1, system.kinetic_energy(instant(moved(i, 0, x)))); }, 0.0);
    EXPECT_NEAR(p[i], dT[0], tolerance * (1.0 + std::abs(dT[0]))) << "p is the slope of T, coordinate " << i;
    if (system.conservative()) {
      const Vector dL = difference(
          [&](double x) {
            const State s = moved(i, x, 0);
            return Vector::Constant(1, system.kinetic_energy(instant(s)) - system.potential_energy(instant(s)));
          },
          0.0);
      EXPECT_NEAR(f[i], dL[0], tolerance * (1.0 + std::abs(dL[0]))) << "f is the slope of L, coordinate " << i;
    }
  }
  // Q·v is what f·v is beside the change of L with v.
  const Vector along = difference(
      [&](double x) {
        const Vector q = at.q + x * at.v;
        const Instant there{at.t, q.data(), at.v.data()};
        return Vector::Constant(1, system.kinetic_energy(there) - system.potential_energy(there));
      },
      0.0);
  EXPECT_NEAR(system.power(instant(at)), f.dot(at.v) - along[0], tolerance * (1.0 + f.norm() * at.v.norm())) << "power";
  const SlopeWeights weights{.momentum = 0.7, .force = -1.3, .dq = 0.4, .dv = 1.1};
  Eigen::MatrixXd expected(n, n);
  for (int j = 0; j < n; ++j)
    expected.col(j) = difference(
        [&](double x) {
          const State s = moved(j, weights.dq * x, weights.dv * x);
          return Vector(weights.momentum * system.momentum(instant(s)) + weights.force * system.force(instant(s)));
        },
        0.0);
  expect_close(dense_slopes(system, at, weights), expected, tolerance, "slopes of p and f");

  const auto later = [&](double x) {
    const Vector q = at.q + x * at.v;
    return system.momentum({at.t + x, q.data(), at.v.data()});
  };
  Vector inertial = Vector::Zero(n);
  system.add_inertial(instant(at), 1.0, inertial.data());
  expect_close(inertial, difference(later, 0.0), tolerance, "p_q v + p_t");
}

/// Discrete gradients between two states: exact differences along the step, and slopes against differences.
inline void expect_discrete_laws(const System& system, const State& start, const State& end, double tolerance = 1e-6) {
  const int n = system.size(), m = system.constraint_count();
  const Vector d = end.q - start.q;
  const auto step = [&](const Vector& q1, const Vector& v1) {
    return Segment{0.5 * (start.t + end.t), start.q.data(), q1.data(), start.v.data(), v1.data()};
  };
  const auto force = [&](const Vector& q1, const Vector& v1) {
    Vector out = Vector::Zero(n);
    for (const auto& block : system.dynamics()) block->discrete()->add_discrete(step(q1, v1), 1.0, out.data());
    return out;
  };
  const double dq = 0.3;
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(n, n), expected(n, n);
  for (const auto& block : system.dynamics())
    block->discrete()->add_discrete_slopes(
        step(end.q, end.v), 1.0, dq, square_slots(*block, [n](int i, int j) { return i + n * j; }).data(), slopes.data());
  for (int j = 0; j < n; ++j)
    expected.col(j) = difference(
        [&](double x) { return force(Vector(end.q + dq * x * Vector::Unit(n, j)), Vector(end.v + x * Vector::Unit(n, j))); },
        0.0);
  expect_close(slopes, expected, tolerance, "slopes of discrete forces");
  if (system.conservative()) {
    // d·f̄ = τ(q1) − τ(q0) − V(q1) + V(q0) with τ = ½ v0·M v1
    const double tau0 = 0.5 * start.v.dot(system.mass(instant(start)) * end.v);
    const double tau1 = 0.5 * start.v.dot(system.mass(instant(end)) * end.v);
    const double middle = 0.5 * (start.t + end.t);  // a potential that depends on time is taken there
    const double change = tau1 - tau0 - system.potential_energy({middle, end.q.data(), end.v.data()}) +
                          system.potential_energy({middle, start.q.data(), start.v.data()});
    EXPECT_NEAR(d.dot(force(end.q, end.v)), change, 1e-11 * (1.0 + std::abs(change))) << "work of discrete forces";
  }
  if (m == 0) return;
  Vector lambda(m);
  for (int r = 0; r < m; ++r) lambda[r] = 0.3 + 0.7 * r;
  const auto reaction = [&](const Vector& q1) {
    Vector out = Vector::Zero(n);
    const double* part = lambda.data();
    for (const auto& block : system.constraints()) {
      block->discrete()->add_discrete(step(q1, end.v), part, 1.0, out.data());
      part += block->terms() * block->rows();
    }
    return out;
  };
  const double middle = 0.5 * (start.t + end.t);
  const Vector change = system.constraint_values(middle, end.q) - system.constraint_values(middle, start.q);
  EXPECT_NEAR(d.dot(reaction(end.q)), lambda.dot(change), 1e-11 * (1.0 + change.norm())) << "work of discrete reactions";
  Eigen::MatrixXd bent = Eigen::MatrixXd::Zero(n, n), G = Eigen::MatrixXd::Zero(m, n);
  const double* part = lambda.data();
  int row = 0;
  for (const auto& block : system.constraints()) {
    const auto slots = square_slots(*block, [n](int i, int j) { return i + n * j; });
    block->discrete()->add_discrete_curvature(step(end.q, end.v), part, 1.0, slots.data(), bent.data());
    const auto rows = gradient_slots(*block, row, [m](int i, int j) { return i + m * j; });
    block->discrete()->add_discrete_gradient(step(end.q, end.v), 1.0, rows.data(), G.data());
    part += block->terms() * block->rows();
    row += block->terms() * block->rows();
  }
  for (int j = 0; j < n; ++j)
    expected.col(j) = difference([&](double x) { return reaction(Vector(end.q + x * Vector::Unit(n, j))); }, 0.0);
  expect_close(bent, expected, tolerance, "slopes of discrete reactions");
  expect_close(reaction(end.q), G.transpose() * lambda, 1e-13, "discrete reactions and directions");
}

inline void expect_constraint_laws(const System& system, const State& at, double tolerance = 1e-7) {
  const int n = system.size(), m = system.constraint_count();
  ASSERT_GT(m, 0);
  const Eigen::MatrixXd G = system.constraint_gradient(at.t, at.q);
  Eigen::MatrixXd expected(m, n), bent(n, n);
  Vector lambda(m);
  for (int r = 0; r < m; ++r) lambda[r] = 0.3 + 0.7 * r;
  const auto moved = [&](int j, double x) {
    Vector q = at.q;
    q[j] += x;
    return q;
  };
  const auto force = [&](const Vector& q) {
    Vector out = Vector::Zero(n);
    system.add_constraint_forces(at.t, q.data(), lambda.data(), 1.0, out.data());
    return out;
  };
  for (int j = 0; j < n; ++j) {
    expected.col(j) = difference([&](double x) { return system.constraint_values(at.t, moved(j, x)); }, 0.0);
    bent.col(j) = difference([&](double x) { return force(moved(j, x)); }, 0.0);
  }
  expect_close(G, expected, tolerance, "G is the slope of g");
  expect_close(force(at.q), G.transpose() * lambda, 1e-13, "constraint forces are G^T lambda");
  expect_close(dense_curvature(system, at, lambda), bent, tolerance, "curvature");
  const Vector rate = difference([&](double x) { return system.constraint_values(at.t + x, Vector(at.q + x * at.v)); }, 0.0);
  expect_close(system.constraint_rates(instant(at)), rate, tolerance, "rate along the motion, time included");
  const auto later = [&](double x) {
    const Vector q = at.q + x * at.v;
    return system.constraint_rates({at.t + x, q.data(), at.v.data()});
  };
  Vector acceleration(m);
  system.constraint_accelerations(instant(at), acceleration.data());
  expect_close(acceleration, difference(later, 0.0), tolerance, "acceleration of g without that of q");
  expect_close(system.constraint_gradient_norms(at.t, at.q), G.rowwise().norm(), 1e-13, "norms of the gradients");
  // All at once, into places that hold something else.
  Vector g(m), g_rate(m), bend(m);
  Eigen::MatrixXd slope = Eigen::MatrixXd::Zero(m, n);
  int first = 0;
  for (const auto& block : system.constraints()) {
    const auto slots = gradient_slots(*block, first, [m](int row, int i) { return row + m * i; });
    for (const int slot : slots) slope.data()[slot] = 7.0;
    block->linearize(instant(at),
                     {g.data() + first, g_rate.data() + first, bend.data() + first, slope.data(), slots.data()});
    first += block->terms() * block->rows();
  }
  expect_close(g, system.constraint_values(at.t, at.q), 1e-14, "g, all at once");
  expect_close(g_rate, system.constraint_rates(instant(at)), 1e-14, "rates, all at once");
  expect_close(bend, acceleration, 1e-14, "accelerations, all at once");
  expect_close(slope, G, 1e-14, "G, all at once");
}

/// A state with no special values anywhere.
inline State generic_state(const System& system, double spread = 1.0) {
  Vector q(system.size()), v(system.size());
  for (int i = 0; i < system.size(); ++i) {
    q[i] = spread * (0.3 + 0.5 * i + 0.4 * std::sin(1.0 + 2.0 * i));
    v[i] = 0.8 * std::cos(0.5 + 1.7 * i);
  }
  return state_at(system, 0.4, q, v);
}

/// A second one, not far away.
inline State later_state(const System& system, const State& start) {
  Vector q = start.q, v = start.v;
  for (int i = 0; i < system.size(); ++i) {
    q[i] += 0.2 * std::cos(2.0 + 3.0 * i);
    v[i] += 0.3 * std::sin(1.0 + 2.0 * i);
  }
  return state_at(system, start.t + 0.1, q, v);
}

/// Least-squares slope of log y over log x.
inline double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double a = std::log(x[k]), b = std::log(y[k]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  const double n = double(x.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace taut::testing
