#pragma once

#include <memory>
#include <string>
#include <taut/base/vector.hpp>
#include <taut/linalg/layout.hpp>
#include <taut/system/set.hpp>
#include <vector>

namespace taut {

class System;

/// What a problem is to Splitting: R is linear; the lengths of vectors that the constraints of the system ask for are those at q + slope·x; and
/// their forces act along βy + D·rest, with y = D(q + slope·x) the vector and β its share.
struct SplitForm {
  const Vector* guess = nullptr;  ///< given: of x, at which forces that are not linear may be taken
  const System* system = nullptr;
  double t = 0.0;
  const Vector* q = nullptr;  ///< none means zero
  double slope = 1.0, beta = 1.0;
  const Vector* rest = nullptr;
  std::vector<double> weights{};  ///< equal ones mean an equal matrix of R
  std::string refusal{};          ///< why the problem is none of this kind
};

/// What a scheme asks to be solved in one step:
///
///     R(x) + B(x)ᵀλ = 0,      c(x) ∈ S,   λ ∈ N_S(c(x)),      C = ∂c/∂x
///
/// The directions B of the constraint forces belong to the scheme and may differ from C. The matrix
///
///     [ ∂(R + Bᵀλ)/∂x   B̂ᵀ ]        B̂ = B / force_scale
///     [ Ĉ               ·  ]        Ĉ = C / constraint_scale
///
/// lives on the layout (unknowns first, then one row per constraint); the scales take the powers of h out of it, so that
/// pivots tell rank and not step size. Accordingly the functions below take Λ = force_scale · λ.
class StepProblem {
 public:
  virtual ~StepProblem() = default;
  virtual int unknowns() const = 0;
  virtual const std::vector<Set>& sets() const = 0;  ///< one per constraint
  virtual const std::shared_ptr<const Layout>& layout() const = 0;
  virtual double force_scale() const { return 1.0; }
  virtual double constraint_scale() const { return 1.0; }

  /// A change of x that moves the configuration by its own size: |q| over the slope of q. Round-off is measured against it.
  virtual double natural_size() const = 0;

  /// r = R(x) + B̂(x)ᵀΛ and c(x).
  virtual void residual(const double* x, const double* Lambda, double* r, double* c) = 0;

  /// Sets all values of the matrix above; row i of Ĉ is multiplied by row_weight[i].
  virtual void slopes(const double* x, const double* Lambda, const double* row_weight, double* values) = 0;

  /// The conditions are taken where the constraints need not hold (at a stage, or ahead of the motion): what depends on others where they do need not
  /// be implied by them here, and nobody may learn from it which do.
  virtual bool provisional() const { return false; }

  /// R and c are linear, with equalities only: no iteration is needed.
  virtual bool linear() const { return false; }

  virtual void split(SplitForm& form) {
    form.refusal =
        "this scheme poses no problem with one linear part and one reaction; Gcn, Newmark, Houbolt and equilibrium() do";
  }

  int constraints() const { return int(sets().size()); }
};

}  // namespace taut
