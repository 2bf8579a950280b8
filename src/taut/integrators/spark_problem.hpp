#pragma once

#include <taut/integrators/spark_tableau.hpp>
#include <taut/linalg/matrix.hpp>
#include <taut/step/assembly.hpp>
#include <taut/step/newton.hpp>
#include <taut/step/sliding.hpp>
#include <taut/system/state.hpp>

namespace taut {

/// The equations of one SPARK step in z = (V₁, Λ₀; … Vₛ, Λₛ₋₁; v₁, Λₛ), transformed by Q; a nonholonomic row has Ψ₁ … Ψₛ in the first s places of its Λ.
///
/// Two matrices solve for a correction. The modified one of the paper leaves out the slopes of the forces and everything that turns with q: it falls
/// apart into s + 1 copies of [M Gᵀ; G 0] and contracts like h. The full one has them, at each stage its own, in (s + 1)(n + m) unknowns: it is for
/// forces so stiff that the first does not contract. What it leaves out is k_q of nonholonomic rows and, where they are not linear in v, the change of K with
/// v: O(h), and no matter of stiffness.
class SparkProblem final : public NewtonProblem {
 public:
  SparkProblem(const System& system, const SparkTableau& tableau);

  const State* now = nullptr;
  double h = 0.0, size_of_q = 0.0;
  bool full = false;           ///< which of the matrices
  std::vector<int> dependent;  ///< rows that do not act, because they repeat others

  bool set_aside(const std::vector<int>& rows);  ///< whether that is new, and matrices are not those of before

  int unknowns() const { return (t_.s + 1) * (n_ + m_); }

  /// The velocities and the multipliers in z, a column for each stage and one for the end.
  using Columns = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  Columns velocities(const Vector& z) const { return {z.data(), n_, t_.s + 1, Eigen::OuterStride<>(n_ + m_)}; }
  Columns multipliers(const Vector& z) const { return {z.data() + n_, m_, t_.s + 1, Eigen::OuterStride<>(n_ + m_)}; }

  void residual(const Vector& z, Vector& r) override;
  bool linearize(const Vector& z) override;
  void solve(const Vector& r, Vector& dz) override;
  double size(const Vector& dz) const override;
  double threshold(double size_of_z, double tolerance) const override {
    return tolerance * size_of_z + (m_ == 0 && !full ? 0.0 : 0.1 * round_off());
  }
  double stagnation(double size_of_z) const override { return 1e-13 * size_of_z + 1e3 * round_off(); }

  /// q₁, v₁ and p₁ of a solution; p₁ from the forces, which keeps momenta to h times the error left.
  void finish(const Vector& z, State& next);

 private:
  double round_off() const;
  double time(double share) const { return now->t + share * h; }

  /// Positions at the stages, or at the Lobatto nodes, for coordinates from … to.
  void place(const Vector& z, int from, int to, const Eigen::MatrixXd& coefficients, std::vector<double*>& places) const;

  /// Goes on to a part: positions, forces at the stages (with those of nonholonomic constraints), reactions at the Lobatto nodes.
  void evaluate(const Part& part, const Vector& z);
  void add_momenta(const Part& part, const Vector& z);

  /// The rows of a block of constraints, transformed.
  void conditions(const Part::Rows& rows, const Vector& z, Vector& r);

  void assemble(Matrix& matrix, const Instant& at, const Vector& rows);
  bool factor(Matrix& matrix, const Instant& at, const Vector& rows);
  bool linearize_modified(const Vector& z);

  /// The full matrix, made when it is first needed: a small matrix for each kind of slope and place, added to the blocks (i, k) of the large one with
  /// a coefficient for each.
  struct Full {
    Full(const System& system, int stages);
    void add(const Eigen::MatrixXd& coefficients, int first_row, int end_row, int first_column, int end_column,
             const Vector* columns = nullptr);

    int s, n, m;
    Assembly assembly;
    Part whole;
    Vector small;              // values on the layout of the assembly
    Eigen::MatrixXd Y, nodes;  // positions
    struct Entry {
      int row, column, slot;
    };
    std::vector<Entry> entries;  // of the small matrix
    std::unique_ptr<Matrix> matrix;
    std::vector<int> slots;  // of the large one: (s + 1)² for each entry
  };
  struct FullWeights;
  bool linearize_full(const Vector& z);
  void add_full_stage(int l, const Vector& z, const FullWeights& w);
  void add_full_node(int j, const Vector& z, const FullWeights& w);
  void add_full_rates(const Vector& z, const FullWeights& w);

  const System& system_;
  const SparkTableau& t_;
  int n_, m_;
  Assembly assembly_;
  std::unique_ptr<Matrix> inner_, last_;  // (2), and (3) without the nonholonomic rows where there are any
  std::unique_ptr<Full> full_;
  Vector on_, holonomic_;
  bool mixed_ = false;
  Sliding sliding_;  // the columns below
  std::vector<double*> Y_, nodes_, momenta_, forces_, reactions_;
  Eigen::MatrixXd conditions_;  // of one block
  Vector last_on_, q_, v_;
};

}  // namespace taut
