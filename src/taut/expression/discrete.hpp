#pragma once

#include <taut/expression/outline.hpp>
#include <unordered_map>

namespace taut {

/// A node with others in the place of some that it is made of.
Graph::Node substituted(Graph& graph, Graph::Node root, std::unordered_map<Graph::Node, Graph::Node> others);

/// A discrete gradient ∇̄φ between two places, ∇̄φ·(q1 − q0) = φ(q1) − φ(q0), as expressions in which the positions of the outline stand for q0 and its
/// velocities for q1; so that its slopes come by differentiation too.
///
/// Each summand of φ is a function f of what is at most quadratic in q: s₁, s₂, …, and
///
///     ∇̄φ = Σ cₖ ∇sₖ((q0 + q1)/2),      one s:   c = [f(s(q1)) − f(s(q0))]/[s(q1) − s(q0)]
///                                       more:    c = Gonzalez' discrete gradient of f in the s
///
/// since the gradient in the middle is exact for quadratic s. Functions of distances and scalar products so keep every momentum that they have. What is
/// quadratic itself has its gradient in the middle.
/// O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449–467.
std::vector<Graph::Node> discrete_gradient(const Outline& outline, Graph::Node phi);

}  // namespace taut
