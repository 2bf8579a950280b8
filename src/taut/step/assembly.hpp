#pragma once

#include <memory>
#include <taut/linalg/layout.hpp>
#include <taut/system/part.hpp>
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

  /// Whoever adds several things does so part by part, in order; before the first of them, clear(part) sets to zero what no earlier part has
  /// written to.
  const std::vector<Part>& parts() const { return parts_; }
  void clear(const Part& part, double* values) const;

  void add_dynamics(const Part& part, const Instant& at, const SlopeWeights& weights, double* values) const;
  void add_gradient(const Part& part, double t, const double* q, double weight, const double* row_weight,
                    double* values) const;
  void add_directions(const Part& part, double t, const double* q, double weight, double* values) const;
  void add_curvature(const Part& part, double t, const double* q, const double* lambda, double weight, double* values) const;

  // The same where v is known: for constraints on velocities that are not linear in them.
  void add_gradient(const Part& part, const Instant& at, double weight, const double* row_weight, double* values) const;
  void add_directions(const Part& part, const Instant& at, double weight, double* values) const;
  void add_curvature(const Part& part, const Instant& at, const double* lambda, double weight, double* values) const;

  // The same by discrete gradients; every block must have them.
  void add_discrete_dynamics(const Part& part, const Segment& step, double weight, double dq, double* values) const;
  void add_discrete_directions(const Part& part, const Segment& step, double weight, double* values) const;
  void add_discrete_curvature(const Part& part, const Segment& step, const double* lambda, double weight,
                              double* values) const;

 private:
  using Slots = std::vector<std::vector<int>>;  // one list per block
  const System& system_;
  std::vector<Set> sets_;
  std::shared_ptr<const Layout> layout_;
  Slots dynamics_, gradient_, directions_, curvature_;
  std::vector<Part> parts_;
  std::vector<int> reached_;  // after the last slot that each part, or one before it, writes to
};

}  // namespace taut
