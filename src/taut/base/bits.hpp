#pragma once

#include <cstring>

namespace taut {

/// The same bits as another type: std::bit_cast, which some standard libraries do not have yet.
template <class To, class From> To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace taut
