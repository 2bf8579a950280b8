#pragma once

#include <taut/study/lane_model.hpp>

namespace taut {

/// How a lane steps: by stages of an explicit Runge–Kutta scheme, or by the implicit equations of RATTLE or the variational midpoint.
enum class LaneScheme { stages, rattle, midpoint };

/// What a kernel computes, as nodes of the graph of its forms.
///
/// Of a state (t, q, v): accelerations in index-1 form; how far q and v are off the constraints, in the metric of the mass; H = v·p − L, V, then of each row g,
/// its rate and |G|². A row on velocities, k(t, q, v) = 0, has g = 0, k for its rate and ∂k/∂v for its G, as everywhere.
///
/// Of an implicit step of h from there, with x the velocity in its middle (Rattle, Midpoint):
///
///     R(x) + h/2 G(qₙ)ᵀλ = 0,   g(qₙ + h x) = 0,        R = p(m) − h/2 f(m) − pₙ        correction: of x, by Newton; λ is found anew each time
///     qₙ₊₁ = qₙ + h x,   p(qₙ₊₁, v) = p(m) + h/2 f(m₊)                                  ending: q and v, which `slide` takes onto G v + g_t = 0
///
/// m is the middle, and m₊ too, or, for RATTLE, p(m) the mean of both ends, f(m) at qₙ and f(m₊) at qₙ₊₁.
struct LaneEquations {
  using Nodes = std::vector<Graph::Node>;
  Nodes accelerations, place, slide, measures;
  Nodes correction, ending;  ///< of implicit steps

  LaneEquations(LaneForms& forms, LaneScheme scheme);
};

}  // namespace taut
