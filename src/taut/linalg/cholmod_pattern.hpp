#pragma once

#include <cholmod.h>

#include <vector>

namespace taut {

/// CHOLMOD's workspace.
struct Cholmod {
  Cholmod() { cholmod_start(&common); }
  ~Cholmod() { cholmod_finish(&common); }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  cholmod_common common{};
};

/// Sorted compressed columns of a symmetric pattern as CHOLMOD sees them, with the lower triangle counting. They are not copied.
inline cholmod_sparse cholmod_pattern(const std::vector<int>& starts, const std::vector<int>& rows) {
  cholmod_sparse pattern{};
  pattern.nrow = pattern.ncol = starts.size() - 1;
  pattern.nzmax = rows.size();
  pattern.p = const_cast<int*>(starts.data());  // CHOLMOD's C interface is not const
  pattern.i = const_cast<int*>(rows.data());
  pattern.stype = -1;
  pattern.itype = CHOLMOD_INT;
  pattern.xtype = CHOLMOD_PATTERN;
  pattern.sorted = pattern.packed = 1;
  return pattern;
}

}  // namespace taut
