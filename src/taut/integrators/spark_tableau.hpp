#pragma once

#include <Eigen/Core>

namespace taut {

/// Coefficients of the (s,s)-SPARK scheme with s-stage Gauss and (s+1)-node Lobatto quadrature, to double precision for any s ≥ 1:
///
///     (b, c, A)       Gauss: positions at the stages
///     (b̃, c̃)          Lobatto, nodes 0 … s: where constraints hold and their forces act
///     ā               Σⱼ āᵢⱼ cⱼ^(k−1) = c̃ᵢᵏ/k for k = 1 … s: positions at the Lobatto nodes from velocities at the stages
///     ãᵢⱼ = b̃ⱼ (1 − āⱼᵢ/bᵢ): momenta at the stages from forces at the Lobatto nodes; this makes the scheme symplectic
///
/// and the matrices of the modified Newton iteration. L. O. Jay, Lagrange–d'Alembert SPARK integrators (2009).
struct SparkTableau {
  int s = 0;
  Eigen::VectorXd b, c;                  ///< s
  Eigen::VectorXd lobatto_b, lobatto_c;  ///< s + 1
  Eigen::MatrixXd A;                     ///< s × s
  Eigen::MatrixXd bar;                   ///< (s + 1) × s; the first row is zero, the last is b
  Eigen::MatrixXd alpha;                 ///< (s + 1) × s: A over bᵀ
  Eigen::MatrixXd tilde;                 ///< (s + 1) × (s + 1): ã over b̃ᵀ
  Eigen::MatrixXd Q, Q_inverse;          ///< (s + 1)²; rows of Q but the last are Q̃, the last is γ
  Eigen::MatrixXd Q_check;               ///< (s + 1)²: for the constraints
  Eigen::MatrixXd Q_tilde_inverse;       ///< (Q·tilde)⁻¹
  Eigen::MatrixXd A_inverse;             ///< s × s
};

/// Computed once for each s.
const SparkTableau& spark_tableau(int s);

}  // namespace taut
