#include <algorithm>
#include <cmath>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/base/vector.hpp>
#include <taut/expression/blocks.hpp>
#include <taut/system/discrete_parts.hpp>

namespace taut {
namespace {

/// Rows of instances as terms of a block: each has the whole stencil of its instance.
class Rows {
 public:
  Rows(std::shared_ptr<const ConstraintShape> of, InstanceSet all, std::vector<Set> all_sets,
       std::vector<std::string> all_names)
      : shape(std::move(of)), instances(std::move(all)), sets(std::move(all_sets)), names(std::move(all_names)) {
    place_.resize(std::size_t(shape->rows));
    std::iota(place_.begin(), place_.end(), 0);
    each_ = shape->rows;
  }

  std::shared_ptr<const ConstraintShape> shape;
  InstanceSet instances;
  std::vector<Set> sets;           ///< one for each term
  std::vector<std::string> names;  ///< likewise

  int each() const { return each_; }  ///< rows of an instance
  bool whole() const { return each_ == shape->rows; }
  int terms() const { return int(sets.size()); }
  int n() const { return shape->n; }
  int place(int row) const { return place_[std::size_t(row)]; }  ///< among the rows that are there; −1: it is none of them

  std::vector<int> stencils() const {
    std::vector<int> all;
    all.reserve(std::size_t(terms()) * std::size_t(n()));
    for (int k = 0; k < instances.count(); ++k)
      for (int r = 0; r < each(); ++r) all.insert(all.end(), instances.stencil(k), instances.stencil(k + 1));
    return all;
  }

  /// Calls action(term, entry, value, instance) for what a program gives.
  template <class Action> void outputs(const SparseProgram& from, const Instant& at, const Action& action) const {
    const int rows = each_, count = from.count();
    const int *const row = from.row.data(), *const entry = from.entry.data();
    instances.each(from.program, at, [&](int instance, const auto& found) {
      const int first = instance * rows;
      if (whole()) {
        for (int k = 0; k < count; ++k) action(first + row[k], entry[k], found[k], instance);
        return;
      }
      for (int k = 0; k < count; ++k)
        if (const int there = place(row[k]); there >= 0) action(first + there, entry[k], found[k], instance);
    });
  }
  void values(double t, const double* q, double* g) const { numbers(shape->values, {t, q, nullptr}, g); }
  void numbers(const SparseProgram& from, const Instant& at, double* out) const {
    std::fill_n(out, terms(), 0.0);
    outputs(from, at, [&](int term, int, double value, int) { out[term] = value; });
  }

  /// Without some of the terms.
  Rows without(const std::vector<char>& off) const {
    Rows rest = *this;
    rest.sets.clear();
    rest.names.clear();
    for (int k = 0; k < terms(); ++k) {
      if (off[std::size_t(k)] != 0) continue;
      rest.sets.push_back(sets[std::size_t(k)]);
      rest.names.push_back(names[std::size_t(k)]);
    }
    if (shape->rows > 1) {  // one instance: rows are left out
      rest.each_ = 0;
      for (int& one : rest.place_)
        if (one >= 0) one = off[std::size_t(one)] != 0 ? -1 : rest.each_++;
      return rest;
    }
    rest.instances = instances.without(off);
    return rest;
  }

 private:
  std::vector<int> place_;  // of the rows of the shape
  int each_ = 0;
};

/// What programs for discrete gradients take.
Instant ends(const Segment& step) { return {step.t, step.q0, step.q1}; }

/// dist²(g, S)/(2ε).
class ExpressionPenalty final : public DynamicsBlock, public DiscreteForces {
 public:
  ExpressionPenalty(Rows rows, double epsilon) : rows_(std::move(rows)), epsilon_(epsilon) { stencils_ = rows_.stencils(); }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<ExpressionPenalty>(*this); }
  int terms() const override { return rows_.terms(); }
  int width() const override { return rows_.n(); }
  std::string name(int term) const override { return "penalty of " + rows_.names[std::size_t(term)]; }
  bool constant_mass() const override { return true; }
  bool lumped_mass() const override { return true; }
  bool conservative() const override { return true; }
  const DiscreteForces* discrete() const override { return this; }

  double kinetic(const Instant&) const override { return 0.0; }
  double potential(const Instant& at) const override {
    double sum = 0.0;
    rows_.outputs(rows_.shape->values, at, [&](int term, int, double g, int) {
      const double d = excess(set(term), g);
      sum += d * d;
    });
    return 0.5 * sum / epsilon_;
  }
  void add(const Instant& at, double, double force, double* out) const override {
    if (force == 0.0 || !pushes(at)) return;
    const Vector g = values(at.t, at.q);
    rows_.outputs(rows_.shape->gradients, at, [&](int term, int i, double slope, int instance) {
      out[rows_.instances.stencil(instance)[i]] -= force * excess(set(term), g[term]) / epsilon_ * slope;
    });
  }
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values_out) const override {
    const double factor = -w.force * w.dq / epsilon_;
    if (factor == 0.0) return;
    const int n = width();
    const Vector g = values(at.t, at.q);
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, terms());
    rows_.outputs(rows_.shape->gradients, at, [&](int term, int i, double slope, int) { G(i, term) = slope; });
    for (int k = 0; k < terms(); ++k)
      if (binds(set(k), g[k])) detail::scatter(G.col(k) * G.col(k).transpose(), factor, slots + k * n * n, values_out);
    rows_.outputs(rows_.shape->hessians, at, [&](int term, int entry, double second, int) {
      if (binds(set(term), g[term])) values_out[slots[term * n * n + entry]] += factor * g[term] * second;
    });
  }

  /// Through the constraint, as Penalty in constraint_terms.hpp explains.
  void add_discrete(const Segment& step, double weight, double* out) const override {
    const Vector start = values(step.t, step.q0), end = values(step.t, step.q1);
    rows_.outputs(rows_.shape->discrete().gradients, ends(step), [&](int term, int i, double slope, int instance) {
      const double quotient = quotient_of(set(term), start[term], end[term]).first;
      out[rows_.instances.stencil(instance)[i]] -= weight * quotient * slope;
    });
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots,
                           double* values_out) const override {
    const int n = width();
    const Vector start = values(step.t, step.q0), end = values(step.t, step.q1);
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, terms()), G1 = G;  // in the middle, and at the end
    rows_.outputs(rows_.shape->discrete().gradients, ends(step),
                  [&](int term, int i, double slope, int) { G(i, term) = slope; });
    rows_.outputs(rows_.shape->gradients, {step.t, step.q1, nullptr},
                  [&](int term, int i, double slope, int) { G1(i, term) = slope; });
    for (int k = 0; k < terms(); ++k) {
      const double slope = quotient_of(set(k), start[k], end[k]).second;
      if (slope != 0.0)
        detail::scatter(G.col(k) * G1.col(k).transpose(), -weight * dq * slope, slots + k * n * n, values_out);
    }
    rows_.outputs(rows_.shape->discrete().slopes, ends(step), [&](int term, int entry, double second, int) {
      const double quotient = quotient_of(set(term), start[term], end[term]).first;
      values_out[slots[term * n * n + entry]] -= weight * dq * quotient * second;
    });
  }

 private:
  Set set(int term) const { return rows_.sets[std::size_t(term)]; }
  Vector values(double t, const double* q) const {
    Vector g(terms());
    rows_.values(t, q, g.data());
    return g;
  }

  /// Whether there is a force: most obstacles are far away most of the time.
  bool pushes(const Instant& at) const {
    bool any = false;
    rows_.outputs(rows_.shape->values, {at.t, at.q, nullptr},
                  [&](int term, int, double g, int) { any = any || excess(set(term), g) != 0.0 || std::isnan(g); });
    return any;
  }

  /// [W(b) − W(a)]/(b − a) with W = dist²/(2ε), and its slope in b.
  std::pair<double, double> quotient_of(Set set, double a, double b) const {
    const bool first = binds(set, a), second = binds(set, b);
    if (!first && !second) return {0.0, 0.0};
    if (first && second) return {(a + b) / (2.0 * epsilon_), 1.0 / (2.0 * epsilon_)};
    const double in = excess(set, a), out = excess(set, b), d = b - a;
    const double quotient = (out * out - in * in) / (2.0 * epsilon_ * d);
    return {quotient, (out / epsilon_ - quotient) / d};
  }

  Rows rows_;
  double epsilon_;
};

class ExpressionConstraints final : public ConstraintBlock, public DiscreteDirections, public OutlinedConstraints {
 public:
  const ConstraintShape& shape() const override { return *rows_.shape; }
  const InstanceSet& instances() const override { return rows_.instances; }
  bool whole() const override { return rows_.whole(); }
  explicit ExpressionConstraints(Rows rows) : rows_(std::move(rows)) { stencils_ = rows_.stencils(); }
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<ExpressionConstraints>(*this); }
  std::unique_ptr<ConstraintBlock> without(const std::vector<char>& off) const override {
    return std::make_unique<ExpressionConstraints>(rows_.without(off));
  }
  int terms() const override { return rows_.terms(); }
  int width() const override { return rows_.n(); }
  int rows() const override { return 1; }
  std::string name(int term) const override { return rows_.names[std::size_t(term)]; }
  Set set(int term) const override { return rows_.sets[std::size_t(term)]; }
  bool holonomic() const override { return !rows_.shape->velocity; }
  bool acts_on(int term, int k) const override {
    const SparseProgram& from = rows_.shape->gradients;
    for (int entry = 0; entry < from.count(); ++entry)
      if (from.entry[std::size_t(entry)] == k && rows_.place(from.row[std::size_t(entry)]) == term % rows_.each())
        return true;
    return false;
  }
  bool turns() const override { return rows_.shape->turns; }
  const DiscreteDirections* discrete() const override { return holonomic() ? this : nullptr; }

  void values(double t, const double* q, double* g) const override { rows_.values(t, q, g); }
  void rates(const Instant& at, double* rate) const override { rows_.numbers(rows_.shape->rates, at, rate); }
  void accelerations(const Instant& at, double* acceleration) const override {
    rows_.numbers(rows_.shape->accelerations, at, acceleration);
  }
  void linearize(const Instant& at, const Linearization& out) const override {
    // One program for all of it, which shares what the parts have in common; for less, the parts.
    if (out.acceleration == nullptr || out.gradient == nullptr) return ConstraintBlock::linearize(at, out);
    const int n = width(), each = rows_.each();
    for (double* const one : {out.value, out.rate, out.acceleration})
      if (one != nullptr) std::fill_n(one, terms(), 0.0);
    for (int k = 0; k < terms() * n; ++k) out.gradient[out.slots[k]] = 0.0;
    double* const numbers[] = {out.value, out.rate, out.acceleration};
    const std::vector<ConstraintShape::Part>& parts = rows_.shape->parts;
    rows_.instances.each(rows_.shape->all.program, at, [&](int instance, const auto& found) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const int row = rows_.place(parts[k].row);
        if (row < 0) continue;
        const int term = instance * each + row;
        if (parts[k].which == 3) {
          out.gradient[out.slots[term * n + parts[k].column]] = found[int(k)];
        } else if (double* const to = numbers[parts[k].which]) {
          to[term] = found[int(k)];
        }
      }
    });
  }
  void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const override {
    add_forces_at({t, q, nullptr}, lambda, weight, out);
  }
  void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values_out) const override {
    add_gradient_at({t, q, nullptr}, weight, row_weight, slots, values_out);
  }
  void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                     double* values_out) const override {
    add_curvature_at({t, q, nullptr}, lambda, weight, slots, values_out);
  }
  void add_forces_at(const Instant& at, const double* lambda, double weight, double* out) const override {
    gradients(at, [&](int term, int i, double slope, int instance) {
      out[rows_.instances.stencil(instance)[i]] += weight * lambda[term] * slope;
    });
  }
  void add_gradient_at(const Instant& at, double weight, const double* row_weight, const int* slots,
                       double* values_out) const override {
    gradients(at, [&](int term, int i, double slope, int) {
      values_out[slots[term * width() + i]] += (row_weight == nullptr ? weight : weight * row_weight[term]) * slope;
    });
  }
  void add_curvature_at(const Instant& at, const double* lambda, double weight, const int* slots,
                        double* values_out) const override {
    const int square = width() * width();
    rows_.outputs(rows_.shape->hessians, at, [&](int term, int entry, double second, int) {
      values_out[slots[std::ptrdiff_t(term) * square + entry]] += weight * lambda[term] * second;
    });
  }

  void add_discrete(const Segment& step, const double* lambda, double weight, double* out) const override {
    directions(step, [&](int term, int i, double slope, int instance) {
      out[rows_.instances.stencil(instance)[i]] += weight * lambda[term] * slope;
    });
  }
  void add_discrete_gradient(const Segment& step, double weight, const int* slots, double* values_out) const override {
    directions(step, [&](int term, int i, double slope, int) { values_out[slots[term * width() + i]] += weight * slope; });
  }
  void add_discrete_curvature(const Segment& step, const double* lambda, double weight, const int* slots,
                              double* values_out) const override {
    const int square = width() * width();
    rows_.outputs(rows_.shape->discrete().slopes, ends(step), [&](int term, int entry, double second, int) {
      values_out[slots[std::ptrdiff_t(term) * square + entry]] += weight * lambda[term] * second;
    });
  }

  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    require(holonomic(), "penalized: '{}' is a constraint on velocities, and no potential can replace it.", name(0));
    return std::make_unique<ExpressionPenalty>(rows_, epsilon);
  }

 private:
  template <class Action> void gradients(const Instant& at, const Action& action) const {
    rows_.outputs(rows_.shape->gradients, at, action);
  }
  template <class Action> void directions(const Segment& step, const Action& action) const {
    rows_.outputs(rows_.shape->discrete().gradients, ends(step), action);
  }

  Rows rows_;
};

}  // namespace

std::unique_ptr<ConstraintBlock> expression_constraints(std::shared_ptr<const ConstraintShape> shape, InstanceSet instances,
                                                        std::vector<Set> sets, std::vector<std::string> names) {
  return std::make_unique<ExpressionConstraints>(
      Rows(std::move(shape), std::move(instances), std::move(sets), std::move(names)));
}

}  // namespace taut
