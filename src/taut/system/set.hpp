#pragma once

namespace taut {

/// Where the value of a constraint must lie. A constraint is a map g and a set S; multipliers, augmented Lagrangian
/// and penalty follow from the projection onto S and its slope alone, and λ ∈ N_S(g):
///
///     zero         g = 0,  λ free
///     nonpositive  g ≤ 0,  λ ≥ 0
///     nonnegative  g ≥ 0,  λ ≤ 0
///     whole        no condition,  λ = 0
enum class Set { zero, nonpositive, nonnegative, whole };

/// Whether y lies outside S or on its boundary {0} from outside, that is, whether the projection is 0 with slope 0.
template <class T> bool binds(Set set, const T& y) {
  switch (set) {
    case Set::zero:
      return true;
    case Set::nonpositive:
      return y > 0.0;
    case Set::nonnegative:
      return y < 0.0;
    case Set::whole:
      return false;
  }
  return false;
}

/// y − P_S(y): the signed distance to the set, zero inside.
template <class T> T excess(Set set, const T& y) { return binds(set, y) ? y : T(0.0); }

}  // namespace taut
