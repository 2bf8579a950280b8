#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace taut {

class Levels;

/// Which entries of a square matrix may differ from zero, and where each lives in memory.
///
/// The storage follows from the pattern alone:
///   dense    few unknowns, or a band so wide that it would not pay;
///   banded   a numbering keeps all entries within a small half bandwidth b, and elimination is O(N): that of Cuthill–McKee, or
///            the order given (for chains, strings and beams node by node, λ amid the q it holds) after unknowns too far from a
///            neighbour were moved to the middle of their neighbours; for plane beams this gives 7 instead of 10;
///   levels   nodes in a row that hold themselves, as those of rods: blocks from level to level, see Levels;
///   sparse   everything else: compressed columns.
/// Entries are addressed by slots: look them up once, then write values[slot] in the hot loop.
class Layout {
 public:
  enum class Kind { dense, banded, levels, sparse };
  using Entry = std::pair<int, int>;

  /// The diagonal and the transposed entries are added: storage is structurally symmetric.
  Layout(int size, const std::vector<Entry>& entries);

  /// As above; only the first so many unknowns are coordinates, which come in an order that has neighbours close to each other.
  Layout(int size, const std::vector<Entry>& entries, int coordinates);

  /// As the first, or the second, with the kind prescribed, for comparisons.
  Layout(int size, const std::vector<Entry>& entries, Kind kind);
  Layout(int size, const std::vector<Entry>& entries, int coordinates, Kind kind);

  int size() const { return size_; }
  int coordinates() const {
    return coordinates_;
  }  ///< the first so many; the others are multipliers, whose diagonal may be zero
  Kind kind() const { return kind_; }
  int half_bandwidth() const { return half_bandwidth_; }
  int storage() const { return storage_; }  ///< number of values
  int slot(int row, int column) const;

  const std::vector<int>& position() const { return position_; }  ///< of each unknown in the ordering
  const std::vector<int>& column_starts() const { return column_starts_; }
  const std::vector<int>& row_indices() const { return row_indices_; }
  const std::shared_ptr<const Levels>& levels() const { return levels_; }  ///< of the kind `levels`

 private:
  Layout(int size, const std::vector<Entry>& entries, int coordinates, const Kind* prescribed);

  int size_, coordinates_;
  Kind kind_ = Kind::dense;
  int half_bandwidth_ = 0;
  int storage_ = 0;
  std::vector<int> position_;
  std::vector<int> column_starts_, row_indices_;  // sorted columns of the pattern in the given numbering
  std::shared_ptr<const Levels> levels_;
};

}  // namespace taut
