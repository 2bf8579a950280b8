#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <random>
#include <set>
#include <taut/linalg/klu_matrix.hpp>
#include <taut/linalg/reduced_matrix.hpp>
#include <taut/linalg/supernodal.hpp>
#include <taut/linalg/tied_ordering.hpp>

namespace taut {
namespace {

/// [A Bᵀ; C −ε]: coordinates of points in space, rods between neighbours of a net and between random pairs, A with masses and what couples neighbours.
struct Kkt {
  int n = 0, m = 0;
  std::vector<Layout::Entry> entries;
  Eigen::MatrixXd dense;

  Kkt(int side, int far, double coupling, unsigned seed, int hub = 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::uniform_int_distribution<int> point(0, side * side - 1);
    std::vector<std::pair<int, int>> rods;
    for (int i = 0; i < side; ++i)
      for (int j = 0; j < side; ++j) {
        if (j + 1 < side) rods.emplace_back(side * i + j, side * i + j + 1);
        if (i + 1 < side) rods.emplace_back(side * i + j, side * (i + 1) + j);
      }
    for (int k = 0; k < far; ++k) rods.emplace_back(point(random), point(random));
    for (int k = 1; k <= hub; ++k) rods.emplace_back(0, 2 * k);
    std::erase_if(rods, [](const auto& rod) { return rod.first == rod.second; });
    n = 3 * side * side;
    m = int(rods.size());
    dense.setZero(n + m, n + m);
    const auto put = [&](int i, int j, double value) {
      entries.emplace_back(i, j);
      dense(i, j) += value;
    };
    for (int i = 0; i < n; ++i) put(i, i, 1.5 + number(random));
    for (int r = 0; r < m; ++r)
      for (int k = 0; k < 3; ++k) {
        const int a = 3 * rods[r].first + k, b = 3 * rods[r].second + k;
        const double slope = number(random), stiff = coupling * std::abs(number(random));
        put(n + r, a, slope);
        put(n + r, b, -slope);
        put(a, n + r, slope + 0.01 * number(random));  // directions are not quite gradients
        put(b, n + r, -slope);
        if (coupling == 0.0) continue;
        put(a, a, stiff), put(b, b, stiff), put(a, b, -stiff), put(b, a, -stiff);
      }
  }
  std::shared_ptr<const Layout> layout() const {
    return std::make_shared<const Layout>(n + m, entries, n, Layout::Kind::sparse);
  }
  void fill(Matrix& matrix) const {
    matrix.clear();
    for (const std::set<Layout::Entry> all(entries.begin(), entries.end()); const auto& [i, j] : all)
      matrix.values()[matrix.layout().slot(i, j)] = dense(i, j);
  }
  Vector right() const {
    Vector b(n + m);
    for (int i = 0; i < n + m; ++i) b[i] = std::cos(1.0 + 2.0 * i);
    return b;
  }
};

double error(const Eigen::MatrixXd& dense, const Vector& x, const Vector& b) { return (dense * x - b).norm() / b.norm(); }

TEST(ReducedMatrix, SolvesRandomNetsAsAccuratelyAsPivotingDoes) {
  for (const double coupling : {0.0, 0.01, 0.5, 5.0, 1e3})
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Kkt kkt(6, 8, coupling, seed, seed == 3 ? 17 : 0);
      const auto layout = kkt.layout();
      ASSERT_TRUE(ReducedMatrix::takes(*layout));
      ReducedMatrix matrix(layout);
      for (int again = 0; again < 3; ++again) {  // factors are made anew, the last pattern is kept
        kkt.fill(matrix);
        ASSERT_TRUE(matrix.factor());
        Vector x;
        matrix.solve(kkt.right(), x);
        EXPECT_LE(error(kkt.dense, x, kkt.right()), 1e-9) << coupling << " " << seed;
        const Vector exact = x;
        matrix.correct(kkt.right(), x);
        EXPECT_LE((x - exact).head(kkt.n).norm(), 1e-2 * exact.head(kkt.n).norm()) << coupling << " " << seed;
        matrix.solve(kkt.right(), x);
        EXPECT_LE((x - exact).norm(), 1e-9 * exact.norm());
      }
      EXPECT_TRUE(!matrix.whole() || coupling > 1.0) << "GMRES does for what couples weakly";
    }
}

TEST(ReducedMatrix, FactorsTheWholeWhereCouplingIsStrong) {
  const Kkt kkt(12, 0, 1e6, 10);
  ReducedMatrix matrix(kkt.layout());
  kkt.fill(matrix);
  ASSERT_TRUE(matrix.factor());
  Vector x = kkt.right();
  matrix.solve(x, x);  // in place: the right side must outlive the attempt
  EXPECT_TRUE(matrix.whole());
  EXPECT_LE((kkt.dense * x - kkt.right()).norm(), 1e-12 * kkt.dense.norm() * x.norm());
}

TEST(ReducedMatrix, TakesSeveralRightSidesInPlace) {
  const Kkt kkt(5, 3, 0.1, 4);
  ReducedMatrix matrix(kkt.layout());
  kkt.fill(matrix);
  ASSERT_TRUE(matrix.factor());
  Eigen::MatrixXd x(kkt.n + kkt.m, 3);
  for (int c = 0; c < 3; ++c) x.col(c) = (c + 1.0) * kkt.right();
  matrix.solve(x.data(), x.data(), 3);
  for (int c = 0; c < 3; ++c) EXPECT_LE(error(kkt.dense, x.col(c), (c + 1.0) * kkt.right()), 1e-9);
}

TEST(ReducedMatrix, TellsRepeatedConstraintsAndValuesThatAreNotFinite) {
  for (const double coupling : {0.0, 0.3}) {
    Kkt kkt(5, 4, coupling, 5);
    ReducedMatrix matrix(kkt.layout());
    kkt.fill(matrix);
    ASSERT_TRUE(matrix.factor());
    EXPECT_GT(matrix.pivot_ratio(), 1e-8);
    // One more rod between two points that have one: a parallel row.
    Kkt twice = kkt;
    const int n = kkt.n, m = kkt.m;
    twice.m = m + 1;
    twice.dense.setZero(n + m + 1, n + m + 1);
    twice.dense.topLeftCorner(n + m, n + m) = kkt.dense;
    for (int i = 0; i < n; ++i) {
      if (kkt.dense(n, i) == 0.0) continue;
      twice.entries.emplace_back(n + m, i);
      twice.dense(n + m, i) = 2.0 * kkt.dense(n, i);
      twice.entries.emplace_back(i, n + m);
      twice.dense(i, n + m) = 2.0 * kkt.dense(i, n);
    }
    ReducedMatrix singular(twice.layout());
    twice.fill(singular);
    EXPECT_TRUE(!singular.factor() || singular.pivot_ratio() < 1e-13);
    kkt.fill(matrix);
    matrix.values()[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(matrix.factor());
  }
}

TEST(ReducedMatrix, LeavesCoordinatesWithoutInertiaToPivoting) {
  Kkt kkt(4, 0, 0.0, 6);
  kkt.dense(0, 0) = 0.0;  // its rods carry it
  ReducedMatrix matrix(kkt.layout());
  kkt.fill(matrix);
  ASSERT_TRUE(matrix.factor());
  EXPECT_TRUE(matrix.whole());
  Vector x;
  matrix.solve(kkt.right(), x);
  EXPECT_LE(error(kkt.dense, x, kkt.right()), 1e-9);
}

TEST(ReducedMatrix, DoesNotTakeMatricesWithoutMultipliers) {
  const Kkt kkt(4, 0, 0.1, 7);
  EXPECT_FALSE(ReducedMatrix::takes(Layout(kkt.n + kkt.m, kkt.entries, Layout::Kind::sparse)));
}

TEST(TiedOrdering, PutsEachMultiplierAfterHalfOfWhatItHolds) {
  const Kkt kkt(8, 10, 0.1, 8);
  const auto layout = kkt.layout();
  const std::vector<int> order = tied_ordering(*layout);
  std::vector<int> place(order.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = int(k);
  EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);
  for (int r = kkt.n; r < kkt.n + kkt.m; ++r) {
    int before = 0, all = 0;
    for (int k = layout->column_starts()[r]; k < layout->column_starts()[r + 1]; ++k) {
      const int i = layout->row_indices()[k];
      if (i >= kkt.n) continue;
      ++all;
      before += place[i] < place[r] ? 1 : 0;
    }
    EXPECT_GE(2 * before, all);
  }
  KluMatrix matrix(layout);
  kkt.fill(matrix);
  ASSERT_TRUE(matrix.factor());
  Vector x;
  matrix.solve(kkt.right(), x);
  EXPECT_LE(error(kkt.dense, x, kkt.right()), 1e-10);
}

TEST(Supernodal, FactorsSymmetricMatricesAndTellsSingularOnes) {
  const Kkt kkt(9, 12, 0.0, 9);
  const Eigen::MatrixXd gradient = kkt.dense.bottomLeftCorner(kkt.m, kkt.n), S = gradient * gradient.transpose();
  std::vector<int> starts(1, 0), rows;
  for (int j = 0; j < kkt.m; ++j) {
    for (int i = 0; i < kkt.m; ++i)
      if (S(i, j) != 0.0) rows.push_back(i);
    starts.push_back(int(rows.size()));
  }
  Supernodal panels(Supernodal::Form::symmetric, starts, rows);
  const auto fill = [&](const Eigen::MatrixXd& from) {
    for (int j = 0; j < kkt.m; ++j)
      for (int k = starts[j]; k < starts[j + 1]; ++k) panels.values()[panels.slot(rows[k], j)] = from(rows[k], j);
  };
  fill(S);
  ASSERT_TRUE(panels.factor());
  const Vector b = kkt.right().tail(kkt.m);
  Vector x = b, y(kkt.m);
  panels.solve(x.data());
  EXPECT_LE(error(S, x, b), 1e-10);
  panels.multiply(x.data(), y.data());
  EXPECT_LE((y - S * x).norm(), 1e-12 * b.norm());
  Eigen::MatrixXd singular = S;  // the last row as a multiple of the first, as far as the pattern goes
  singular.row(3).setZero();
  singular.col(3).setZero();
  fill(singular);
  EXPECT_FALSE(panels.factor());
}

}  // namespace
}  // namespace taut
