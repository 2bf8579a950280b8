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

/// Units for the columns of rows, from a diagonal: 1/√|d| each, and where d is zero that which makes the column as large as the rest of a row that it stands in. With
/// inertias for a diagonal each coordinate then weighs the same, however small or large a mechanism is.
Eigen::VectorXd natural_units(const Eigen::VectorXd& diagonal, const Eigen::SparseMatrix<double, Eigen::RowMajor>& rows);

/// The rows below the first n of a matrix that is filled but not factored, in the first n columns: G of [M Gᵀ; G ·].
Eigen::SparseMatrix<double, Eigen::RowMajor> lower_rows(Matrix& matrix, int n);

}  // namespace taut
