#pragma once

#include <Eigen/SparseCore>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// The equations of small motions about a state of rest, as sparse as the system is:
///
///     M δq̈ + D δq̇ + K δq + Gᵀδλ = 0,   G δq = 0,      M = p_v,   D = p_q − f_v,   K = −∂(f − Gᵀλ)/∂q
///
/// D holds damping and gyroscopic forces, K need not be symmetric (forces that follow). G has the rows that hold: inequalities that do not push are left out.
struct Linearized {
  Eigen::SparseMatrix<double> M, D, K;
  Eigen::SparseMatrix<double, Eigen::RowMajor> G;
};

/// At a state of rest with its λ, as equilibrium() finds it.
Linearized linearized(const System& system, const State& rest);

}  // namespace taut
