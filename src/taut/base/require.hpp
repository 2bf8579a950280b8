#pragma once

#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace taut {

/// The caller's mistake: thrown early, with subject, what was given, what was expected, a way out.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A number or word as it appears in a message: six significant digits are enough to recognise it.
template <class T> std::string text(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) >= sizeof(int)) {
    return std::to_string(value);  // a stream looks up its locale each time it is made
  } else {
    std::ostringstream out;
    out << value;
    return out.str();
  }
}

/// Replaces each `{}` of the pattern by the next argument.
std::string filled(std::string_view pattern, std::initializer_list<std::string> arguments);

template <class... Args> std::string message(std::string_view pattern, const Args&... args) {
  return filled(pattern, {text(args)...});
}

/// Throws InputError with the filled pattern unless the condition holds.
template <class... Args> void require(bool condition, std::string_view pattern, const Args&... args) {
  if (!condition) throw InputError(message(pattern, args...));
}

}  // namespace taut
