#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/simulate/linearized.hpp>
#include <taut/simulate/stability.hpp>

namespace taut {
namespace {

using Complex = std::complex<double>;
using Spectrum = std::vector<Complex>;
using Eigen::MatrixXcd, Eigen::MatrixXd;

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

/// s = ±√−μ, where round-off of μ is left out; a shape belongs to both.
Spectrum roots(const Spectrum& squares, int& neutral, MatrixXcd* shapes) {
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
  if (shapes) {
    const MatrixXcd once = *shapes;
    shapes->resize(once.rows(), 2 * once.cols());
    for (Eigen::Index k = 0; k < once.cols(); ++k) shapes->col(2 * k) = shapes->col(2 * k + 1) = once.col(k);
  }
  return out;
}

/// s of [0 I; −K −D] x = s [I 0; 0 M] x, with M = L Lᵀ taken out and time in units of the fastest motion, so that no part outweighs the others.
Spectrum first_order(const MatrixXd& K, const MatrixXd& D, int& neutral, MatrixXcd* shapes) {
  const int n = int(K.rows());
  const double rate = std::max({std::sqrt(K.lpNorm<Eigen::Infinity>()), D.lpNorm<Eigen::Infinity>(), 1e-300});
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -K / (rate * rate);
  A.bottomRightCorner(n, n) = -D / rate;
  const Spectrum found = eigenvalues(std::move(A), shapes);
  if (shapes) *shapes = shapes->topRows(n).eval();
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
Spectrum descriptor(const SmallMotions& small, int& neutral, MatrixXcd* shapes) {
  const int n = small.size();
  const double mass = std::max(small.M.lpNorm<Eigen::Infinity>(), 1e-300);
  const double rate = std::max({std::sqrt(small.K.lpNorm<Eigen::Infinity>() / mass), 1e-300});
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n), B = MatrixXd::Identity(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -small.K / (mass * rate * rate);
  A.bottomRightCorner(n, n) = -small.D / (mass * rate);
  B.bottomRightCorner(n, n) = small.M / mass;
  const double round = std::sqrt(round_off(2 * n));
  const std::vector<EigenvalueRatio> found = eigenvalues(std::move(A), std::move(B), shapes);
  Spectrum out;
  std::vector<Eigen::Index> finite;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const auto& [alpha, beta] = found[k];
    if (std::abs(beta) <= round * std::abs(alpha)) continue;
    Complex s = alpha / beta;
    if (std::abs(s) <= round) s = 0.0, ++neutral;
    if (std::abs(s.real()) <= round * std::abs(s)) s = {0.0, s.imag()};
    out.push_back(rate * s);
    finite.push_back(Eigen::Index(k));
  }
  if (shapes) *shapes = MatrixXcd(shapes->topRows(n))(Eigen::all, finite);
  return out;
}

bool symmetric_up_to_round_off(const MatrixXd& K) {
  return (K - K.transpose()).lpNorm<Eigen::Infinity>() <= 1e-13 * K.lpNorm<Eigen::Infinity>();
}

/// All s; shapes, where asked for, in the basis Z.
Spectrum spectrum(const SmallMotions& small, Stability& out, MatrixXcd* shapes) {
  const int n = small.size();
  // Masses may lie many powers of ten apart: each direction in units of its own.
  const Eigen::VectorXd weight = small.M.diagonal();
  const bool undamped = small.D.lpNorm<Eigen::Infinity>() <=
                        1e-14 * std::sqrt(small.K.lpNorm<Eigen::Infinity>() * small.M.lpNorm<Eigen::Infinity>());
  const bool plain = undamped && symmetric_up_to_round_off(small.K);
  const int most = plain ? largest_symmetric : largest_other;
  if (n > most) {
    out.too_large = true;
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
    return descriptor(small, out.neutral, shapes);
  }
  const MatrixXd K = scale.asDiagonal() * small.K * scale.asDiagonal();
  if (plain) {
    MatrixXd vectors;
    const Vector squares = symmetric_eigenvalues(0.5 * (K + K.transpose()), M, shapes ? &vectors : nullptr);
    if (shapes) *shapes = scale.asDiagonal() * vectors;
    return roots({squares.begin(), squares.end()}, out.neutral, shapes);
  }
  const auto inverse = L.triangularView<Eigen::Lower>();
  const auto over_mass = [&](const MatrixXd& matrix) -> MatrixXd {
    return inverse.solve(inverse.solve(matrix).transpose().eval()).transpose();
  };
  Spectrum all;
  if (undamped) {
    all = eigenvalues(over_mass(K), shapes);
    all = roots(all, out.neutral, shapes);
  } else {
    all = first_order(over_mass(K), over_mass(scale.asDiagonal() * small.D * scale.asDiagonal()), out.neutral, shapes);
  }
  if (shapes) {
    const MatrixXd back = scale.asDiagonal() * MatrixXd(inverse.solve(MatrixXd::Identity(n, n))).transpose();
    *shapes = back * *shapes;
  }
  return all;
}

}  // namespace

SmallMotions small_motions(const System& system, const State& at) {
  const Linearized all = linearized(system, at);
  const MatrixXd M(all.M), D(all.D), K(all.K);
  if (all.G.rows() == 0) return {.M = M, .D = D, .K = K, .Z = MatrixXd::Identity(system.size(), system.size())};
  const MatrixXd G(all.G), Z = null_space(G, unit_round_off * double(std::min(G.rows(), G.cols())));
  return {.M = Z.transpose() * M * Z, .D = Z.transpose() * D * Z, .K = Z.transpose() * K * Z, .Z = Z};
}

bool driven(const System& system, const State& near) {
  const double size = ConfigurationSize{}.of(system, near);
  for (int sample = 0; sample < 3; ++sample) {
    Vector q = near.q, v(near.q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      q[i] += 0.1 * size * sample * std::cos(1.0 + 1.7 * sample + 2.3 * double(i));
      v[i] = size * std::sin(2.0 + 1.3 * sample + 3.1 * double(i));
    }
    const auto differ = [](const Vector& a, const Vector& b) {
      return (a - b).lpNorm<Eigen::Infinity>() > 1e-12 * (a.lpNorm<Eigen::Infinity>() + b.lpNorm<Eigen::Infinity>());
    };
    for (const double later : {0.01, 0.37, 2.3}) {
      const Instant now{near.t, q.data(), v.data()}, then{near.t + later, q.data(), v.data()};
      if (differ(system.momentum(now), system.momentum(then))) return true;
      if (system.constraint_count() == 0) continue;
      if (differ(system.constraint_values(now.t, q), system.constraint_values(then.t, q)) ||
          differ(system.constraint_rates(now), system.constraint_rates(then)))
        return true;
    }
  }
  return false;
}

Stability stability(const System& system, const State& rest, bool shapes) {
  require(
      system.holonomic(),
      "stability: constraints on velocities alone leave a whole family of places at rest, none of which is stable or not "
      "by itself; take the model without them, or run it.");
  Stability out;
  out.frozen = driven(system, rest);
  if (system.size() > largest_symmetric) {
    out.too_large = true;
    out.unknown =
        message("{} coordinates are more than the {} for which dense matrices are built", system.size(), largest_symmetric);
    return out;
  }
  const SmallMotions small = small_motions(system, rest);
  out.freedom = small.size();
  if (small.size() == 0) return out;
  if (!small.M.allFinite() || !small.D.allFinite() || !small.K.allFinite()) {
    out.unknown = "forces have no finite slopes here";
    return out;
  }
  MatrixXcd found;
  const Spectrum all = spectrum(small, out, shapes ? &found : nullptr);
  std::vector<Eigen::Index> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
    const Complex &a = all[std::size_t(i)], &b = all[std::size_t(j)];
    const double wa = std::abs(a.imag()), wb = std::abs(b.imag());
    return wa != wb ? wa < wb : (a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag());
  });
  for (const Eigen::Index k : order) out.eigenvalues.push_back(all[std::size_t(k)]);
  if (shapes && out.unknown.empty()) out.shapes = small.Z * found(Eigen::all, order);
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
