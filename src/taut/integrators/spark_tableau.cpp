#include <Eigen/LU>
#include <cmath>
#include <map>
#include <taut/base/require.hpp>
#include <taut/integrators/spark_tableau.hpp>

namespace taut {
namespace {

using Real = long double;  // so that coefficients are right to the last bit of a double
using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Square = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

struct Legendre {
  Real value, slope;
};
Legendre legendre(int n, Real x) {
  Real before = 1.0L, now = x;
  if (n == 0) return {1.0L, 0.0L};
  for (int k = 2; k <= n; ++k) {
    const Real next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  return {now, n * (x * now - before) / (x * x - 1.0L)};
}

/// Zeros of Pₛ by Newton, in [0, 1].
void gauss(int s, Column& b, Column& c) {
  b.resize(s);
  c.resize(s);
  const Real pi = std::acos(-1.0L);
  for (int i = 0; i < s; ++i) {
    Real x = -std::cos(pi * (i + 0.75L) / (s + 0.5L));
    for (int k = 0; k < 20; ++k) {
      const Legendre p = legendre(s, x);
      x -= p.value / p.slope;
    }
    const Real slope = legendre(s, x).slope;
    c[i] = 0.5L * (1.0L + x);
    b[i] = 1.0L / ((1.0L - x * x) * slope * slope);
  }
}

/// Zeros of P′ₛ and the ends, in [0, 1]: s + 1 nodes.
void lobatto(int s, Column& b, Column& c) {
  b.resize(s + 1);
  c.resize(s + 1);
  const Real pi = std::acos(-1.0L);
  for (int i = 0; i <= s; ++i) {
    Real x = -std::cos(pi * i / s);
    if (i > 0 && i < s)
      for (int k = 0; k < 50; ++k) {
        // P″ from Legendre's equation.
        const Legendre p = legendre(s, x);
        const Real second = (2.0L * x * p.slope - s * (s + 1) * p.value) / (1.0L - x * x);
        x -= p.slope / second;
      }
    const Real value = i == 0 || i == s ? 1.0L : legendre(s, x).value;
    c[i] = 0.5L * (1.0L + x);
    b[i] = 1.0L / (s * (s + 1) * value * value);
  }
}

/// Zeros of Pₛ + Pₛ₋₁ in [0, 1], 0 among them; weights are left to the quadrature conditions.
Column radau_left(int s) {
  Column c(s);
  const Real pi = std::acos(-1.0L);
  c[0] = 0.0L;
  for (int i = 1; i < s; ++i) {
    Real x = -std::cos(2.0L * pi * i / (2 * s - 1));
    for (int k = 0; k < 50; ++k) {
      const Legendre p = legendre(s, x), q = legendre(s - 1, x);
      x -= (p.value + q.value) / (p.slope + q.slope);
    }
    c[i] = 0.5L * (1.0L + x);
  }
  return c;
}

/// Vandermonde's matrix of the nodes: row k has their k-th powers.
Square powers_of(const Column& c) {
  Square powers(c.size(), c.size());
  for (Eigen::Index j = 0; j < c.size(); ++j)
    for (Eigen::Index k = 0; k < c.size(); ++k) powers(k, j) = std::pow(c[j], Real(k));
  return powers;
}

/// A by C(s − 1) and one given column.
Square with_column(const Column& c, Eigen::Index column, Real value) {
  const Eigen::Index s = c.size();
  Square conditions(s, s), A(s, s);
  conditions.topRows(s - 1) = powers_of(c).topRows(s - 1);
  conditions.row(s - 1) = Column::Unit(s, column).transpose();
  const Eigen::FullPivLU<Square> solver(conditions);
  for (Eigen::Index i = 0; i < s; ++i) {
    Column right(s);
    for (Eigen::Index k = 0; k + 1 < s; ++k) right[k] = std::pow(c[i], Real(k + 1)) / Real(k + 1);
    right[s - 1] = value;
    A.row(i) = solver.solve(right).transpose();
  }
  return A;
}

/// A by D(s).
Square by_adjoint_conditions(const Column& b, const Column& c) {
  const Eigen::Index s = c.size();
  Square right(s, s);
  for (Eigen::Index k = 0; k < s; ++k)
    for (Eigen::Index j = 0; j < s; ++j) right(k, j) = b[j] * (1.0L - std::pow(c[j], Real(k + 1))) / Real(k + 1);
  return Eigen::FullPivLU<Square>(powers_of(c) * b.asDiagonal()).solve(right);
}

/// Q: what the rows of the stages and of the end are multiplied by.
Square combining_rows(const Square& A, const Square& A_inverse, const Column& b, const Column& c) {
  const Eigen::Index s = c.size();
  Square M(s, s);
  M.row(0) = b.transpose();
  for (Eigen::Index k = 1; k < s; ++k) {
    Column weighted(s);
    for (Eigen::Index j = 0; j < s; ++j) weighted[j] = Real(k) * b[j] * std::pow(c[j], Real(k - 1));
    M.row(k) = b.transpose() - weighted.transpose() * A;
  }
  Eigen::Matrix<Real, 1, Eigen::Dynamic> gamma(s + 1);
  gamma.head(s) = -(b.transpose() * A_inverse);
  gamma[s] = 1.0L;
  Square Q = Square::Zero(s + 1, s + 1);
  Q.topLeftCorner(s, s).setIdentity();
  Q.topRows(s) += A * M.inverse() * Column::Ones(s) * gamma;
  Q.row(s) = gamma;
  return Q;
}

SparkTableau make(int s, SparkFamily family) {
  Column b, c, lb, lc;
  lobatto(s, lb, lc);
  switch (family) {
    case SparkFamily::gauss:
      gauss(s, b, c);
      break;
    case SparkFamily::radau_ia:
      c = radau_left(s);
      break;
    case SparkFamily::radau_iia:
      c = (Column::Ones(s) - radau_left(s)).reverse();
      break;
    default:
      lobatto(s - 1, b, c);
  }
  // Rows of coefficients that integrate polynomials of degree s − 1 up to given ends.
  const Eigen::FullPivLU<Square> solver(powers_of(c));
  const auto integrating = [&](const Column& ends) {
    Square out(ends.size(), s);
    for (Eigen::Index i = 0; i < ends.size(); ++i) {
      Column right(s);
      for (int k = 0; k < s; ++k) right[k] = std::pow(ends[i], Real(k + 1)) / (k + 1);
      out.row(i) = solver.solve(right).transpose();
    }
    return out;
  };
  if (b.size() == 0) b = integrating(Column::Ones(1)).transpose();
  const Square A = [&]() -> Square {
    if (family == SparkFamily::radau_ia) return by_adjoint_conditions(b, c);
    if (family == SparkFamily::lobatto_iiic) return with_column(c, 0, b[0]);
    if (family == SparkFamily::lobatto_iiid) return 0.5L * (with_column(c, 0, b[0]) + with_column(c, s - 1, 0.0L));
    return integrating(c);
  }();
  Square bar = integrating(lc);
  bar.row(0).setZero();
  bar.row(s) = b.transpose();
  Square tilde(s + 1, s + 1);
  for (int j = 0; j <= s; ++j) {
    for (int i = 0; i < s; ++i) tilde(i, j) = lb[j] * (1.0L - bar(j, i) / b[i]);
    tilde(s, j) = lb[j];
  }
  Square alpha(s + 1, s);
  alpha.topRows(s) = A;
  alpha.row(s) = b.transpose();

  const Square A_inverse = A.inverse(), Q = combining_rows(A, A_inverse, b, c);
  Square check = Square::Identity(s + 1, s + 1);
  check.topLeftCorner(s, s) = bar.bottomRows(s).inverse();

  SparkTableau out;
  out.s = s;
  const auto narrow = [](const Square& x) { return Eigen::MatrixXd(x.cast<double>()); };
  out.b = b.cast<double>();
  out.c = c.cast<double>();
  out.lobatto_b = lb.cast<double>();
  out.lobatto_c = lc.cast<double>();
  out.A = narrow(A);
  out.bar = narrow(bar);
  out.alpha = narrow(alpha);
  out.tilde = narrow(tilde);
  out.Q = narrow(Q);
  out.Q_inverse = narrow(Square(Q.inverse()));
  out.Q_check = narrow(Square(Q * check));
  out.Q_tilde_inverse = narrow(Square((Q * tilde).inverse()));
  out.A_inverse = narrow(A_inverse);
  return out;
}

}  // namespace

const SparkTableau& spark_tableau(int s, SparkFamily family) {
  const bool lobatto = family == SparkFamily::lobatto_iiic || family == SparkFamily::lobatto_iiid;
  const int least = lobatto ? 2 : 1;
  require(s >= least && s <= SparkTableau::most_stages, "SPARK: the number of stages must lie between {} and {}, got {}.",
          least, SparkTableau::most_stages, s);
  static const std::map<std::pair<SparkFamily, int>, SparkTableau> all = [] {
    std::map<std::pair<SparkFamily, int>, SparkTableau> made;
    for (const SparkFamily one : {SparkFamily::gauss, SparkFamily::radau_iia, SparkFamily::radau_ia,
                                  SparkFamily::lobatto_iiic, SparkFamily::lobatto_iiid})
      for (int k = one < SparkFamily::lobatto_iiic ? 1 : 2; k <= 8; ++k) made.emplace(std::pair(one, k), make(k, one));
    return made;
  }();
  return all.at({family, s});
}

}  // namespace taut
