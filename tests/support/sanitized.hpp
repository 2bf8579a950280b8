#pragma once

namespace taut {

/// Sanitizers without optimisation are fifty times slower: there a share of a long test does, which the plain build has in full.
#if defined(TAUT_SANITIZED)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace taut
