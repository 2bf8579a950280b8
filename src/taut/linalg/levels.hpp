#pragma once

#include <memory>
#include <vector>

namespace taut {

/// Unknowns in levels, each of which meets the one before and the one after only: the nodes of rods, rings of them, bodies in a row. Coordinates that meet the same coordinates are
/// one node; levels are the breadth-first levels of nodes from a rim.
///
/// A multiplier whose coordinates lie in one level is that level's *own*: it and a coordinate can be eliminated for each other without joining anything that is not joined
/// already. The others stay, in the later of their two levels.
///
/// The entries of a level k lie together, each block by columns: (k, k), (k, k + 1), (k + 1, k) without the own multipliers, then own × touched, touched × own and the diagonal of the own.
class Levels {
 public:
  struct Level {
    int plain = 0;    ///< unknowns that no own multiplier touches, with the multipliers that stay; they come first
    int touched = 0;  ///< coordinates that own multipliers touch
    int own = 0;
    int start = 0;  ///< of its entries
    int first = 0;  ///< of its unknowns, among all in this order
    int inner() const { return plain + touched; }
    int kept() const { return plain + touched - own; }
  };

  /// Of a symmetric pattern with sorted columns; none where there are no such levels, or where they do not pay against a band of this half bandwidth.
  static std::shared_ptr<const Levels> of(int size, int coordinates, const std::vector<int>& starts,
                                          const std::vector<int>& ends, int half_bandwidth);

  const std::vector<Level>& levels() const { return levels_; }
  const std::vector<int>& order() const { return order_; }  ///< unknowns, level by level: plain, touched, own
  int slot(int row, int column) const;
  int storage() const { return storage_; }

 private:
  std::vector<Level> levels_;
  std::vector<int> order_, level_, place_;  // place: within the level
  int storage_ = 0;
};

}  // namespace taut
