#pragma once

#include <algorithm>
#include <cmath>
#include <taut/step/elimination.hpp>
#include <taut/step/small_ldlt.hpp>

namespace taut::detail {

/// Moves q by corrections until these tell that it is there: correction(x) is what x is to be moved by, the other way; renew(x) takes the factor anew there.
template <int N, class Correction, class Renew>
[[gnu::always_inline]] inline bool approach(Approach steps, double* q, SolveReport& report, const Correction& correction,
                                            const Renew& renew) {
  for (Few<N> x = few<N>(q);;) {
    const Few<N> change = correction(x.data());
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < N; ++i) {
      x[i] -= change[i];
      sum += change[i];
      largest = std::max(largest, std::abs(change[i]));
    }
    ++report.newton_iterations;
    report.correction = largest;
    switch (steps.after(largest + (sum - sum))) {  // not a number where one of them is none
      case Approach::Next::done:
        for (int i = 0; i < N; ++i) q[i] = x[i];
        return true;
      case Approach::Next::failed:
        return false;
      case Approach::Next::renew:
        if (!renew(x.data())) return false;
        ++report.factorizations;
        break;
      case Approach::Next::again:
        break;
    }
  }
}

}  // namespace taut::detail
