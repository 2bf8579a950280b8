#pragma once

#include <array>

namespace taut::detail {

template <int Size> using Few = std::array<double, std::size_t(Size)>;

/// A copy that nothing else can change: what a compiler needs to know to keep it in registers.
template <int Size> [[gnu::always_inline]] inline Few<Size> few(const double* from) {
  Few<Size> out;
  for (int i = 0; i < Size; ++i) out[i] = from[i];
  return out;
}

template <int Size> [[gnu::always_inline]] inline bool same(const double* a, const double* b) {
  bool all = true;
  for (int i = 0; i < Size; ++i) all = all && a[i] == b[i];
  return all;
}

/// L D Lᵀ of a symmetric positive definite matrix of a few rows, in loops that unroll. Everything here must be inlined: a call would put a few numbers through
/// memory, which takes longer than what is done with them.
template <int M> class SmallLdlt {
 public:
  using Matrix = std::array<Few<M>, std::size_t(M)>;

  /// Of the lower half; false if a pivot lost 13 digits against its diagonal entry, as BandedCholesky has it.
  [[gnu::always_inline]] bool factor(Matrix S) {
    constexpr double lost = 1e-13;
    good_ = true;
    if constexpr (M == 2) {  // both divisions at once, where one after the other is what all else waits for
      const double determinant = S[0][0] * S[1][1] - S[1][0] * S[1][0];
      good_ = S[0][0] > 0.0 && determinant > lost * (S[0][0] * S[1][1]);
      factors_[0][0] = 1.0 / S[0][0];
      factors_[1][0] = S[1][0] * factors_[0][0];
      factors_[1][1] = S[0][0] / determinant;
      return good_;
    }
    for (int i = 0; i < M; ++i) {
      const double whole = S[i][i];
      double pivot = whole;
      for (int j = 0; j < i; ++j)
        for (int k = 0; k < j; ++k) S[i][j] -= S[i][k] * S[j][k];  // S[i][k] is L D still
      for (int j = 0; j < i; ++j) {
        const double scaled = S[i][j] * S[j][j];
        pivot -= scaled * S[i][j];
        S[i][j] = scaled;
      }
      good_ = good_ && pivot > lost * whole;
      S[i][i] = 1.0 / pivot;
    }
    for (int i = 0; i < M; ++i)
      for (int j = 0; j <= i; ++j) factors_[i][j] = S[i][j];
    return good_;
  }
  bool good() const { return good_; }

  [[gnu::always_inline]] Few<M> solve(Few<M> b) const {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < i; ++j) b[i] -= factors_[i][j] * b[j];
    for (int i = M - 1; i >= 0; --i) {
      b[i] *= factors_[i][i];
      for (int j = i + 1; j < M; ++j) b[i] -= factors_[j][i] * b[j];
    }
    return b;
  }

 private:
  Matrix factors_{};  // L below the diagonal, 1/D on it
  bool good_ = false;
};

}  // namespace taut::detail
