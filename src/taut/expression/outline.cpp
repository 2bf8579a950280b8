#include <algorithm>
#include <taut/expression/outline.hpp>

namespace taut {
namespace {

template <class Number> void append(std::string& key, Number number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

std::vector<Graph::Node> transplanted(const Graph& from, Graph& to, const std::vector<Graph::Node>& roots,
                                      const std::function<Graph::Node(int variable)>& variable) {
  NumberMap<Graph::Node> known;
  for (const Graph::Node node : from.parts_of(roots)) {
    const Graph::Entry e = from.entries()[std::size_t(node)];  // a copy: the graph may be the one that grows
    const auto of = [&](int argument) { return argument >= 0 ? known.at(argument) : -1; };
    if (e.op == Op::constant) {
      known[node] = to.constant(e.value);
    } else if (e.op == Op::variable) {
      known[node] = variable(e.a);
    } else if (e.op == Op::table) {
      known[node] = to.table(std::shared_ptr<const Table>(from.tables()[std::size_t(e.b)]), of(e.a), e.c);
    } else if (e.op == Op::integer_power) {
      known[node] = to.make(Op::power, of(e.a), to.constant(e.value));
    } else {
      known[node] = to.make(e.op, of(e.a), of(e.b), of(e.c));
    }
  }
  std::vector<Graph::Node> out;
  for (const Graph::Node root : roots) out.push_back(known.at(root));
  return out;
}

std::vector<int> Outline::inputs() const {
  std::vector<int> all(std::size_t(number(numbers)));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = int(k);
  return all;
}

/// `first` are coordinates that come first in the stencil, whether they occur or not.
Instance::Instance(const Graph& graph, Numbering numbering, const std::vector<Graph::Node>& roots, std::vector<int> first)
    : tables_(graph.tables()) {
  for (const int coordinate : first) local(coordinate);
  for (const Graph::Node root : roots) {
    walk(graph, numbering, root);
    roots_.push_back(known_.at(root));
  }
  key_.reserve(steps_.size() * sizeof(Step) + (roots_.size() + 3) * sizeof(int));
  append(key_, int(steps_.size()));
  key_.append(reinterpret_cast<const char*>(steps_.data()), steps_.size() * sizeof(Step));
  for (const Step& step : steps_)
    if (Op(step.op) == Op::table) append(key_, tables_[std::size_t(step.b)].get());
  for (const int root : roots_) append(key_, root);
  append(key_, int(first.size()));
  append(key_, int(stencil_.size()));
  known_ = {};
  place_ = {};
}

int Instance::local(int coordinate) {
  const auto [found, is_new] = place_.try_emplace(coordinate, int(stencil_.size()));
  if (is_new) stencil_.push_back(coordinate);
  return found;
}

int Instance::leaf(Leaf kind, int index) {
  steps_.push_back({int(Op::variable), int(kind), index, -1, 0.0});
  return int(steps_.size()) - 1;
}

/// Arguments first, and of sums and products the one with the smaller outline before the other: coordinates get their places in an order that does
/// not depend on where in the model the expression stands.
void Instance::walk(const Graph& graph, Numbering numbering, Graph::Node root) {
  std::vector<std::pair<Graph::Node, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [node, open] = stack.back();
    stack.pop_back();
    if (known_.contains(node)) continue;
    const Graph::Entry& e = graph.entries()[std::size_t(node)];
    if (e.op == Op::variable) {
      const bool position = e.a <= numbering.coordinates;
      known_[node] = e.a == numbering.time()
                         ? leaf(Leaf::time, 0)
                         : leaf(position ? Leaf::position : Leaf::velocity, local(numbering.coordinate(e.a)));
      continue;
    }
    std::array<Graph::Node, 3> arguments{e.a, e.op == Op::table ? -1 : e.b, e.op == Op::table ? -1 : e.c};
    if ((e.op == Op::add || e.op == Op::multiply) && graph.outline(e.b) < graph.outline(e.a))
      std::swap(arguments[0], arguments[1]);
    if (e.op != Op::constant && !open) {
      stack.emplace_back(node, true);
      for (int k = 2; k >= 0; --k) {
        const Graph::Node argument = arguments[std::size_t(k)];
        if (argument >= 0 && graph.entries()[std::size_t(argument)].op != Op::constant) stack.emplace_back(argument, false);
      }
      continue;
    }
    // Each constant is a number of its own, wherever else its value occurs; but an exponent shapes the derivatives, and stays.
    std::array<int, 3> steps{-1, -1, -1};
    const auto number = [&](Graph::Node constant) {
      numbers_.push_back(graph.entries()[std::size_t(constant)].value);
      return leaf(Leaf::number, int(numbers_.size()) - 1);
    };
    if (e.op == Op::constant) {
      known_[node] = number(node);
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      if (arguments[k] < 0) continue;
      const Graph::Entry& argument = graph.entries()[std::size_t(arguments[k])];
      if (argument.op != Op::constant) {
        steps[k] = known_.at(arguments[k]);
      } else if (e.op == Op::power && k == 1) {
        steps_.push_back({int(Op::constant), -1, -1, -1, argument.value});
        steps[k] = int(steps_.size()) - 1;
      } else {
        steps[k] = number(arguments[k]);
      }
    }
    if (e.op == Op::table) {
      steps_.push_back({int(e.op), steps[0], e.b, e.c, 0.0});
    } else {
      steps_.push_back({int(e.op), steps[0], steps[1], steps[2], e.value});
    }
    known_[node] = int(steps_.size()) - 1;
  }
}

Outline Instance::outline() const {
  Outline out{std::make_shared<Graph>(), {}, {int(stencil_.size())}, int(numbers_.size())};
  Graph& graph = *out.graph;
  std::vector<Graph::Node> made;
  const auto at = [&](int step) { return step >= 0 ? made[std::size_t(step)] : -1; };
  for (const Step& step : steps_) {
    const Op op = Op(step.op);
    if (op == Op::constant) {
      made.push_back(graph.constant(step.value));
    } else if (op == Op::variable) {
      const Leaf kind = Leaf(step.a);
      made.push_back(graph.variable(kind == Leaf::time       ? out.numbering.time()
                                    : kind == Leaf::position ? out.numbering.q(step.b)
                                    : kind == Leaf::velocity ? out.numbering.v(step.b)
                                                             : out.number(step.b)));
    } else if (op == Op::table) {
      made.push_back(graph.table(tables_[std::size_t(step.b)], at(step.a), step.c));
    } else if (op == Op::integer_power) {
      made.push_back(graph.make(Op::power, at(step.a), graph.constant(step.value)));
    } else {
      made.push_back(graph.make(op, at(step.a), at(step.b), at(step.c)));
    }
  }
  for (const int root : roots_) out.roots.push_back(made[std::size_t(root)]);
  return out;
}

}  // namespace taut
