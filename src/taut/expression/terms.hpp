#pragma once

#include <taut/expression/instances.hpp>
#include <taut/expression/shape.hpp>
#include <taut/system/system.hpp>

namespace taut {

/// What a model says about its motion; −1 where it says nothing.
struct LagrangianNodes {
  Graph::Node kinetic = -1, potential = -1;
  std::vector<std::pair<int, Graph::Node>> forces{};  ///< coordinate and generalised force
};

/// Expressions on their way into a system. Sums over many coordinates are taken apart, so that each piece touches few; pieces and constraints that
/// differ in their coordinates and constants only become instances of one shape.
class ExpressionTerms {
 public:
  ExpressionTerms(std::shared_ptr<Graph> graph, Numbering numbering, std::shared_ptr<Shapes> shapes);

  /// p = ∂T/∂v and f = ∂T/∂q − ∂V/∂q + Q by exact derivatives of the expressions. T need not be quadratic in the velocities.
  void add(const LagrangianNodes& nodes, const std::string& name);

  /// g ∈ S with g(t, q); or, where velocities occur, k(t, q, v) = 0, whose forces are Chetaev's, K = ∂k/∂v. Throws InputError with the reason if it is neither.
  void add_constraint(Graph::Node g, Set set, const std::string& name);

  /// Gives a system all that was added since the last time; returns the rows of the constraints, in the order in which they were added.
  std::vector<int> into(System& system);

 private:
  struct Piece {
    std::vector<int> stencil;  // sorted
    LagrangianNodes nodes;
  };
  struct Constraint {
    Graph::Node g;
    Set set;
    bool velocity;
    std::vector<int> stencil;
    std::string name;
  };
  std::vector<int> stencil_of(const std::vector<int>& variables) const;
  std::vector<Piece> pieces_of(const LagrangianNodes& nodes) const;
  void split(Graph::Node node, std::vector<Graph::Node>& out) const;
  void add_instance(const Piece& piece, const std::string& name);
  void constraints_into(System& system, bool velocity, std::vector<int>& rows);

  template <class Shape> struct Group {
    std::shared_ptr<const Shape> shape;
    InstanceSet instances;
    std::vector<Set> sets{};
    std::vector<std::string> names{};
    std::vector<std::size_t> numbers{};  // of constraints, in the order of adding
  };
  std::shared_ptr<Graph> graph_;
  Numbering numbering_;
  std::shared_ptr<Shapes> shapes_;
  std::vector<Group<DynamicsShape>> dynamics_;
  std::unordered_map<const DynamicsShape*, std::size_t> open_;  // the group of each shape that takes more
  std::vector<Constraint> constraints_;
};

}  // namespace taut
