#pragma once

#include <limits>
#include <memory>
#include <string>
#include <taut/system/set.hpp>
#include <vector>

/// Blocks: terms of one type stored together, so that there is one virtual call per block and not per term.
///
/// Each term touches the coordinates of its stencil; stencils lie one after the other, `width` indices per term.
/// Every `add…` gathers, evaluates and scatters. Slopes go to values[slots[k]], where slots are looked up once per matrix
/// in the order stated at each function.
namespace taut {

/// An instant at which terms are evaluated: (t, q, v) by address, without a copy.
struct Instant {
  double t;
  const double* q;
  const double* v;
};

/// Weights of d/dx [ momentum·p + force·f ] where q = … + dq·x and v = … + dv·x.
struct SlopeWeights {
  double momentum, force, dq, dv;
};

/// A step between two configurations; t is its middle.
struct Segment {
  double t;
  const double *q0, *q1;
  const double *v0, *v1;
};

/// Forces by discrete gradients, term by term, as energy–momentum schemes need them. With q̄, v̄ the means,
///
///     f̄ = ∇̄τ(q0, q1) − ∇̄V(q0, q1) + Q(t, q̄, v̄),      τ(q) = ½ v0·M(q) v1
///
/// so that along the step T + V changes by the work of Q alone: see integrators/energy_momentum.hpp.
class DiscreteForces {
 public:
  virtual ~DiscreteForces() = default;
  virtual void add_discrete(const Segment& step, double weight, double* out) const = 0;

  /// Slopes in v1 where q1 = … + dq·v1, per term: width × width, row by row.
  virtual void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots,
                                   double* values) const = 0;
};

/// Directions Ḡ of constraint forces by discrete gradients: Ḡ(q1 − q0) = g(q1) − g(q0), so that they do no work.
class DiscreteDirections {
 public:
  virtual ~DiscreteDirections() = default;
  virtual void add_discrete(const Segment& step, const double* lambda, double weight, double* out) const = 0;
  virtual void add_discrete_gradient(const Segment& step, double weight, const int* slots, double* values) const = 0;

  /// Slopes of Ḡᵀλ in q1.
  virtual void add_discrete_curvature(const Segment& step, const double* lambda, double weight, const int* slots,
                                      double* values) const = 0;
};

/// Where constraints write what they are at an instant, row by row; what nobody asks for has no place.
struct Linearization {
  double* value = nullptr;         ///< g
  double* rate = nullptr;          ///< G v + g_t
  double* acceleration = nullptr;  ///< vᵀg_qq v + 2 g_qt v + g_tt
  double* gradient = nullptr;      ///< G at gradient[slots[k]], in the order of add_gradient; slots of a row differ
  const int* slots = nullptr;
};

class Block {
 public:
  virtual ~Block() = default;
  virtual int terms() const = 0;
  virtual int width() const = 0;
  virtual std::string name(int term) const = 0;
  const std::vector<int>& stencils() const { return stencils_; }

  /// Whether square slopes have an entry (i, j) of a stencil. What a block does not couple has no slot.
  virtual bool couples(int, int) const { return true; }

 protected:
  std::vector<int> stencils_;
};

/// Kinetic energy, potentials and forces: everything that gives p = ∂L/∂v and f = ∂L/∂q + Q.
class DynamicsBlock : public Block {
 public:
  virtual std::unique_ptr<DynamicsBlock> clone() const = 0;
  virtual bool constant_mass() const = 0;             ///< p = M v with M constant, or no p at all
  virtual bool lumped_mass() const { return false; }  ///< constant, and M diagonal
  virtual bool affine() const { return false; }       ///< p and f have constant slopes
  virtual bool constant_force() const {
    return false;
  }                                                ///< f is the same at every instant: weights, and masses without forces
  virtual bool quadratic() const { return true; }  ///< p is linear in v: T is quadratic in v at most
  virtual bool conservative() const = 0;  ///< no force besides ∂L/∂q, and L without explicit time as far as declared
  virtual const DiscreteForces* discrete() const { return nullptr; }  ///< where the block has discrete gradients
  virtual double kinetic(const Instant& at) const = 0;
  virtual double potential(const Instant& at) const = 0;

  /// Q·v of forces besides ∂L/∂q; not a number where it is not known, as of a block that does not tell.
  virtual double power(const Instant&) const { return conservative() ? 0.0 : std::numeric_limits<double>::quiet_NaN(); }

  /// out += momentum·p + force·f.
  virtual void add(const Instant& at, double momentum, double force, double* out) const = 0;

  /// out += weight·(p_q v + p_t): the part of d/dt p that is not M·dv/dt. Zero for constant mass.
  virtual void add_inertial(const Instant& at, double weight, double* out) const = 0;

  /// Slopes of momentum·p + force·f in x, per term: width × width, row by row.
  virtual void add_slopes(const Instant& at, const SlopeWeights& weights, const int* slots, double* values) const = 0;
};

/// A constraint on the length of a vector that is linear in q: g = w/2 (|y|² − l²), y = Σ cₖ qₖ − a, where the qₖ are the stencil, `a.size()`
/// coordinates at a time.
struct SpanRow {
  std::vector<double> c, a;
  double length = 1.0, weight = 1.0;
};

/// Constraints g(t,q) ∈ S. Rows of one term are neighbours.
///
/// Nonholonomic ones, K(t,q) v + b(t,q) = 0, have the same form one derivative later: `values` is zero, `rates` is K v + b, G is K. Those that are
/// not linear in v, k(t,q,v) = 0 with K = ∂k/∂v (Chetaev), say so by `turns`; whoever knows v asks by the functions `…_at`, all others refuse them.
class ConstraintBlock : public Block {
 public:
  virtual std::unique_ptr<ConstraintBlock> clone() const = 0;
  /// Without some of its terms, though not without all; none where the block cannot be divided.
  virtual std::unique_ptr<ConstraintBlock> without(const std::vector<char>&) const { return nullptr; }
  virtual int rows() const = 0;  ///< per term
  virtual Set set(int term) const = 0;
  virtual bool holonomic() const { return true; }
  virtual bool turns() const { return false; }  ///< G depends on v too
  virtual std::string row_name(int term, int row) const {
    return rows() == 1 ? name(term) : name(term) + "[" + std::to_string(row) + "]";
  }

  virtual bool acts_on(int, int) const { return true; }  ///< whether a term acts on the k-th coordinate of its stencil

  virtual const DiscreteDirections* discrete() const { return nullptr; }
  virtual bool span(int, SpanRow&) const { return false; }  ///< describes a term that has this form; false for others

  virtual void values(double t, const double* q, double* g) const = 0;

  /// d/dt g = G v + g_t.
  virtual void rates(const Instant& at, double* rate) const = 0;

  /// d²/dt² g for a motion without acceleration: vᵀg_qq v + 2 g_qt v + g_tt.
  virtual void accelerations(const Instant& at, double* acceleration) const = 0;

  /// Several of these at once, and G beside them, set and not added: what explicit schemes ask for in each stage.
  virtual void linearize(const Instant& at, const Linearization& out) const {
    if (out.value != nullptr) values(at.t, at.q, out.value);
    if (out.rate != nullptr) rates(at, out.rate);
    if (out.acceleration != nullptr) accelerations(at, out.acceleration);
    if (out.gradient == nullptr) return;
    const std::size_t entries = stencils().size() * std::size_t(rows());
    for (std::size_t k = 0; k < entries; ++k) out.gradient[out.slots[k]] = 0.0;
    add_gradient_at(at, 1.0, nullptr, out.slots, out.gradient);
  }

  /// out += weight · Gᵀλ.
  virtual void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const = 0;

  /// values[slots] += weight · row_weight[row] · G, per term rows × width, row by row; no row_weight means 1.
  virtual void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                            double* values) const = 0;

  /// values[slots] += weight · Σ λ ∂²g, per term width × width.
  virtual void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                             double* values) const = 0;

  // The same where v is known.
  virtual void add_forces_at(const Instant& at, const double* lambda, double weight, double* out) const {
    add_forces(at.t, at.q, lambda, weight, out);
  }
  virtual void add_gradient_at(const Instant& at, double weight, const double* row_weight, const int* slots,
                               double* values) const {
    add_gradient(at.t, at.q, weight, row_weight, slots, values);
  }
  virtual void add_curvature_at(const Instant& at, const double* lambda, double weight, const int* slots,
                                double* values) const {
    add_curvature(at.t, at.q, lambda, weight, slots, values);
  }

  /// The potential dist²(g, S)/(2ε) that replaces these constraints; ε times its compliance for a term that has one.
  virtual std::unique_ptr<DynamicsBlock> penalized(double epsilon) const = 0;
};

/// The slots of add_slopes and add_curvature: entry (i, j) of each term at slot(stencil i, stencil j), row by row, without those that the
/// block does not couple.
template <class Slot> std::vector<int> square_slots(const Block& block, const Slot& slot) {
  const int n = block.width();
  std::vector<int> slots;
  slots.reserve(block.stencils().size() * n);
  for (int k = 0; k < block.terms(); ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (block.couples(i, j)) slots.push_back(slot(block.stencils()[k * n + i], block.stencils()[k * n + j]));
  return slots;
}

/// The slots of add_gradient: entry (row, coordinate) of each term at slot(row, coordinate), rows counted from first_row.
template <class Slot> std::vector<int> gradient_slots(const ConstraintBlock& block, int first_row, const Slot& slot) {
  const int n = block.width(), m = block.rows();
  std::vector<int> slots;
  slots.reserve(block.stencils().size() * m);
  for (int k = 0; k < block.terms(); ++k)
    for (int r = 0; r < m; ++r)
      for (int i = 0; i < n; ++i) slots.push_back(slot(first_row + k * m + r, block.stencils()[k * n + i]));
  return slots;
}

}  // namespace taut
