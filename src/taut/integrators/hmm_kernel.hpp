#pragma once

#include <vector>

namespace taut {

/// A kernel that averages over a fast motion: weights wᵢ on equal points sᵢ of its window, with
///
///     Σ wᵢ = 1,      Σ wᵢ sᵢᵏ = 0  for k = 1 … moments
///
/// so that the mean of a slow function is its value at s = 0, up to the next derivative. The moments are those of the points, not of integrals.
/// The smoother the kernel at the ends of its window, the less it leaves of an oscillation; see left_over().
/// B. Engquist, Y.-H. Tsai, Math. Comp. 74 (2005).
struct HmmKernel {
  enum class Shape {
    polynomial,   ///< (1 − u²)^(smoothness + 1) times a polynomial, u from −1 to 1 over the window
    exponential,  ///< e^{−5/(1 − u²)} times a polynomial: smooth to any order, and needs longer windows for it
    box           ///< a plain mean: for comparison
  };
  Shape shape = Shape::polynomial;
  int moments = 3;       ///< that vanish; of a box only the odd ones do
  int smoothness = 9;    ///< derivatives of the polynomial that vanish at the ends
  bool forward = false;  ///< the window lies ahead of s = 0, not around it

  /// On the points s = i/n, i from −n to n; or, forward, from 0 to n.
  std::vector<double> weights(int n) const;

  /// The largest part that is left of an oscillation with so many periods in the window, half a period more or less.
  double left_over(double periods) const;

  /// The fewest periods, in halves, of which no more than this part is left; 0 where `most` are not enough.
  double periods_for(double part, double most) const;
};

}  // namespace taut
