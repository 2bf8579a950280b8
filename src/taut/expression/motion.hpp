#pragma once

#include <taut/expression/shape.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// The equations of IndexOne, solved: each of them one program for the whole system, which computes nothing twice and no zero. By L D Lᵀ of [M Gᵀ; G 0]
/// in this order, without pivoting, the first n pivots those of M, the others those of −S.
///
/// Behind what a program finds stands for each pivot how far it lies above `weak` of its diagonal: where that is not positive, what was found means nothing.
struct MotionPrograms {
  Program accelerations;  ///< of t, q, v: a and λ
  Program positions;      ///< of t, q, x in the place of v: M⁻¹GᵀS⁻¹ g(x), with all but g at q
  Program velocities;     ///< of t, q, v: M⁻¹GᵀS⁻¹ (G v + g_t)
};

/// Of a system all of whose terms are expressions, with their numbers.
struct WrittenMotion {
  std::shared_ptr<const MotionPrograms> programs;
  std::vector<double> numbers;
};

/// Of a pivot, against what there was before elimination, of M or of S. Where pivots fall further a KKT matrix, which pivots and whose condition is the root of that
/// of S, keeps more digits: near dead points, and where one thing is next to massless.
constexpr double weak_pivot = 1e-6;

/// Nothing where a term is no expression, where rows were left out, or where a coordinate has no inertia. Systems of the same outlines share their programs.
WrittenMotion written_motion(const System& system);

}  // namespace taut
