#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace taut {

/// What a picture of a run shows, without the model: places by their coordinates, and lines between them.
struct Scene {
  struct Place {
    std::string name;
    std::array<int, 3> coordinate{-1, -1, -1};  ///< of x, y, z; −1: there is none
  };
  std::vector<Place> places{};               ///< masses and nodes of beams
  std::vector<std::pair<int, int>> lines{};  ///< rods, and beams from node to node
};

}  // namespace taut
