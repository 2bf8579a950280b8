#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <taut/linalg/rank.hpp>

namespace taut {
namespace {

constexpr int largest_qr = 300, largest_in_order = 10000;

/// Entries of the factors, of those of the Gram matrix, beyond which the order given is left.
constexpr int most_fill = 20;

/// Rows kept in the given order are good while each is farther from the span of those before it than this: they are to serve for a step, in which it turns.
constexpr double barely = 0.1;

/// The same number of rows, chosen by pivoting: each as far from the span of those before it as can be.
std::vector<int> dependent_by_pivoting(const Eigen::SparseMatrix<double>& columns, int rank) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(columns)};
  const auto& order = qr.colsPermutation().indices();
  return {order.data() + rank, order.data() + order.size()};
}

/// Columns of length one, or zero; false if an entry is not finite. The largest entry first: squares of 1e200 are not numbers.
bool normalize(Eigen::SparseMatrix<double>& columns) {
  for (int j = 0; j < int(columns.cols()); ++j)
    for (const bool first : {true, false}) {
      double size = 0.0;
      for (Eigen::SparseMatrix<double>::InnerIterator entry(columns, j); entry; ++entry) {
        if (!std::isfinite(entry.value())) return false;
        size = first ? std::max(size, std::abs(entry.value())) : std::hypot(size, entry.value());
      }
      if (size > 0.0) columns.col(j) /= size;
    }
  return true;
}

template <class Ordering> struct GramFactors : Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Ordering> {
  Eigen::Index fill() const { return this->m_matrix.nonZeros(); }  // known from the pattern
};

template <class Ordering>
std::vector<int> dependent_by_pivots(const Eigen::SparseMatrix<double>& gram, GramFactors<Ordering>& factors) {
  constexpr double shift = 1e-13, surely = 1e-11, perhaps = 1e-7;
  factors.setShift(shift);
  factors.factorize(gram);
  const Eigen::VectorXd pivots = factors.vectorD();
  Eigen::VectorXd shifted = pivots;
  if (((pivots.array() > surely) && (pivots.array() <= perhaps)).any()) {
    factors.setShift(10.0 * shift);
    factors.factorize(gram);
    shifted = factors.vectorD();
  }
  const auto& order = factors.permutationPinv().indices();  // empty where it is the given one
  std::vector<int> dependent;
  for (int j = 0; j < int(pivots.size()); ++j)
    if (!(pivots[j] > surely) || (pivots[j] <= perhaps && shifted[j] > 3.0 * pivots[j]))
      dependent.push_back(order.size() > 0 ? order[j] : j);
  std::sort(dependent.begin(), dependent.end());
  return dependent;
}

/// For many rows: pivot i of the LDLᵀ factors of the Gram matrix, in the given order, is the squared distance of row i to the span of the
/// rows before it. A shift ε of 1e-13 keeps the pivots of dependent rows from zero; 1e-11 tells them from others, which are resolved to 3e-6 instead of
/// the 1e-9 of the QR factors below. A row that is the sum of N others has a pivot of Nε, though: those up to 1e-7 are dependent where they grow with ε.
/// A band stays a band: O(N) for chains. Very many rows, and those that would fill in much, come in an order that fills in little: nets, and rods with all lengths
/// before all frames, would take minutes in the order given, and the rows named are then as good as others.
std::vector<int> dependent_by_gram(const Eigen::SparseMatrix<double>& columns) {
  const Eigen::SparseMatrix<double> gram = columns.transpose() * columns;
  if (columns.cols() <= largest_in_order) {
    GramFactors<Eigen::NaturalOrdering<int>> factors;
    factors.analyzePattern(gram);
    if (factors.fill() <= most_fill * gram.nonZeros()) return dependent_by_pivots(gram, factors);
  }
  GramFactors<Eigen::AMDOrdering<int>> factors;
  factors.analyzePattern(gram);
  return dependent_by_pivots(gram, factors);
}

}  // namespace

std::vector<int> dependent_rows(const Eigen::SparseMatrix<double, Eigen::RowMajor>& rows, double tolerance) {
  const int count = int(rows.rows());
  if (count == 0) return {};
  Eigen::SparseMatrix<double> columns = rows.transpose();
  if (!normalize(columns)) return {};
  columns.makeCompressed();
  if (count > largest_qr) return dependent_by_gram(columns);
  // Householder QR in the given order: a column that adds nothing to the span of those before it is moved behind.
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(tolerance);
  qr.compute(columns);
  std::vector<int> dependent;
  const int rank = int(qr.rank());
  for (int k = rank; k < count; ++k) dependent.push_back(qr.colsPermutation().indices()[k]);
  double smallest = 1.0;
  for (int k = 0; k < rank; ++k) smallest = std::min(smallest, std::abs(qr.matrixR().coeff(k, k)));
  if (!dependent.empty() && smallest < barely) dependent = dependent_by_pivoting(columns, rank);
  std::sort(dependent.begin(), dependent.end());
  return dependent;
}

Eigen::VectorXd natural_units(const Eigen::VectorXd& diagonal, const Eigen::SparseMatrix<double, Eigen::RowMajor>& rows) {
  using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  constexpr double nothing = 1e-9;  // entries that are round-off of a turn
  const Eigen::VectorXd size = diagonal.cwiseAbs();
  Eigen::VectorXd unit = size.unaryExpr([](double d) { return d > 0.0 ? 1.0 / std::sqrt(d) : 0.0; });
  // Rows of coordinates without inertia alone wait for what others tell of these.
  for (bool found = (unit.array() == 0.0).any(); found;) {
    found = false;
    Eigen::VectorXd known = unit;
    for (int row = 0; row < int(rows.rows()); ++row) {
      double rest = 0.0;
      for (Rows::InnerIterator entry(rows, row); entry; ++entry) rest = std::hypot(rest, unit[entry.col()] * entry.value());
      double largest = 0.0;
      for (Rows::InnerIterator entry(rows, row); entry; ++entry) largest = std::max(largest, std::abs(entry.value()));
      if (!(rest > 0.0) || !std::isfinite(rest)) continue;
      for (Rows::InnerIterator entry(rows, row); entry; ++entry) {
        if (unit[entry.col()] != 0.0 || std::abs(entry.value()) <= nothing * largest) continue;
        double& own = known[entry.col()];
        const double here = rest / std::abs(entry.value());
        own = own == 0.0 ? here : std::min(own, here);  // what is heavier moves less
        found = true;
      }
    }
    unit = known;
  }
  return unit.unaryExpr([](double u) { return u > 0.0 ? u : 1.0; });
}

Eigen::SparseMatrix<double, Eigen::RowMajor> lower_rows(Matrix& matrix, int n) {
  const Layout& layout = matrix.layout();
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
      if (const int row = layout.row_indices()[k]; row >= n)
        entries.emplace_back(row - n, j, matrix.values()[layout.slot(row, j)]);
  Eigen::SparseMatrix<double, Eigen::RowMajor> rows(layout.size() - n, n);
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

}  // namespace taut
