#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/simulate/stability.hpp>

namespace taut {
namespace {

using Complex = std::complex<double>;
using Spectrum = std::vector<Complex>;
using Eigen::MatrixXd;

constexpr double unit_round_off = std::numeric_limits<double>::epsilon();

/// A few seconds at most: n³ of a symmetric problem, some 30 n³ of one that is not.
constexpr int largest_symmetric = 800, largest_other = 300;

/// Backward error of the dense solvers and of the matrices themselves, against the largest eigenvalue: some units in the last place per row, at random.
double round_off(long rows) { return 30.0 * std::sqrt(double(rows)) * unit_round_off; }

double largest(const Spectrum& all) {
  double out = 0.0;
  for (const Complex& one : all) out = std::max(out, std::abs(one));
  return out;
}

/// s = ±√−μ, where round-off of μ is left out.
Spectrum roots(const Spectrum& squares, int& neutral) {
  const double round = round_off(long(squares.size())) * largest(squares);
  Spectrum out;
  for (const Complex& mu : squares) {
    Complex s = std::sqrt(-mu);
    if (std::abs(mu) <= round) {
      s = 0.0;
      neutral += 2;
    } else if (std::abs(mu.imag()) <= round) {
      s = mu.real() > 0.0 ? Complex(0.0, std::sqrt(mu.real())) : Complex(std::sqrt(-mu.real()), 0.0);
    }
    out.push_back(s);
    out.push_back(-s);
  }
  return out;
}

/// s of [0 I; −K −D] x = s [I 0; 0 M] x, with M = L Lᵀ taken out and time in units of the fastest motion, so that no part outweighs the others.
Spectrum first_order(const MatrixXd& K, const MatrixXd& D, int& neutral) {
  const int n = int(K.rows());
  const double rate = std::max({std::sqrt(K.lpNorm<Eigen::Infinity>()), D.lpNorm<Eigen::Infinity>(), 1e-300});
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -K / (rate * rate);
  A.bottomRightCorner(n, n) = -D / rate;
  const Spectrum found = eigenvalues(std::move(A));
  // It is the square of s that the matrix knows to round-off of the largest.
  const double round = round_off(2 * n) * std::pow(largest(found), 2);
  Spectrum out;
  for (Complex s : found) {
    const double size = std::abs(s);
    if (size * size <= round) {
      s = 0.0;
      ++neutral;
    } else if (std::abs(s.real()) * size <= round) {
      s = {0.0, s.imag()};
    } else if (std::abs(s.imag()) * size <= round) {
      s = {s.real(), 0.0};
    }
    out.push_back(rate * s);
  }
  return out;
}

/// The same where directions have no mass: their s are infinite, or those of first-order equations.
Spectrum descriptor(const SmallMotions& small, int& neutral) {
  const int n = small.size();
  const double mass = std::max(small.M.lpNorm<Eigen::Infinity>(), 1e-300);
  const double rate = std::max({std::sqrt(small.K.lpNorm<Eigen::Infinity>() / mass), 1e-300});
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n), B = MatrixXd::Identity(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -small.K / (mass * rate * rate);
  A.bottomRightCorner(n, n) = -small.D / (mass * rate);
  B.bottomRightCorner(n, n) = small.M / mass;
  const double round = std::sqrt(round_off(2 * n));
  Spectrum out;
  for (const auto& [alpha, beta] : eigenvalues(std::move(A), std::move(B))) {
    if (std::abs(beta) <= round * std::abs(alpha)) continue;
    Complex s = alpha / beta;
    if (std::abs(s) <= round) s = 0.0, ++neutral;
    if (std::abs(s.real()) <= round * std::abs(s)) s = {0.0, s.imag()};
    out.push_back(rate * s);
  }
  return out;
}

bool symmetric_up_to_round_off(const MatrixXd& K) {
  return (K - K.transpose()).lpNorm<Eigen::Infinity>() <= 1e-13 * K.lpNorm<Eigen::Infinity>();
}

Spectrum spectrum(const SmallMotions& small, Stability& out) {
  const int n = small.size();
  // Masses may lie many powers of ten apart: each direction in units of its own.
  const Eigen::VectorXd weight = small.M.diagonal();
  const bool undamped = small.D.lpNorm<Eigen::Infinity>() <=
                        1e-14 * std::sqrt(small.K.lpNorm<Eigen::Infinity>() * small.M.lpNorm<Eigen::Infinity>());
  const bool plain = undamped && symmetric_up_to_round_off(small.K);
  const int most = plain ? largest_symmetric : largest_other;
  if (n > most) {
    out.unknown = message("{} degrees of freedom are more than the {} for which all eigenvalues are found", n, most);
    return {};
  }
  const bool positive = (weight.array() > 0.0).all();
  const Eigen::VectorXd scale = positive ? weight.array().sqrt().inverse().matrix().eval() : Eigen::VectorXd::Ones(n).eval();
  const MatrixXd M = scale.asDiagonal() * small.M * scale.asDiagonal();
  const MatrixXd L = cholesky(M);
  const bool solid = positive && L.size() > 0 && L.diagonal().cwiseAbs2().minCoeff() > 1e-13;
  if (!solid) {
    const double least = symmetric_eigenvalues(M)[0];
    if (least < -1e-12 * M.lpNorm<Eigen::Infinity>()) {
      out.unknown = "a direction of motion has negative inertia";
      return {};
    }
    return descriptor(small, out.neutral);
  }
  const MatrixXd K = scale.asDiagonal() * small.K * scale.asDiagonal();
  if (plain) {
    const Vector squares = symmetric_eigenvalues(0.5 * (K + K.transpose()), M);
    return roots({squares.begin(), squares.end()}, out.neutral);
  }
  const auto over_mass = [&](const MatrixXd& matrix) -> MatrixXd {
    const auto inverse = L.triangularView<Eigen::Lower>();
    return inverse.solve(inverse.solve(matrix).transpose().eval()).transpose();
  };
  if (undamped) return roots(eigenvalues(over_mass(K)), out.neutral);
  return first_order(over_mass(K), over_mass(scale.asDiagonal() * small.D * scale.asDiagonal()), out.neutral);
}

}  // namespace

SmallMotions small_motions(const System& system, const State& at) {
  const int n = system.size();
  SmallMotions out{.M = system.mass(instant(at)), .D = MatrixXd::Zero(n, n), .K = system.stiffness(instant(at))};
  const auto slot = [n](int i, int j) { return i + n * j; };
  for (const auto& block : system.dynamics()) {
    const auto slots = square_slots(*block, slot);
    block->add_slopes(instant(at), {.momentum = 1.0, .force = 0.0, .dq = 1.0, .dv = 0.0}, slots.data(), out.D.data());
    block->add_slopes(instant(at), {.momentum = 0.0, .force = -1.0, .dq = 0.0, .dv = 1.0}, slots.data(), out.D.data());
  }
  if (system.constraint_count() == 0) return out;
  const double* lambda = at.lambda.data();
  for (const auto& block : system.constraints()) {
    const auto slots = square_slots(*block, slot);
    block->add_curvature(at.t, at.q.data(), lambda, 1.0, slots.data(), out.K.data());
    lambda += block->terms() * block->rows();
  }
  // Inequalities that do not push do not hold either.
  const std::vector<Set> sets = system.sets();
  std::vector<int> acting;
  for (int row = 0; row < system.constraint_count(); ++row)
    if (sets[row] == Set::zero || at.lambda[row] != 0.0) acting.push_back(row);
  if (acting.empty()) return out;
  const MatrixXd G = system.constraint_gradient(at.t, at.q)(acting, Eigen::all);
  const MatrixXd Z = null_space(G, unit_round_off * double(std::min(G.rows(), G.cols())));
  return {.M = Z.transpose() * out.M * Z, .D = Z.transpose() * out.D * Z, .K = Z.transpose() * out.K * Z};
}

Stability stability(const System& system, const State& rest) {
  require(
      system.holonomic(),
      "stability: constraints on velocities alone leave a whole family of places at rest, none of which is stable or not "
      "by itself; take the model without them, or run it.");
  Stability out;
  if (system.size() > largest_symmetric) {
    out.unknown =
        message("{} coordinates are more than the {} for which dense matrices are built", system.size(), largest_symmetric);
    return out;
  }
  const SmallMotions small = small_motions(system, rest);
  if (small.size() == 0) return out;
  if (!small.M.allFinite() || !small.D.allFinite() || !small.K.allFinite()) {
    out.unknown = "forces have no finite slopes here";
    return out;
  }
  out.eigenvalues = spectrum(small, out);
  std::stable_sort(out.eigenvalues.begin(), out.eigenvalues.end(), [](const Complex& a, const Complex& b) {
    const double wa = std::abs(a.imag()), wb = std::abs(b.imag());
    return wa != wb ? wa < wb : (a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag());
  });
  double growth = 0.0;
  for (const Complex& s : out.eigenvalues) {
    if (!(s.real() > growth)) continue;
    growth = s.real();
    out.instability = s.imag() == 0.0 ? Stability::Kind::divergence : Stability::Kind::flutter;
  }
  return out;
}

std::vector<double> Stability::frequencies() const {
  std::vector<double> out;
  for (const Complex& s : eigenvalues)
    if (s.imag() > 0.0) out.push_back(s.imag() / (2.0 * std::numbers::pi));
  return out;
}

const char* name_of(Stability::Kind kind) {
  switch (kind) {
    case Stability::Kind::none:
      return "none";
    case Stability::Kind::divergence:
      return "divergence";
    case Stability::Kind::flutter:
      return "flutter";
  }
  return "";
}

}  // namespace taut
