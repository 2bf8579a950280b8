#include <gtest/gtest.h>

#include <limits>
#include <taut/linalg/rank.hpp>

namespace taut {
namespace {

std::vector<int> dependent(const Eigen::MatrixXd& rows) {
  return dependent_rows(Eigen::SparseMatrix<double, Eigen::RowMajor>(rows.sparseView()));
}

TEST(Rank, DoesNotDependOnTheSizeOfRows) {
  EXPECT_EQ(dependent(Eigen::MatrixXd{{1e-30, 0, 0}, {0, 1e200, 1e200}, {1e200, 1e230, 0}}), (std::vector<int>{}));
  EXPECT_EQ(dependent(Eigen::MatrixXd{{1e-30, 0, 0}, {0, 1e200, 1e200}, {0, 1e-200, 1e-200}}), (std::vector<int>{2}));
}

TEST(Rank, ARowOfZerosDependsOnAny) { EXPECT_EQ(dependent(Eigen::MatrixXd{{0, 0}, {1, 2}, {2, 1}}), (std::vector<int>{0})); }

TEST(Rank, NamesNothingWhereRowsAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(dependent(Eigen::MatrixXd{{inf, 0}, {1, 2}, {1, 2}}).empty());
}

TEST(Rank, KeepsRowsThatSpanWellWhereTheFirstDoBarely) {
  // The first two are nearly parallel; any one of them with the third spans the plane.
  const std::vector<int> found = dependent(Eigen::MatrixXd{{1, 0}, {1, 1e-6}, {0, 1}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LE(found[0], 1);
}

/// Differences of neighbours, and one row more: the difference of the ends, which is their sum.
std::vector<int> dependent_in_ring(int rows) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> G(rows + 1, rows + 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < rows; ++k) {
    entries.emplace_back(k, k, -1.0);
    entries.emplace_back(k, k + 1, 1.0);
  }
  entries.emplace_back(rows, 0, -1.0);
  entries.emplace_back(rows, rows, 1.0);
  G.setFromTriplets(entries.begin(), entries.end());
  return dependent_rows(G);
}

TEST(DependentRows, FindsTheSumOfThousandsOfOthers) { EXPECT_EQ(dependent_in_ring(5000), std::vector<int>{5000}); }

TEST(DependentRows, FindsTheOneThatRepeatsWhereTheGivenOrderWouldFillIn) {
  // All links of a chain before all nodes, as rods have lengths and frames: eliminating the links joins all nodes. The last row is that of a node again.
  const int links = 1500;
  Eigen::SparseMatrix<double, Eigen::RowMajor> G(2 * links + 2, 3 * links + 2);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < links; ++k)
    for (const int node : {k, k + 1}) entries.emplace_back(k, node, node == k ? -1.0 : 1.0);
  for (int k = 0; k < links; ++k) {
    entries.emplace_back(k, links + 1 + k, 0.3);
    entries.emplace_back(links + k, k, 0.5);
    entries.emplace_back(links + k, 2 * links + 1 + k, 1.0);
  }
  for (const int row : {2 * links, 2 * links + 1}) entries.emplace_back(row, links, 1.0);
  G.setFromTriplets(entries.begin(), entries.end());
  const std::vector<int> found = dependent_rows(G);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GE(found[0], 2 * links);
}

TEST(DependentRows, FindsAsManyWhereTheyAreTooManyForTheGivenOrder) { EXPECT_EQ(dependent_in_ring(15000).size(), 1U); }

}  // namespace
}  // namespace taut
