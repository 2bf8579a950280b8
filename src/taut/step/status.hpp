#pragma once

namespace taut {

/// How the solution of one problem ended. Numerical trouble is a value, never an exception.
enum class Status {
  ok,
  not_finite,     ///< a residual is NaN or infinite and stays so for smaller corrections
  singular,       ///< the matrix has no inverse, and not because constraints repeat each other
  slow,           ///< no convergence: corrections do not shrink, or not within the allowed iterations
  contradictory,  ///< constraints exclude each other
  broken,         ///< solved, but what the scheme promises to keep was not kept
  refused,        ///< the problem asks for something this method does not do
};

}  // namespace taut
