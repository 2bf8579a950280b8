#pragma once

#include <array>
#include <functional>
#include <vector>

namespace taut {

/// f at places (x, y) of a row.
using RowOfValues = std::function<void(const std::vector<double>& x, double y, double* out)>;

/// Lines along which f vanishes in a square, by marching squares: f is taken at the corners of a grid of cells × cells and is linear between them.
using Contour = std::vector<std::vector<std::array<double, 2>>>;
Contour contour(const RowOfValues& f, std::array<double, 2> middle, double half, int cells);

/// Whether such a line would end at the border: a look at the border alone.
bool contour_leaves(const RowOfValues& f, std::array<double, 2> middle, double half, int cells);

}  // namespace taut
