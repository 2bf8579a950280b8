#pragma once

#include <taut/step/small_approach.hpp>

namespace taut::detail {

/// A whole explicit step on N coordinates under M rows by an elimination that is known here, in loops that unroll. Besides its functions it must offer
/// at(place), whether S was taken there last.
template <int M, int N, class Kind>
[[gnu::always_inline]] inline bool small_step(Kind& kind, const StageSums& sums, const ExplicitStep& step,
                                              const StagePlaces& places, SolveReport& report) {
  // Which constraints depend on others is a question to a state.
  if (!kind.at(step.q) && !kind.Kind::linearize(step.t, step.q)) return false;
  Few<2 * N> base;
  for (int i = 0; i < N; ++i) base[i] = step.q[i], base[N + i] = step.v[i];
  double* const room = places.first;
  const auto combine = [&](const StageSums::Shares& shares, double* out) {
    Few<2 * N> sum = base;
    for (const StageSums::Share& share : shares) {
      const double *rate = room + 3 * N * share.stage + N, weight = step.h * share.weight;
      for (int l = 0; l < 2 * N; ++l) sum[l] += weight * rate[l];
    }
    for (int l = 0; l < 2 * N; ++l) out[l] = sum[l];
  };
  if (step.a != nullptr)
    for (int i = 0; i < N; ++i) room[N + i] = base[N + i], room[2 * N + i] = step.a[i];
  for (int i = step.a != nullptr ? 1 : 0; i < sums.stages; ++i) {
    double* q = room + 3 * N * i;
    combine(sums.rows[std::size_t(i)], q);
    const Instant at{step.t + sums.c[std::size_t(i)] * step.h, q, q + N};
    if (!kind.Kind::accelerate(at, q + 2 * N, step.lambda_next)) return false;
  }
  double* end = room + 3 * N * sums.stages;
  combine(sums.end, end);
  for (int i = 0; i < N; ++i) step.q_next[i] = end[i], step.v_next[i] = end[N + i];
  const double t = step.t + step.h;
  ++report.factorizations;
  if constexpr (M > 0) {
    if (!kind.Kind::position(t, step.size, step.q_next, report)) return false;
    if (!kind.Kind::motion(t, step.q_next, step.v_next, step.a_next, step.lambda_next)) return false;
  } else {
    if (!kind.Kind::accelerate({t, step.q_next, step.v_next}, step.a_next, step.lambda_next)) return false;
  }
  return kind.Kind::momentum(step.v_next, step.p_next);
}

}  // namespace taut::detail
