#pragma once

#include <memory>
#include <taut/step/stages.hpp>
#include <taut/step/step_solver.hpp>
#include <taut/system/flat_blocks.hpp>

namespace taut {

/// The equations of IndexOne by elimination of what moves: with S = G M⁻¹Gᵀ at a place,
///
///     λ = S⁻¹(γ + G M⁻¹f),  a = M⁻¹(f − Gᵀλ)          accelerations; f holds −p_q v − p_t too
///     x ← x − M⁻¹Gᵀ S⁻¹ g(x)                          nearest positions, with the factor of a place near by
///     v ← v − M⁻¹Gᵀ S⁻¹ (G v + g_t)                   nearest velocities
///
/// S without pivoting takes half the work of a KKT matrix, and no iteration. Where a pivot of S is lost against its diagonal, which is where constraints
/// depend on others or nearly so, every function says false, and what it was given is as it was: the StepSolver decides then, and nobody else.
class Elimination {
 public:
  /// The first that takes the system: a few rods between points; arrays of fixed size for a few coordinates of lumped mass; a band for more of them; the
  /// same around coordinates without inertia that a row carries; a program for a small system of expressions of any mass; dense arrays for others of any mass. None for the others, and where a row does not act.
  static std::unique_ptr<Elimination> of(const System& system);
  virtual ~Elimination() = default;

  /// Takes S at a place; false if it is singular.
  virtual bool linearize(double t, const double* q) = 0;

  /// Takes S there, and finds a and λ.
  virtual bool accelerate(const Instant& at, double* a, double* lambda) = 0;

  /// The stages of an explicit step of h from time t, from this one on, and then its end: places and velocities of each, and the accelerations of the stages. The
  /// first stage at which it could not go on; their number where all are done.
  virtual int run(const StageSums& sums, double t, double h, const StagePlaces& places, int from, double* lambda);

  /// All of a step, by those that are quick at it; where it is false nothing of the next state means anything.
  virtual bool step(const StageSums&, const ExplicitStep&, const StagePlaces&, SolveReport&) { return false; }

  /// With S as it was taken last. `size`: of the configuration.
  virtual bool position(double t, double size, double* q, SolveReport& report) = 0;

  /// Takes S at q, once for both: projects v, then finds a and λ. Where only the latter fails v is projected already.
  virtual bool motion(double t, const double* q, double* v, double* a, double* lambda) = 0;
  virtual bool velocity(double t, const double* q, double* v) = 0;

  /// p of a velocity, where it is M v with a constant and diagonal M.
  virtual bool momentum(const double* v, double* p) const = 0;
};

namespace detail {
std::unique_ptr<Elimination> rod_elimination(const System& system);
std::unique_ptr<Elimination> compact_elimination(const System& system);
std::unique_ptr<Elimination> dense_elimination(const System& system);
std::unique_ptr<Elimination> written_elimination(const System& system);
std::unique_ptr<Elimination> carried_elimination(const System& system);
std::unique_ptr<Elimination> banded_elimination(const System& system);

/// The diagonal of a lumped mass matrix whose entries are positive; nothing for others.
Vector positive_masses(const System& system);

/// The simplified Newton iteration of positions, told by its corrections when to stop.
class Approach {
 public:
  /// From a place that lies so far from that of the factor. The curvature is remembered from one iteration to the next; negative: not known yet.
  Approach(double size, double distance, double& curvature);

  enum class Next { again, renew, done, failed };
  Next after(double change);

 private:
  double smallest_, distance_, before_;
  double& curvature_;
  int iteration_ = 0;
};
}  // namespace detail

}  // namespace taut
