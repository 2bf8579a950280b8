#pragma once

#include <array>
#include <taut/step/assembly.hpp>
#include <taut/step/sliding.hpp>
#include <taut/step/step_problem.hpp>

namespace taut {

/// The step problem of every scheme with one unknown vector x: a set of weights, no code.
///
///     R(x) = Σ a·p(t, q + αx, v + βx) + b·f(t, q + αx, v + βx) − rhs      inertia and forces, each at its own place;
///                                                                         where asked also (p_q v + p_t), or M v instead of p
///     Bᵀλ  = Σ w·G(t, q + αx)ᵀλ                                           reactions, each at its own place
///     c(x) = g(t, q + αx)     or     w·(G(t, q) x + g_t) + shift          condition on positions, or on the rate x
///
/// A scheme sets the parts before each solve; places are given by address and must live as long as the solve.
class AffineProblem final : public StepProblem {
 public:
  struct Inertia {
    double t = 0.0;
    const Vector* q = nullptr;
    const Vector* v = nullptr;  ///< none means zero
    double q_slope = 0.0, v_slope = 0.0;
    double momentum = 0.0, force = 0.0;
    bool rate = false;      ///< v is an acceleration: M v = p(v) − p(0) stands for p
    double inertial = 0.0;  ///< of p_q v + p_t; its slopes, O(h) beside the others, are left to the contraction of Newton

    bool counts() const { return momentum != 0.0 || force != 0.0 || inertial != 0.0; }
  };
  struct Reaction {
    double t = 0.0;
    const Vector* q = nullptr;
    double q_slope = 0.0;  ///< not zero: the direction turns with x, and the assembly needs curvature
    double weight = 0.0;   ///< zero: no such reaction
  };
  struct Condition {
    double t = 0.0;
    const Vector* q = nullptr;  ///< none means zero
    double q_slope = 0.0;
    double rate_weight = 0.0;       ///< not zero: a condition on the rate
    const Vector* shift = nullptr;  ///< added to the rate, in the units of w·ġ; none means zero
  };

  explicit AffineProblem(std::shared_ptr<const Assembly> assembly);

  std::array<Inertia, 4> inertias;  ///< one without weights is left out
  std::array<Reaction, 2> reactions;
  Condition condition;
  const Vector* rhs = nullptr;  ///< none means zero
  std::vector<Set> limits;      ///< one per constraint; those of the system unless the scheme changes them
  double size = 0.0;            ///< natural size of x, set by the scheme
  bool ahead = false;           ///< the condition is taken off the constraints: see StepProblem::provisional

  int unknowns() const override { return assembly_->system().size(); }
  const std::vector<Set>& sets() const override { return limits; }
  const std::shared_ptr<const Layout>& layout() const override { return assembly_->layout(); }
  double force_scale() const override;
  double constraint_scale() const override;
  double natural_size() const override { return size; }
  bool provisional() const override { return ahead; }
  void residual(const double* x, const double* Lambda, double* r, double* c) override;
  void slopes(const double* x, const double* Lambda, const double* row_weight, double* values) override;

  void split(SplitForm& form) override;

  /// out += momentum·p + force·f where the inertia k is evaluated at x.
  void add_dynamics(int k, const double* x, double momentum, double force, double* out);

  /// out += weight · Bᵀλ at x.
  void add_reactions(const double* x, const double* lambda, double weight, double* out);

 private:
  /// Where everything is evaluated: the places of the parts above at x, for the coordinates of one part of the system.
  struct Places {
    std::array<Instant, 4> inertias;
    std::array<const double*, 2> reactions;
    const double* condition;
  };
  const double* velocity(const double* x) const { return condition.rate_weight != 0.0 ? x : nullptr; }  ///< where x is one
  void freeze(const Vector& x);
  void enter(const Part& part);
  Places places_at(const Part& part, const double* x);

  /// base + slope·x, without a copy where it is one of the two.
  const double* along(const Part& part, const Vector* base, double slope, const double* x);

  std::shared_ptr<const Assembly> assembly_;
  bool constant_mass_, positions_only_;  // the latter of forces
  struct Moved {
    const Vector* base;
    double slope;
    const double* values;
  };
  static constexpr int most_places = 11;
  std::array<Moved, most_places> moved_;
  int places_ = 0;  // in use
  Sliding sliding_;
  Vector zero_, rest_, frozen_;
  std::vector<Part> linear_, other_;  // of each part, its linear blocks and the others; only where these are frozen
};

}  // namespace taut
