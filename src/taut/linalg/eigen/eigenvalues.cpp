#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <limits>
#include <taut/linalg/eigenvalues.hpp>

// In place of LAPACK, where there is none.
namespace taut {
namespace {

using Eigen::MatrixXd;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

Vector no_values(const MatrixXd& A) { return Vector::Constant(A.rows(), none); }

}  // namespace

Vector symmetric_eigenvalues(MatrixXd A) {
  if (!A.allFinite()) return no_values(A);
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Vector diagonalize(MatrixXd& A) {
  if (!A.allFinite()) return no_values(A);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(A);
  A = found.eigenvectors();
  return found.eigenvalues();
}

Vector symmetric_eigenvalues(MatrixXd A, MatrixXd B, MatrixXd* vectors) {
  if (!A.allFinite() || cholesky(B).size() != B.size()) return no_values(A);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> found(A, B);
  if (vectors) *vectors = found.eigenvectors();
  return found.eigenvalues();
}

std::vector<std::complex<double>> eigenvalues(MatrixXd A, Eigen::MatrixXcd* vectors) {
  if (!A.allFinite()) return std::vector<std::complex<double>>(std::size_t(A.rows()), {none, none});
  const Eigen::EigenSolver<MatrixXd> found(A, vectors != nullptr);
  if (vectors) *vectors = found.eigenvectors();
  const Eigen::VectorXcd values = found.eigenvalues();
  return {values.begin(), values.end()};
}

std::vector<EigenvalueRatio> eigenvalues(MatrixXd A, MatrixXd B, Eigen::MatrixXcd* vectors) {
  std::vector<EigenvalueRatio> out(std::size_t(A.rows()), {{none, none}, none});
  if (!A.allFinite() || !B.allFinite()) return out;
  const Eigen::GeneralizedEigenSolver<MatrixXd> found(A, B, vectors != nullptr);
  if (vectors) *vectors = found.eigenvectors();
  for (Eigen::Index k = 0; k < A.rows(); ++k) out[std::size_t(k)] = {found.alphas()[k], found.betas()[k]};
  return out;
}

MatrixXd cholesky(MatrixXd A) {
  if (!A.allFinite()) return {};
  const Eigen::LLT<MatrixXd> found(A);
  if (found.info() != Eigen::Success) return {};
  return found.matrixL();
}

MatrixXd null_space(const MatrixXd& G, double tolerance) {
  const Eigen::Index n = G.cols();
  if (std::min(n, G.rows()) == 0) return MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<MatrixXd> found(G.transpose());
  found.setThreshold(tolerance);
  const MatrixXd Q = found.householderQ();
  return Q.rightCols(n - found.rank());
}

}  // namespace taut
