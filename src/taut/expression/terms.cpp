#include <algorithm>
#include <map>
#include <taut/base/require.hpp>
#include <taut/expression/blocks.hpp>
#include <taut/expression/terms.hpp>

namespace taut {
namespace {

using Node = Graph::Node;

/// Expressions of a model of so few coordinates stay together: what they have in common is computed once, and its matrices are dense anyway. In a larger
/// one that would couple what has nothing to do with each other, the two ends of a beam for instance.
constexpr int few = 16;

/// Blocks of limited size let a large matrix be filled part by part, as in System.
constexpr int full = 2048;

bool contains(const std::vector<int>& large, const std::vector<int>& small) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}

std::vector<int> united(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

}  // namespace

ExpressionTerms::ExpressionTerms(std::shared_ptr<Graph> graph, Numbering numbering, std::shared_ptr<Shapes> shapes)
    : graph_(std::move(graph)), numbering_(numbering), shapes_(std::move(shapes)) {}

std::vector<int> ExpressionTerms::stencil_of(const std::vector<int>& variables) const {
  std::vector<int> stencil;
  for (const int variable : variables)
    if (variable != numbering_.time()) stencil.push_back(numbering_.coordinate(variable));
  std::sort(stencil.begin(), stencil.end());
  stencil.erase(std::unique(stencil.begin(), stencil.end()), stencil.end());
  return stencil;
}

/// The summands of a node, through signs and constant factors.
void ExpressionTerms::split(Node root, std::vector<Node>& out) const {
  std::vector<std::pair<Node, Node>> stack{{root, graph_->constant(1.0)}};  // a node and its factor
  while (!stack.empty()) {
    const auto [node, factor] = stack.back();
    stack.pop_back();
    const Graph::Entry e = graph_->entries()[std::size_t(node)];
    const auto scaled = [&, factor = factor](Node by) { return graph_->multiply(factor, by); };
    const auto times = [&](Node argument, Node by) { stack.emplace_back(argument, scaled(by)); };
    if (e.op == Op::add || e.op == Op::subtract) {
      times(e.b, graph_->constant(e.op == Op::add ? 1.0 : -1.0));
      times(e.a, graph_->constant(1.0));
    } else if (e.op == Op::negate) {
      times(e.a, graph_->constant(-1.0));
    } else if (e.op == Op::multiply && graph_->is_constant(e.a)) {
      times(e.b, e.a);
    } else if (e.op == Op::multiply && graph_->is_constant(e.b)) {
      times(e.a, e.b);
    } else if (e.op == Op::divide && graph_->is_constant(e.b)) {
      times(e.a, graph_->divide(graph_->constant(1.0), e.b));
    } else {
      out.push_back(scaled(node));
    }
  }
}

/// Summands by their coordinates; those of few go with others that have these and not many more.
std::vector<ExpressionTerms::Piece> ExpressionTerms::pieces_of(const LagrangianNodes& nodes) const {
  std::vector<Piece> found;
  std::map<std::vector<int>, std::size_t> by_stencil;
  const auto piece = [&](Node node, int coordinate) -> LagrangianNodes& {
    std::vector<int> stencil = stencil_of(graph_->variables_of({node}));
    if (coordinate >= 0) stencil = united(stencil, {coordinate});
    const auto [place, is_new] = by_stencil.try_emplace(stencil, found.size());
    if (is_new) found.push_back({std::move(stencil), {}});
    return found[place->second].nodes;
  };
  const auto more = [&](Node& sum, Node node) { sum = sum < 0 ? node : graph_->add(sum, node); };
  const auto each = [&](Node node, const auto& action) {
    std::vector<Node> summands;
    if (node >= 0) split(node, summands);
    for (const Node one : summands) action(one);
  };
  each(nodes.kinetic, [&](Node one) { more(piece(one, -1).kinetic, one); });
  each(nodes.potential, [&](Node one) { more(piece(one, -1).potential, one); });
  for (const auto& [coordinate, Q] : nodes.forces)
    each(Q, [&, i = coordinate](Node one) { piece(one, i).forces.emplace_back(i, one); });

  std::vector<std::size_t> order(found.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return found[a].stencil.size() > found[b].stencil.size(); });
  std::unordered_map<int, std::vector<std::size_t>> kept_at;  // pieces kept, by coordinate
  std::vector<char> gone(found.size(), 0);
  for (const std::size_t k : order) {
    const std::vector<int>& mine = found[k].stencil;
    const std::vector<std::size_t>* fewest = nullptr;
    for (const int i : mine)
      if (fewest == nullptr || kept_at[i].size() < fewest->size()) fewest = &kept_at[i];
    for (std::size_t c = 0; fewest != nullptr && c < fewest->size() && gone[k] == 0; ++c) {
      Piece& host = found[(*fewest)[c]];
      if (2 * mine.size() <= host.stencil.size() || !contains(host.stencil, mine)) continue;
      if (found[k].nodes.kinetic >= 0) more(host.nodes.kinetic, found[k].nodes.kinetic);
      if (found[k].nodes.potential >= 0) more(host.nodes.potential, found[k].nodes.potential);
      for (const auto& force : found[k].nodes.forces) host.nodes.forces.push_back(force);
      gone[k] = 1;
    }
    if (gone[k] == 0)
      for (const int i : mine) kept_at[i].push_back(k);
  }
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < found.size(); ++k)
    if (gone[k] == 0 && !found[k].stencil.empty()) pieces.push_back(std::move(found[k]));
  return pieces;
}

void ExpressionTerms::add(const LagrangianNodes& nodes, const std::string& name) {
  std::vector<Node> all;
  for (const Node node : {nodes.kinetic, nodes.potential})
    if (node >= 0) all.push_back(node);
  for (const auto& [coordinate, Q] : nodes.forces) {
    all.push_back(Q);
    all.push_back(graph_->variable(numbering_.q(coordinate)));
  }
  Piece whole{stencil_of(graph_->variables_of(all)), nodes};
  if (numbering_.coordinates <= few) {
    if (!whole.stencil.empty()) add_instance(whole, name);
    return;
  }
  for (const Piece& piece : pieces_of(nodes)) add_instance(piece, name);
}

void ExpressionTerms::add_instance(const Piece& piece, const std::string& name) {
  DynamicsShape::Roles roles;
  std::vector<Node> roots;
  const LagrangianNodes& nodes = piece.nodes;
  if ((roles.kinetic = nodes.kinetic >= 0)) roots.push_back(nodes.kinetic);
  if ((roles.potential = nodes.potential >= 0)) roots.push_back(nodes.potential);
  std::map<int, Node> applied;
  for (const auto& [coordinate, Q] : nodes.forces) {
    const auto [place, is_new] = applied.try_emplace(coordinate, Q);
    if (!is_new) place->second = graph_->add(place->second, Q);
  }
  std::vector<int> pushed;
  for (const auto& [coordinate, Q] : applied) {
    pushed.push_back(coordinate);
    roots.push_back(Q);
  }
  roles.forces = int(pushed.size());
  const Instance instance(*graph_, numbering_, roots, pushed);
  std::shared_ptr<const DynamicsShape> shape = shapes_->dynamics(instance, roles);
  const auto place = open_.find(shape.get());
  if (place == open_.end() || dynamics_[place->second].instances.count() >= full) {
    open_[shape.get()] = dynamics_.size();
    dynamics_.push_back({shape, InstanceSet(shape->n, int(instance.numbers().size()))});
  }
  Group<DynamicsShape>& group = dynamics_[open_.at(shape.get())];
  group.instances.add(instance.stencil(), instance.numbers());
  group.names.push_back(name);
}

void ExpressionTerms::add_constraint(Node g, Set set, const std::string& name) {
  const std::vector<int> variables = graph_->variables_of({g});
  Constraint one{g, set, false, stencil_of(variables), name};
  require(!one.stencil.empty(), "no coordinate occurs in it");
  one.velocity = std::any_of(variables.begin(), variables.end(), [&](int k) { return numbering_.is_velocity(k); });
  require(!one.velocity || set == Set::zero, "a velocity occurs in it, and inequalities hold positions only");
  constraints_.push_back(std::move(one));
}

std::vector<int> ExpressionTerms::into(System& system) {
  for (Group<DynamicsShape>& group : dynamics_)
    system.add_block(expression_dynamics(std::move(group.shape), std::move(group.instances), std::move(group.names)));
  dynamics_.clear();
  open_.clear();
  std::vector<int> rows(constraints_.size());
  constraints_into(system, false, rows);
  constraints_into(system, true, rows);
  constraints_.clear();
  return rows;
}

/// Those of a small model are rows of one instance, which share what they have in common; in a large one each is an instance of its own.
void ExpressionTerms::constraints_into(System& system, bool velocity, std::vector<int>& rows) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    if (constraints_[k].velocity == velocity) chosen.push_back(k);
  std::vector<Group<ConstraintShape>> groups;
  std::unordered_map<const ConstraintShape*, std::size_t> open;
  const auto add = [&](const std::vector<Node>& roots) -> Group<ConstraintShape>& {
    const Instance instance(*graph_, numbering_, roots);
    const std::shared_ptr<const ConstraintShape> shape = shapes_->constraints(instance, velocity);
    const auto place = open.find(shape.get());
    if (place == open.end() || groups[place->second].instances.count() >= full) {
      open[shape.get()] = groups.size();
      groups.push_back({shape, InstanceSet(shape->n, int(instance.numbers().size()))});
    }
    Group<ConstraintShape>& group = groups[open.at(shape.get())];
    group.instances.add(instance.stencil(), instance.numbers());
    return group;
  };
  const auto describe = [&](Group<ConstraintShape>& group, std::size_t k) {
    group.sets.push_back(constraints_[k].set);
    group.names.push_back(constraints_[k].name);
    group.numbers.push_back(k);
  };
  if (numbering_.coordinates <= few) {
    std::vector<Node> roots;
    for (const std::size_t k : chosen) roots.push_back(constraints_[k].g);
    if (!roots.empty()) {
      Group<ConstraintShape>& group = add(roots);
      for (const std::size_t k : chosen) describe(group, k);
    }
  } else {
    for (const std::size_t k : chosen) describe(add({constraints_[k].g}), k);
  }
  for (Group<ConstraintShape>& group : groups) {
    for (std::size_t r = 0; r < group.numbers.size(); ++r) rows[group.numbers[r]] = system.constraint_count() + int(r);
    system.add_block(expression_constraints(std::move(group.shape), std::move(group.instances), std::move(group.sets),
                                            std::move(group.names)));
  }
}

}  // namespace taut
