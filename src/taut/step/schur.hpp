#pragma once

#include <optional>
#include <taut/linalg/banded_cholesky.hpp>
#include <taut/linalg/definite_factor.hpp>
#include <taut/system/system.hpp>
#include <variant>

namespace taut {

/// S = G W Gᵀ with W = M⁻¹ diagonal and constant: assembled from the rows of G, factored as a band where it is one, by panels otherwise.
class Schur {
 public:
  /// Nothing where the mass is not lumped and positive, or many constraints meet at a point. Without constraints it is W alone.
  static std::optional<Schur> of(const System& system);

  /// False if S is singular. Nothing to do where it was taken last: velocities, accelerations and the rank of a state ask one after the other.
  bool linearize(double t, const double* q);

  /// The same at a place near the last one, where the rank is not in question: a factor that costs much more than solutions with it is kept, to precondition.
  bool approach(double t, const double* q);

  /// With b in lambda:  λ = S⁻¹ (b + G W f), then f ← W (f − Gᵀλ), so that G f = −b.
  void eliminate(double* f, double* lambda);

  /// The same for f = 0: the smallest correction f with G f = −b. Roughly: with the factor at hand, for iterations that take G from elsewhere anyway.
  void correct(double* f, double* lambda);
  void correct_roughly(double* f, double* lambda);

 private:
  using Factor = std::variant<BandedCholesky, DefiniteFactor>;
  Schur(const System& system, Vector weight, Factor factor);

  const System* system_;
  Vector weight_, root_;
  Factor factor_;
  std::vector<std::vector<int>> slots_;  // of each block in G
  std::vector<int> starts_, columns_;    // rows of G
  std::vector<double> gradient_, scaled_;
  struct Product {
    int slot, a, b, length;
  };
  std::vector<Product> products_;  // S[slot] += Σ scaled[a + k] · scaled[b + k]
  struct Entry {
    int row, index;
  };
  std::vector<int> firsts_;  // columns of G
  std::vector<Entry> entries_;

  bool factored_ = false;  // by linearize(), and still
  double t_ = 0.0;         // where
  Vector q_;

  bool is_at(double t, const double* q) const;
  void assemble(double t, const double* q);
  bool factor();
  void solve(double* lambda);

  /// f = W (from − Gᵀλ), with from = 0 where there is none.
  void pull(const double* from, double* f, const double* lambda) const;
};

}  // namespace taut
