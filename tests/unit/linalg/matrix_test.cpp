#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <taut/linalg/matrix.hpp>
#include <taut/linalg/rank.hpp>

namespace taut {
namespace {

using Kind = Layout::Kind;

/// A matrix on a pattern: a chain of saddle points, zero on part of the diagonal, so that pivoting is needed.
struct Example {
  int n;
  std::vector<Layout::Entry> entries;
  Eigen::MatrixXd dense;

  Example(int size, int reach) : n(size), dense(Eigen::MatrixXd::Zero(size, size)) {
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - reach); j <= std::min(n - 1, i + reach); ++j) {
        entries.emplace_back(i, j);
        dense(i, j) = i == j && i % 3 == 0 ? 0.0 : std::sin(1.0 + 3.0 * i + 7.0 * j) + (i == j ? 1.5 : 0.0);
      }
  }
  std::unique_ptr<Matrix> on(Kind kind) const {
    auto matrix = Matrix::on(std::make_shared<const Layout>(n, entries, kind));
    for (const auto& [i, j] : entries) matrix->values()[matrix->layout().slot(i, j)] = dense(i, j);
    return matrix;
  }
};

TEST(Matrix, EveryStorageSolvesAsTheDenseReferenceDoes) {
  // More rows than are eliminated at a time, more columns than are solved for at once.
  constexpr int n = 100, columns = 6;
  for (const int reach : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14}) {
    const Example example(n, reach);
    Eigen::MatrixXd b(n, columns);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < columns; ++j) b(i, j) = std::cos(2.0 * i + 5.0 * j);
    const Eigen::MatrixXd expected = example.dense.fullPivLu().solve(b);
    for (const Kind kind : {Kind::dense, Kind::banded, Kind::sparse}) {
      const auto matrix = example.on(kind);
      ASSERT_TRUE(matrix->factor());
      for (int count = 1; count <= columns; ++count) {
        Eigen::MatrixXd x = b.leftCols(count);
        matrix->solve(x.data(), x.data(), count);
        EXPECT_LE((x - expected.leftCols(count)).norm(), 1e-9 * expected.norm())
            << "reach " << reach << " kind " << int(kind);
      }
    }
  }
}

TEST(Matrix, SolvesInPlaceAndRepeatedly) {
  for (const Kind kind : {Kind::dense, Kind::banded, Kind::sparse}) {
    const Example example(30, 2);
    const auto matrix = example.on(kind);
    ASSERT_TRUE(matrix->factor());
    Vector x = Vector::LinSpaced(30, -1.0, 1.0);
    const Vector b = x;
    matrix->solve(x, x);
    EXPECT_LE((example.dense * x - b).norm(), 1e-9);
    // Factor again after a change of values: the symbolic part is reused.
    matrix->clear();
    for (const auto& [i, j] : example.entries) matrix->values()[matrix->layout().slot(i, j)] = 2.0 * example.dense(i, j);
    ASSERT_TRUE(matrix->factor());
    Vector y;
    matrix->solve(b, y);
    EXPECT_LE((2.0 * y - x).norm(), 1e-9 * x.norm());
  }
}

TEST(Matrix, ReportsAZeroColumnAsSingularInEveryStorage) {
  for (const Kind kind : {Kind::dense, Kind::banded, Kind::sparse}) {
    Example example(12, 1);
    example.dense.col(5).setZero();
    EXPECT_FALSE(example.on(kind)->factor()) << int(kind);
  }
}

TEST(Matrix, ReportsNanAsSingularInEveryStorage) {
  for (const Kind kind : {Kind::dense, Kind::banded, Kind::sparse}) {
    Example example(12, 1);
    example.dense(5, 5) = std::nan("");
    EXPECT_FALSE(example.on(kind)->factor()) << int(kind);
  }
}

TEST(Matrix, PivotRatioWarnsOfDependentRows) {
  for (const Kind kind : {Kind::dense, Kind::banded, Kind::sparse}) {
    Example example(3, 2);
    example.dense << 1, 2, 3, 4, 5, 6, 5, 7, 9;
    const auto matrix = example.on(kind);
    EXPECT_TRUE(!matrix->factor() || matrix->pivot_ratio() < 1e-14) << int(kind);
  }
}

TEST(Layout, ChoosesTheBandOfAShuffledChainAndDenseForFewUnknowns) {
  // Unknowns of a chain numbered first all even places, then all odd ones.
  const int n = 1000;
  std::vector<int> number(n);
  for (int i = 0; i < n; ++i) number[i] = i % 2 == 0 ? i / 2 : n / 2 + i / 2;
  std::vector<Layout::Entry> entries;
  for (int i = 0; i + 1 < n; ++i) entries.emplace_back(number[i], number[i + 1]);
  const Layout layout(n, entries);
  EXPECT_EQ(layout.kind(), Kind::banded);
  EXPECT_EQ(layout.half_bandwidth(), 1);
  EXPECT_EQ(Layout(8, {}).kind(), Kind::dense);
}

TEST(Layout, ChoosesSparseStorageForAGrid) {
  const int side = 60;
  std::vector<Layout::Entry> entries;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      if (i + 1 < side) entries.emplace_back(i * side + j, (i + 1) * side + j);
      if (j + 1 < side) entries.emplace_back(i * side + j, i * side + j + 1);
    }
  EXPECT_EQ(Layout(side * side, entries).kind(), Kind::sparse);
}

TEST(Rank, NamesTheLaterOfDependentRows) {
  Eigen::MatrixXd rows(5, 4);
  rows << 1, 0, 0, 0,  //
      1, 1, 0, 0,      //
      3, 2, 0, 0,      // twice row 1 and once row 0
      0, 0, 1e-8, 0,   // small but independent
      0, 0, 2, 0;      // along row 3
  EXPECT_EQ(dependent_rows(rows.sparseView()), (std::vector<int>{2, 4}));
  EXPECT_TRUE(dependent_rows(Eigen::MatrixXd::Identity(3, 3).sparseView()).empty());
}

TEST(Rank, FindsTheDoubledRowsOfALongChainInItsOrder) {
  const int n = 5000;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    entries.emplace_back(i, i + 1, -1.0);
  }
  for (const int doubled : {17, 4000}) {
    const int row = doubled == 17 ? n : n + 1;
    entries.emplace_back(row, doubled, 2.0);
    entries.emplace_back(row, doubled + 1, -2.0);
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> rows(n + 2, n + 1);
  rows.setFromTriplets(entries.begin(), entries.end());
  EXPECT_EQ(dependent_rows(rows), (std::vector<int>{n, n + 1}));
}

}  // namespace
}  // namespace taut
