#pragma once

#include <memory>
#include <taut/linalg/layout.hpp>
#include <taut/system/system.hpp>
#include <vector>

namespace taut {

/// The KKT matrix of a system on a layout: which terms write where, looked up once.
///
///     [ dynamics (+ curvature)   directionsᵀ ]      unknowns are the n coordinates (or velocities),
///     [ gradient                 diagonal    ]      then one row per constraint
class Assembly {
 public:
  struct Parts {
    bool constraints = true;
    bool curvature = false;  ///< room for λ∂²g: schemes whose constraint forces turn with x need it
  };
  Assembly(const System& system, Parts parts);

  const System& system() const { return system_; }
  const std::shared_ptr<const Layout>& layout() const { return layout_; }
  const std::vector<Set>& sets() const { return sets_; }

  void add_dynamics(const Instant& at, const SlopeWeights& weights, double* values) const;
  void add_gradient(double t, const double* q, double weight, const double* row_weight, double* values) const;
  void add_directions(double t, const double* q, double weight, double* values) const;
  void add_curvature(double t, const double* q, const double* lambda, double weight, double* values) const;

  // The same by discrete gradients; every block must have them.
  void add_discrete_dynamics(const Segment& step, double weight, double dq, double* values) const;
  void add_discrete_directions(const Segment& step, double weight, double* values) const;
  void add_discrete_curvature(const Segment& step, const double* lambda, double weight, double* values) const;

 private:
  using Slots = std::vector<std::vector<int>>;  // one list per block
  const System& system_;
  std::vector<Set> sets_;
  std::shared_ptr<const Layout> layout_;
  Slots dynamics_, gradient_, directions_, curvature_;
};

}  // namespace taut
