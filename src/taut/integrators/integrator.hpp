#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <taut/step/step_solver.hpp>
#include <taut/system/state.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// What a scheme promises. The verification table reads each entry and measures it.
struct Traits {
  std::string name;
  int levels = 1;  ///< states of the past it needs; more than one means a constant step
  int order = 2;
  int free_order = 0;  ///< without constraints, where that differs; 0: it does not
  bool symmetric = false;
  bool symplectic = false;
  bool conserves_energy = false;
  bool conserves_momentum = false;
  bool dissipates = false;        ///< takes energy by design
  bool holds_velocities = true;   ///< G v + g_t = 0 at step ends; otherwise what is off in v may alternate for ever
  double multiplier_time = 0.0;   ///< λ of the step tₙ → tₙ₊₁ belongs to tₙ + multiplier_time·h
  int multiplier_order = 0;       ///< of λ at that time; 0 promises nothing
  bool takes_constraints = true;  ///< alone; else beside stiff springs, or as them: penalized(system, epsilon)
  bool splits = false;            ///< its steps can be solved by Splitting
  std::string invariant{};        ///< what the energy is called that it keeps in a form of its own, where it does
  int error_order = 0;            ///< the local error estimate is O(h^(error_order + 1)); 0: there is none
};

struct StepReport {
  SolveReport solve;               ///< of the positions
  int velocity_iterations = 0;     ///< of the velocities, where they are a problem of their own
  double projection_energy = 0.0;  ///< by which a projection of velocities changed the kinetic energy
  std::string trouble{};           ///< on failure: the cause, with names

  bool ok() const { return solve.status == Status::ok; }
};

/// States of the past, the newest last.
using History = std::span<const State>;

/// A scheme bound to a system and a solver. It owns scratch memory and factors, and nothing of the motion: all of that is in
/// the history, so restart, negative h and an integrator inside an integrator need no care.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// From past.back() over h into next, whose vectors keep their memory.
  virtual StepReport advance(History past, double h, State& next) = 0;

  /// The run goes on from this time with loads that may have jumped there: those before tell nothing.
  virtual void begin_at(double) {}

  /// The estimated local error of q and v in the last step, one after the other, where the scheme has an estimate.
  virtual const Vector* error() const { return nullptr; }

  /// An energy that the scheme keeps in a form of its own, over the last step of this past: see Traits::invariant. Not a number where there is none.
  virtual double invariant(History) { return std::numeric_limits<double>::quiet_NaN(); }

  /// Constraints found to depend on others so far.
  virtual const std::vector<int>& dependent() const = 0;
};

/// Refuses Splitting in the name of a scheme whose steps it cannot take.
void require_splitting(const Traits& traits, const SolverMethod& method);

template <class Scheme>
concept IntegratorScheme = requires(const Scheme& scheme, const System& system, const SolverMethod& method) {
  { scheme.traits() } -> std::same_as<Traits>;
  { scheme.bind(system, method) } -> std::same_as<std::unique_ptr<Stepper>>;
};

/// Any scheme, by value: `Midpoint{}` converts to it.
class Integrator {
 public:
  template <IntegratorScheme Scheme>
  Integrator(Scheme scheme) : held_(std::make_shared<const Holder<Scheme>>(std::move(scheme))) {}  // NOLINT: by design

  Traits traits() const { return held_->traits(); }

  /// Throws InputError with what would work if the scheme cannot take this system or this method.
  std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const {
    require_splitting(traits(), method);
    return held_->bind(system, method);
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual Traits traits() const = 0;
    virtual std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const = 0;
  };
  template <class Scheme> struct Holder final : Held {
    explicit Holder(Scheme s) : scheme(std::move(s)) {}
    Traits traits() const override { return scheme.traits(); }
    std::unique_ptr<Stepper> bind(const System& system, const SolverMethod& method) const override {
      return scheme.bind(system, method);
    }
    Scheme scheme;
  };
  std::shared_ptr<const Held> held_;
};

/// The size against which round-off of a configuration is measured: the largest coordinate, or the largest |Gᵢ|, which for distances is
/// their length (a pendulum that hangs through the origin of its coordinates is no smaller for that).
class ConfigurationSize {
 public:
  double of(const System& system, const State& state);

 private:
  double lengths_ = -1.0;  // of the first state asked for: a scale, not a part of the motion
};

/// Refuses exact inequality constraints in the name of a smooth scheme.
void require_equalities(const System& system, const std::string& scheme);

/// Refuses constraints that were released in the name of a scheme that holds all rows.
void require_acting(const System& system, const std::string& scheme);

/// Refuses constraints on velocities in the name of a scheme that holds positions.
void require_holonomic(const System& system, const std::string& scheme);

/// Refuses a kinetic energy that is not quadratic in the velocities, and constraints that are not linear in them.
void require_quadratic(const System& system, const std::string& scheme);
void require_linear_rates(const System& system, const std::string& scheme);

/// The cause of a failed solve over h from an instant, in words and with the names of the system.
std::string explain(const SolveReport& report, const System& system, const Instant& at, double h);

/// The report of a step that failed, with its cause.
StepReport failed(StepReport report, const System& system, const Instant& at, double h);

/// Solves a step of a scheme of several levels, which cannot be halved, in the unknown x = (q₊ − q)/h: from the guess in x, and where Newton
/// fails from it, from shares of the last difference w = (q − q₋)/h. Where a beam cracks like a whip these lead on, and extrapolation does not.
SolveReport solve_from_guesses(StepSolver& solver, StepProblem& problem, const Vector& w, Vector& x, Vector& lambda,
                               const Vector& last_lambda);

/// ½|w|²_M + (2 − 4α) V(middle) + (2α − ½)(V₊ + V) with w the difference of two states over their time, for a constant mass: what schemes on two
/// levels keep, (19) and, with α = ¼, (31).
class DiscreteEnergy {
 public:
  double of(const System& system, History past, double alpha);

 private:
  Vector w_, middle_;
};

/// p of a state from its q and v, into the memory it has.
void set_momentum(const System& system, State& state);

}  // namespace taut
