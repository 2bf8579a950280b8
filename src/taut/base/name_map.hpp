#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <taut/base/require.hpp>
#include <utility>
#include <vector>

namespace taut {

/// What belongs to names, in the order in which they came: models consist of names, and each reading fills such tables anew. References last until the next
/// name.
template <class Value> class NameMap {
  using Entry = std::pair<std::string, Value>;

 public:
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  auto find(std::string_view name) const {
    if (slots_.empty()) return end();
    const int found = slots_[slot_of(name)];
    return found < 0 ? end() : begin() + found;
  }
  bool contains(std::string_view name) const { return find(name) != end(); }
  const Value& at(std::string_view name) const {
    const auto found = find(name);
    require(found != end(), "there is no '{}'", name);
    return found->second;
  }

  /// Makes an entry where there is none; the value, and whether it is new.
  std::pair<Value&, bool> try_emplace(std::string_view name, Value value = {}) {
    if (2 * (entries_.size() + 1) > slots_.size()) widen(2 * slots_.size());
    int& slot = slots_[slot_of(name)];
    const bool is_new = slot < 0;
    if (is_new) {
      slot = int(entries_.size());
      entries_.emplace_back(name, std::move(value));
    }
    return {entries_[std::size_t(slot)].second, is_new};
  }
  Value& operator[](std::string_view name) { return try_emplace(name).first; }

  void erase(std::string_view name) {
    const auto found = find(name);
    if (found == end()) return;
    entries_.erase(found);
    widen(slots_.size());
  }
  void reserve(std::size_t count) {
    entries_.reserve(count);
    if (2 * (count + 1) > slots_.size()) widen(2 * (count + 1));
  }

 private:
  static std::uint64_t hash_of(std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : name) hash = (hash ^ std::uint64_t(static_cast<unsigned char>(c))) * 0x100000001B3u;
    return hash ^ hash >> 32;
  }

  /// Where a name is, or would be.
  std::size_t slot_of(std::string_view name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t k = hash_of(name) & mask;
    while (slots_[k] >= 0 && entries_[std::size_t(slots_[k])].first != name) k = (k + 1) & mask;
    return k;
  }

  void widen(std::size_t wanted) {
    std::size_t room = 32;
    while (room < wanted) room *= 2;
    slots_.assign(room, -1);
    for (std::size_t k = 0; k < entries_.size(); ++k) slots_[slot_of(entries_[k].first)] = int(k);
  }

  std::vector<Entry> entries_;
  std::vector<int> slots_;  // numbers of entries at their hash or behind it; −1: free
};

}  // namespace taut
