#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <taut/report/pack.hpp>
#include <taut/results/base64.hpp>

namespace taut {

static_assert(std::endian::native == std::endian::little);

std::string pack_doubles(const std::vector<double>& values) {
  return base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
}

std::string pack_floats(const std::vector<double>& values) {
  const std::vector<float> narrow(values.begin(), values.end());
  return base64({reinterpret_cast<const char*>(narrow.data()), narrow.size() * sizeof(float)});
}

double round_quantum(double quantum) {
  if (!(quantum > 0.0) || !std::isfinite(quantum)) return 1.0;
  const double ten = std::pow(10.0, std::floor(std::log10(quantum)));
  for (const double digit : {5.0, 2.0})
    if (digit * ten <= quantum) return digit * ten;
  return ten;
}

namespace {

/// What the code knows of the numbers before: four times their mean, in which one that stands out counts little.
constexpr int mean_shift = 2, longest_run = 20, longest_tail = 30, length_bits = 6;

std::uint64_t folded(std::int64_t d) { return std::uint64_t(d) << 1 ^ std::uint64_t(d >> 63); }

std::size_t bits_of(const std::vector<std::int64_t>& row) {
  std::size_t bits = 0;
  for (const std::int64_t d : row) bits += std::size_t(std::bit_width(folded(d)));
  return bits;
}

}  // namespace

/// (1 − S)ᵇ x for w = `way`; empty where there are not so many rows before.
PackedRows::Row PackedRows::across(const Row& row, std::size_t way) const {
  if (way == 0) return row;
  const auto lag = std::size_t(lags_[(way - 1) / 2]);
  const bool twice = way % 2 == 0;
  if ((twice ? 2 : 1) * lag > past_.size()) return {};
  Row out = row;
  const Row& one = past_[lag - 1];
  for (std::size_t k = 0; k < row.size() && !twice; ++k) out[k] -= one[k];
  for (std::size_t k = 0; k < row.size() && twice; ++k) out[k] -= 2 * one[k] - past_[2 * lag - 1][k];
  return out;
}

void PackedRows::put(std::uint64_t bits, int count) {
  while (count-- > 0) {
    hold_ = hold_ << 1 | unsigned(bits >> count & 1);
    if (++held_ < 8) continue;
    bytes_ += char(hold_);
    hold_ = 0, held_ = 0;
  }
}

void PackedRows::code(std::uint64_t z, std::uint64_t& sum) {
  const std::uint64_t mean = sum >> mean_shift;
  const int k = std::min(std::max(int(std::bit_width(mean)) - 1, 0), longest_tail);
  const std::uint64_t ones = z >> k;
  if (ones < longest_run) {
    put((std::uint64_t(1) << (ones + 1)) - 2, int(ones) + 1);
    put(z, k);
  } else {
    const int length = int(std::bit_width(z));
    put((std::uint64_t(1) << longest_run) - 1, longest_run);
    put(std::uint64_t(length), length_bits);
    put(z, length);
  }
  sum += std::min(z, 4 * mean + 8) - mean;
}

void PackedRows::add(const Row& row) {
  Row best;
  std::size_t least = std::numeric_limits<std::size_t>::max(), kind = 0;
  for (std::size_t way = 0; way <= 2 * lags_.size(); ++way) {
    Row d = across(row, way);
    for (std::size_t order = 0; order < 4 && !d.empty(); ++order) {
      const std::size_t bits = bits_of(d);
      if (bits < least) least = bits, kind = order + 4 * way, best = d;
      for (std::size_t k = d.size() - 1; k > 0; --k) d[k] -= d[k - 1];
    }
  }
  put(kind, 8);
  std::uint64_t sum = 0;
  for (const std::int64_t d : best) code(folded(d), sum);
  const int reach = lags_.empty() ? 0 : 2 * *std::max_element(lags_.begin(), lags_.end());
  past_.push_front(row);
  if (past_.size() > std::size_t(reach)) past_.pop_back();
}

std::string PackedRows::text() {
  if (held_ > 0) put(0, 8 - held_);
  return base64(bytes_);
}

}  // namespace taut
