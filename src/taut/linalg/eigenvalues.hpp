#pragma once

#include <complex>
#include <taut/base/vector.hpp>
#include <vector>

/// Eigenvalues of dense matrices by LAPACK. Where it finds none (an entry is not finite, B is not positive definite) they are not numbers.
/// Why not by Eigen: its solvers are templates, which take minutes to compile with sanitizers or all optimisation.
/// E. Anderson et al., LAPACK Users' Guide, 3rd ed., 1999.
namespace taut {

/// A x = μ x for a symmetric A, of which the lower half is read; ascending.
Vector symmetric_eigenvalues(Eigen::MatrixXd A);

/// A x = μ B x for symmetric A and positive definite B, ascending. Where they are asked for, the x, column by column.
Vector symmetric_eigenvalues(Eigen::MatrixXd A, Eigen::MatrixXd B, Eigen::MatrixXd* vectors = nullptr);

/// The eigenvalues of a symmetric A, ascending; A becomes its eigenvectors, column by column and of length one.
Vector diagonalize(Eigen::MatrixXd& A);

/// A x = μ x for any A. Where they are asked for, the x, column by column.
std::vector<std::complex<double>> eigenvalues(Eigen::MatrixXd A, Eigen::MatrixXcd* vectors = nullptr);

/// β A x = α B x for any A and B: μ = α/β, infinite where β = 0.
struct EigenvalueRatio {
  std::complex<double> alpha;
  double beta;
};
std::vector<EigenvalueRatio> eigenvalues(Eigen::MatrixXd A, Eigen::MatrixXd B, Eigen::MatrixXcd* vectors = nullptr);

/// A = L Lᵀ, of which the lower half is read; empty where A is not positive definite.
Eigen::MatrixXd cholesky(Eigen::MatrixXd A);

/// An orthonormal basis of the x with G x = 0, column by column. Rows of G nearer than `tolerance`, of the longest, to the span of others count as
/// dependent.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& G, double tolerance);

}  // namespace taut
