#pragma once

#include <Eigen/SparseCore>
#include <taut/linalg/matrix.hpp>
#include <vector>

namespace taut {

/// Which rows of a matrix are linear combinations of the rows before them, to a relative tolerance; ascending.
///
/// Rows are scaled to length one first, so that neither units nor powers that vanish matter. 1e-9 separates rows that are dependent up to the
/// accuracy of a configuration (1e-12 and better after assembly) from mechanisms that merely stand near a singular position. Where the rows
/// that come first would barely span (to 0.1) what all of them do, others are taken that span it well. A row of zeros depends on any; rows that are not finite
/// have no rank, and none is named.
std::vector<int> dependent_rows(const Eigen::SparseMatrix<double, Eigen::RowMajor>& rows, double tolerance = 1e-9);

/// The rows below the first n of a matrix that is filled but not factored, in the first n columns: G of [M Gᵀ; G ·].
Eigen::SparseMatrix<double, Eigen::RowMajor> lower_rows(Matrix& matrix, int n);

}  // namespace taut
