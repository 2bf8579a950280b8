#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Numbers as text for a page: little-endian bytes in base 64.
namespace taut {

std::string pack_doubles(const std::vector<double>& values);
std::string pack_floats(const std::vector<double>& values);

/// The largest of 1, 2, 5 · 10ᵏ that is not above the given one.
double round_quantum(double quantum);

/// Rows of whole numbers, each as its differences of the given order (1: from the number before, 2: from the straight line through the two before), which are
/// small where things move smoothly: zigzag, seven bits to a byte.
class PackedRows {
 public:
  explicit PackedRows(int order) : order_(order) {}
  void add(const std::vector<std::int64_t>& row);
  std::size_t size() const { return bytes_.size(); }
  std::string text() const;

 private:
  int order_;
  std::string bytes_;
};

}  // namespace taut
