#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <random>
#include <set>
#include <taut/linalg/definite_factor.hpp>
#include <taut/linalg/klu_matrix.hpp>
#include <taut/linalg/reduced_matrix.hpp>
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

/// Products of rows that hold two of so many points each: S is symmetric where both factors are the same.
struct Products {
  std::vector<int> starts{0}, rows;
  Eigen::MatrixXd left, right;

  /// Rods from each point to the next, others across, and some from the first point of all; one of the first twice.
  Products(int points, int across, int hub, unsigned seed, bool twice = false) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    std::uniform_int_distribution<int> point(0, points - 1);
    std::vector<std::pair<int, int>> rods;
    for (int k = 0; k + 1 < points; ++k) rods.emplace_back(k, k + 1);
    for (int k = 0; k < across; ++k) rods.emplace_back(point(random), point(random));
    for (int k = 0; k < hub; ++k) rods.emplace_back(0, 2 + k);
    std::erase_if(rods, [](const auto& rod) { return rod.first == rod.second; });
    if (twice) rods.push_back(rods[std::size_t(points / 2)]);
    std::shuffle(rods.begin(), rods.end(), random);
    left = right = Eigen::MatrixXd::Zero(Eigen::Index(rods.size()), 3 * points);
    for (int r = 0; r < int(rods.size()); ++r)
      for (int k = 0; k < 3; ++k) {
        left(r, 3 * rods[r].first + k) = number(random);
        left(r, 3 * rods[r].second + k) = number(random);
      }
    right = left;
    const auto meet = [&](const auto& a, const auto& b) {
      return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
    };
    for (const auto& column : rods) {
      for (int i = 0; i < int(rods.size()); ++i)
        if (meet(rods[i], column)) rows.push_back(i);
      starts.push_back(int(rows.size()));
    }
  }
  Eigen::MatrixXd dense() const { return left * right.transpose(); }
  void fill(DefiniteFactor& factor) const { fill(factor, dense()); }
  void fill(DefiniteFactor& factor, const Eigen::MatrixXd& S) const {
    std::fill(factor.values().begin(), factor.values().end(), 0.0);
    for (int j = 0; j + 1 < int(starts.size()); ++j)
      for (int k = starts[j]; k < starts[j + 1]; ++k) factor.values()[factor.slot(rows[k], j)] = S(rows[k], j);
  }
  Vector given() const {
    Vector b(left.rows());
    for (int i = 0; i < b.size(); ++i) b[i] = std::cos(1.0 + 2.0 * i);
    return b;
  }
};

TEST(DefiniteFactor, SolvesChainsTreesAndNetsOfBothForms) {
  // The chain leaves nothing for panels, the last ones hardly anything for single rows.
  for (const auto& [points, across, hub] : std::vector<std::array<int, 3>>{{60, 0, 0}, {60, 4, 0}, {60, 20, 8}, {40, 80, 0}})
    for (const auto form : {DefiniteFactor::Form::symmetric, DefiniteFactor::Form::general}) {
      Products products(points, across, hub, 3);
      if (form == DefiniteFactor::Form::general) products.right.array() *= 1.0 + 0.01 * products.left.array();
      DefiniteFactor factor(form, products.starts, products.rows);
      const Vector b = products.given();
      for (int round = 0; round < 2; ++round) {  // the second on values that the first has overwritten
        products.fill(factor);
        ASSERT_TRUE(factor.factor());
        Vector x = b;
        ASSERT_TRUE(factor.solve(x.data()));
        EXPECT_LE(error(products.dense(), x, b), 1e-10) << points << " points, " << across << " across, hub " << hub;
      }
    }
}

TEST(DefiniteFactor, SolvesToRoundOffWithOldPanels) {
  Products products(200, 100, 0, 5);
  DefiniteFactor factor(DefiniteFactor::Form::symmetric, products.starts, products.rows);
  products.fill(factor);
  ASSERT_TRUE(factor.factor());
  const Vector b = products.given();
  for (const double change : {1e-4, 1e-2, 10.0}) {  // the last is hopeless for the old ones
    products.left.array() += change * products.left.array().square();
    products.right = products.left;
    products.fill(factor);
    ASSERT_TRUE(factor.approach());
    Vector x = b, rough = b;
    factor.solve_roughly(rough.data());
    ASSERT_TRUE(factor.solve(x.data()));
    const Eigen::MatrixXd S = products.dense();
    EXPECT_LE(error(S, x, b), 1e-9) << change;
    if (change < 1e-3) EXPECT_LE((rough - x).norm(), 0.1 * x.norm());
  }
}

TEST(DefiniteFactor, TellsWhatPivotsLost) {
  for (const int across : {0, 60}) {
    Products products(40, across, 0, 7, true);
    const auto alike = [&](Eigen::Index a, Eigen::Index b) {
      return ((products.left.row(a).array() != 0.0) == (products.left.row(b).array() != 0.0)).all();
    };
    Eigen::Index first = 0, second = 1;
    while (!alike(first, second))
      if (++second == products.left.rows()) second = ++first + 1;
    const Eigen::RowVectorXd own = products.left.row(second);
    DefiniteFactor factor(DefiniteFactor::Form::symmetric, products.starts, products.rows);
    for (const double share :
         {1.0, 1e-4, 0.0}) {  // of the second row that is not the first; what is left of its pivot is the square
      products.left.row(second) = products.left.row(first) + share * own;
      products.right = products.left;
      products.fill(factor);
      EXPECT_EQ(factor.factor(), share > 0.0);
      if (share == 1.0) EXPECT_GE(factor.pivot_ratio(), 1e-5);
      if (share < 1.0) EXPECT_LE(factor.pivot_ratio(), 1e-7);
    }
  }
}

}  // namespace
}  // namespace taut
