#pragma once

#include <Eigen/Core>

namespace taut {

/// The s-stage Runge–Kutta scheme that a SPARK scheme is built on.
enum class SparkFamily {
  gauss,         ///< order 2s, symmetric and symplectic
  radau_iia,     ///< order 2s − 1, stiffly accurate: damps what the step does not resolve
  radau_ia,      ///< order 2s − 1
  lobatto_iiic,  ///< order 2s − 2, s ≥ 2, stiffly accurate
  lobatto_iiid,  ///< order 2s − 2, s ≥ 2, symmetric and symplectic: the mean of IIIC and its adjoint
};

/// Coefficients of the (s,s)-SPARK scheme with an s-stage scheme and (s+1)-node Lobatto quadrature, to double precision:
///
///     (b, c, A)       of the family: positions at the stages
///     (b̃, c̃)          Lobatto, nodes 0 … s: where constraints hold and their forces act
///     ā               Σⱼ āᵢⱼ cⱼ^(k−1) = c̃ᵢᵏ/k for k = 1 … s: positions at the Lobatto nodes from velocities at the stages
///     ãᵢⱼ = b̃ⱼ (1 − āⱼᵢ/bᵢ): momenta at the stages from forces at the Lobatto nodes; this makes the scheme symplectic
///
/// and the matrices of the modified Newton iteration. L. O. Jay, Lagrange–d'Alembert SPARK integrators (2009).
struct SparkTableau {
  static constexpr int most_stages = 8;
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

/// Computed once for each s, from the conditions that define the family:
///
///     C(s): Σⱼ aᵢⱼ cⱼ^(k−1) = cᵢᵏ/k         Gauss, Radau IIA; C(s − 1) and aᵢ₁ = b₁ Lobatto IIIC; C(s − 1) and aᵢₛ = 0 its adjoint
///     D(s): Σᵢ bᵢ cᵢ^(k−1) aᵢⱼ = bⱼ (1 − cⱼᵏ)/k     Radau IA
///
/// E. Hairer, G. Wanner, Solving ODEs II, IV.5; L. O. Jay, BIT 38 (1998) for IIID.
const SparkTableau& spark_tableau(int s, SparkFamily family = SparkFamily::gauss);

}  // namespace taut
