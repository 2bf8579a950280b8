#pragma once

#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <taut/simulate/trajectory.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

class Work;

/// How a quantity that should not change did change over a run.
struct Conserved {
  std::string name;
  double start = 0.0;
  double deviation = 0.0;  ///< largest |value − that at the start, or after the last event that changed it|
  double drift = 0.0;      ///< mean of the last quarter less mean of the first quarter of the run
  double scale = 0.0;      ///< what the deviation is to be compared with: the energy that moves, the momenta that balance
  double rise = 0.0;       ///< largest of the differences upwards
  double relative() const { return scale > 0.0 ? deviation / scale : (deviation == 0.0 ? 0.0 : deviation / scale); }
};

/// How good a run is, by what can be seen of it.
enum class Grade {
  good,        ///< what is checked is kept as well as the scheme promises, or far better than anyone would see
  fair,        ///< visibly off
  poor,        ///< so far off that the motion is another, or a promise is broken
  unverified,  ///< nothing shows an error, but nothing could: energy is not constant, and the work that is done is not known
  bad          ///< the run failed or diverged
};
const char* name_of(Grade grade);

/// What a run can say about its own accuracy, measured at every step.
struct Certificate {
  Verdict verdict = Verdict::failed;
  bool finished() const { return good(verdict); }  ///< ended as was asked for
  std::string message;
  Grade grade = Grade::unverified;
  std::string summary;  ///< in plain words
  std::string integrator, solver;
  int states = 0;
  double t_start = 0.0, t_end = 0.0;
  bool units = false;         ///< lengths are metres, energies joules: the system is one of points
  bool conservative = false;  ///< whether energy should be constant: no force does work, nothing is driven, no impacts
  Conserved energy;           ///< H = v·p − L
  Conserved balance;        ///< where it is not constant, H less the work of forces; without a name where that is not known
  double unbalanced = 0.0;  ///< by how much the balance is off at least, however the work is summed
  Conserved own_energy;     ///< that which the scheme keeps in a form of its own; without a name where it has none
  std::vector<Conserved> momenta;  ///< where the system has the symmetry
  double position_residual = 0.0;  ///< largest |g| of the equalities
  double velocity_residual = 0.0;  ///< largest |G v + g_t|
  double penetration = 0.0;        ///< largest excess of an inequality
  double gap = 0.0;                ///< largest |g|/|G| of all of them: a distance
  double velocity_gap = 0.0;       ///< largest |G v + g_t|/|G|: a velocity
  double velocity_share = 0.0;     ///< the same beside what velocities of that kind make of the row: without units
  double motion = 0.0;             ///< largest v·p
  double turn = 0.0;        ///< largest Δv·Δp of one step, to compare with it: how much of the motion a step changes
  double slip = 0.0;        ///< largest |Δx − h (v₋ + v₊)/2|/h of one step, beside the largest velocity of its kind
  bool only_loses = false;  ///< impacts and the like take energy, and nothing brings any in
  std::string worst;        ///< the constraint with the largest gap
  double size = 0.0;        ///< of the configuration, to compare the gap with
  std::vector<double> singular;  ///< times at which constraints lost rank on the way
  RunCounts counts;
  std::vector<std::string> dependent;
};

/// What a single state says.
struct Measured {
  double kinetic = 0.0, potential = 0.0;                    ///< their sum is H
  double position_residual = 0.0, velocity_residual = 0.0;  ///< largest |g| and |G v + g_t| of the equalities
  double penetration = 0.0;
};

/// Measures a run state by state, as it goes; what it needs does not grow.
class Certifier {
 public:
  /// Constraints are those of the first system; energy and momenta belong to the one that moves, where a formulation made another of it. `length`:
  /// of the run, for what may depend on time.
  explicit Certifier(const System& system, double length = 1.0) : Certifier(system, system, length) {}
  Certifier(const System& judged, const System& moving, double length = 1.0);
  ~Certifier();

  /// A state of the run. `done` is the part of the time that is behind, 0 to 1: the first and the last quarter make the drift. `invariant` is an energy that
  /// the scheme keeps in a form of its own. `work` is what the run itself has counted; without it it is counted here.
  Measured add(const Instant& at, double done, double invariant = std::numeric_limits<double>::quiet_NaN(),
               const Work* work = nullptr);

  /// A state between steps, which says nothing of the run.
  Measured measure(const Instant& at);

  /// From now on these move; what is kept is kept from the next state on.
  void change(const System& judged, const System& moving);

  /// The same systems from another state: an event set it.
  void jump();
  void forces_work();  ///< energy is not constant, which others have found

  std::vector<double> save() const;
  void load(const std::vector<double>& saved, const Instant& at);  ///< at the state of the checkpoint

  /// With what the run itself counted and said.
  Certificate certificate(const Trajectory& path) const;

 private:
  struct Followers;
  void follow(const Instant& at, const Work* work = nullptr);
  void measure_constraints(const Instant& at, Measured& now, Certificate* found);
  void follow_velocities();
  double velocity_share(const State& last) const;
  void follow_places(const Instant& at, double kinetic, double before);
  double slip() const;
  Conserved beside_motion(Conserved of) const;

  const System *system_, *moving_;
  double length_;
  std::unique_ptr<Followers> followers_;
  Certificate found_;
};

/// Measures the recorded states of a trajectory. To see how well a penalised run kept constraints, pass the system that still has them.
Certificate certificate(const System& system, const Trajectory& path);

/// A run that ended as it should, and yet cannot be right: it is poor.
void doubt(Certificate& certificate, const std::string& why);

/// Says in `grade` and `summary` what the figures come to; certificates made here have it already.
void judge(Certificate& certificate, const Promise& promise, bool penalised);

std::ostream& operator<<(std::ostream& out, const Certificate& certificate);

}  // namespace taut
