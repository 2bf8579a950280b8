#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace taut {

/// FNV-1a over words of 64 bits. Each step is invertible: no change of a single word goes unnoticed.
class Checksum {
 public:
  Checksum& add(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 1099511628211ull;
    return *this;
  }
  Checksum& add(const double* numbers, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) add(std::bit_cast<std::uint64_t>(numbers[k]));
    return *this;
  }
  Checksum& add(std::string_view text) {
    for (const char c : text) add(std::uint64_t(static_cast<unsigned char>(c)));
    return *this;
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 1469598103934665603ull;
};

}  // namespace taut
