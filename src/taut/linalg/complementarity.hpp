#pragma once

#include <Eigen/Core>
#include <vector>

namespace taut {

/// Which of u are not zero where M u + b ≥ 0, u ≥ 0, u·(M u + b) = 0, for a dense M with positive definite symmetric part.
///
/// Sweeps of Gauss and Seidel, cut off at zero, find most of them; then principal pivoting: all that are wrong change at once while their number falls, and otherwise the last of them
/// alone, which ends for every such M. Where it does not within some hundred rounds (sixty for more than 200 rows), what is found so far is returned: a guess to go on from.
/// R. W. Cottle, J.-S. Pang, R. E. Stone, The Linear Complementarity Problem, Academic Press 1992, chapters 4 and 5.
std::vector<char> complementary_rows(const Eigen::MatrixXd& M, const Eigen::VectorXd& b);

}  // namespace taut
