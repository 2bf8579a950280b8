#pragma once

#include <taut/linalg/layout.hpp>
#include <vector>

namespace taut {

/// The order in which to eliminate the unknowns of [A Bᵀ; C 0] so that each pivot is nonzero in its place.
///
/// Coordinates come in a fill-reducing order (AMD) of the graph in which those that a constraint holds are joined. A multiplier has no diagonal entry of its own:
/// elimination of coordinates it holds fills it with −C A⁻¹Bᵀ. It is tied to the middle one of its coordinates in that order, when those of its first
/// point are gone, at most one to each coordinate, because two rods at one point may be parallel; where another is there already, to one of the later ones.
/// After the last of them the pivot is safe whatever the others do. Those that would wait longest come first.
std::vector<int> tied_ordering(const Layout& layout);

}  // namespace taut
