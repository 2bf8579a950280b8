#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace taut {

/// Points of the unit cube, for samples: each is found by its number alone, so that it does not matter who asks for it, or in what order.
///
/// random: independent. latin: in each direction one point in each of `count` equal slices, in an order that is shuffled for each direction (M. McKay, R. Beckman,
/// W. Conover, Technometrics 21 (1979)). sobol: Sobol's sequence with the direction numbers of S. Joe and F. Kuo (SIAM J. Sci. Comput. 30 (2008)), moved by a
/// digital shift that the seed gives; at its best where `count` is a power of two; up to 21 directions.
class Sampling {
 public:
  enum class Kind { random, latin, sobol };
  Sampling(Kind kind, int directions, std::int64_t count, std::uint64_t seed);

  double at(std::int64_t number, int direction) const;  ///< strictly between 0 and 1

 private:
  Kind kind_;
  std::int64_t count_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint32_t>> order_;              // latin: of the slices
  std::vector<std::vector<std::uint64_t>> direction_numbers_;  // sobol
};

/// By name. Throws InputError that says which there are.
Sampling::Kind sampling_named(const std::string& name);

}  // namespace taut
