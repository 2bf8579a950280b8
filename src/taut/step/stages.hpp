#pragma once

#include <cstddef>
#include <vector>

namespace taut {

/// The sums of an explicit scheme: of which rates of change, and with which weights.
struct StageSums {
  struct Share {
    int stage;
    double weight;
  };
  using Shares = std::vector<Share>;  ///< without those that are zero
  static Shares of(const std::vector<double>& weights) {
    Shares out;
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (weights[j] != 0.0) out.push_back({int(j), weights[j]});
    return out;
  }

  int stages = 0;
  std::vector<double> c;     ///< times
  std::vector<Shares> rows;  ///< of each stage
  Shares end;
};

/// Room for the stages of a step and its end: q, v and a of each, one after the other, so that what changes at the rate (v, a), which is (q, v), lies as its
/// rate does.
struct StagePlaces {
  int n = 0;
  const double* base = nullptr;  ///< (q, v) at the start
  double* first = nullptr;       ///< 3n numbers for each stage, and 3n for the end

  double* q(int stage) const { return first + std::ptrdiff_t(3) * n * stage; }
  const double* rate(int stage) const { return q(stage) + n; }
};

/// A whole explicit step from a state that holds the constraints to the next one that does: stages, projections, and what the next step begins with.
struct ExplicitStep {
  double t, h;
  double size;              ///< of the configuration
  const double *q, *v, *a;  ///< at the start; a: where it is known, for schemes whose first stage is there
  double *q_next, *v_next, *a_next, *p_next, *lambda_next;
};

/// out = base + h Σ weight·rate, so many entries of them at a time that the sums stay in registers; without a base it is zero.
template <int Width>
[[gnu::always_inline]] inline void combine_some(const StageSums::Shares& shares, double h, const StagePlaces& places,
                                                int from, const double* base, double* out) {
  double sum[Width];
  for (int l = 0; l < Width; ++l) sum[l] = base != nullptr ? base[from + l] : 0.0;
  for (const StageSums::Share& share : shares) {
    const double *rate = places.rate(share.stage) + from, weight = h * share.weight;
    for (int l = 0; l < Width; ++l) sum[l] += weight * rate[l];
  }
  for (int l = 0; l < Width; ++l) out[from + l] = sum[l];
}

/// The same for all 2n entries.
inline void combine(const StageSums::Shares& shares, double h, const StagePlaces& places, const double* base, double* out) {
  const int count = 2 * places.n;
  int k = 0;
  for (; k + 8 <= count; k += 8) combine_some<8>(shares, h, places, k, base, out);
  for (; k < count; k += 2) combine_some<2>(shares, h, places, k, base, out);
}

}  // namespace taut
