#pragma once

#include <cstddef>
#include <vector>

namespace taut {

// Orderings of symmetric patterns, given as sorted compressed columns with the diagonal; by CHOLMOD.

/// The unknown at each place of an order that fills in little: approximate minimum degree.
std::vector<int> minimum_degree(const std::vector<int>& starts, const std::vector<int>& rows);

/// Columns of the factor, in such an order, that have the same rows below the diagonal, or nearly so.
struct Supernodes {
  std::vector<int> order;   ///< unknown at each place
  std::vector<int> firsts;  ///< place of the first column of each supernode; the size at the end
  std::vector<int> lists,
      rows;  ///< places of the rows of supernode s, its columns first: rows[lists[s]] … rows[lists[s + 1] − 1]
  std::size_t largest_product = 0;  ///< entries of what one supernode adds to another
};
Supernodes supernodes_of(const std::vector<int>& starts, const std::vector<int>& rows);

}  // namespace taut
