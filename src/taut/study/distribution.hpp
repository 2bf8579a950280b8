#pragma once

#include <string>

namespace taut {

/// How a number is spread.
///
///     uniform(a, b)        between a and b
///     normal(m, s)         mean m, deviation s
///     lognormal(m, s)      its logarithm is normal(m, s)
struct Distribution {
  enum class Kind { uniform, normal, lognormal };
  Kind kind = Kind::uniform;
  double first = 0.0, second = 1.0;

  /// The number below which a share u of all lie, 0 < u < 1.
  double at(double u) const;
};

/// In the words above; numbers may be expressions with units. Throws InputError that names what it is of.
Distribution distribution_named(const std::string& text, const std::string& of);

/// x with Φ(x) = u, for the normal distribution of mean 0 and deviation 1; to round-off.
double normal_quantile(double u);

/// The value of an expression without names: "30 deg", "pi/2". Throws InputError that names what it is of.
double number_in(const std::string& text, const std::string& of);

}  // namespace taut
