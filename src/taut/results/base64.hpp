#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taut {

inline std::string base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t i) {
      return i < bytes.size() ? std::uint32_t(static_cast<unsigned char>(bytes[i])) : 0u;
    };
    const std::uint32_t word = byte(k) << 16 | byte(k + 1) << 8 | byte(k + 2);
    for (int part = 0; part < 4; ++part)
      out += k + std::size_t(part) <= bytes.size() ? letters[(word >> (18 - 6 * part)) & 63u] : '=';
  }
  return out;
}

}  // namespace taut
