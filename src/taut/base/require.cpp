#include <array>
#include <taut/base/decimal.hpp>
#include <taut/base/require.hpp>

namespace taut {

std::string in_digits(double value, int digits) {
  std::array<char, 32> room{};
  return {room.data(), to_decimal(room.data(), room.data() + room.size(), value, digits).ptr};
}

std::string filled(std::string_view pattern, std::initializer_list<std::string> arguments) {
  std::string out;
  auto next = arguments.begin();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i, 2) == "{}" && next != arguments.end()) {
      out += *next++;
      ++i;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

}  // namespace taut
