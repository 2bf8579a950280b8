#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/simulate/inertia.hpp>
#include <taut/step/assembly.hpp>

namespace taut {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

/// Inertia below this, of that of a coordinate alone, is round-off.
constexpr double nothing = 1e-11;

/// Rows nearer than this to the span of others hold nothing of their own.
constexpr double dependent_within = 1e-9;

constexpr int largest_dense = 500;

/// M and the rows of G that are held, both in units in which each coordinate alone has the inertia one, or none: see natural_units().
struct Scaled {
  Sparse mass;
  Eigen::SparseMatrix<double, Eigen::RowMajor> gradient;  // rows of length one
  Vector unit;                                            // of each coordinate
};

Scaled scaled_at(const System& system, const State& start) {
  const int n = system.size();
  const Assembly assembly(system, Assembly::Parts{});
  const auto matrix = Matrix::on(assembly.layout());
  const Vector rows = Vector::Ones(system.constraint_count());
  for (const Part& part : assembly.parts()) {
    assembly.clear(part, matrix->values());
    assembly.add_dynamics(part, instant(start), {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, matrix->values());
    assembly.add_gradient(part, instant(start), 1.0, rows.data(), matrix->values());
  }
  const Layout& layout = *assembly.layout();
  Scaled out;
  const auto gradient = lower_rows(*matrix, n);
  Vector diagonal(n);
  for (int j = 0; j < n; ++j) diagonal[j] = matrix->values()[layout.slot(j, j)];
  out.unit = natural_units(diagonal, gradient);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
      if (const int i = layout.row_indices()[k]; i < n)
        if (const double value = matrix->values()[layout.slot(i, j)]; value != 0.0)
          entries.emplace_back(i, j, out.unit[i] * out.unit[j] * value);
  out.mass.resize(n, n);
  out.mass.setFromTriplets(entries.begin(), entries.end());

  const std::vector<Set> sets = system.sets();
  entries.clear();
  int held = 0;
  for (int row = 0; row < int(gradient.rows()); ++row) {
    if (sets[row] != Set::zero) continue;
    double size = 0.0;
    for (decltype(out.gradient)::InnerIterator entry(gradient, row); entry; ++entry)
      size = std::hypot(size, out.unit[entry.col()] * entry.value());
    if (!(size > 0.0) || !std::isfinite(size)) continue;
    for (decltype(out.gradient)::InnerIterator entry(gradient, row); entry; ++entry)
      entries.emplace_back(held, int(entry.col()), out.unit[entry.col()] * entry.value() / size);
    ++held;
  }
  out.gradient.resize(held, n);
  out.gradient.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The smallest pivot of a symmetric matrix, and its place; not a number counts as none.
std::pair<double, int> smallest_pivot(const Sparse& matrix) {
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>> factors;
  factors.setShift(0.01 * nothing);  // far below what counts; a pivot of zero would end the factorisation
  factors.compute(matrix);
  if (factors.info() != Eigen::Success) return {0.0, -1};
  const Vector pivots = factors.vectorD();
  Eigen::Index at = 0;
  const double smallest = pivots.minCoeff(&at);
  if (!pivots.allFinite()) return {0.0, -1};
  return {smallest, factors.permutationPinv().size() > 0 ? factors.permutationPinv().indices()[at] : int(at)};
}

/// Whether M alone is positive, of so few coordinates that no pattern is worth looking for.
bool plainly_positive(const System& system, const State& start) {
  constexpr int few = 32;
  if (system.size() > few) return false;
  Eigen::MatrixXd mass = system.mass(instant(start));
  const Vector unit = mass.diagonal().cwiseSqrt().cwiseInverse();
  if (!unit.allFinite()) return false;
  mass = unit.asDiagonal() * mass * unit.asDiagonal();
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(mass);
  return factors.info() == Eigen::Success && (mass.diagonal().array().square() > nothing).all();
}

/// A velocity in words: its largest components, the largest of them with the factor one.
std::string describe(const System& system, const Vector& v) {
  std::vector<int> order(v.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return std::abs(v[a]) > 1.0001 * std::abs(v[b]); });
  constexpr std::size_t shown = 4;
  const double largest = v[order[0]];
  std::string out;
  std::size_t count = 0;
  for (; count < order.size() && std::abs(v[order[count]]) > 1e-3 * std::abs(largest); ++count) {
    if (count >= shown) continue;
    const double share = v[order[count]] / largest;
    const bool whole = std::abs(std::abs(share) - 1.0) < 1e-6;
    out += count == 0 ? "" : (share < 0.0 ? " - " : " + ");
    out += (whole ? "" : text(std::abs(share)) + " ") + system.coordinate_name(order[count]) + "'";
  }
  return count > shown ? out + message(" and {} more", count - shown) : out;
}

[[noreturn]] void refuse(const System& system, const Vector& v, bool negative) {
  int moving = 0;
  for (const double one : v) moving += std::abs(one) > 1e-3 * v.lpNorm<Eigen::Infinity>() ? 1 : 0;
  const std::string who = describe(system, v);
  if (moving == 1)
    throw InputError(
        message("the coordinate {} has {} inertia, and no constraint carries it; the kinetic energy must be positive "
                "whenever it moves.",
                "'" + who.substr(0, who.size() - 1) + "'", negative ? "negative" : "no"));
  throw InputError(
      message("the motion {} has {} inertia, and the constraints allow it; the kinetic energy must be positive in every "
              "motion that they allow.",
              who, negative ? "negative" : "no"));
}

/// Eigenvalues on the tangent space.
void require_by_eigenvalues(const System& system, const Scaled& scaled) {
  const Eigen::MatrixXd basis = null_space(scaled.gradient, dependent_within);
  if (basis.cols() == 0) return;
  Eigen::MatrixXd mass = basis.transpose() * (scaled.mass * basis);
  const double lowest = diagonalize(mass)[0];
  if (lowest > nothing) return;
  Vector v = basis * mass.col(0);
  v = scaled.unit.cwiseProduct(v);
  refuse(system, v, lowest < -nothing);
}

}  // namespace

void require_inertia(const System& system, const State& start) {
  if (system.size() == 0) return;
  const Vector rest = Vector::Zero(system.size()), one = Vector::Ones(system.size());
  if (system.lumped_mass() && (system.momentum({start.t, rest.data(), one.data()}).array() > 0.0).all()) return;
  if (plainly_positive(system, start)) return;
  const Scaled scaled = scaled_at(system, start);
  if (smallest_pivot(scaled.mass).first > nothing) return;
  if (system.size() <= largest_dense) return require_by_eigenvalues(system, scaled);
  constexpr double stiff =
      1e4;  // beside inertias of one: what couples to them from outside the tangent space is covered, and ten digits are left
  const Sparse gradient = scaled.gradient, held = scaled.mass + stiff * Sparse(gradient.transpose() * gradient);
  const auto [pivot, at] = smallest_pivot(held);
  if (pivot > nothing) return;
  require(at >= 0, "the mass matrix is singular, also on the velocities that the constraints allow.");
  Vector v = Vector::Zero(system.size());
  v[at] = 1.0;
  refuse(system, v, pivot < -nothing);
}

}  // namespace taut
