#pragma once

#include <vector>

namespace taut {

class System;

/// A piece of a system: blocks that touch coordinates near each other. Where a large system is evaluated in several ways, doing so part by part
/// fetches each stretch of the vectors, and of the matrix, from memory once.
struct Part {
  struct Rows {
    int block, first, count;
  };
  std::vector<int> dynamics;      ///< numbers of blocks
  std::vector<Rows> constraints;  ///< numbers of blocks, and their rows

  /// Coordinates [from, to) are new: no earlier part touches them. Over all parts these are all coordinates, in order.
  int from = 0, to = 0;

  /// Coordinates [settled, done) are finished: no later part touches them. Over all parts these are all coordinates, in order.
  int settled = 0, done = 0;
};

/// The parts of a system, along its coordinates: one, unless it is large. There is at least one.
std::vector<Part> parts_of(const System& system);

/// All of it as one part.
Part whole_of(const System& system);

}  // namespace taut
