#pragma once

#include <taut/base/vector.hpp>
#include <taut/step/status.hpp>

namespace taut {

/// When the matrix is made anew. `adaptive` keeps it, also from one solve to the next, while corrections shrink well.
enum class Refresh { adaptive, iteration };

struct NewtonOptions {
  /// Of the error left, against the unknown. Near round-off, because errors of the step add up in what it should conserve.
  double tolerance = 1e-14;
  int max_iterations = 40;
  Refresh refresh = Refresh::adaptive;
  /// A kept matrix is good while the contraction stays below this: three corrections then gain four digits or more.
  double reuse_below = 0.05;
  /// Halve corrections that do not lead closer. The smallest share tried is 2⁻¹⁰.
  bool damping = true;
  /// So many corrections come first that are not judged: for guesses in which what Newton judges by is far better than the rest.
  int unjudged = 0;
};

/// What Newton asks of an equation F(z) = 0. It knows nothing of time, constraints or structure.
class NewtonProblem {
 public:
  virtual ~NewtonProblem() = default;
  virtual void residual(const Vector& z, Vector& r) = 0;
  virtual bool linearize(const Vector& z) = 0;          ///< make and factor ∂F/∂z; false if singular
  virtual void solve(const Vector& r, Vector& dz) = 0;  ///< dz = (∂F/∂z)⁻¹ r with the last factor
  virtual double size(const Vector& dz) const = 0;      ///< a norm; not finite if an entry is not

  /// Corrections below it do not matter.
  virtual double threshold(double size_of_z, double tolerance) const = 0;

  /// Corrections of this size that a new matrix does not make shrink are round-off of the residual, not divergence.
  virtual double stagnation(double /*size_of_z*/) const { return 0.0; }
  virtual bool linear() const { return false; }    ///< one correction with a matrix of its own is the solution
  virtual bool switched() const { return false; }  ///< the last residual lies on another branch than the factor
};

struct NewtonReport {
  Status status = Status::ok;
  int iterations = 0;  ///< corrections applied
  int factorizations = 0;
  double first_correction = 0.0;
  double last_correction = 0.0;
  double contraction = 0.0;  ///< of the last two corrections
};

/// The one Newton loop: affine invariant, judged by corrections and not by residuals, so that units do not matter.
///
/// At a trial z′ = z − α δ the *same* matrix gives the next correction δ′ = J⁻¹F(z′), and θ = |δ′|/|δ| decides everything:
/// θ > 1 − α/2 rejects the trial (first the old matrix is blamed and renewed, then α is halved: Deuflhard's natural
/// monotonicity test); a small θ keeps the matrix; and |δ′| θ/(1 − θ) estimates the error left after δ′ is applied too. For that
/// the worst recent θ is taken: a single one may be small by accident.
/// P. Deuflhard, Newton Methods for Nonlinear Problems, Springer 2004, sections 2.1 and 3.3.
class Newton {
 public:
  explicit Newton(NewtonOptions options = {}) : options_(options) {}
  NewtonReport solve(NewtonProblem& problem, Vector& z);
  void forget() { factored_ = false; }  ///< the problem has another matrix now
  const NewtonOptions& options() const { return options_; }

 private:
  class Course;

  NewtonOptions options_;
  bool factored_ = false;
  double recent_ = 0.0;  // contraction, forgotten by half in each correction
  Vector residual_, step_, next_, trial_;
};

}  // namespace taut
