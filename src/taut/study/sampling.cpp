#include <array>
#include <bit>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/study/sampling.hpp>

namespace taut {
namespace {

constexpr int bits = 52;

/// A number mixed from others: each bit depends on each (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
std::uint64_t mixed(std::uint64_t seed, std::uint64_t a, std::uint64_t b) { return mixed(mixed(mixed(seed) ^ a) ^ b); }

/// In (0, 1): the middle of one of 2⁵² intervals.
double within(std::uint64_t high_bits) { return (double(high_bits >> (64 - bits)) + 0.5) * 0x1p-52; }

/// Primitive polynomials by degree and inner coefficients, and the first numbers of their recursions: Joe and Kuo's, for directions 2 to 21.
struct Polynomial {
  int degree;
  unsigned inner;
  std::array<unsigned, 7> first;
};
constexpr std::array<Polynomial, 20> polynomials{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

/// vₖ = mₖ/2ᵏ as bits from the top, with mₖ = 2a₁mₖ₋₁ ⊕ … ⊕ 2ˢmₖ₋ₛ ⊕ mₖ₋ₛ.
std::vector<std::uint64_t> direction_numbers(int direction) {
  std::vector<std::uint64_t> v(bits);
  if (direction == 0) {
    for (int k = 0; k < bits; ++k) v[std::size_t(k)] = std::uint64_t(1) << (63 - k);
    return v;
  }
  const Polynomial& p = polynomials[std::size_t(direction - 1)];
  for (int k = 0; k < bits; ++k) {
    const auto at = std::size_t(k);
    if (k < p.degree) {
      v[at] = std::uint64_t(p.first[at]) << (63 - k);
      continue;
    }
    v[at] = v[std::size_t(k - p.degree)] ^ (v[std::size_t(k - p.degree)] >> p.degree);
    for (int j = 1; j < p.degree; ++j)
      if (((p.inner >> (p.degree - 1 - j)) & 1u) != 0) v[at] ^= v[std::size_t(k - j)];
  }
  return v;
}

}  // namespace

Sampling::Sampling(Kind kind, int directions, std::int64_t count, std::uint64_t seed)
    : kind_(kind), count_(count), seed_(seed) {
  require(kind != Kind::sobol || directions <= int(polynomials.size()) + 1,
          "sweep: Sobol's sequence is there for up to {} sampled names, got {}; use --sampling latin.",
          polynomials.size() + 1, directions);
  for (int d = 0; d < directions && kind == Kind::sobol; ++d) direction_numbers_.push_back(direction_numbers(d));
  for (int d = 0; d < directions && kind == Kind::latin; ++d) {
    std::vector<std::uint32_t>& order = order_.emplace_back(std::size_t(count));
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[mixed(~seed_, std::uint64_t(d), k) % k]);
  }
}

double Sampling::at(std::int64_t number, int direction) const {
  const auto k = std::uint64_t(number), d = std::uint64_t(direction);
  if (kind_ == Kind::sobol) {
    std::uint64_t x = mixed(seed_, d, ~std::uint64_t(0));
    const std::uint64_t gray = k ^ (k >> 1);
    for (int j = 0; j < bits; ++j)
      if (((gray >> j) & 1u) != 0) x ^= direction_numbers_[std::size_t(direction)][std::size_t(j)];
    return within(x);
  }
  const double u = within(mixed(seed_, d, k));
  if (kind_ == Kind::random) return u;
  return (double(order_[std::size_t(direction)][std::size_t(number)]) + u) / double(count_);
}

Sampling::Kind sampling_named(const std::string& name) {
  if (name.empty() || name == "random") return Sampling::Kind::random;
  if (name == "latin") return Sampling::Kind::latin;
  require(name == "sobol", "--sampling must be random, latin or sobol, got '{}'.", name);
  return Sampling::Kind::sobol;
}

}  // namespace taut
