#include <algorithm>
#include <taut/model/draft.hpp>

/// The places where a model's expressions become code.
namespace taut {

void Draft::add_dynamics(const LagrangianNodes& nodes, const std::string& name) {
  if (!terms_) terms_ = new_terms();
  terms_->add(nodes, name);
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
  return {name, Program(*graph, {node}, inputs), inputs, !inputs.empty() && inputs.back() >= lambda_variable(0)};
}

double NamedExpression::at(const State& state) const {
  thread_local std::vector<double> in;
  in.clear();
  const int n = int(state.q.size());
  for (const int variable : inputs) {
    const int k = variable - 1;
    in.push_back(k < 0 ? state.t : k < n ? state.q[k] : k < 2 * n ? state.v[k - n] : state.lambda[k - 2 * n]);
  }
  return *program(in.data());
}

double Draft::at_start(Graph::Node node) const {
  return graph->value(node, [this](int variable) {
    if (variable == numbering.time()) return 0.0;
    return numbering.is_velocity(variable) ? v[variable - numbering.v(0)] : q[variable - numbering.q(0)];
  });
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
