#pragma once

#include <taut/expression/program.hpp>
#include <taut/system/block.hpp>

namespace taut {

/// How the variables of a graph are numbered where expressions make a system of n coordinates.
struct Numbering {
  int coordinates;
  int time() const { return 0; }
  int q(int i) const { return 1 + i; }
  int v(int i) const { return 1 + coordinates + i; }
};

/// What a model says about its motion; −1 where it says nothing.
struct LagrangianNodes {
  Graph::Node kinetic = -1, potential = -1;
  std::vector<std::pair<int, Graph::Node>> forces{};  ///< coordinate and generalised force
};

/// p = ∂T/∂v and f = ∂T/∂q − ∂V/∂q + Q by exact derivatives of the expressions, on the coordinates that occur in them.
std::unique_ptr<DynamicsBlock> expression_dynamics(const std::shared_ptr<Graph>& graph, Numbering numbering,
                                                   const LagrangianNodes& nodes, std::string name);

/// g ∈ S with g(t, q); or, where velocities occur, k(t, q, v) = 0 linear in them. Throws InputError with the reason if it is neither.
std::unique_ptr<ConstraintBlock> expression_constraint(const std::shared_ptr<Graph>& graph, Numbering numbering,
                                                       Graph::Node g, Set set, std::string name);

}  // namespace taut
