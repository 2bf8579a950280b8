#pragma once

#include <functional>
#include <optional>
#include <taut/integrators/integrator.hpp>
#include <taut/step/index_one.hpp>
#include <taut/system/state.hpp>
#include <vector>

namespace taut {

/// The motion within one step, between two states that a scheme of any kind found.
///
/// For schemes of order below 4 it is the cubic through positions and velocities of both ends. For the others it is the polynomial of degree 8 that meets
/// q, v and the accelerations of the index-1 equations at both ends and in the middle; the state in the middle is found by the scheme itself, the first
/// time it is asked for. Its error is O(h⁹) in q and O(h⁸) in v, below the local error of every scheme up to order 8; where there is no
/// middle (schemes of several levels) it is the quintic through the ends, O(h⁶). v is the slope of q.
/// Steps that nobody looks into cost nothing.
class DenseStep {
 public:
  /// Finds the state in the middle of the step; false if there is none.
  using Middle = std::function<bool(State&)>;

  DenseStep(const System& system, const SolverMethod& method, int order, Middle middle);

  void renew();  ///< forgets everything but the states

  /// The states must live until the next call.
  void set(const State& before, const State& after);

  const State& before() const { return *before_; }
  const State& after() const { return *after_; }

  /// t, q and v at a time within the step.
  void at(double t, State& out);

  /// λ of a state, by the index-1 equations at it; those of the end of the step where they cannot be had.
  void reactions(State& state);

  /// The nearest state on the constraints in the metric of the mass, with its λ; where there is none near, the state as it is.
  void project(State& state);

 private:
  IndexOne& equations();
  bool add_node(const State& state, double share);
  void fit();

  const System& system_;
  SolverMethod method_;
  int order_;
  bool smooth_;  // high order, and nothing but equations
  bool projects_;
  std::optional<IndexOne> equations_;  // made when first needed
  Middle find_middle_;
  const State *before_ = nullptr, *after_ = nullptr;
  bool fitted_ = false;
  State middle_, projected_;
  std::vector<double> shares_;       // nodes in units of the step, each as often as values are given there
  std::vector<Vector> derivatives_;  // q, h v, h² a/2 at each node, then Newton's divided differences
  Vector a_, lambda_, slope_;
  ConfigurationSize size_;
};

}  // namespace taut
