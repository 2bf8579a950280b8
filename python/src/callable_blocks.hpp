#pragma once

#include <taut/base/vector.hpp>
#include <taut/system/block.hpp>

#include "convert.hpp"

/// Terms that Python's functions give. Slopes are differences where no function gives them; each call costs a microsecond or more.
namespace taut::python {

/// What Python gives of a motion: M q̈ = f(t, q, v) − …, with p = M v, and f + Ṁ v for what changes it.
struct CallableTerms {
  nb::object M = nb::none();       ///< an array, a function of q, or None where there is no inertia
  nb::object f = nb::none();       ///< of (t, q, v)
  nb::object V = nb::none();       ///< of (t, q): counts as energy and is not differentiated, f holds its forces
  nb::object slopes = nb::none();  ///< of (t, q, v): ∂f/∂q and ∂f/∂v
  int acts = -1;                   ///< f is a force on the first so many coordinates of the stencil; −1: on all
  std::string name = "f";
};
std::unique_ptr<DynamicsBlock> callable_dynamics(std::vector<int> stencil, CallableTerms terms);

/// g(t, q) = 0 with G(t, q) = ∂g/∂q, by differences where it is None. The number of rows is found at the start.
std::unique_ptr<ConstraintBlock> callable_constraints(int coordinates, double t, const Vector& q, nb::object g,
                                                      nb::object G);

}  // namespace taut::python
