#pragma once

#include <taut/base/vector.hpp>
#include <utility>

namespace taut {

/// One instant of a motion.
///
/// p is the momentum the next step starts from: p(t,q,v), except in the schemes that say otherwise. λ are forces, never
/// scaled by h; the integrator's traits say to which time they belong.
struct State {
  double t = 0.0;
  Vector q, v, p, lambda;
  Vector carried{};  ///< what a scheme carries besides; empty at a start, and then found by the scheme
};

/// Memory changes hands, and nothing is copied.
inline void swap(State& a, State& b) {
  std::swap(a.t, b.t);
  a.q.swap(b.q);
  a.v.swap(b.v);
  a.p.swap(b.p);
  a.lambda.swap(b.lambda);
  a.carried.swap(b.carried);
}

}  // namespace taut
