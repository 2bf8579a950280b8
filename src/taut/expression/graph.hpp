#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <taut/expression/table.hpp>
#include <vector>

namespace taut {

template <class Value> class NumberMap;

enum class Op : std::uint8_t {
  constant,
  variable,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  integer_power,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  sqrt,
  exp,
  log,
  abs,
  min,
  max,
  sign,
  hypot,
  step,
  less,
  less_equal,
  equal,
  both,
  either,
  opposite,
  select,
  table
};

/// Expressions as one graph: equal subexpressions are one node, and nodes come after their arguments.
///
/// Building a node folds constants and drops what adds nothing (x + 0, 1·x, x⁰), so that derivatives stay small. Variables are numbered
/// by the user of the graph.
class Graph {
 public:
  using Node = int;

  Node constant(double value);
  Node variable(int index);
  Node table(std::shared_ptr<const Table> table, Node t, int order = 0);

  /// Any other operation; b and c only where it has them.
  Node make(Op op, Node a, Node b = -1, Node c = -1);

  Node add(Node a, Node b) { return make(Op::add, a, b); }
  Node subtract(Node a, Node b) { return make(Op::subtract, a, b); }
  Node multiply(Node a, Node b) { return make(Op::multiply, a, b); }
  Node divide(Node a, Node b) { return make(Op::divide, a, b); }

  /// ∂/∂x of several expressions. Kinks (abs, min, max, select) take the slope of the branch they are on; jumps count as flat.
  std::vector<Node> derivative(const std::vector<Node>& of, int variable);
  Node derivative(Node of, int variable) { return derivative(std::vector<Node>{of}, variable)[0]; }

  bool is_constant(Node node, double* value = nullptr) const;
  bool is_condition(Node node) const;                                   ///< a comparison, or several
  std::vector<int> variables_of(const std::vector<Node>& nodes) const;  ///< sorted
  /// Whether a node depends on a variable, one of the first 63, and on no other; on others.
  bool only_of(Node node, int variable) const { return variables_[std::size_t(node)] == std::uint64_t(1) << variable; }
  bool of_others(Node node, int variable) const {
    return (variables_[std::size_t(node)] & ~(std::uint64_t(1) << variable)) != 0;
  }

  /// The nodes that the given ones are made of, themselves among them, arguments first: as many as there are, however large the graph.
  std::vector<Node> parts_of(const std::vector<Node>& nodes) const;

  /// The value of one node, for once; more often, a Program is faster.
  double value(Node node, const std::function<double(int variable)>& of) const;

  /// The degree of a polynomial in the variables that the condition picks; `not_polynomial` where they stand in a root, a sine, below a fraction.
  int degree(Node node, const std::function<bool(int variable)>& in) const;
  /// The same for all that it is made of.
  NumberMap<int> degrees(Node node, const std::function<bool(int variable)>& in) const;
  static constexpr int not_polynomial = 1 << 20;

  struct Entry {
    Op op;
    int a, b, c;   ///< arguments; the variable; for tables a is the argument, b the table, c the order
    double value;  ///< of a constant; the exponent of integer_power
    bool operator==(const Entry& other) const;

    /// Calls action(argument) for each node that this one is made of.
    template <class Action> void each_argument(const Action& action) const {
      if (op == Op::constant || op == Op::variable) return;
      action(a);
      if (op == Op::table) return;
      if (b >= 0) action(b);
      if (c >= 0) action(c);
    }
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<std::shared_ptr<const Table>>& tables() const { return tables_; }

  /// A number that nodes have in common which differ in their variables and constants only, whatever the order of sums and products.
  std::uint64_t outline(Node node) const { return outlines_[std::size_t(node)]; }

 private:
  Node push(const Entry& entry);
  void widen();
  Node simplified(Op op, Node a, Node b, Node c);  ///< −1: nothing to simplify
  Node power_of(Node base, Node exponent);
  std::uint64_t outline_of(const Entry& entry) const;
  std::uint64_t first_variables_of(const Entry& entry) const;
  Node slope_of(Node node, int variable);

  std::vector<Entry> entries_;
  std::vector<std::uint64_t> outlines_;
  static constexpr int further = 63;
  std::vector<std::uint64_t>
      variables_;             // of nodes: those below 63 that they are made of, a bit for each; the last bit: others too
  std::vector<Node> places_;  // of entries by what they are: at their hash or behind it; −1: free
  std::vector<std::shared_ptr<const Table>> tables_;
  std::vector<Node> slope_;  // of nodes, while a derivative is taken
};

/// What an operation does with numbers.
double apply(Op op, double a, double b, double c);

}  // namespace taut
