// Factor and solve narrow bands as chains and beams give them: our BandedLu against LAPACK's gbtrf and gbtrs, and KLU on the same
// pattern. Times per row; ratios against BandedLu.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <taut/linalg/matrix.hpp>
#include <vector>

#include "measure.hpp"

extern "C" {
void dgbtrf_(const int*, const int*, const int*, const int*, double*, const int*, int*, int*);
void dgbtrs_(const char*, const int*, const int*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*);
}

namespace {

using namespace benchmark;

double entry(int i, int j) { return i == j ? (i % 3 == 0 ? 0.0 : 1.5) : std::sin(1.0 + 3.0 * i + 7.0 * j); }

struct Times {
  double factor, solve;
};

Times ours(int n, int b, taut::Layout::Kind kind) {
  std::vector<taut::Layout::Entry> entries;
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - b); j <= std::min(n - 1, i + b); ++j) entries.emplace_back(i, j);
  auto matrix = taut::Matrix::on(std::make_shared<const taut::Layout>(n, entries, kind));
  std::vector<int> slots;
  std::vector<double> values;
  for (const auto& [i, j] : entries) {
    slots.push_back(matrix->layout().slot(i, j));
    values.push_back(entry(i, j));
  }
  const auto fill = [&] {
    matrix->clear();
    for (std::size_t k = 0; k < slots.size(); ++k) matrix->values()[slots[k]] = values[k];
  };
  const double filling = best_seconds(fill);
  const double both = best_seconds([&] {
    fill();
    matrix->factor();
  });
  taut::Vector x = taut::Vector::Ones(n);
  return {both - filling, best_seconds([&] { matrix->solve(x, x), x.setOnes(); })};
}

Times lapack(int n, int b) {
  const int ld = 3 * b + 1, one = 1;
  std::vector<double> original(std::size_t(ld) * n, 0.0), a;
  for (int j = 0; j < n; ++j)
    for (int i = std::max(0, j - b); i <= std::min(n - 1, j + b); ++i)
      original[std::size_t(j) * ld + 2 * b + i - j] = entry(i, j);
  std::vector<int> pivots(n);
  std::vector<double> x(n, 1.0);
  int info = 0;
  const double copying = best_seconds([&] { a = original; });
  const double both = best_seconds([&] {
    a = original;
    dgbtrf_(&n, &n, &b, &b, a.data(), &ld, pivots.data(), &info);
  });
  const double solve = best_seconds([&] {
    std::fill(x.begin(), x.end(), 1.0);
    dgbtrs_("N", &n, &b, &b, &one, a.data(), &ld, pivots.data(), x.data(), &n, &info);
  });
  return {both - copying, solve};
}

}  // namespace

int main() {
  const int n = 30000;
  std::printf("%6s %22s %22s %22s\n", "", "BandedLu, ns per row", "LAPACK / BandedLu", "KLU / BandedLu");
  std::printf("%6s %11s %10s %11s %10s %11s %10s\n", "b", "factor", "solve", "factor", "solve", "factor", "solve");
  for (const int b : {1, 2, 3, 4, 6, 7, 8, 9, 10, 15, 24, 40}) {
    const Times own = ours(n, b, taut::Layout::Kind::banded), sparse = ours(n, b, taut::Layout::Kind::sparse);
    const Times reference = lapack(n, b);
    std::printf("%6d %11.1f %10.1f %11.2f %10.2f %11.2f %10.2f\n", b, own.factor / n * 1e9, own.solve / n * 1e9,
                reference.factor / own.factor, reference.solve / own.solve, sparse.factor / own.factor,
                sparse.solve / own.solve);
  }
}
