#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace taut {

/// A function of time given by points: a natural cubic spline or straight lines between them, constant beyond the ends.
class Table {
 public:
  enum class Kind { linear, spline };
  Table(std::vector<double> t, std::vector<double> values, Kind kind);

  /// The derivative of the given order, 0 to 3; of higher ones nothing is left.
  double value(double t, int order) const;

  Kind kind() const { return kind_; }
  const std::vector<double>& points() const { return t_; }

 private:
  std::vector<double> t_, y_, second_;  // values and second derivatives at the points
  Kind kind_;
};

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

  /// For each node up to the last of the given ones, whether they depend on it.
  std::vector<char> needed_by(const std::vector<Node>& nodes) const;

  struct Entry {
    Op op;
    int a, b, c;   ///< arguments; the variable; for tables a is the argument, b the table, c the order
    double value;  ///< of a constant; the exponent of integer_power
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<std::shared_ptr<const Table>>& tables() const { return tables_; }

 private:
  Node push(const Entry& entry);
  Node simplified(Op op, Node a, Node b, Node c);  ///< −1: nothing to simplify
  Node power_of(Node base, Node exponent);

  std::vector<Entry> entries_;
  std::map<std::tuple<Op, int, int, int, std::uint64_t>, Node> known_;
  std::vector<std::shared_ptr<const Table>> tables_;
};

/// What an operation does with numbers.
double apply(Op op, double a, double b, double c);

}  // namespace taut
