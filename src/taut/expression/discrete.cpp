#include <limits>
#include <taut/expression/discrete.hpp>
#include <utility>

namespace taut {
namespace {

using Node = Graph::Node;
using Nodes = std::vector<Node>;

/// Differences of s below this share of s carry too little of f(s1) − f(s0): the slope in the middle differs by its square only, and the energy by its cube.
constexpr double close = 1e-5;

class Between {
 public:
  explicit Between(const Outline& outline)
      : graph_(*outline.graph), x_(outline.numbering), fresh_(outline.number(outline.numbers)) {
    for (int i = 0; i < x_.coordinates; ++i) {
      const Node start = graph_.variable(x_.q(i)), end = graph_.variable(x_.v(i));
      end_[start] = end;
      middle_[start] = times(0.5, graph_.add(start, end));
    }
  }

  Nodes gradient(Node phi) {
    Nodes sum(std::size_t(x_.coordinates), graph_.constant(0.0));
    for (const auto& [node, factor] : summands(phi))
      for (const auto& [s, c] : parts(node)) {
        const Node weight = graph_.multiply(factor, c);
        for (const int variable : graph_.variables_of({s})) {
          if (!is_place(variable)) continue;
          const Node slope = substituted(graph_, graph_.derivative(s, variable), middle_);
          Node& mine = sum[std::size_t(x_.coordinate(variable))];
          mine = graph_.add(mine, graph_.multiply(weight, slope));
        }
      }
    return sum;
  }

 private:
  bool is_place(int variable) const { return variable != x_.time() && variable <= x_.coordinates; }
  Node times(double number, Node node) { return graph_.multiply(graph_.constant(number), node); }
  Node size(Node node) { return graph_.make(Op::abs, node); }

  /// What is added up, and the factors without coordinates.
  std::vector<std::pair<Node, Node>> summands(Node root) {
    std::vector<std::pair<Node, Node>> out, stack{{root, graph_.constant(1.0)}};
    const auto degrees = graph_.degrees(root, [this](int variable) { return is_place(variable); });
    while (!stack.empty()) {
      const auto [node, factor] = stack.back();
      stack.pop_back();
      const Graph::Entry e = graph_.entries()[std::size_t(node)];
      const auto flat = [&](int argument) { return degrees.at(argument) == 0; };
      if (flat(node)) continue;
      if (e.op == Op::add || e.op == Op::subtract) {
        stack.emplace_back(e.b, e.op == Op::add ? factor : graph_.make(Op::negate, factor));
        stack.emplace_back(e.a, factor);
      } else if (e.op == Op::negate) {
        stack.emplace_back(e.a, graph_.make(Op::negate, factor));
      } else if (e.op == Op::multiply && (flat(e.a) || flat(e.b))) {
        stack.emplace_back(flat(e.a) ? e.b : e.a, graph_.multiply(factor, flat(e.a) ? e.a : e.b));
      } else if (e.op == Op::divide && flat(e.b)) {
        stack.emplace_back(e.a, graph_.divide(factor, e.b));
      } else {
        out.emplace_back(node, factor);
      }
    }
    return out;
  }

  /// The largest nodes that are at most quadratic: through them goes all that f has of q.
  Nodes arguments(Node f) const {
    const auto degrees = graph_.degrees(f, [this](int variable) { return is_place(variable); });
    const auto quadratic = [&](Node node) { return degrees.at(node) >= 1 && degrees.at(node) <= 2; };
    if (quadratic(f)) return {f};
    Nodes found;
    for (const Node k : graph_.parts_of({f})) {
      if (degrees.at(k) <= 2) continue;
      graph_.entries()[std::size_t(k)].each_argument([&](Node argument) {
        if (quadratic(argument) && std::find(found.begin(), found.end(), argument) == found.end()) found.push_back(argument);
      });
    }
    return found;
  }

  /// The s of a summand f, and the factors c of their gradients.
  std::vector<std::pair<Node, Node>> parts(Node f) {
    const Nodes s = arguments(f);
    if (s.size() == 1 && s[0] == f) return {{f, graph_.constant(1.0)}};
    std::unordered_map<Node, Node> to_fresh, to_middle;
    Nodes d;
    for (std::size_t k = 0; k < s.size(); ++k) {
      const Node end = substituted(graph_, s[k], end_), y = graph_.variable(fresh_ + int(k));
      d.push_back(graph_.subtract(end, s[k]));
      to_fresh[s[k]] = y;
      to_middle[y] = times(0.5, graph_.add(s[k], end));
    }
    const Node of_s = substituted(graph_, f, to_fresh);
    Nodes slope;
    for (std::size_t k = 0; k < s.size(); ++k)
      slope.push_back(substituted(graph_, graph_.derivative(of_s, fresh_ + int(k)), to_middle));
    const Node end = substituted(graph_, f, end_), difference = graph_.subtract(end, f);
    if (s.size() == 1) {
      const Node scale = graph_.add(size(s[0]), size(graph_.add(s[0], d[0])));
      const Node near = graph_.make(Op::less_equal, size(d[0]), times(close, scale));
      return {{s[0], graph_.make(Op::select, near, slope[0], graph_.divide(difference, d[0]))}};
    }
    Node bracket = difference, square = graph_.constant(0.0);
    for (std::size_t k = 0; k < s.size(); ++k) {
      bracket = graph_.subtract(bracket, graph_.multiply(slope[k], d[k]));
      square = graph_.add(square, graph_.multiply(d[k], d[k]));
    }
    // Once the bracket is no larger than the round-off of f it carries no information, and for q1 → q0 it is 0/0.
    const Node noise = times(4.0 * std::numeric_limits<double>::epsilon(), graph_.add(size(f), size(end)));
    const Node nothing = graph_.make(Op::either, graph_.make(Op::less_equal, size(bracket), noise),
                                     graph_.make(Op::equal, square, graph_.constant(0.0)));
    const Node share = graph_.make(Op::select, nothing, graph_.constant(0.0), graph_.divide(bracket, square));
    std::vector<std::pair<Node, Node>> out;
    for (std::size_t k = 0; k < s.size(); ++k) out.emplace_back(s[k], graph_.add(slope[k], graph_.multiply(share, d[k])));
    return out;
  }

  Graph& graph_;
  Numbering x_;
  int fresh_;  // a number that no variable has
  std::unordered_map<Node, Node> end_, middle_;
};

}  // namespace

Graph::Node substituted(Graph& graph, Node root, std::unordered_map<Node, Node> others) {
  for (const Node k : graph.parts_of({root})) {
    if (others.contains(k)) continue;
    const Graph::Entry e = graph.entries()[std::size_t(k)];
    const auto at = [&](int argument) { return argument >= 0 ? others.at(argument) : -1; };
    if (e.op == Op::constant || e.op == Op::variable) {
      others[k] = k;
    } else if (e.op == Op::table) {
      others[k] = graph.table(graph.tables()[std::size_t(e.b)], at(e.a), e.c);
    } else if (e.op == Op::integer_power) {
      others[k] = graph.make(Op::power, at(e.a), graph.constant(e.value));
    } else {
      others[k] = graph.make(e.op, at(e.a), at(e.b), at(e.c));
    }
  }
  return others.at(root);
}

std::vector<Node> discrete_gradient(const Outline& outline, Node phi) { return Between(outline).gradient(phi); }

}  // namespace taut
