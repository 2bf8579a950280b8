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

/// With so many significant digits, as a stream writes it; streams look up their locale each time they are made.
std::string in_digits(double value, int digits = 6);

/// A number or word as it appears in a message: six significant digits are enough to recognise it.
template <class T> std::string text(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) >= sizeof(int)) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return in_digits(value);
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
