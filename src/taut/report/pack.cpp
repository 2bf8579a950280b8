#include <bit>
#include <cmath>
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

void PackedRows::add(const std::vector<std::int64_t>& row) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    std::int64_t guess = k > 0 ? row[k - 1] : 0;
    if (order_ == 2 && k > 1) guess = 2 * row[k - 1] - row[k - 2];
    const std::int64_t d = row[k] - guess;
    auto code = std::uint64_t(d) << 1 ^ std::uint64_t(d >> 63);
    for (; code >= 128; code >>= 7) bytes_ += char(128 | (code & 127));
    bytes_ += char(code);
  }
}

std::string PackedRows::text() const { return base64(bytes_); }

}  // namespace taut
