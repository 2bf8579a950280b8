#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace taut {

/// What belongs to some of many numbered things, 0, 1, … (nodes of a graph, coordinates): as much room as some take, and none of it of their own.
template <class Value> class NumberMap {
 public:
  /// The value of a number, made if it is not there, and whether it was. It stays where it is until another one is made.
  std::pair<Value&, bool> try_emplace(int number, const Value& value = {}) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slot_of(number);
    const bool is_new = slot.number != number;
    if (is_new) {
      slot = {number, value};
      ++count_;
    }
    return {slot.value, is_new};
  }
  Value& operator[](int number) { return try_emplace(number).first; }

  bool contains(int number) const { return count_ > 0 && slot_of(number).number == number; }
  const Value& at(int number) const { return slot_of(number).value; }  ///< of one that is there

 private:
  struct Slot {
    int number = -1;
    Value value{};
  };

  /// Where a number is, or would be.
  const Slot& slot_of(int number) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t k = (std::uint64_t(number) * 0x9E3779B97F4A7C15u) >> 32 & mask;
    while (slots_[k].number >= 0 && slots_[k].number != number) k = (k + 1) & mask;
    return slots_[k];
  }
  Slot& slot_of(int number) { return const_cast<Slot&>(std::as_const(*this).slot_of(number)); }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 32 : 2 * slots_.size());
    before.swap(slots_);
    for (Slot& one : before)
      if (one.number >= 0) slot_of(one.number) = std::move(one);
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace taut
