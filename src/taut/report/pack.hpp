#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

/// Numbers as text for a page: little-endian bytes in base 64.
namespace taut {

std::string pack_doubles(const std::vector<double>& values);
std::string pack_floats(const std::vector<double>& values);

/// The largest of 1, 2, 5 · 10ᵏ that is not above the given one.
double round_quantum(double quantum);

/// Rows of whole numbers, all of one length, as how little they differ from what is known of them: from the numbers before, and from rows before that go alike, as
/// neighbours in a chain do. A row is a byte, a + 4 w, and then its differences
///
///     d = (1 − T)ᵃ (1 − S)ᵇ x,    a = 0 … 3
///
/// with T one number back and S a lag of rows back: w = 0: b = 0; w = 1 + 2j, 2 + 2j: b = 1, 2 with lag j. The (a, w) whose differences have the fewest bits is taken.
/// A difference is z = 2d, or −2d − 1 where d < 0, in Rice's code: z >> k ones and a zero, then the last k bits of z; k follows the mean of the numbers before. Twenty ones
/// mean that z itself follows, its length in six bits first. S. W. Golomb, IEEE Trans. Inf. Theory 12 (1966); R. F. Rice, JPL 79-22 (1979).
///
/// Trap: differences must stay below 2⁵³, which is what a page can count to: |x| < 2⁴⁷.
class PackedRows {
 public:
  explicit PackedRows(std::vector<int> lags) : lags_(std::move(lags)) {}
  void add(const std::vector<std::int64_t>& row);
  std::size_t size() const { return bytes_.size(); }
  /// All rows; none may be added behind it.
  std::string text();

 private:
  using Row = std::vector<std::int64_t>;
  Row across(const Row& row, std::size_t way) const;
  void put(std::uint64_t bits, int count);
  void code(std::uint64_t z, std::uint64_t& sum);

  std::vector<int> lags_;
  std::deque<Row> past_;  // the newest first, as many as lags reach
  std::string bytes_;
  unsigned hold_ = 0;  // bits that do not fill a byte yet
  int held_ = 0;
};

}  // namespace taut
