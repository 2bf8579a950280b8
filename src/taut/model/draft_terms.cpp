#include <limits>
#include <taut/model/draft.hpp>

/// The places where a model's expressions become code.
namespace taut {

void Draft::add_dynamics(const LagrangianNodes& nodes, const std::string& name) {
  if (!terms_) terms_ = new_terms();
  terms_->add(nodes, name);
}

void Draft::add_inertia(LagrangianNodes nodes, const std::string& name) {
  has_inertia.resize(std::size_t(numbering.coordinates), 0);
  std::vector<int> moved;
  for (const int variable : graph->variables_of({nodes.kinetic}))
    if (variable > numbering.coordinates) moved.push_back(variable - numbering.v(0));
  for (const int i : moved) {
    has_inertia[std::size_t(i)] = 1;
    // −c p: in proportion to the momentum.
    if (damping > 0.0)
      nodes.forces.emplace_back(
          i, graph->multiply(graph->constant(-damping), graph->derivative(nodes.kinetic, numbering.v(i))));
  }
  add_dynamics(nodes, name);
}

Graph::Node Draft::rate(Graph::Node node) {
  Graph::Node sum = graph->derivative(node, numbering.time());
  for (const int variable : graph->variables_of({node})) {
    if (variable == numbering.time()) continue;
    const int i = (variable - 1) % numbering.coordinates;
    const int next = variable <= numbering.coordinates ? numbering.v(i) : acceleration_variable(i);
    sum = graph->add(sum, graph->multiply(graph->derivative(node, variable), graph->variable(next)));
  }
  return sum;
}

std::size_t Draft::add_constraint(const Item& item, Graph::Node g, Set set, const std::string& name) {
  if (!terms_) terms_ = new_terms();
  located(item, [&] { terms_->add_constraint(g, set, name); });
  return constraints_++;
}

void Draft::finish_terms() {
  if (terms_) constraint_rows_ = terms_->into(*system);
}

NamedExpression Draft::expression(const std::string& name, Graph::Node node) const {
  const std::vector<int> inputs = graph->variables_of({node});
  NamedExpression out{name, Program(*graph, {node}, inputs), inputs};
  out.rows = system->constraint_count();
  out.graph = graph;
  out.node = node;
  const int energies = energy_variable(false), accelerations = acceleration_variable(0);
  for (const int variable : inputs) {
    if (variable >= energies) {
      out.energies = true;
    } else if (variable >= accelerations) {
      out.accelerations = true;
    } else if (variable >= lambda_variable(0)) {
      out.reactions = true;
    }
  }
  return out;
}

double NamedExpression::at(const State& state, const Derived& derived) const {
  thread_local std::vector<double> in;
  in.clear();
  const int n = int(state.q.size()), first_lambda = 1 + 2 * n, first_acceleration = first_lambda + rows;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  for (const int variable : inputs) {
    double value = state.t;
    if (variable > 0 && variable <= n) value = state.q[variable - 1];
    if (variable > n && variable < first_lambda) value = state.v[variable - 1 - n];
    if (variable >= first_lambda && variable < first_acceleration)
      value = state.lambda.size() == rows ? state.lambda[variable - first_lambda] : unknown;
    if (variable >= first_acceleration && variable < first_acceleration + n)
      value = derived.a.size() == n ? derived.a[variable - first_acceleration] : unknown;
    if (variable >= first_acceleration + n) value = variable == first_acceleration + n ? derived.kinetic : derived.potential;
    in.push_back(value);
  }
  return *program(in.data());
}

double Draft::at_start(Graph::Node node) const {
  return graph->value(node, [this](int variable) {
    if (variable == numbering.time()) return 0.0;
    return numbering.is_velocity(variable) ? v[variable - numbering.v(0)] : q[variable - numbering.q(0)];
  });
}

void Draft::add_force_along(Graph::Node x, Graph::Node force, LagrangianNodes& nodes) {
  for (const int variable : graph->variables_of({x}))
    if (variable != numbering.time())
      nodes.forces.emplace_back(numbering.coordinate(variable), graph->multiply(force, graph->derivative(x, variable)));
}

Graph::Node Draft::squared_distance(const Spot& a, const Spot& b) {
  Graph::Node sum = graph->constant(0.0);
  for (int k = 0; k < dim; ++k) {
    const Graph::Node d = graph->subtract(b.x[k], a.x[k]);
    sum = graph->add(sum, graph->multiply(d, d));
  }
  return sum;
}

}  // namespace taut
