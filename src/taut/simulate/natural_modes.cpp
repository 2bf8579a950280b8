#include <algorithm>
#include <cmath>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/linalg/krylov.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/simulate/linearized.hpp>
#include <taut/simulate/natural_modes.hpp>
#include <taut/simulate/stability.hpp>

namespace taut {
namespace {

using Complex = std::complex<double>;
using Sparse = Eigen::SparseMatrix<double>;

double largest_value(const Sparse& matrix) {
  double out = 0.0;
  for (Eigen::Index k = 0; k < matrix.nonZeros(); ++k) out = std::max(out, std::abs(matrix.valuePtr()[k]));
  return out;
}

/// x of [A Gᵀ; G ·] (x, λ) = (b, 0).
class Held {
 public:
  Held(const Sparse& A, const SparseRows& G) : n_(int(A.rows())) {
    const int size = n_ + int(G.rows());
    std::vector<Eigen::Triplet<double>> entries;
    // Rows of the constraints in units of the stiffness, so that pivots compare like with like.
    const double unit = largest_value(A);
    for (int k = 0; k < A.outerSize(); ++k)
      for (Sparse::InnerIterator one(A, k); one; ++one) entries.emplace_back(int(one.row()), int(one.col()), one.value());
    for (int k = 0; k < G.outerSize(); ++k)
      for (SparseRows::InnerIterator one(G, k); one; ++one) {
        entries.emplace_back(n_ + int(one.row()), int(one.col()), unit * one.value());
        entries.emplace_back(int(one.col()), n_ + int(one.row()), unit * one.value());
      }
    std::vector<Layout::Entry> pattern;
    for (const auto& one : entries) pattern.emplace_back(one.row(), one.col());
    matrix_ = Matrix::on(std::make_shared<const Layout>(size, pattern, n_));
    for (const auto& one : entries) matrix_->values()[matrix_->layout().slot(one.row(), one.col())] += one.value();
    sound_ = matrix_->factor() && matrix_->pivot_ratio() > 1e-15;
    room_.setZero(size);
  }
  bool sound() const { return sound_; }
  void solve(const double* b, double* x) {
    room_.head(n_) = Eigen::Map<const Vector>(b, n_);
    room_.tail(room_.size() - n_).setZero();
    matrix_->solve(room_.data(), room_.data(), 1);
    Eigen::Map<Vector>(x, n_) = room_.head(n_);
  }

 private:
  int n_;
  std::unique_ptr<Matrix> matrix_;
  bool sound_ = false;
  Vector room_;
};

/// Of a system without D whose K is symmetric: K x = ω² M x.
Krylov undamped_modes(const Linearized& at, const SparseRows& G, int count) {
  // Where something moves freely K is singular: below zero nothing is, in a system at rest in a stable equilibrium.
  const double unit = largest_value(at.K) / std::max(largest_value(at.M), 1e-300);
  for (const double shift : {0.0, -1e-10 * unit, -1e-6 * unit}) {
    Held held(Sparse(at.K - shift * at.M), G);
    if (!held.sound()) continue;
    Krylov found = symmetric_near(
        shift, int(at.M.rows()), count, [&](const double* b, double* x) { held.solve(b, x); },
        [&](const double* x, double* y) {
          Eigen::Map<Vector>(y, at.M.rows()) = at.M * Eigen::Map<const Vector>(x, at.M.cols());
        });
    for (Complex& square : found.values)  // ω², or minus the square of a rate
      square = square.real() > 0.0 ? Complex(0.0, std::sqrt(square.real())) : Complex(std::sqrt(-square.real()), 0.0);
    return found;
  }
  return {};
}

/// s of s²M + sD + K in first-order form z = (δq, δq̇), near s = σ.
Krylov damped_modes(const Linearized& at, const SparseRows& G, int count) {
  const int n = int(at.M.rows());
  const double unit = std::sqrt(largest_value(at.K) / std::max(largest_value(at.M), 1e-300));
  for (const double shift : {0.0, 1e-5 * unit, 1e-3 * unit}) {
    Held held(Sparse(at.K + shift * at.D + shift * shift * at.M), G);
    if (!held.sound()) continue;
    Vector right(n);
    Krylov found = largest_eigenvalues(2 * n, 2 * count, [&](const double* w, double* z) {
      const Eigen::Map<const Vector> a(w, n), b(w + n, n);
      right.noalias() = -(at.M * b) - at.D * a - shift * (at.M * a);
      held.solve(right.data(), z);
      Eigen::Map<Vector>(z + n, n) = a + shift * Eigen::Map<const Vector>(z, n);
    });
    for (Complex& inverse : found.values) inverse = shift + 1.0 / inverse;
    found.vectors = found.vectors.topRows(n).eval();
    return found;
  }
  return {};
}

/// Its largest entry becomes 1.
Eigen::VectorXcd normalized(Eigen::VectorXcd shape) {
  Eigen::Index largest = 0;
  if (shape.size() > 0) shape.cwiseAbs().maxCoeff(&largest);
  if (shape.size() > 0 && std::abs(shape[largest]) > 0.0) shape /= Complex(shape[largest]);
  return shape;
}

bool symmetric(const Sparse& K) { return largest_value(Sparse(K - Sparse(K.transpose()))) <= 1e-12 * largest_value(K); }

}  // namespace

double NaturalMode::frequency() const { return std::abs(s.imag()) / (2.0 * std::numbers::pi); }

double NaturalMode::damping() const { return rigid() || s.real() == 0.0 ? 0.0 : -s.real() / std::abs(s); }

NaturalModes natural_modes(const System& system, const State& rest, int count) {
  require(count > 0, "natural_modes: asks for at least one mode, got {}.", count);
  NaturalModes out;
  const auto take = [&](const Complex& s, const Eigen::VectorXcd& shape) {
    if (s.imag() >= 0.0) out.modes.push_back({s, normalized(shape)});
  };
  // Shapes of all are dear where few are wanted.
  const bool many = 4 * count > system.size() - system.constraint_count();
  Stability found = stability(system, rest, many);
  const auto calm = [&found] { return found.instability == Stability::Kind::none && found.neutral == 0; };
  out.frozen = found.frozen;
  if (!many && found.unknown.empty() && (4 * count > found.freedom || !calm())) found = stability(system, rest, true);
  if (!found.unknown.empty() && !found.too_large) {
    out.unknown = found.unknown;
    return out;
  }
  // Dense matrices know all s to round-off of the fastest one. A few slow ones among many are better found near zero, if nothing grows or is free.
  if (!found.too_large && (4 * count > found.freedom || !calm())) {
    out.all = out.dense = true;
    out.degrees_of_freedom = found.freedom;
    int neutral = 0;  // s = 0 comes twice for each shape
    for (std::size_t k = 0; k < found.eigenvalues.size(); ++k)
      if (std::abs(found.eigenvalues[k]) > 0.0 || ++neutral % 2 == 1)
        take(found.eigenvalues[k], found.shapes.col(Eigen::Index(k)));
  } else {
    const Linearized at = linearized(system, rest);
    const std::vector<int> dependent = dependent_rows(at.G);
    const SparseRows G =
        rows_of(at.G, [&](int row) { return !std::binary_search(dependent.begin(), dependent.end(), row); });
    out.degrees_of_freedom = system.size() - int(G.rows());
    count = std::min(count, std::max(out.degrees_of_freedom / 4, 1));
    const double rate = std::sqrt(largest_value(at.K) * largest_value(at.M));
    const bool plain = largest_value(at.D) <= 1e-14 * rate && symmetric(at.K);
    const Krylov near = plain ? undamped_modes(at, G, count) : damped_modes(at, G, count);
    for (std::size_t k = 0; k < near.values.size(); ++k) take(near.values[k], near.vectors.col(Eigen::Index(k)));
    if (near.values.empty()) out.unknown = "the iteration for the lowest ones did not converge";
  }
  std::stable_sort(out.modes.begin(), out.modes.end(),
                   [](const NaturalMode& a, const NaturalMode& b) { return std::abs(a.s) < std::abs(b.s); });
  if (int(out.modes.size()) > count) {
    out.modes.resize(std::size_t(count));
    out.all = false;
  }
  return out;
}

}  // namespace taut
