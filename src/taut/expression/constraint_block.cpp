#include <algorithm>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/base/vector.hpp>
#include <taut/expression/blocks.hpp>
#include <taut/system/discrete_parts.hpp>

namespace taut {
namespace {

using Parts = detail::DiscreteParts<Eigen::Dynamic>;

/// Rows of instances as terms of a block: each has the whole stencil of its instance.
struct Rows {
  std::shared_ptr<const ConstraintShape> shape;
  InstanceSet instances;
  std::vector<Set> sets;           ///< one for each term
  std::vector<std::string> names;  ///< likewise
  std::vector<int> place{};        ///< of the rows of the shape among those that are there; −1 for the others

  int each() const {
    return int(std::count_if(place.begin(), place.end(), [](int k) { return k >= 0; }));
  }
  int terms() const { return int(sets.size()); }
  int n() const { return shape->n; }

  std::vector<int> stencils() const {
    std::vector<int> all;
    all.reserve(std::size_t(terms()) * std::size_t(n()));
    for (int k = 0; k < instances.count(); ++k)
      for (int r = 0; r < each(); ++r) all.insert(all.end(), instances.stencil(k), instances.stencil(k + 1));
    return all;
  }

  /// Calls action(term, entry, value, instance) for what a program gives that has `per_row` entries for each row.
  template <class Action>
  void outputs(const SparseProgram& from, int per_row, const Instant& at, const Action& action) const {
    const int rows = each();
    instances.each(from.program, at, [&](int instance, const auto& found) {
      for (int k = 0; k < from.count(); ++k) {
        const int row = place[std::size_t(from.which[k] / per_row)];
        if (row >= 0) action(instance * rows + row, from.which[k] % per_row, found[k], instance);
      }
    });
  }
  void values(double t, const double* q, double* g) const { numbers(shape->values, {t, q, nullptr}, g); }
  void numbers(const SparseProgram& from, const Instant& at, double* out) const {
    std::fill_n(out, terms(), 0.0);
    outputs(from, 1, at, [&](int term, int, double value, int) { out[term] = value; });
  }

  /// Without some of the terms.
  Rows without(const std::vector<char>& off) const {
    Rows rest{shape, instances, {}, {}, place};
    for (int k = 0; k < terms(); ++k) {
      if (off[std::size_t(k)] != 0) continue;
      rest.sets.push_back(sets[std::size_t(k)]);
      rest.names.push_back(names[std::size_t(k)]);
    }
    if (shape->rows > 1) {  // one instance: rows are left out
      int next = 0;
      for (int& row : rest.place)
        if (row >= 0) row = off[std::size_t(row)] != 0 ? -1 : next++;
      return rest;
    }
    rest.instances = instances.without(off);
    return rest;
  }

  /// Calls action(term, touched, parts) with ∇̄g of each row between two places, on the coordinates that occur in it; slopes are those in the second.
  template <class Action> void between(const Segment& step, bool slopes, const Action& action) const {
    const int size = n();
    Vector q0(size), q1(size), middle(size);
    std::vector<Parts> parts(std::size_t(shape->rows));
    for (int instance = 0; instance < instances.count(); ++instance) {
      const int* stencil = instances.stencil(instance);
      for (int i = 0; i < size; ++i) {
        q0[i] = step.q0[stencil[i]];
        q1[i] = step.q1[stencil[i]];
      }
      middle = 0.5 * (q0 + q1);
      const auto found = [&](const SparseProgram& from, const Vector& q, int per_row, const auto& use) {
        if (from.count() == 0) return;
        const double* values = instances.local(from.program, instance, {step.t, q.data(), nullptr});
        for (int k = 0; k < from.count(); ++k) use(parts[std::size_t(from.which[k] / per_row)], from.which[k], values[k]);
      };
      for (Parts& one : parts) {
        one = {.d = q1 - q0, .start = 0.0, .end = 0.0, .gradient = Vector::Zero(size)};
        if (!slopes) continue;
        one.gradient_slope.setZero(size, size);
        one.start_slope.setZero(size);
        one.end_slope.setZero(size);
        one.dd = 1.0;
      }
      found(shape->values, q0, 1, [](Parts& one, int, double value) { one.start = value; });
      found(shape->values, q1, 1, [](Parts& one, int, double value) { one.end = value; });
      found(shape->gradients, middle, size, [&](Parts& one, int k, double value) { one.gradient[k % size] = value; });
      if (slopes) {
        found(shape->hessians, middle, size * size,
              [&](Parts& one, int k, double value) { one.gradient_slope(k / size % size, k % size) = 0.5 * value; });
        found(shape->gradients, q1, size, [&](Parts& one, int k, double value) { one.end_slope[k % size] = value; });
      }
      for (int row = 0; row < shape->rows; ++row)
        if (place[std::size_t(row)] >= 0)
          action(instance * each() + place[std::size_t(row)], shape->touched[std::size_t(row)],
                 restricted(parts[std::size_t(row)], shape->touched[std::size_t(row)], slopes));
    }
  }

 private:
  /// A discrete gradient has no share in coordinates that do not occur.
  static Parts restricted(const Parts& all, const std::vector<int>& to, bool slopes) {
    if (Eigen::Index(to.size()) == all.d.size()) return all;
    Parts out{.d = all.d(to), .start = all.start, .end = all.end, .gradient = all.gradient(to)};
    if (!slopes) return out;
    out.gradient_slope = all.gradient_slope(to, to);
    out.start_slope = all.start_slope(to);
    out.end_slope = all.end_slope(to);
    out.dd = all.dd;
    return out;
  }
};

/// values[slots] += weight·A for a matrix on the coordinates that occur in a row.
void scatter(const Eigen::MatrixXd& A, const std::vector<int>& touched, double weight, const int* slots, int n,
             double* values) {
  for (std::size_t i = 0; i < touched.size(); ++i)
    for (std::size_t j = 0; j < touched.size(); ++j)
      values[slots[touched[i] * n + touched[j]]] += weight * A(Eigen::Index(i), Eigen::Index(j));
}

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
    rows_.outputs(rows_.shape->values, 1, at, [&](int term, int, double g, int) {
      const double d = excess(set(term), g);
      sum += d * d;
    });
    return 0.5 * sum / epsilon_;
  }
  void add(const Instant& at, double, double force, double* out) const override {
    if (force == 0.0) return;
    const Vector g = values(at);
    rows_.outputs(rows_.shape->gradients, width(), at, [&](int term, int i, double slope, int instance) {
      out[rows_.instances.stencil(instance)[i]] -= force * excess(set(term), g[term]) / epsilon_ * slope;
    });
  }
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values_out) const override {
    const double factor = -w.force * w.dq / epsilon_;
    if (factor == 0.0) return;
    const int n = width();
    const Vector g = values(at);
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, terms());
    rows_.outputs(rows_.shape->gradients, n, at, [&](int term, int i, double slope, int) { G(i, term) = slope; });
    for (int k = 0; k < terms(); ++k)
      if (binds(set(k), g[k])) detail::scatter(G.col(k) * G.col(k).transpose(), factor, slots + k * n * n, values_out);
    rows_.outputs(rows_.shape->hessians, n * n, at, [&](int term, int entry, double second, int) {
      if (binds(set(term), g[term])) values_out[slots[term * n * n + entry]] += factor * g[term] * second;
    });
  }

  /// Through the constraint, as Penalty in constraint_terms.hpp explains.
  void add_discrete(const Segment& step, double weight, double* out) const override {
    rows_.between(step, false, [&](int term, const std::vector<int>& touched, const Parts& parts) {
      const double quotient = quotient_of(set(term), parts.start, parts.end).first;
      if (quotient == 0.0) return;
      const Vector gradient = parts.value();
      for (std::size_t i = 0; i < touched.size(); ++i)
        out[stencils_[std::size_t(term * width() + touched[i])]] -= weight * quotient * gradient[Eigen::Index(i)];
    });
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots,
                           double* values_out) const override {
    rows_.between(step, true, [&](int term, const std::vector<int>& touched, const Parts& parts) {
      const auto [quotient, slope] = quotient_of(set(term), parts.start, parts.end);
      if (quotient == 0.0 && slope == 0.0) return;
      const Eigen::MatrixXd sum = quotient * parts.slope() + slope * (parts.value() * parts.end_slope.transpose());
      scatter(sum, touched, -weight * dq, slots + term * width() * width(), width(), values_out);
    });
  }

 private:
  Set set(int term) const { return rows_.sets[std::size_t(term)]; }
  Vector values(const Instant& at) const {
    Vector g(terms());
    rows_.values(at.t, at.q, g.data());
    return g;
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

class ExpressionConstraints final : public ConstraintBlock, public DiscreteDirections {
 public:
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
    const int n = width(), count = rows_.shape->rows, each = rows_.each();
    for (double* const one : {out.value, out.rate, out.acceleration})
      if (one != nullptr) std::fill_n(one, terms(), 0.0);
    for (int k = 0; k < terms() * n; ++k) out.gradient[out.slots[k]] = 0.0;
    const SparseProgram& from = rows_.shape->all;
    rows_.instances.each(from.program, at, [&](int instance, const auto& found) {
      for (int k = 0; k < from.count(); ++k) {
        const int entry = from.which[k], part = std::min(entry / count, 3);
        const int row = rows_.place[std::size_t(part < 3 ? entry % count : (entry - 3 * count) / n)];
        if (row < 0) continue;
        const int term = instance * each + row;
        if (part == 3) {
          out.gradient[out.slots[term * n + (entry - 3 * count) % n]] = found[k];
        } else if (double* const to = part == 0 ? out.value : part == 1 ? out.rate : out.acceleration) {
          to[term] = found[k];
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
    rows_.outputs(rows_.shape->hessians, square, at, [&](int term, int entry, double second, int) {
      values_out[slots[std::ptrdiff_t(term) * square + entry]] += weight * lambda[term] * second;
    });
  }

  void add_discrete(const Segment& step, const double* lambda, double weight, double* out) const override {
    rows_.between(step, false, [&](int term, const std::vector<int>& touched, const Parts& parts) {
      const Vector G = parts.value();
      for (std::size_t i = 0; i < touched.size(); ++i)
        out[stencils_[std::size_t(term * width() + touched[i])]] += weight * lambda[term] * G[Eigen::Index(i)];
    });
  }
  void add_discrete_gradient(const Segment& step, double weight, const int* slots, double* values_out) const override {
    rows_.between(step, false, [&](int term, const std::vector<int>& touched, const Parts& parts) {
      const Vector G = parts.value();
      for (std::size_t i = 0; i < touched.size(); ++i)
        values_out[slots[term * width() + touched[i]]] += weight * G[Eigen::Index(i)];
    });
  }
  void add_discrete_curvature(const Segment& step, const double* lambda, double weight, const int* slots,
                              double* values_out) const override {
    const int square = width() * width();
    rows_.between(step, true, [&](int term, const std::vector<int>& touched, const Parts& parts) {
      scatter(parts.slope(), touched, weight * lambda[term], slots + std::ptrdiff_t(term) * square, width(), values_out);
    });
  }

  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    require(holonomic(), "penalized: '{}' is a constraint on velocities, and no potential can replace it.", name(0));
    return std::make_unique<ExpressionPenalty>(rows_, epsilon);
  }

 private:
  template <class Action> void gradients(const Instant& at, const Action& action) const {
    rows_.outputs(rows_.shape->gradients, width(), at, action);
  }

  Rows rows_;
};

}  // namespace

std::unique_ptr<ConstraintBlock> expression_constraints(std::shared_ptr<const ConstraintShape> shape, InstanceSet instances,
                                                        std::vector<Set> sets, std::vector<std::string> names) {
  Rows rows{std::move(shape), std::move(instances), std::move(sets), std::move(names)};
  rows.place.resize(std::size_t(rows.shape->rows));
  std::iota(rows.place.begin(), rows.place.end(), 0);
  return std::make_unique<ExpressionConstraints>(std::move(rows));
}

}  // namespace taut
