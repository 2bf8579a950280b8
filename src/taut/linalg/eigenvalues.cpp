#include <limits>
#include <taut/linalg/eigenvalues.hpp>

// As Fortran compilers export them: everything by address; the lengths of texts, which follow, are one each.
extern "C" {
void dsyev_(const char* vectors, const char* half, const int* n, double* A, const int* rows, double* values, double* work,
            const int* size, int* info, std::size_t, std::size_t);
void dsygv_(const int* type, const char* vectors, const char* half, const int* n, double* A, const int* A_rows, double* B,
            const int* B_rows, double* values, double* work, const int* size, int* info, std::size_t, std::size_t);
void dgeev_(const char* left, const char* right, const int* n, double* A, const int* rows, double* real, double* imaginary,
            double* left_vectors, const int* left_rows, double* right_vectors, const int* right_rows, double* work,
            const int* size, int* info, std::size_t, std::size_t);
void dggev_(const char* left, const char* right, const int* n, double* A, const int* A_rows, double* B, const int* B_rows,
            double* real, double* imaginary, double* beta, double* left_vectors, const int* left_rows, double* right_vectors,
            const int* right_rows, double* work, const int* size, int* info, std::size_t, std::size_t);
void dpotrf_(const char* half, const int* n, double* A, const int* rows, int* info, std::size_t);
void dgeqp3_(const int* m, const int* n, double* A, const int* rows, int* order, double* tau, double* work, const int* size,
             int* info);
void dorgqr_(const int* m, const int* n, const int* reflectors, double* A, const int* rows, const double* tau, double* work,
             const int* size, int* info);
}

namespace taut {
namespace {

using Eigen::MatrixXd;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
const int one = 1;  // rows of what is not asked for

/// Calls routine(work, size, info) twice: LAPACK first says how much room it wants.
template <class Routine> bool call(const Routine& routine) {
  double wanted = 0.0;
  int size = -1, info = 0;
  routine(&wanted, &size, &info);
  size = int(wanted);
  Vector work(size);
  routine(work.data(), &size, &info);
  return info == 0;
}

Vector symmetric(MatrixXd& A, const char* vectors) {
  const int n = int(A.rows());
  Vector values(n);
  const bool found = A.allFinite() && call([&](double* work, const int* size, int* info) {
                       dsyev_(vectors, "L", &n, A.data(), &n, values.data(), work, size, info, 1, 1);
                     });
  if (!found) values.setConstant(none);
  return values;
}

/// Vectors as LAPACK writes them: of a pair, first the real parts, then the imaginary ones of the first of the two.
Eigen::MatrixXcd in_pairs(const MatrixXd& right, const Vector& imaginary) {
  Eigen::MatrixXcd out = right.cast<std::complex<double>>();
  for (Eigen::Index k = 0; k + 1 < right.cols(); ++k) {
    if (imaginary[k] == 0.0) continue;
    out.col(k).imag() = right.col(k + 1);
    out.col(k + 1) = out.col(k).conjugate();
    ++k;
  }
  return out;
}

}  // namespace

Vector symmetric_eigenvalues(MatrixXd A) { return symmetric(A, "N"); }

Vector diagonalize(MatrixXd& A) { return symmetric(A, "V"); }

Vector symmetric_eigenvalues(MatrixXd A, MatrixXd B, MatrixXd* vectors) {
  const int n = int(A.rows());
  Vector values(n);
  const char* wanted = vectors ? "V" : "N";
  const bool found = A.allFinite() && B.allFinite() && call([&](double* work, const int* size, int* info) {
                       dsygv_(&one, wanted, "L", &n, A.data(), &n, B.data(), &n, values.data(), work, size, info, 1, 1);
                     });
  if (!found) values.setConstant(none);
  if (vectors) *vectors = std::move(A);
  return values;
}

std::vector<std::complex<double>> eigenvalues(MatrixXd A, Eigen::MatrixXcd* vectors) {
  const int n = int(A.rows());
  Vector real(n), imaginary(n);
  MatrixXd right(vectors ? n : 0, vectors ? n : 0);
  const char* wanted = vectors ? "V" : "N";
  const int* rows = vectors ? &n : &one;
  const bool found = A.allFinite() && call([&](double* work, const int* size, int* info) {
                       dgeev_("N", wanted, &n, A.data(), &n, real.data(), imaginary.data(), nullptr, &one, right.data(),
                              rows, work, size, info, 1, 1);
                     });
  if (vectors) *vectors = in_pairs(right, imaginary);
  if (!found) return std::vector<std::complex<double>>(std::size_t(n), {none, none});
  std::vector<std::complex<double>> out;
  for (int k = 0; k < n; ++k) out.emplace_back(real[k], imaginary[k]);
  return out;
}

std::vector<EigenvalueRatio> eigenvalues(MatrixXd A, MatrixXd B, Eigen::MatrixXcd* vectors) {
  const int n = int(A.rows());
  Vector real(n), imaginary(n), beta(n);
  MatrixXd right(vectors ? n : 0, vectors ? n : 0);
  const char* wanted = vectors ? "V" : "N";
  const int* rows = vectors ? &n : &one;
  const bool found = A.allFinite() && B.allFinite() && call([&](double* work, const int* size, int* info) {
                       dggev_("N", wanted, &n, A.data(), &n, B.data(), &n, real.data(), imaginary.data(), beta.data(),
                              nullptr, &one, right.data(), rows, work, size, info, 1, 1);
                     });
  if (vectors) *vectors = in_pairs(right, imaginary);
  if (!found) return std::vector<EigenvalueRatio>(std::size_t(n), {{none, none}, none});
  std::vector<EigenvalueRatio> out;
  for (int k = 0; k < n; ++k) out.push_back({{real[k], imaginary[k]}, beta[k]});
  return out;
}

MatrixXd cholesky(MatrixXd A) {
  const int n = int(A.rows());
  int info = 0;
  dpotrf_("L", &n, A.data(), &n, &info, 1);
  if (info != 0 || !A.allFinite()) return {};
  for (int j = 1; j < n; ++j) A.col(j).head(j).setZero();
  return A;
}

MatrixXd null_space(const MatrixXd& G, double tolerance) {
  const int n = int(G.cols()), m = int(G.rows()), reflectors = std::min(n, m);
  if (reflectors == 0) return MatrixXd::Identity(n, n);
  // Gᵀ P = Q R with the longest columns first.
  MatrixXd QR = G.transpose();
  Vector tau(reflectors);
  std::vector<int> order(std::size_t(m), 0);
  call([&](double* work, const int* size, int* info) {
    dgeqp3_(&n, &m, QR.data(), &n, order.data(), tau.data(), work, size, info);
  });
  const Vector pivots = QR.diagonal().cwiseAbs();
  int rank = 0;
  for (const double pivot : pivots) rank += pivot > tolerance * pivots.maxCoeff() ? 1 : 0;
  MatrixXd Q = MatrixXd::Zero(n, n);
  Q.leftCols(reflectors) = QR.leftCols(reflectors);
  call([&](double* work, const int* size, int* info) {
    dorgqr_(&n, &n, &reflectors, Q.data(), &n, tau.data(), work, size, info);
  });
  return Q.rightCols(n - rank);
}

}  // namespace taut
