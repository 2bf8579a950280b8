#pragma once

#include <optional>
#include <taut/linalg/banded_cholesky.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// S = G W Gᵀ with W = M⁻¹ diagonal and constant: assembled from the rows of G, factored as a band.
class Schur {
 public:
  /// Nothing where the mass is not lumped and positive, or the band of S is wide. Without constraints it is W alone.
  static std::optional<Schur> of(const System& system);

  bool linearize(double t, const double* q);  ///< false if S is singular

  /// λ = S⁻¹ (b + G W f), then f ← W (f − Gᵀλ); with f = 0 a correction along W Gᵀ that changes G·f by −b.
  void eliminate(double* f, double* lambda);

 private:
  Schur(const System& system, Vector weight, BandedCholesky factor);

  const System* system_;
  Vector weight_, root_;
  BandedCholesky factor_;
  std::vector<std::vector<int>> slots_;  // of each block in G
  std::vector<int> starts_, columns_;    // rows of G
  std::vector<double> gradient_, scaled_;
  struct Product {
    int slot, first, last;
  };
  std::vector<Product> products_;  // entries of S: sums of pairs_
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace taut
