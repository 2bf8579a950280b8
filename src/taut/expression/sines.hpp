#pragma once

namespace taut {

/// Sines and cosines of many numbers, each within one unit in the last place and the same whatever stands beside it. Of what is no finite number there are none.
/// All three have room for a multiple of `sines_at_once`; what stands in x behind the count does not matter.
void sines_and_cosines(const double* x, int count, double* sine, double* cosine);

constexpr int sines_at_once = 8;
constexpr int room_for_sines(int count) { return (count + sines_at_once - 1) / sines_at_once * sines_at_once; }

}  // namespace taut
