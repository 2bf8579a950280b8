#include <taut/base/vector.hpp>
#include <taut/expression/blocks.hpp>
#include <taut/system/discrete_parts.hpp>

namespace taut {
namespace {

/// What Lagrangian the discrete gradients are taken of: one instance, its coordinates one after the other, without applied forces.
struct LocalLagrangian {
  const DynamicsShape& shape;
  const InstanceSet& instances;
  int instance;

  double kinetic(const Instant& at) const { return energy(at, 0); }
  double potential(const Instant& at) const { return energy(at, 1); }
  void add(const Instant& at, double momentum, double force, double* out) const {
    if (momentum != 0.0) add_to(shape.momentum, at, momentum, out);
    if (force != 0.0) add_to(shape.own, at, force, out);
  }
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const {
    if (w.momentum != 0.0) add_matrix(shape.momentum_slopes, at, w.momentum, w, slots, values);
    if (w.force != 0.0) add_matrix(shape.own_slopes, at, w.force, w, slots, values);
  }

  void add_to(const SparseProgram& from, const Instant& at, double weight, double* out) const {
    const double* found = values_of(from, at);
    for (int k = 0; k < from.count(); ++k) out[from.which[k]] += weight * found[k];
  }
  void add_matrix(const SparseProgram& from, const Instant& at, double weight, const SlopeWeights& w, const int* slots,
                  double* values) const {
    const double* found = values_of(from, at);
    const int square = shape.n * shape.n;
    for (int k = 0; k < from.count(); ++k) {
      const int i = from.which[k];
      values[slots[i % square]] += weight * (i < square ? w.dq : w.dv) * found[k];
    }
  }

 private:
  const double* values_of(const SparseProgram& from, const Instant& at) const {
    return from.count() > 0 ? instances.local(from.program, instance, at) : nullptr;
  }
  double energy(const Instant& at, int which) const {
    const double* found = values_of(shape.energies, at);
    for (int k = 0; k < shape.energies.count(); ++k)
      if (shape.energies.which[k] == which) return found[k];
    return 0.0;
  }
};

class ExpressionDynamics final : public DynamicsBlock, public DiscreteForces, public OutlinedDynamics {
 public:
  const DynamicsShape& shape() const override { return *shape_; }
  const InstanceSet& instances() const override { return instances_; }
  ExpressionDynamics(std::shared_ptr<const DynamicsShape> shape, InstanceSet instances, std::vector<std::string> names)
      : shape_(std::move(shape)), instances_(std::move(instances)), names_(std::move(names)) {
    stencils_.assign(instances_.stencil(0), instances_.stencil(instances_.count()));
  }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<ExpressionDynamics>(*this); }
  int terms() const override { return instances_.count(); }
  int width() const override { return shape_->n; }
  std::string name(int term) const override { return names_[std::size_t(term)]; }
  bool constant_mass() const override { return shape_->constant_mass; }
  bool lumped_mass() const override { return shape_->lumped_mass; }
  bool quadratic() const override { return shape_->quadratic; }
  bool conservative() const override { return !shape_->has_applied && !shape_->driven; }
  const DiscreteForces* discrete() const override { return shape_->at_rest_zero && shape_->quadratic ? this : nullptr; }

  double kinetic(const Instant& at) const override { return shape_->has_momentum ? energy(at, 0) : 0.0; }
  double potential(const Instant& at) const override { return energy(at, 1); }
  double power(const Instant& at) const override {
    const SparseProgram& from = shape_->applied;
    double sum = 0.0;
    if (shape_->has_applied)
      instances_.each(from.program, at, [&](int instance, const auto& found) {
        const int* stencil = instances_.stencil(instance);
        for (int k = 0; k < from.count(); ++k) sum += found[k] * at.v[stencil[from.which[k]]];
      });
    return sum;
  }
  void add(const Instant& at, double momentum, double force, double* out) const override {
    if (momentum != 0.0) add_to(shape_->momentum, at, momentum, out);
    if (force != 0.0) add_to(shape_->force, at, force, out);
  }
  void add_inertial(const Instant& at, double weight, double* out) const override {
    if (!shape_->constant_mass) add_to(shape_->inertial, at, weight, out);
  }
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const override {
    if (w.momentum != 0.0) add_matrix(shape_->momentum_slopes, at, w.momentum, w, slots, values);
    if (w.force != 0.0) add_matrix(shape_->force_slopes, at, w.force, w, slots, values);
  }

  void add_discrete(const Segment& step, double weight, double* out) const override {
    if (shape_->constant_mass) {
      const SparseProgram& from = shape_->discrete_potential().gradients;
      add_to(from, {step.t, step.q0, step.q1}, -weight, out);
      if (!shape_->has_applied) return;
    }
    each_segment(step, [&](const LocalLagrangian& local, const Segment& mine, const Instant& middle) {
      Vector f = Vector::Zero(width());
      if (!shape_->constant_mass) f = weight * parts(local, mine, 0.0).value();
      local.add_to(shape_->applied, middle, weight, f.data());
      const int* stencil = instances_.stencil(local.instance);
      for (int i = 0; i < width(); ++i) out[stencil[i]] += f[i];
    });
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override {
    if (shape_->constant_mass) {
      const SparseProgram& from = shape_->discrete_potential().slopes;
      add_matrix(from, {step.t, step.q0, step.q1}, -weight, {.momentum = 0.0, .force = 1.0, .dq = dq, .dv = 0.0}, slots,
                 values);
      if (!shape_->has_applied) return;
    }
    each_segment(step, [&](const LocalLagrangian& local, const Segment& mine, const Instant& middle) {
      const int* own_slots = slots + std::ptrdiff_t(local.instance) * width() * width();
      if (!shape_->constant_mass) detail::scatter(parts(local, mine, dq).slope(), weight, own_slots, values);
      local.add_matrix(shape_->applied_slopes, middle, weight, {.momentum = 0.0, .force = 1.0, .dq = 0.5 * dq, .dv = 0.5},
                       own_slots, values);
    });
  }

 private:
  double energy(const Instant& at, int which) const {
    const SparseProgram& from = shape_->energies;
    double sum = 0.0;
    for (int k = 0; k < from.count(); ++k)
      if (from.which[k] == which) instances_.each(from.program, at, [&](int, const auto& found) { sum += found[k]; });
    return sum;
  }
  void add_to(const SparseProgram& from, const Instant& at, double weight, double* out) const {
    instances_.each(from.program, at, [&](int instance, const auto& found) {
      const int* stencil = instances_.stencil(instance);
      for (int k = 0; k < from.count(); ++k) out[stencil[from.which[k]]] += weight * found[k];
    });
  }
  void add_matrix(const SparseProgram& from, const Instant& at, double weight, const SlopeWeights& w, const int* slots,
                  double* values) const {
    const int square = width() * width();
    instances_.each(from.program, at, [&](int instance, const auto& found) {
      const int* own_slots = slots + std::ptrdiff_t(instance) * square;
      for (int k = 0; k < from.count(); ++k) {
        const int i = from.which[k];
        values[own_slots[i < square ? i : i - square]] += weight * (i < square ? w.dq : w.dv) * found[k];
      }
    });
  }

  detail::DiscreteParts<Eigen::Dynamic> parts(const LocalLagrangian& local, const Segment& step, double dq) const {
    return detail::lagrangian_parts<Eigen::Dynamic>(local, step, dq, width());
  }

  /// The ends and the middle of a step on each stencil.
  template <class Action> void each_segment(const Segment& step, const Action& action) const {
    const int n = width();
    Vector q0(n), q1(n), v0(n), v1(n), q(n), v(n);
    for (int k = 0; k < terms(); ++k) {
      const int* stencil = instances_.stencil(k);
      for (int i = 0; i < n; ++i) {
        q0[i] = step.q0[stencil[i]];
        q1[i] = step.q1[stencil[i]];
        v0[i] = step.v0[stencil[i]];
        v1[i] = step.v1[stencil[i]];
      }
      q = 0.5 * (q0 + q1);
      v = 0.5 * (v0 + v1);
      action(LocalLagrangian{*shape_, instances_, k}, Segment{step.t, q0.data(), q1.data(), v0.data(), v1.data()},
             Instant{step.t, q.data(), v.data()});
    }
  }

  std::shared_ptr<const DynamicsShape> shape_;
  InstanceSet instances_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<DynamicsBlock> expression_dynamics(std::shared_ptr<const DynamicsShape> shape, InstanceSet instances,
                                                   std::vector<std::string> names) {
  return std::make_unique<ExpressionDynamics>(std::move(shape), std::move(instances), std::move(names));
}

}  // namespace taut
