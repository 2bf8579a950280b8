#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <taut/expression/sines.hpp>
#include <vector>

namespace taut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

std::array<double, 2> alone(double x) {
  double in[sines_at_once] = {x}, sine[sines_at_once], cosine[sines_at_once];
  sines_and_cosines(in, 1, sine, cosine);
  return {sine[0], cosine[0]};
}

double unit_of(long double value) {
  const double size = double(std::abs(value));
  return std::nextafter(size, infinity) - size;
}

/// Angles of all sizes up to where another way is taken and beyond, and next to where one of the two is zero.
std::vector<double> angles() {
  std::mt19937_64 random(3);
  const auto within = [&](double reach) { return std::uniform_real_distribution<double>(-reach, reach)(random); };
  std::vector<double> out{0x1p-1070, 1e6, std::nextafter(1e6, infinity), 1e15, 1e300};
  for (int k = 0; k < 20000; ++k) {
    for (const double reach : {0.8, 4.0, 100.0, 1e6, 2e6}) out.push_back(within(reach));
    out.push_back(std::ldexp(within(1.0), -int(random() % 60)));
    const double zero = double(std::int64_t(random() % 1'200'000) - 600'000) * (0.5 * std::numbers::pi);
    for (const double x : {zero, std::nextafter(zero, infinity), std::nextafter(zero, -infinity)}) out.push_back(x);
  }
  return out;
}

TEST(Sines, AreWithinOneUnitInTheLastPlace) {
  static_assert(std::numeric_limits<long double>::digits > 60, "needs numbers with more digits to compare with");
  for (const double x : angles()) {
    const long double sine = std::sin((long double)x), cosine = std::cos((long double)x);
    const auto found = alone(x);
    ASSERT_LE(double(std::abs(found[0] - sine)), unit_of(sine)) << x;
    ASSERT_LE(double(std::abs(found[1] - cosine)), unit_of(cosine)) << x;
  }
}

TEST(Sines, OfZerosKeepTheSignAndOfWhatIsNoNumberAreNone) {
  for (const double zero : {0.0, -0.0}) {
    EXPECT_EQ(bits(alone(zero)[0]), bits(zero));
    EXPECT_EQ(alone(zero)[1], 1.0);
  }
  for (const double none : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(alone(none)[0]));
    EXPECT_TRUE(std::isnan(alone(none)[1]));
  }
}

TEST(Sines, AreTheSameWhateverStandsBeside) {
  std::vector<double> all = angles();
  all[7] = infinity;  // a stray among near ones
  all.resize(std::size_t(room_for_sines(int(all.size()))), 0.5);
  for (const int count : {1, 2, 3, 4, 8, 13, 64}) {
    std::vector<double> sine(std::size_t(room_for_sines(count))), cosine = sine;
    for (std::size_t first = 0; first + sine.size() <= 4096; first += sine.size()) {
      sines_and_cosines(&all[first], count, sine.data(), cosine.data());
      for (int k = 0; k < count; ++k) {
        const auto one = alone(all[first + std::size_t(k)]);
        if (std::isnan(one[0])) continue;
        ASSERT_EQ(bits(sine[std::size_t(k)]), bits(one[0])) << all[first + std::size_t(k)];
        ASSERT_EQ(bits(cosine[std::size_t(k)]), bits(one[1])) << all[first + std::size_t(k)];
      }
    }
  }
}

}  // namespace
}  // namespace taut
