#include <cholmod.h>

#include <new>
#include <taut/linalg/symbolic.hpp>

namespace taut {
namespace {

/// CHOLMOD's workspace, and a pattern as it sees it, the lower triangle counting. Nothing is copied.
struct Cholmod {
  Cholmod(const std::vector<int>& starts, const std::vector<int>& rows) {
    cholmod_start(&common);
    pattern.nrow = pattern.ncol = starts.size() - 1;
    pattern.nzmax = rows.size();
    pattern.p = const_cast<int*>(starts.data());  // CHOLMOD's C interface is not const
    pattern.i = const_cast<int*>(rows.data());
    pattern.stype = -1;
    pattern.itype = CHOLMOD_INT;
    pattern.xtype = CHOLMOD_PATTERN;
    pattern.sorted = pattern.packed = 1;
  }
  ~Cholmod() {
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  cholmod_common common{};
  cholmod_sparse pattern{};
  cholmod_factor* factor = nullptr;
};

std::vector<int> copied(const void* from, std::size_t count) {
  const int* first = static_cast<const int*>(from);
  return {first, first + count};
}

}  // namespace

std::vector<int> minimum_degree(const std::vector<int>& starts, const std::vector<int>& rows) {
  Cholmod cholmod(starts, rows);
  std::vector<int> order(starts.size() - 1);
  if (!cholmod_amd(&cholmod.pattern, nullptr, 0, order.data(), &cholmod.common)) throw std::bad_alloc();
  return order;
}

Supernodes supernodes_of(const std::vector<int>& starts, const std::vector<int>& rows) {
  Cholmod cholmod(starts, rows);
  cholmod.common.nmethods = 1;
  cholmod.common.method[0].ordering = CHOLMOD_AMD;
  cholmod.common.postorder = true;
  cholmod.common.supernodal = CHOLMOD_SUPERNODAL;
  cholmod_factor*& found = cholmod.factor;
  found = cholmod_analyze(&cholmod.pattern, &cholmod.common);
  if (found == nullptr) throw std::bad_alloc();
  return {copied(found->Perm, found->n), copied(found->super, found->nsuper + 1), copied(found->pi, found->nsuper + 1),
          copied(found->s, found->ssize), found->maxcsize};
}

}  // namespace taut
