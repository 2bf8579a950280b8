#pragma once

#include <taut/step/assembly.hpp>
#include <taut/step/step_problem.hpp>

namespace taut {

/// Accelerations and multipliers at an instant: the index-1 form of the equations of motion, linear in (a, λ),
///
///     M a + Gᵀλ = f − p_q v − p_t,        G a = −γ,      γ = vᵀg_qq v + 2 g_qt v + g_tt
///
/// It determines λ to the accuracy of (q, v), whatever scheme these come from. Its matrix is that of a projection onto the constraints
/// at the same place, so that one factor serves both.
class AccelerationProblem final : public StepProblem {
 public:
  explicit AccelerationProblem(std::shared_ptr<const Assembly> assembly);

  Instant at{};
  double size = 0.0;  ///< natural size of an acceleration; only methods that iterate ask for it

  int unknowns() const override { return assembly_->system().size(); }
  const std::vector<Set>& sets() const override { return assembly_->sets(); }
  const std::shared_ptr<const Layout>& layout() const override { return assembly_->layout(); }
  double natural_size() const override { return size; }
  bool linear() const override { return true; }

  /// A dependent row need not be implied: off the constraints, and at a place where they lose rank, γ knows more than G.
  bool provisional() const override { return true; }
  void residual(const double* a, const double* lambda, double* r, double* c) override;
  void slopes(const double* a, const double* lambda, const double* row_weight, double* values) override;

 private:
  void add_products(const double* a, double* r, double* c) const;

  std::shared_ptr<const Assembly> assembly_;
  bool turns_ = false, quadratic_ = true;
  Vector shifted_, gamma_;
};

}  // namespace taut
