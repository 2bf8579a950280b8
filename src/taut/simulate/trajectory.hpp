#pragma once

#include <string>
#include <taut/base/vector.hpp>
#include <taut/system/state.hpp>
#include <vector>

namespace taut {

/// How a run ended. Only the first two are what was asked for.
enum class Verdict {
  reached,   ///< the end time
  stopped,   ///< before it, by an event or by whoever watches
  failed,    ///< a step could not be taken; everything up to there is kept
  diverged,  ///< states are not finite, or energy is off by more than the motion holds
};
constexpr bool good(Verdict verdict) { return verdict == Verdict::reached || verdict == Verdict::stopped; }
const char* name_of(Verdict verdict);

/// Work done by a run.
struct RunCounts {
  long steps = 0;
  long retried = 0;            ///< steps that were repeated with a smaller h
  long rejected = 0;           ///< of them because the error estimate was above the tolerance
  long newton_iterations = 0;  ///< for the positions
  int newton_most = 0;         ///< in one step
  long multiplier_updates = 0;
  int updates_most = 0;
  long factorizations = 0;
  long evaluations = 0;  ///< of the forces of the system
  double smallest_step = 0.0, largest_step = 0.0;
  long jumps = 0;                  ///< of forces that nobody declared, met by small steps
  double first_jump = 0.0;         ///< near this time
  double projection_energy = 0.0;  ///< sum of what projections of velocities took or gave
};

/// What was promised of a run: by its scheme, and by tolerances. A certificate says whether it came true.
struct Promise {
  bool energy = false, momentum = false;  ///< kept as exactly as steps are solved
  bool dissipates = false;                ///< takes energy by design
  double rtol = 0.0;                      ///< 0: equal steps, no promise of accuracy
  int order = 2;
  std::string invariant{};  ///< an energy that the scheme keeps in a form of its own
};

/// The recorded states of a run, contiguous in memory, and how the run ended.
class Trajectory {
 public:
  Trajectory(int coordinates, int constraints) : n_(coordinates), m_(constraints) {}

  using View = Eigen::Map<const Vector>;
  int size() const { return int(t_.size()); }
  double t(int k) const { return t_[k]; }
  View q(int k) const { return {q_.data() + std::size_t(k) * n_, n_}; }
  View v(int k) const { return {v_.data() + std::size_t(k) * n_, n_}; }
  View lambda(int k) const { return {lambda_.data() + std::size_t(k) * m_, m_}; }

  void reserve(std::size_t states) {
    t_.reserve(states);
    q_.reserve(states * n_);
    v_.reserve(states * n_);
    lambda_.reserve(states * m_);
  }
  void record(const State& state) {
    t_.push_back(state.t);
    q_.insert(q_.end(), state.q.data(), state.q.data() + n_);
    v_.insert(v_.end(), state.v.data(), state.v.data() + n_);
    lambda_.insert(lambda_.end(), state.lambda.data(), state.lambda.data() + m_);
  }

  Verdict verdict = Verdict::failed;
  bool finished() const { return verdict == Verdict::reached; }
  std::string message;         ///< why it did not reach the end time, where it did not
  State last;                  ///< the newest state, recorded or not: where a later run goes on
  std::vector<State> earlier;  ///< the states before it that a later run needs
  RunCounts counts;
  std::vector<double> singular;        ///< times at which constraints lost rank on the way
  std::vector<std::string> dependent;  ///< constraints that repeat others, as far as the run met them
  std::string integrator, solver;
  Promise promise;

 private:
  int n_, m_;
  std::vector<double> t_, q_, v_, lambda_;
};

}  // namespace taut
