#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <taut/report/pack.hpp>
#include <taut/report/thin.hpp>
#include <taut/results/base64.hpp>

using namespace taut;

namespace {

std::string decoded(const std::string& text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | std::uint32_t(letters.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    out += char(bits >> count & 255u);
  }
  return out;
}

/// Undoes what the comment of PackedRows says.
std::vector<std::vector<std::int64_t>> unpacked(const std::string& bytes, std::size_t rows, std::size_t length,
                                                const std::vector<int>& lags) {
  std::size_t at = 0;
  const auto take = [&](int count) {
    std::int64_t value = 0;
    for (; count > 0; --count, ++at) value = 2 * value + (bytes.at(at / 8) >> (7 - at % 8) & 1);
    return value;
  };
  std::vector<std::vector<std::int64_t>> out;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::int64_t kind = take(8), way = kind / 4;
    std::vector<std::int64_t> row;
    std::int64_t sum = 0;
    while (row.size() < length) {
      const std::int64_t mean = sum / 4;
      int k = 0, ones = 0;
      while (k < 30 && (std::int64_t(2) << k) <= mean) ++k;
      while (ones < 20 && take(1) == 1) ++ones;
      const std::int64_t z = ones < 20 ? (std::int64_t(ones) << k) + take(k) : take(int(take(6)));
      row.push_back(z % 2 == 0 ? z / 2 : -(z + 1) / 2);
      sum += std::min(z, 4 * mean + 8) - mean;
    }
    for (std::int64_t order = kind % 4; order > 0; --order) std::partial_sum(row.begin(), row.end(), row.begin());
    if (way > 0) {
      const auto lag = std::size_t(lags.at(std::size_t(way - 1) / 2));
      for (std::size_t k = 0; k < length; ++k)
        row[k] += way % 2 == 1 ? out.at(r - lag)[k] : 2 * out.at(r - lag)[k] - out.at(r - 2 * lag)[k];
    }
    out.push_back(row);
  }
  EXPECT_LT(8 * bytes.size() - at, 8u);
  return out;
}

}  // namespace

TEST(Base64, SpellsTheExamplesOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(PackedRows, GiveBackEveryNumber) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> any(-(std::int64_t(1) << 46), std::int64_t(1) << 46), small(-3, 3);
  const std::vector<int> lags{2, 5};
  std::vector<std::vector<std::int64_t>> all;
  for (std::int64_t r = 0; r < 40; ++r) {  // waves with neighbours, constants, noise, and numbers of any size
    all.emplace_back();
    for (std::int64_t k = 0; k < 100; ++k) {
      const auto wave = std::int64_t(1e6 * std::sin(0.1 * double(k) + 0.2 * double(r)));
      all.back().push_back(r < 20 ? wave * (r % 2 + 1) : (r < 25 ? r : (r < 30 ? small(random) : any(random))));
    }
  }
  PackedRows rows(lags);
  for (const auto& row : all) rows.add(row);
  const std::string text = rows.text();
  EXPECT_EQ(unpacked(decoded(text), all.size(), 100, lags), all);
}

TEST(PackedRows, AreAFewBitsForEachNumberWhereRowsGoAlike) {
  PackedRows rows({1});
  std::vector<std::int64_t> row(1000);
  for (int r = 0; r < 100; ++r) {
    for (int k = 0; k < 1000; ++k) row[std::size_t(k)] = std::llround(1e5 * std::sin(0.01 * k - 0.02 * r));
    rows.add(row);
  }
  EXPECT_LE(rows.size(), 100u * 1000u / 2);  // four bits, where the numbers have eighteen
}

TEST(RoundQuantum, IsADecimalNotAboveWhatIsGiven) {
  EXPECT_DOUBLE_EQ(round_quantum(3e-4), 2e-4);
  EXPECT_DOUBLE_EQ(round_quantum(0.5), 0.5);
  EXPECT_DOUBLE_EQ(round_quantum(1.99), 1.0);
}

TEST(Thinned, KeepsEveryValueOfAShortRun) {
  const std::vector<double> t{0.0, 0.5, 2.0};
  Thinned thin(t, 100, 1);
  for (const double x : {3.0, -1.0, 7.0}) thin.add(&x);
  EXPECT_FALSE(thin.thinned());
  EXPECT_EQ(thin.times(), t);
  EXPECT_EQ(thin.values(0), (std::vector<double>{3.0, -1.0, 7.0}));
}

TEST(Thinned, LosesNoSpikeOfALongRun) {
  for (const double sign : {1.0, -1.0}) {  // also of a run backward
    std::vector<double> t;
    for (int k = 0; k < 100'000; ++k) t.push_back(sign * 1e-3 * k * (1.0 + 1e-5 * k));
    Thinned thin(t, 500, 2);
    for (int k = 0; k < 100'000; ++k) {
      const double row[2] = {std::sin(1e-3 * k), k == 77'777 ? 5.0 : (k == 77'778 ? -6.0 : 0.0)};
      thin.add(row);
    }
    EXPECT_TRUE(thin.thinned());
    const std::vector<double> wave = thin.values(0), spikes = thin.values(1);
    ASSERT_EQ(wave.size(), thin.times().size());
    EXPECT_LE(wave.size(), 502u);
    EXPECT_EQ(*std::max_element(spikes.begin(), spikes.end()), 5.0);
    EXPECT_EQ(*std::min_element(spikes.begin(), spikes.end()), -6.0);
    // In the order in which they came.
    EXPECT_LT(std::max_element(spikes.begin(), spikes.end()), std::min_element(spikes.begin(), spikes.end()));
    for (std::size_t k = 1; k < wave.size(); ++k) EXPECT_GT(sign * (thin.times()[k] - thin.times()[k - 1]), 0.0);
  }
}

TEST(ChosenFrames, AreEvenlySpacedInTimeAndHoldTheEvents) {
  std::vector<double> t;
  for (int k = 0; k < 10'000; ++k)
    t.push_back(k < 5'000 ? 1e-5 * k : 0.05 + 1e-2 * (k - 5'000));  // first small steps, then large ones
  const std::vector<std::size_t> chosen = chosen_frames(t, 100, {0.0301});
  EXPECT_EQ(chosen.front(), 0u);
  EXPECT_EQ(chosen.back(), t.size() - 1);
  EXPECT_LE(chosen.size(), 101u);
  EXPECT_TRUE(std::find(chosen.begin(), chosen.end(), 3010u) != chosen.end());
  EXPECT_GT(std::count_if(chosen.begin(), chosen.end(), [](std::size_t k) { return k > 5'000; }), 90);
}
