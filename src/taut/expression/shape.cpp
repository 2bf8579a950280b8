#include <algorithm>
#include <taut/expression/discrete.hpp>
#include <taut/expression/shape.hpp>

namespace taut {
namespace {

using Node = Graph::Node;
using Nodes = std::vector<Node>;

/// Derivatives of expressions of an outline.
class Differentiated {
 public:
  explicit Differentiated(const Outline& outline) : graph(*outline.graph), zero(graph.constant(0.0)), x_(outline.numbering) {
    for (int i = 0; i < x_.coordinates; ++i) {
      q.push_back(x_.q(i));
      v.push_back(x_.v(i));
    }
  }

  Nodes gradient(Node node, const std::vector<int>& variables) { return jacobian({node}, variables); }

  /// Row by row: one row per node.
  Nodes jacobian(const Nodes& nodes, const std::vector<int>& variables) {
    Nodes out(nodes.size() * variables.size());
    for (std::size_t j = 0; j < variables.size(); ++j) {
      const Nodes column = graph.derivative(nodes, variables[j]);
      for (std::size_t i = 0; i < nodes.size(); ++i) out[i * variables.size() + j] = column[i];
    }
    return out;
  }

  /// In q, then in v.
  Nodes slopes(const Nodes& nodes) { return joined(jacobian(nodes, q), jacobian(nodes, v)); }

  /// Along a motion without acceleration: ∂/∂q · v + ∂/∂t.
  Nodes rates(const Nodes& nodes) {
    Nodes out = graph.derivative(nodes, x_.time());
    const Nodes in_q = jacobian(nodes, q);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = 0; j < q.size(); ++j)
        out[i] = graph.add(out[i], graph.multiply(in_q[i * q.size() + j], graph.variable(v[j])));
    return out;
  }

  static Nodes joined(Nodes a, const Nodes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Graph& graph;
  Node zero;
  std::vector<int> q{}, v{};

 private:
  Numbering x_;
};

/// A node with all velocities zero.
Node at_rest(Graph& graph, Numbering numbering, Node root) {
  std::unordered_map<Node, Node> still;
  for (int i = 0; i < numbering.coordinates; ++i) still[graph.variable(numbering.v(i))] = graph.constant(0.0);
  return substituted(graph, root, std::move(still));
}

DiscretePrograms discrete_programs(const Outline& outline, const Nodes& rows) {
  Differentiated d(outline);
  Nodes all;
  for (const Node row : rows) all = Differentiated::joined(std::move(all), discrete_gradient(outline, row));
  const int n = outline.numbering.coordinates;
  return {SparseProgram(outline, all, n), SparseProgram(outline, d.jacobian(all, d.v), n * n)};
}

std::string role_key(const DynamicsShape::Roles& roles) {
  return {char('0' + (roles.kinetic ? 1 : 0) + (roles.potential ? 2 : 0)), char(roles.forces & 127),
          char(roles.forces >> 7)};
}

}  // namespace

SparseProgram::SparseProgram(const Outline& outline, const Nodes& nodes, int per_row) {
  Nodes kept;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    double number = 1.0;
    if (outline.graph->is_constant(nodes[k], &number) && number == 0.0) continue;
    kept.push_back(nodes[k]);
    which.push_back(int(k));
    row.push_back(int(k) / per_row);
    entry.push_back(int(k) % per_row);
  }
  program = Program(*outline.graph, kept, outline.inputs(), outline.numbers);
}

DynamicsShape::DynamicsShape(const Outline& outline, const Roles& roles, std::string own_key)
    : key(std::move(own_key)),
      n(outline.numbering.coordinates),
      has_momentum(roles.kinetic),
      has_applied(roles.forces > 0),
      roots(roles),
      outline_(outline) {
  Differentiated d(outline);
  auto next = outline.roots.begin();
  const Node T = roles.kinetic ? *next++ : d.zero, V = roles.potential ? *next++ : d.zero;
  V_ = V;
  Nodes Q(std::size_t(n), d.zero);
  for (int i = 0; i < roles.forces; ++i) Q[std::size_t(i)] = *next++;

  const Nodes p = d.gradient(T, d.v), from_L = d.gradient(d.graph.subtract(T, V), d.q);
  Nodes f;
  for (int i = 0; i < n; ++i) f.push_back(d.graph.add(from_L[std::size_t(i)], Q[std::size_t(i)]));
  const Nodes p_slopes = d.slopes(p), dp = d.rates(p);

  const auto make = [&](const Nodes& nodes) { return SparseProgram(outline, nodes); };
  energies = make({T, V});
  momentum = make(p);
  force = make(f);
  inertial = make(dp);
  momentum_slopes = make(p_slopes);
  force_slopes = make(d.slopes(f));
  own = has_applied ? make(from_L) : force;
  own_slopes = has_applied ? make(d.slopes(from_L)) : force_slopes;
  applied = make(Q);
  applied_slopes = make(d.slopes(Q));

  const auto of_motion = [&](Node node) {
    const std::vector<int> found = d.graph.variables_of({node});
    return !found.empty() && found.front() < outline.number(0);
  };
  const auto of_velocity = [&](Node node) {
    const std::vector<int> found = d.graph.variables_of({node});
    return std::any_of(found.begin(), found.end(), [&](int variable) {
      return variable < outline.number(0) && outline.numbering.is_velocity(variable);
    });
  };
  for (std::size_t i = 0; i < std::size_t(n) * std::size_t(n); ++i) {
    const Node entry = p_slopes[std::size_t(n) * std::size_t(n) + i];
    constant_mass = constant_mass && !of_motion(entry);
    quadratic = quadratic && !of_velocity(entry);
    lumped_mass = lumped_mass && (entry == d.zero || i % std::size_t(n + 1) == 0);
  }
  for (const Node rest : dp) constant_mass = constant_mass && rest == d.zero;
  for (const Node node : p) at_rest_zero = at_rest_zero && at_rest(d.graph, outline.numbering, node) == d.zero;
  // A part without velocities is a potential with the other sign.
  constant_mass = constant_mass && at_rest_zero && !of_motion(at_rest(d.graph, outline.numbering, T));
  lumped_mass = lumped_mass && constant_mass;
  const std::vector<int> in_L = d.graph.variables_of({T, V});
  driven = !in_L.empty() && in_L.front() == outline.numbering.time();
}

ConstraintShape::ConstraintShape(const Outline& outline, bool of_velocity, std::string own_key)
    : key(std::move(own_key)),
      n(outline.numbering.coordinates),
      rows(int(outline.roots.size())),
      velocity(of_velocity),
      outline_(outline) {
  Differentiated d(outline);
  const Nodes& g = outline.roots;
  const Nodes G = d.jacobian(g, velocity ? d.v : d.q), value = velocity ? Nodes(g.size(), d.zero) : g,
              rate = velocity ? g : d.rates(g), acceleration = d.rates(rate);
  const auto make = [&](const Nodes& nodes) { return SparseProgram(outline, nodes); };
  values = make(value);
  rates = make(rate);
  accelerations = make(acceleration);
  gradients = SparseProgram(outline, G, n);
  hessians = SparseProgram(outline, d.jacobian(G, d.q), n * n);
  for (const int variable : d.graph.variables_of(G))
    turns = turns || (velocity && variable < outline.number(0) && outline.numbering.is_velocity(variable));
  all = make(d.joined(d.joined(value, rate), d.joined(acceleration, G)));
  for (const int k : all.which)
    parts.push_back(k < 3 * rows ? Part{k / rows, k % rows, 0} : Part{3, (k - 3 * rows) / n, (k - 3 * rows) % n});
}

const DiscretePrograms& DynamicsShape::discrete_potential() const {
  return discrete_.get([this] { return discrete_programs(outline_, {V_}); });
}

const DiscretePrograms& ConstraintShape::discrete() const {
  return discrete_.get([this] { return discrete_programs(outline_, outline_.roots); });
}

std::shared_ptr<const DynamicsShape> Shapes::dynamics(const Instance& instance, const DynamicsShape::Roles& roles) {
  const std::string key = role_key(roles) + instance.key();
  return dynamics_.get(key, [&] { return std::make_shared<const DynamicsShape>(instance.outline(), roles, key); });
}

std::shared_ptr<const ConstraintShape> Shapes::constraints(const Instance& instance, bool velocity) {
  const std::string key = (velocity ? "v" : "q") + instance.key();
  return constraints_.get(key, [&] { return std::make_shared<const ConstraintShape>(instance.outline(), velocity, key); });
}

}  // namespace taut
