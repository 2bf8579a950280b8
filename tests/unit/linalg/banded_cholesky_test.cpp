#include <numeric>
#include <random>
#include <taut/linalg/banded_cholesky.hpp>

namespace taut {
namespace {

TEST(BandedCholesky, SolvesBandsOfEveryWidthInAnyOrder) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (const int n : {1, 2, 3, 7, 20})
    for (const int band : {0, 1, 2, 5, 19}) {
      if (band >= n) continue;
      for (const bool shuffled : {false, true}) {
        std::vector<int> position(n);
        std::iota(position.begin(), position.end(), 0);
        if (shuffled) std::shuffle(position.begin(), position.end(), generator);
        BandedCholesky cholesky(band, position);
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j <= i; ++j)
            if (std::abs(position[i] - position[j]) <= band)
              A(i, j) = A(j, i) = i == j ? 4.0 * (band + 1) : number(generator);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j <= i; ++j)
            if (A(i, j) != 0.0) cholesky.values()[cholesky.slot(i, j)] = A(i, j);
        ASSERT_TRUE(cholesky.factor());
        Vector exact(n);
        for (int i = 0; i < n; ++i) exact[i] = number(generator);
        Vector x = A * exact;
        cholesky.solve(x.data());
        EXPECT_LE((x - exact).norm(), 1e-13) << n << " " << band << " " << shuffled;
      }
    }
}

TEST(BandedCholesky, SaysThatAMatrixIsSingular) {
  for (const int band : {1, 2}) {
    BandedCholesky cholesky(band, {0, 1, 2});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
        if (i - j <= band) cholesky.values()[cholesky.slot(i, j)] = 1.0;
    EXPECT_FALSE(cholesky.factor());
  }
}

}  // namespace
}  // namespace taut
