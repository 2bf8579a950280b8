#pragma once

#include <array>
#include <functional>
#include <vector>

namespace taut {

/// Lines along which f vanishes in a square, by marching squares: f is taken at the corners of a grid of cells × cells and is linear between them.
struct Contour {
  std::vector<std::vector<std::array<double, 2>>> lines;
  bool leaves = false;  ///< a line ends at the border
};
Contour contour(const std::function<double(double, double)>& f, std::array<double, 2> middle, double half, int cells);

}  // namespace taut
