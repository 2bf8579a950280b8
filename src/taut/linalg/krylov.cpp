#include <Spectra/GenEigsSolver.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <cmath>
#include <taut/linalg/krylov.hpp>

namespace taut {
namespace {

constexpr double tolerance = 1e-12;
constexpr int restarts = 300;

/// What Spectra calls an operation.
struct Operation {
  using Scalar = double;
  int size;
  const Operator& apply;
  Eigen::Index rows() const { return size; }
  Eigen::Index cols() const { return size; }
  void set_shift(double) {}
  void perform_op(const double* x, double* y) const { apply(x, y); }
};

/// Twice as many directions as eigenvalues are customary; a few more cost little.
int directions(int size, int count) { return std::min(size, 2 * count + 20); }

/// In the range of the operator, the same in every run, and along no axis in particular.
Vector first_direction(int size) {
  Vector out(size);
  for (int i = 0; i < size; ++i) out[i] = std::sin(1.0 + 1.7 * i) + 0.3 * std::cos(0.01 * i);
  return out;
}

template <class Solver> Krylov result(Solver& solver) {
  if (solver.info() != Spectra::CompInfo::Successful) return {};
  const auto values = solver.eigenvalues();
  Krylov out{.vectors = solver.eigenvectors().template cast<std::complex<double>>()};
  for (Eigen::Index k = 0; k < values.size(); ++k) out.values.emplace_back(values[k]);
  return out;
}

}  // namespace

Krylov symmetric_near(double shift, int size, int count, const Operator& inverse, const Operator& M) {
  Operation op{size, inverse}, B{size, M};
  Vector x = first_direction(size), y(size);
  M(x.data(), y.data());
  inverse(y.data(), x.data());
  Spectra::SymGEigsShiftSolver<Operation, Operation, Spectra::GEigsMode::ShiftInvert> solver(op, B, count,
                                                                                             directions(size, count), shift);
  solver.init(x.data());
  solver.compute(Spectra::SortRule::LargestMagn, restarts, tolerance);
  return result(solver);
}

Krylov largest_eigenvalues(int size, int count, const Operator& A) {
  Operation op{size, A};
  Vector x = first_direction(size), y(size);
  A(x.data(), y.data());
  Spectra::GenEigsSolver<Operation> solver(op, count, directions(size, count));
  solver.init(y.data());
  solver.compute(Spectra::SortRule::LargestMagn, restarts, tolerance);
  return result(solver);
}

}  // namespace taut
