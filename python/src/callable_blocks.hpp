#pragma once

#include <taut/base/vector.hpp>
#include <taut/system/block.hpp>

#include "convert.hpp"

/// Terms that Python's functions give. Slopes are differences; each call costs a microsecond or more.
namespace taut::python {

/// M q̈ = f(t, q, v) − …: with p = M v, and f + Ṁ v for what changes it. M is an array, a function of q, or None where there is no inertia; V(t, q), where there is
/// one, counts as energy and is not differentiated: f holds its forces.
std::unique_ptr<DynamicsBlock> callable_dynamics(std::vector<int> stencil, nb::object M, nb::object f, nb::object V);

/// g(t, q) = 0 with G(t, q) = ∂g/∂q, by differences where it is None. The number of rows is found at the start.
std::unique_ptr<ConstraintBlock> callable_constraints(int coordinates, double t, const Vector& q, nb::object g,
                                                      nb::object G);

}  // namespace taut::python
