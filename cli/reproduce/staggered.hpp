#pragma once

#include <taut/taut.hpp>

namespace taut::reproduce {

/// The energies that schemes of three levels keep, at the middle of each step: ½|w|²_M + V((q₊ + q)/2), w = (q₊ − q)/h, which is (19) and that of (31)
/// for α = ¼; for another α with ½(α − ¼)(A d, d) of the linear terms, d = q₊ − q.
std::vector<double> staggered_energy(const System& system, const Trajectory& path, double alpha = 0.25);

/// The largest change of the first, relative to it.
double relative_drift(const std::vector<double>& energy);

}  // namespace taut::reproduce
