#pragma once

#include <Eigen/SparseCore>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Those rows of a matrix for which keep(row) says so, in their order.
template <class Keep> SparseRows rows_of(const SparseRows& matrix, const Keep& keep) {
  std::vector<Eigen::Triplet<double>> entries;
  int rows = 0;
  for (int row = 0; row < matrix.rows(); ++row) {
    if (!keep(row)) continue;
    for (SparseRows::InnerIterator one(matrix, row); one; ++one) entries.emplace_back(rows, int(one.col()), one.value());
    ++rows;
  }
  SparseRows out(rows, matrix.cols());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// The equations of small motions about a state of rest, as sparse as the system is:
///
///     M δq̈ + D δq̇ + K δq + Gᵀδλ = 0,   G δq = 0,      M = p_v,   D = p_q − f_v,   K = −∂(f − Gᵀλ)/∂q
///
/// D holds damping and gyroscopic forces, K need not be symmetric (forces that follow). G has the rows that hold: inequalities that do not push are left out.
struct Linearized {
  Eigen::SparseMatrix<double> M, D, K;
  SparseRows G;
};

/// At a state of rest with its λ, as equilibrium() finds it.
Linearized linearized(const System& system, const State& rest);

}  // namespace taut
