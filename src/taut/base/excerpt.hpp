#pragma once

#include <algorithm>
#include <string>

namespace taut {

/// A long text as messages quote it: whole if it is short, otherwise the part around a position.
inline std::string excerpt(const std::string& text, std::size_t position = 0) {
  constexpr std::size_t most = 120, before = 60;
  if (text.size() <= most) return text;
  // Not within a character of more than one byte.
  const auto boundary = [&](std::size_t at) {
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  };
  const std::size_t latest = text.size() - most, wanted = position > before ? position - before : 0;
  const std::size_t begin = boundary(std::min(wanted, latest)), end = boundary(std::min(begin + most, text.size()));
  return (begin > 0 ? "…" : "") + text.substr(begin, end - begin) + (end < text.size() ? "…" : "");
}

}  // namespace taut
