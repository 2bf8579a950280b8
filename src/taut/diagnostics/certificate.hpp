#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <taut/simulate/trajectory.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// How a quantity that should not change did change over the recorded states.
struct Conserved {
  std::string name;
  double start = 0.0;
  double deviation = 0.0;  ///< largest |value − start|
  double drift = 0.0;      ///< mean of the last quarter less mean of the first quarter of the run
};

/// What a run can say about its own accuracy. Everything is measured on the recorded states.
struct Certificate {
  Verdict verdict = Verdict::failed;
  bool finished() const { return good(verdict); }  ///< ended as was asked for
  std::string message;
  std::string integrator, solver;
  int states = 0;
  double t_start = 0.0, t_end = 0.0;
  bool conservative = false;  ///< whether energy should be constant: no forces but potentials, nothing driven, no impacts
  Conserved energy;           ///< T + V
  std::vector<Conserved> momenta;  ///< where the system has the symmetry
  double position_residual = 0.0;  ///< largest |g| of the equalities
  double velocity_residual = 0.0;  ///< largest |G v + g_t|
  double penetration = 0.0;        ///< largest distance of an inequality to its set
  RunCounts counts;
  std::vector<std::string> dependent;
};

/// What a single state says.
struct Measured {
  double kinetic = 0.0, potential = 0.0;
  double position_residual = 0.0, velocity_residual = 0.0;  ///< largest |g| and |G v + g_t| of the equalities
  double penetration = 0.0;
};

/// Measures a run state by state, as it goes; what it needs does not grow.
class Certifier {
 public:
  /// Constraints are those of the first system; energy and momenta belong to the one that moves, where a formulation made another of it.
  explicit Certifier(const System& system) : Certifier(system, system) {}
  Certifier(const System& judged, const System& moving);
  ~Certifier();

  /// `done` is the part of the time that is behind, 0 to 1: the first and the last quarter make the drift.
  Measured add(const Instant& at, double done);

  /// With what the run itself counted and said.
  Certificate certificate(const Trajectory& path) const;

 private:
  struct Followers;
  const System &system_, &moving_;
  std::unique_ptr<Followers> followers_;
  Certificate found_;
};

/// Measures a trajectory. To see how well a penalised run kept constraints, pass the system that still has them.
Certificate certificate(const System& system, const Trajectory& path);

std::ostream& operator<<(std::ostream& out, const Certificate& certificate);

}  // namespace taut
