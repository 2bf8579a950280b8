#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace taut {

inline constexpr std::size_t huge_page = std::size_t(2) << 20;

/// Memory for arrays that are streamed through again and again: large ones are aligned to huge pages and asked for as such. Hardware
/// prefetching ends at page borders, so that a band of 100 000 links is read some ten percent faster; small arrays are as usual.
template <class T> struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U> LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = nullptr;
    if (bytes < huge_page) {
      memory = std::malloc(bytes);
    } else {
      const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
      memory = std::aligned_alloc(huge_page, whole);
      if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);  // a wish; nothing depends on it
    }
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  template <class U> bool operator==(const LargeAllocator<U>&) const { return true; }
};

template <class T> using LargeVector = std::vector<T, LargeAllocator<T>>;

/// The same without zeros to begin with, for arrays that are written before they are read: on fresh pages zeros take as long as the numbers.
template <class T> struct UnsetAllocator : LargeAllocator<T> {
  template <class U> struct rebind { using other = UnsetAllocator<U>; };
  UnsetAllocator() = default;
  template <class U> UnsetAllocator(const UnsetAllocator<U>&) {}  // NOLINT: allocators convert
  template <class U> void construct(U* place) { ::new (static_cast<void*>(place)) U; }
  template <class U> void construct(U* place, const U& value) { ::new (static_cast<void*>(place)) U(value); }
};
template <class T> using UnsetVector = std::vector<T, UnsetAllocator<T>>;

/// The same wish for an array that exists already and is not small, with what lies beside it in the same pages: for vectors of Eigen, which allocates
/// on its own, and for the many blocks of a large system.
template <class Array> void prefer_huge_pages(const Array& array, std::size_t least_bytes = huge_page / 2) {
#ifdef MADV_COLLAPSE
  constexpr int now = MADV_COLLAPSE;
#else
  constexpr int now = 25;  // Linux 6.1; older ones refuse it, and collapse pages when they find the time
#endif
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data()), end = begin + array.size() * sizeof(*array.data());
  if (end - begin < least_bytes) return;
  for (std::uintptr_t at = begin / huge_page * huge_page; at < end; at += huge_page)
    for (const int advice : {MADV_HUGEPAGE, now}) madvise(reinterpret_cast<void*>(at), huge_page, advice);
}

}  // namespace taut
