#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/base/vector.hpp>
#include <taut/expression/blocks.hpp>
#include <taut/system/discrete_parts.hpp>

namespace taut {
namespace {

/// A program over (t, q, v) of some coordinates.
class Evaluation {
 public:
  Evaluation() = default;
  Evaluation(const Graph& graph, Numbering numbering, const std::vector<int>& stencil, const std::vector<Graph::Node>& nodes)
      : n_(int(stencil.size())) {
    std::vector<int> inputs{numbering.time()};
    for (const int i : stencil) inputs.push_back(numbering.q(i));
    for (const int i : stencil) inputs.push_back(numbering.v(i));
    program_ = Program(graph, nodes, inputs);
  }

  /// At coordinates that lie one after the other.
  const Program& at(const Instant& here) const {
    return run(here, [](const double* from, int i) { return from[i]; });
  }

  /// At coordinates picked by a stencil.
  const Program& at(const Instant& here, const std::vector<int>& stencil) const {
    return run(here, [&](const double* from, int i) { return from[stencil[i]]; });
  }

 private:
  /// Nothing is computed where the inputs are those of the last time: a matrix, its transpose and the forces ask for the same gradient one after the other.
  template <class Pick> const Program& run(const Instant& here, const Pick& pick) const {
    double* in = program_.inputs();
    bool same = known_;
    const auto set = [&](int k, double value) {
      same = same && in[k] == value;
      in[k] = value;
    };
    set(0, here.t);
    for (int i = 0; i < n_; ++i) set(1 + i, pick(here.q, i));
    if (here.v != nullptr)
      for (int i = 0; i < n_; ++i) set(1 + n_ + i, pick(here.v, i));
    if (!same) program_.run();
    known_ = true;
    return program_;
  }

  int n_ = 0;
  mutable Program program_;  // its registers are scratch
  mutable bool known_ = false;
};

/// The coordinates that occur in the nodes, as positions or as velocities.
std::vector<int> stencil_of(const Graph& graph, Numbering numbering, const std::vector<Graph::Node>& nodes) {
  std::vector<int> stencil;
  for (const int variable : graph.variables_of(nodes))
    if (variable != numbering.time()) stencil.push_back((variable - 1) % numbering.coordinates);
  std::sort(stencil.begin(), stencil.end());
  stencil.erase(std::unique(stencil.begin(), stencil.end()), stencil.end());
  return stencil;
}

/// ∂node/∂x over a list of variables.
std::vector<Graph::Node> gradient_of(Graph& graph, Graph::Node node, const std::vector<int>& variables) {
  std::vector<Graph::Node> out;
  out.reserve(variables.size());
  for (const int variable : variables) out.push_back(graph.derivative(node, variable));
  return out;
}

/// ∂nodes/∂x, row by row: one row per node.
std::vector<Graph::Node> jacobian_of(Graph& graph, const std::vector<Graph::Node>& nodes,
                                     const std::vector<int>& variables) {
  std::vector<Graph::Node> out(nodes.size() * variables.size());
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const std::vector<Graph::Node> column = graph.derivative(nodes, variables[j]);
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i * variables.size() + j] = column[i];
  }
  return out;
}

/// Σ coefficientsⱼ·directionⱼ for each row of a Jacobian.
std::vector<Graph::Node> along(Graph& graph, const std::vector<Graph::Node>& jacobian,
                               const std::vector<Graph::Node>& direction) {
  const std::size_t n = direction.size();
  std::vector<Graph::Node> out;
  for (std::size_t i = 0; n > 0 && i < jacobian.size() / n; ++i) {
    Graph::Node sum = graph.constant(0.0);
    for (std::size_t j = 0; j < n; ++j) sum = graph.add(sum, graph.multiply(jacobian[i * n + j], direction[j]));
    out.push_back(sum);
  }
  return out;
}

struct Variables {
  std::vector<int> q, v;
  std::vector<Graph::Node> velocity;
};
Variables variables_of(Graph& graph, Numbering numbering, const std::vector<int>& stencil) {
  Variables out;
  for (const int i : stencil) {
    out.q.push_back(numbering.q(i));
    out.v.push_back(numbering.v(i));
    out.velocity.push_back(graph.variable(numbering.v(i)));
  }
  return out;
}

/// T, V and Q with their derivatives, on coordinates that lie one after the other.
class Lagrangian {
 public:
  Lagrangian(Graph& graph, Numbering numbering, const LagrangianNodes& nodes, const std::vector<int>& stencil)
      : n(int(stencil.size())) {
    const Variables x = variables_of(graph, numbering, stencil);
    const Graph::Node zero = graph.constant(0.0);
    const Graph::Node T = nodes.kinetic >= 0 ? nodes.kinetic : zero, V = nodes.potential >= 0 ? nodes.potential : zero;
    const auto make = [&](const std::vector<Graph::Node>& of) { return Evaluation(graph, numbering, stencil, of); };

    const std::vector<Graph::Node> p = gradient_of(graph, T, x.v);
    const std::vector<Graph::Node> own = gradient_of(graph, graph.subtract(T, V), x.q);
    std::vector<Graph::Node> applied(stencil.size(), zero), force;
    for (const auto& [coordinate, Q] : nodes.forces) {
      const auto place = std::size_t(std::lower_bound(stencil.begin(), stencil.end(), coordinate) - stencil.begin());
      applied[place] = graph.add(applied[place], Q);
    }
    for (std::size_t i = 0; i < stencil.size(); ++i) force.push_back(graph.add(own[i], applied[i]));
    const std::vector<Graph::Node> p_q = jacobian_of(graph, p, x.q), p_v = jacobian_of(graph, p, x.v);
    std::vector<Graph::Node> inertial = along(graph, p_q, x.velocity);
    const std::vector<Graph::Node> p_t = graph.derivative(p, numbering.time());
    for (std::size_t i = 0; i < inertial.size(); ++i) inertial[i] = graph.add(inertial[i], p_t[i]);

    energies_ = make({T, V});
    momentum_ = make(p);
    force_ = make(force);
    applied_ = make(applied);
    inertial_ = make(inertial);
    momentum_slopes_ = make(joined(p_q, p_v));
    force_slopes_ = make(joined(jacobian_of(graph, force, x.q), jacobian_of(graph, force, x.v)));
    applied_slopes_ = make(joined(jacobian_of(graph, applied, x.q), jacobian_of(graph, applied, x.v)));

    has_momentum = nodes.kinetic >= 0;
    has_applied = !nodes.forces.empty();
    // Constant: p_v a number everywhere, nothing else in p, and p = 0 at rest.
    double number = 0.0;
    constant_mass = lumped_mass = true;
    for (int i = 0; i < n * n; ++i) {
      const bool fixed = graph.is_constant(p_v[i], &number);
      constant_mass = constant_mass && fixed;
      lumped_mass = lumped_mass && fixed && (number == 0.0 || i % (n + 1) == 0);
    }
    for (const Graph::Node rest : inertial) constant_mass = constant_mass && rest == zero;
    at_rest_zero = momentum_vanishes_at_rest();
    constant_mass = constant_mass && at_rest_zero;
    lumped_mass = lumped_mass && constant_mass;
    const std::vector<int> in_L = graph.variables_of({T, V});
    driven = !in_L.empty() && in_L.front() == numbering.time();
  }

  double kinetic(const Instant& at) const { return energies_.at(at).output(0); }
  double potential(const Instant& at) const { return energies_.at(at).output(1); }
  void add(const Instant& at, double momentum, double force, double* out) const {
    if (momentum != 0.0 && has_momentum) add_all(momentum_.at(at), momentum, out);
    if (force == 0.0) return;
    add_all(force_.at(at), force, out);
    if (has_applied && without_applied) add_all(applied_.at(at), -force, out);
  }
  void add_inertial(const Instant& at, double weight, double* out) const { add_all(inertial_.at(at), weight, out); }
  void add_applied(const Instant& at, double weight, double* out) const { add_all(applied_.at(at), weight, out); }
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const {
    if (w.momentum != 0.0 && has_momentum) add_matrix(momentum_slopes_.at(at), w.momentum, w, slots, values);
    if (w.force == 0.0) return;
    add_matrix(force_slopes_.at(at), w.force, w, slots, values);
    if (has_applied && without_applied) add_matrix(applied_slopes_.at(at), -w.force, w, slots, values);
  }
  void add_applied_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const {
    add_matrix(applied_slopes_.at(at), w.force, w, slots, values);
  }

  int n;
  bool has_momentum = false, has_applied = false, constant_mass = false, lumped_mass = false, at_rest_zero = false,
       driven = false;
  bool without_applied = false;  ///< forces are those of the Lagrangian alone: for discrete gradients

 private:
  static std::vector<Graph::Node> joined(std::vector<Graph::Node> a, const std::vector<Graph::Node>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  void add_all(const Program& values, double weight, double* out) const {
    for (int i = 0; i < n; ++i) out[i] += weight * values.output(i);
  }
  /// The first n² outputs are slopes in q, the others in v.
  void add_matrix(const Program& from, double weight, const SlopeWeights& w, const int* slots, double* values) const {
    for (int i = 0; i < n * n; ++i) values[slots[i]] += weight * (w.dq * from.output(i) + w.dv * from.output(n * n + i));
  }
  /// At a few places: a kinetic energy is written by hand, and terms linear in v do not hide.
  bool momentum_vanishes_at_rest() const {
    const Vector rest = Vector::Zero(n);
    for (int sample = 0; sample < 3; ++sample) {
      Vector q(n), p = Vector::Zero(n), moving(n), scale = Vector::Zero(n);
      for (int i = 0; i < n; ++i) {
        q[i] = 0.3 + 0.7 * std::sin(1.0 + 2.0 * sample + 3.0 * i);
        moving[i] = 1.0;
      }
      const double t = 0.37 * sample;
      if (!has_momentum) return true;
      add_all(momentum_.at({t, q.data(), rest.data()}), 1.0, p.data());
      add_all(momentum_.at({t, q.data(), moving.data()}), 1.0, scale.data());
      if (p.allFinite() && p.norm() > 1e-12 * (1.0 + scale.norm())) return false;
    }
    return true;
  }

  Evaluation energies_, momentum_, force_, applied_, inertial_, momentum_slopes_, force_slopes_, applied_slopes_;
};

/// A single term on its stencil.
template <class Base> class SingleTerm : public Base {
 public:
  int terms() const override { return 1; }
  int width() const override { return int(this->stencils_.size()); }
  std::string name(int) const override { return name_; }

 protected:
  Vector gathered(const double* from) const {
    Vector local(width());
    for (int i = 0; i < width(); ++i) local[i] = from[this->stencils_[i]];
    return local;
  }
  std::string name_;
};

class ExpressionDynamics final : public SingleTerm<DynamicsBlock>, public DiscreteForces {
 public:
  ExpressionDynamics(Graph& graph, Numbering numbering, const LagrangianNodes& nodes, std::vector<int> stencil,
                     std::string name)
      : lagrangian_(graph, numbering, nodes, stencil),
        local_(stencil.size()),
        local_v_(stencil.size()),
        sum_(stencil.size()) {
    stencils_ = std::move(stencil);
    name_ = std::move(name);
    conserved_ = lagrangian_;
    conserved_.without_applied = true;
  }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<ExpressionDynamics>(*this); }
  bool constant_mass() const override { return lagrangian_.constant_mass; }
  bool lumped_mass() const override { return lagrangian_.lumped_mass; }
  bool conservative() const override { return !lagrangian_.has_applied && !lagrangian_.driven; }
  const DiscreteForces* discrete() const override { return lagrangian_.at_rest_zero ? this : nullptr; }

  double kinetic(const Instant& at) const override { return lagrangian_.kinetic(here(at)); }
  double potential(const Instant& at) const override { return lagrangian_.potential(here(at)); }
  void add(const Instant& at, double momentum, double force, double* out) const override {
    sum_.setZero();
    lagrangian_.add(here(at), momentum, force, sum_.data());
    scatter(out);
  }
  void add_inertial(const Instant& at, double weight, double* out) const override {
    if (lagrangian_.constant_mass || !lagrangian_.has_momentum) return;
    sum_.setZero();
    lagrangian_.add_inertial(here(at), weight, sum_.data());
    scatter(out);
  }
  void add_slopes(const Instant& at, const SlopeWeights& weights, const int* slots, double* values) const override {
    lagrangian_.add_slopes(here(at), weights, slots, values);
  }

  void add_discrete(const Segment& step, double weight, double* out) const override {
    const Ends ends(*this, step);
    const Vector f = detail::lagrangian_parts<Eigen::Dynamic>(conserved_, ends.segment, 0.0, width()).value();
    sum_ = weight * f;
    if (lagrangian_.has_applied) lagrangian_.add_applied(ends.middle(), weight, sum_.data());
    scatter(out);
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override {
    const Ends ends(*this, step);
    const auto parts = detail::lagrangian_parts<Eigen::Dynamic>(conserved_, ends.segment, dq, width());
    detail::scatter(parts.slope(), weight, slots, values);
    if (lagrangian_.has_applied)
      lagrangian_.add_applied_slopes(ends.middle(), {.momentum = 0.0, .force = weight, .dq = 0.5 * dq, .dv = 0.5}, slots,
                                     values);
  }

 private:
  Instant here(const Instant& at) const {
    for (int i = 0; i < width(); ++i) {
      local_[i] = at.q[stencils_[i]];
      local_v_[i] = at.v[stencils_[i]];
    }
    return {at.t, local_.data(), local_v_.data()};
  }
  void scatter(double* out) const {
    for (int i = 0; i < width(); ++i) out[stencils_[i]] += sum_[i];
  }

  /// The ends of a step on the stencil.
  struct Ends {
    Ends(const ExpressionDynamics& block, const Segment& step)
        : q0(block.gathered(step.q0)),
          q1(block.gathered(step.q1)),
          v0(block.gathered(step.v0)),
          v1(block.gathered(step.v1)),
          q(0.5 * (q0 + q1)),
          v(0.5 * (v0 + v1)),
          segment{step.t, q0.data(), q1.data(), v0.data(), v1.data()} {}
    Instant middle() const { return {segment.t, q.data(), v.data()}; }
    Vector q0, q1, v0, v1, q, v;
    Segment segment;
  };

  Lagrangian lagrangian_, conserved_ = lagrangian_;
  mutable Vector local_, local_v_, sum_;
};

/// g(t, q) with what schemes ask of it; or k(t, q, v), affine in v, which takes the place of its rate.
class Value {
 public:
  Value(Graph& graph, Numbering numbering, Graph::Node g, const std::vector<int>& stencil, bool velocity)
      : n(int(stencil.size())) {
    const Variables x = variables_of(graph, numbering, stencil);
    const auto make = [&](const std::vector<Graph::Node>& of) { return Evaluation(graph, numbering, stencil, of); };
    const auto rate_of = [&](Graph::Node node) {
      return graph.add(along(graph, gradient_of(graph, node, x.q), x.velocity)[0], graph.derivative(node, numbering.time()));
    };
    const std::vector<Graph::Node> gradient = gradient_of(graph, g, velocity ? x.v : x.q);
    const Graph::Node rate = velocity ? g : rate_of(g);
    value = make({velocity ? graph.constant(0.0) : g});
    rates = make({rate});
    accelerations = make({rate_of(rate)});
    gradients = make(gradient);
    hessians = make(jacobian_of(graph, gradient, x.q));
  }
  int n;
  Evaluation value, rates, accelerations, gradients, hessians;

  /// ∇̄g between two places on the stencil; slopes are those in the second.
  detail::DiscreteParts<Eigen::Dynamic> between(double t, const Vector& q0, const Vector& q1, bool slopes) const {
    return detail::constraint_parts<Eigen::Dynamic>(
        [&](const double* q) {
          return value.at({t, q, nullptr}).output(0);
        },
        [&](const double* q) {
          const Program& G = gradients.at({t, q, nullptr});
          Vector out(n);
          for (int i = 0; i < n; ++i) out[i] = G.output(i);
          return out;
        },
        [&](const double* q, double factor, const int* slots, double* into) {
          const Program& H = hessians.at({t, q, nullptr});
          for (int i = 0; i < n * n; ++i) into[slots[i]] += factor * H.output(i);
        },
        q0.data(), q1.data(), slopes, n);
  }
};

/// dist²(g, S)/(2ε).
class ExpressionPenalty final : public SingleTerm<DynamicsBlock>, public DiscreteForces {
 public:
  ExpressionPenalty(Value value, Set set, double epsilon, std::vector<int> stencil, std::string name)
      : value_(std::move(value)), set_(set), epsilon_(epsilon) {
    stencils_ = std::move(stencil);
    name_ = std::move(name);
  }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<ExpressionPenalty>(*this); }
  bool constant_mass() const override { return true; }
  bool lumped_mass() const override { return true; }
  bool conservative() const override { return true; }
  const DiscreteForces* discrete() const override { return this; }

  double kinetic(const Instant&) const override { return 0.0; }
  double potential(const Instant& at) const override {
    const double d = excess(set_, value_.value.at(at, stencils_).output(0));
    return 0.5 * d * d / epsilon_;
  }
  void add(const Instant& at, double, double force, double* out) const override {
    if (force == 0.0) return;
    const double d = excess(set_, value_.value.at(at, stencils_).output(0));
    if (d == 0.0) return;
    const Program& G = value_.gradients.at(at, stencils_);
    for (int i = 0; i < width(); ++i) out[stencils_[i]] -= force * d / epsilon_ * G.output(i);
  }
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const override {
    const double g = value_.value.at(at, stencils_).output(0), factor = -w.force * w.dq / epsilon_;
    if (factor == 0.0 || !binds(set_, g)) return;
    const Program &G = value_.gradients.at(at, stencils_), &H = value_.hessians.at(at, stencils_);
    const int n = width();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) values[slots[i * n + j]] += factor * (G.output(i) * G.output(j) + g * H.output(i * n + j));
  }

  /// Through the constraint, as Penalty in constraint_terms.hpp explains.
  void add_discrete(const Segment& step, double weight, double* out) const override {
    const Vector q0 = gathered(step.q0), q1 = gathered(step.q1);
    const auto parts = value_.between(step.t, q0, q1, false);
    const double quotient = quotient_of(parts.start, parts.end).first;
    if (quotient == 0.0) return;
    const Vector gradient = parts.value();
    for (int i = 0; i < width(); ++i) out[stencils_[i]] -= weight * quotient * gradient[i];
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override {
    const Vector q0 = gathered(step.q0), q1 = gathered(step.q1);
    const auto parts = value_.between(step.t, q0, q1, true);
    const auto [quotient, slope] = quotient_of(parts.start, parts.end);
    if (quotient == 0.0 && slope == 0.0) return;
    const Eigen::MatrixXd sum = quotient * parts.slope() + slope * (parts.value() * parts.end_slope.transpose());
    detail::scatter(sum, -weight * dq, slots, values);
  }

 private:
  /// [W(b) − W(a)]/(b − a) with W = dist²/(2ε), and its slope in b.
  std::pair<double, double> quotient_of(double a, double b) const {
    const bool first = binds(set_, a), second = binds(set_, b);
    if (!first && !second) return {0.0, 0.0};
    if (first && second) return {(a + b) / (2.0 * epsilon_), 1.0 / (2.0 * epsilon_)};
    const double in = excess(set_, a), out = excess(set_, b), d = b - a;
    const double quotient = (out * out - in * in) / (2.0 * epsilon_ * d);
    return {quotient, (out / epsilon_ - quotient) / d};
  }

  Value value_;
  Set set_;
  double epsilon_;
};

class ExpressionConstraint final : public SingleTerm<ConstraintBlock>, public DiscreteDirections {
 public:
  ExpressionConstraint(Graph& graph, Numbering numbering, Graph::Node g, Set set, std::vector<int> stencil, bool velocity,
                       std::string name)
      : value_(graph, numbering, g, stencil, velocity), set_(set), velocity_(velocity) {
    stencils_ = std::move(stencil);
    name_ = std::move(name);
  }
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<ExpressionConstraint>(*this); }
  int rows() const override { return 1; }
  Set set(int) const override { return set_; }
  bool holonomic() const override { return !velocity_; }
  const DiscreteDirections* discrete() const override { return velocity_ ? nullptr : this; }

  void values(double t, const double* q, double* g) const override {
    g[0] = value_.value.at({t, q, nullptr}, stencils_).output(0);
  }
  void rates(const Instant& at, double* rate) const override { rate[0] = value_.rates.at(at, stencils_).output(0); }
  void accelerations(const Instant& at, double* acceleration) const override {
    acceleration[0] = value_.accelerations.at(at, stencils_).output(0);
  }
  void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const override {
    const Program& G = value_.gradients.at({t, q, nullptr}, stencils_);
    for (int i = 0; i < width(); ++i) out[stencils_[i]] += weight * lambda[0] * G.output(i);
  }
  void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    const Program& G = value_.gradients.at({t, q, nullptr}, stencils_);
    const double scale = row_weight == nullptr ? weight : weight * row_weight[0];
    for (int i = 0; i < width(); ++i) values[slots[i]] += scale * G.output(i);
  }
  void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                     double* values) const override {
    const Program& H = value_.hessians.at({t, q, nullptr}, stencils_);
    for (int i = 0; i < width() * width(); ++i) values[slots[i]] += weight * lambda[0] * H.output(i);
  }

  void add_discrete(const Segment& step, const double* lambda, double weight, double* out) const override {
    const Vector G = between(step, false).value();
    for (int i = 0; i < width(); ++i) out[stencils_[i]] += weight * lambda[0] * G[i];
  }
  void add_discrete_gradient(const Segment& step, double weight, const int* slots, double* values) const override {
    detail::scatter(between(step, false).value().transpose(), weight, slots, values);
  }
  void add_discrete_curvature(const Segment& step, const double* lambda, double weight, const int* slots,
                              double* values) const override {
    detail::scatter(between(step, true).slope(), weight * lambda[0], slots, values);
  }

  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    require(!velocity_, "penalized: '{}' is a constraint on velocities, and no potential can replace it.", name_);
    return std::make_unique<ExpressionPenalty>(value_, set_, epsilon, stencils_, "penalty of " + name_);
  }

 private:
  detail::DiscreteParts<Eigen::Dynamic> between(const Segment& step, bool slopes) const {
    return value_.between(step.t, gathered(step.q0), gathered(step.q1), slopes);
  }

  Value value_;
  Set set_;
  bool velocity_;
};

}  // namespace

std::unique_ptr<DynamicsBlock> expression_dynamics(const std::shared_ptr<Graph>& graph, Numbering numbering,
                                                   const LagrangianNodes& nodes, std::string name) {
  std::vector<Graph::Node> all;
  if (nodes.kinetic >= 0) all.push_back(nodes.kinetic);
  if (nodes.potential >= 0) all.push_back(nodes.potential);
  for (const auto& [coordinate, Q] : nodes.forces) {
    all.push_back(Q);
    all.push_back(graph->variable(numbering.q(coordinate)));
  }
  std::vector<int> stencil = stencil_of(*graph, numbering, all);
  return std::make_unique<ExpressionDynamics>(*graph, numbering, nodes, std::move(stencil), std::move(name));
}

std::unique_ptr<ConstraintBlock> expression_constraint(const std::shared_ptr<Graph>& graph, Numbering numbering,
                                                       Graph::Node g, Set set, std::string name) {
  const auto has_velocity = [&](Graph::Node node) {
    const std::vector<int> found = graph->variables_of({node});
    return !found.empty() && found.back() > numbering.coordinates;
  };
  std::vector<int> stencil = stencil_of(*graph, numbering, {g});
  require(!stencil.empty(), "no coordinate occurs in it");
  const bool velocity = has_velocity(g);
  if (velocity) {
    require(set == Set::zero, "a velocity occurs in it, and inequalities hold positions only");
    for (const int i : stencil)
      require(!has_velocity(graph->derivative(g, numbering.v(i))), "it must be linear in the velocities");
  }
  return std::make_unique<ExpressionConstraint>(*graph, numbering, g, set, std::move(stencil), velocity, std::move(name));
}

}  // namespace taut
