#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

/// Numbers from and to text: std::from_chars and std::to_chars, which some standard libraries have for whole numbers only.
namespace taut {

#ifdef __cpp_lib_to_chars

inline std::from_chars_result from_decimal(const char* first, const char* last, double& value) {
  return std::from_chars(first, last, value);
}

/// In the fewest digits that read back as the same number; 32 characters are enough.
inline std::to_chars_result to_decimal(char* first, char* last, double value) { return std::to_chars(first, last, value); }

/// In so many significant digits, as %g writes them.
inline std::to_chars_result to_decimal(char* first, char* last, double value, int digits) {
  return std::to_chars(first, last, value, std::chars_format::general, digits);
}

#else

/// The end of -digits.digits e±digits, or of -inf.
inline const char* end_of_decimal(const char* first, const char* last) {
  const auto digits = [last](const char* at) {
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at;
  };
  const char* whole = first != last && *first == '-' ? first + 1 : first;
  if (last - whole >= 3 && std::string(whole, whole + 3) == "inf") return whole + 3;
  const char* at = digits(whole);
  bool any = at != whole;
  if (at != last && *at == '.') {
    const char* end = digits(at + 1);
    any = any || end != at + 1;
    at = end;
  }
  if (!any) return first;
  if (at != last && (*at == 'e' || *at == 'E')) {
    const char* power = at + 1;
    if (power != last && (*power == '+' || *power == '-')) ++power;
    if (const char* end = digits(power); end != power) at = end;
  }
  return at;
}

inline std::from_chars_result from_decimal(const char* first, const char* last, double& value) {
  const char* end = end_of_decimal(first, last);
  if (end == first) return {first, std::errc::invalid_argument};
  const double found = std::strtod(std::string(first, end).c_str(), nullptr);
  if (found - found != 0.0 && end[-1] != 'f') return {end, std::errc::result_out_of_range};
  value = found;
  return {end, std::errc{}};
}

inline std::to_chars_result to_decimal(char* first, char* last, double value) {
  int size = 0;
  for (int digits = 1; digits <= 17; ++digits) {
    size = std::snprintf(first, std::size_t(last - first), "%.*g", digits, value);
    if (std::strtod(first, nullptr) == value) break;
  }
  return {first + size, std::errc{}};
}

inline std::to_chars_result to_decimal(char* first, char* last, double value, int digits) {
  return {first + std::snprintf(first, std::size_t(last - first), "%.*g", digits, value), std::errc{}};
}

#endif

}  // namespace taut
