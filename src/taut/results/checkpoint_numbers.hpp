#pragma once

#include <span>
#include <taut/simulate/simulate.hpp>

namespace taut {

/// A checkpoint as one list of numbers, whatever lengths its parts have, and back. The second throws InputError if the list does not hold
/// what its lengths promise.
std::vector<double> to_numbers(const Checkpoint& point);
Checkpoint to_checkpoint(std::span<const double> numbers);

}  // namespace taut
