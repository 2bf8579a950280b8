#pragma once

#include <complex>
#include <functional>
#include <taut/base/vector.hpp>
#include <vector>

/// A few eigenvalues of operators too large for dense matrices, by Lanczos' and Arnoldi's methods with implicit restarts (Spectra).
/// R. B. Lehoucq, D. C. Sorensen and C. Yang, ARPACK Users' Guide, 1998; docs/decisions/0030-modes.md.
namespace taut {

/// y = A x; both have the length of the operator.
using Operator = std::function<void(const double* x, double* y)>;

struct Krylov {
  std::vector<std::complex<double>> values{};  ///< none where the iteration did not converge
  Eigen::MatrixXcd vectors{};                  ///< column by column
};

/// The μ of K x = μ M x nearest to the shift; both symmetric, M positive definite on the range of the inverse. `inverse` is (K − shift M)⁻¹, or what is left of it under
/// constraints.
Krylov symmetric_near(double shift, int size, int count, const Operator& inverse, const Operator& M);

/// The largest μ of any operator.
Krylov largest_eigenvalues(int size, int count, const Operator& A);

}  // namespace taut
