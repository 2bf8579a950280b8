#include <algorithm>
#include <taut/model/draft.hpp>

/// The places where a model's expressions become code.
namespace taut {

void Draft::add_dynamics(const LagrangianNodes& nodes, const std::string& name) {
  system->add_block(expression_dynamics(graph, numbering, nodes, name));
}

void Draft::add_constraint(const Item& item, Graph::Node g, Set set, const std::string& name) {
  located(item, [&] { system->add_block(expression_constraint(graph, numbering, g, set, name)); });
}

NamedExpression Draft::expression(const std::string& name, Graph::Node node) const {
  const std::vector<int> inputs = graph->variables_of({node});
  return {name, Program(*graph, {node}, inputs), inputs, !inputs.empty() && inputs.back() >= lambda_variable(0)};
}

double NamedExpression::at(const State& state) {
  double* in = program.inputs();
  const int n = int(state.q.size());
  for (const int variable : inputs) {
    if (variable == 0) *in++ = state.t;
    if (variable > 0 && variable <= n) *in++ = state.q[variable - 1];
    if (variable > n && variable <= 2 * n) *in++ = state.v[variable - 1 - n];
    if (variable > 2 * n) *in++ = state.lambda[variable - 1 - 2 * n];
  }
  program.run();
  return program.output(0);
}

double Draft::at_start(Graph::Node node) const {
  double constant = 0.0;
  if (graph->is_constant(node, &constant)) return constant;
  const Graph::Entry& top = graph->entries()[std::size_t(node)];
  if (top.op == Op::variable && top.a > 0 && top.a <= numbering.coordinates) return q[top.a - 1];
  State given;
  given.q = q;
  given.v = v;
  return expression("", node).at(given);
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
