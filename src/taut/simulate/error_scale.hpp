#pragma once

#include <taut/integrators/integrator.hpp>
#include <taut/simulate/tolerances.hpp>
#include <vector>

namespace taut {

struct SimulateOptions;

/// What errors of a run are measured against: in each group the largest position that the run has seen (for points with rods their lengths, and where the
/// points are), and the largest velocity of the step. At a start at zero the scale is what the first step makes of it, so that it means the same at
/// every place; a coordinate that passes through zero is no smaller for that.
class ErrorScale {
 public:
  ErrorScale(const System& system, const SimulateOptions& options);

  /// Of an error (of q, then of v) over a step of h: the root mean square of error/(atol + rtol·scale), each in the scale of its group. `share` scales the
  /// tolerances.
  double size(const State& before, const State& after, const Vector& error, double h, double share);

  void see(const State& state);  ///< a state of the run
  void forget();  ///< velocities, and places where lengths are a scale for them: those of a step count, not peaks of before
  std::vector<double> save() const;
  void load(const double* saved);
  std::size_t numbers() const { return q_.size() + v_.size() + 3; }

  /// What is to come in a run of this length: a step of h may be off by a share of what accelerations make of it, and of the velocity that a short load gives,
  /// while there is nothing else to compare with. Places may be off by what that is until the end.
  void expect(double acceleration, double velocity, double length) {
    expected_a_ = 1e-4 * acceleration;
    expected_v_ = velocity;
    length_ = length;
  }

  /// Another system moves from now on, with the same coordinates.
  void enter(const System& system) {
    system_ = &system;
    size_ = {};
  }

 private:
  const System* system_;
  std::vector<int> group_;  // of each coordinate
  int places_ = -1;         // the group of the points, if there are any
  struct Tolerance {
    double rtol, atol;
  };
  std::vector<Tolerance> tolerances_;
  std::vector<double> q_, v_;                          // scales of the groups
  std::vector<double> q_now_, v_now_, q_sum_, v_sum_;  // of a step
  double expected_a_ = 0.0, expected_v_ = 0.0, length_ = 0.0;
  ConfigurationSize size_;
};

}  // namespace taut
