#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <taut/linalg/level_matrix.hpp>

namespace taut {
namespace {

/// Nodes in a row, each of `coordinates` of which the last nine are held by six rows of its own, and one row between each two of them. K is positive definite.
struct NodesInARow {
  int nodes, each, n, m;
  std::vector<Layout::Entry> entries;
  Eigen::MatrixXd dense;

  explicit NodesInARow(int count, bool ring = false, int coordinates = 12)
      : nodes(count), each(coordinates), n(count * coordinates), m(count * 6 + count - (ring ? 0 : 1)) {
    dense = Eigen::MatrixXd::Zero(n + m, n + m);
    const auto set = [&](int i, int j, double value) {
      entries.emplace_back(i, j);
      dense(i, j) = value;
    };
    const auto number = [](int i, int j) { return std::sin(1.0 + 3.0 * i + 7.0 * j + 0.37 * i * j); };
    for (int k = 0; k < nodes; ++k)
      for (int i = 0; i < each; ++i)
        for (const int other : {k - 1, k, k + 1}) {
          const int at = ring ? (other + nodes) % nodes : other;
          if (at < 0 || at >= nodes) continue;
          for (int j = 0; j < each; ++j) {
            const int row = k * each + i, column = at * each + j;
            set(row, column, row == column ? 40.0 : 0.5 * number(row, column));
          }
        }
    int row = n;
    const auto hold = [&](int node, int i) {
      const int column = node * each + i;
      set(row, column, number(row, column));
      set(column, row, number(row, column) + 0.1 * number(column, 1));  // forces act along other directions
    };
    for (int k = 0; k < nodes; ++k)
      for (int r = 0; r < 6; ++r, ++row)
        for (int i = each - 9; i < each; ++i) hold(k, i);
    for (int k = 0; k + (ring ? 0 : 1) < nodes; ++k, ++row)
      for (const int node : {k, (k + 1) % nodes})
        for (int i = 0; i < 3; ++i) hold(node, i);
    for (int i = n; i < n + m; ++i) entries.emplace_back(i, i);
  }
  std::unique_ptr<Matrix> matrix() const { return Matrix::on(std::make_shared<const Layout>(n + m, entries, n)); }
  void fill(Matrix& matrix) const {
    matrix.clear();
    for (const auto& [i, j] : entries) matrix.values()[matrix.layout().slot(i, j)] = dense(i, j);
  }
  void expect_solved(Matrix& matrix) const {
    Eigen::MatrixXd b(n + m, 2);
    for (int i = 0; i < n + m; ++i) b.row(i) << std::cos(2.0 * i), std::sin(5.0 * i);
    const Eigen::MatrixXd expected = dense.fullPivLu().solve(b);
    Eigen::MatrixXd x = b;
    matrix.solve(x.data(), x.data(), 2);
    EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm());
  }
};

TEST(LevelMatrix, SolvesNodesInARowAsTheDenseReferenceDoes) {
  for (const int coordinates : {12, 11, 14}) {
    const NodesInARow row(9, false, coordinates);
    const auto matrix = row.matrix();
    const auto* levels = dynamic_cast<LevelMatrix*>(matrix.get());
    ASSERT_NE(levels, nullptr);
    row.fill(*matrix);
    ASSERT_TRUE(matrix->factor());
    EXPECT_FALSE(levels->whole());
    row.expect_solved(*matrix);
  }
}

TEST(LevelMatrix, SolvesARingByLevelsOfTwoNodes) {
  const NodesInARow ring(12, true);
  const auto matrix = ring.matrix();
  ASSERT_NE(dynamic_cast<LevelMatrix*>(matrix.get()), nullptr);
  ring.fill(*matrix);
  ASSERT_TRUE(matrix->factor());
  ring.expect_solved(*matrix);
}

TEST(LevelMatrix, TakesRowsAtRestAndFactorsTheWholeWhereRowsAreSoft) {
  NodesInARow row(9);
  const auto matrix = row.matrix();
  auto& levels = dynamic_cast<LevelMatrix&>(*matrix);
  for (const int resting : {row.n + 2, row.n + 27, row.n + 28, row.n + 6 * 9 + 3}) {
    row.dense.row(resting).setZero();
    row.dense(resting, resting) = 2.0;
  }
  row.fill(*matrix);
  ASSERT_TRUE(matrix->factor());
  EXPECT_FALSE(levels.whole());
  row.expect_solved(*matrix);

  row.dense(row.n + 14, row.n + 14) = -1e-3;
  row.fill(*matrix);
  ASSERT_TRUE(matrix->factor());
  EXPECT_TRUE(levels.whole());
  row.expect_solved(*matrix);
}

TEST(LevelMatrix, FactorsTheWholeWhereALevelAloneIsSingular) {
  // The first node is held by the second alone: its own block has a zero, the whole has none.
  NodesInARow row(9);
  row.dense.topLeftCorner(12, 12).setZero();
  const auto matrix = row.matrix();
  row.fill(*matrix);
  ASSERT_TRUE(matrix->factor());
  row.expect_solved(*matrix);
}

TEST(LevelMatrix, FindsDependentRows) {
  NodesInARow row(9);
  row.dense.row(row.n + 8) = row.dense.row(row.n + 7);
  const auto matrix = row.matrix();
  row.fill(*matrix);
  EXPECT_TRUE(!matrix->factor() || matrix->pivot_ratio() < 1e-12);
}

}  // namespace
}  // namespace taut
