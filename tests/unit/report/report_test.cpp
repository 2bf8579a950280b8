#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
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

}  // namespace

TEST(Base64, SpellsTheExamplesOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(PackedRows, GiveBackEveryNumber) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> any(-(std::int64_t(1) << 50), std::int64_t(1) << 50);
  for (const int order : {1, 2}) {
    std::vector<std::int64_t> row;
    for (int k = 0; k < 100; ++k) row.push_back(k < 50 ? k * k : any(random));
    PackedRows rows(order);
    rows.add(row);
    const std::string bytes = decoded(rows.text());
    std::size_t at = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::uint64_t code = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = std::uint64_t(static_cast<unsigned char>(bytes.at(at++)));
        code |= (byte & 127) << shift;
        if (byte < 128) break;
      }
      const std::int64_t d = std::int64_t(code >> 1) ^ -std::int64_t(code & 1);
      const std::int64_t guess = k == 0 ? 0 : (order == 2 && k > 1 ? 2 * row[k - 1] - row[k - 2] : row[k - 1]);
      EXPECT_EQ(guess + d, row[k]);
    }
    EXPECT_EQ(at, bytes.size());
  }
}

TEST(PackedRows, AreOneByteForEachNumberOfAParabola) {
  std::vector<std::int64_t> row;
  for (int k = 0; k < 1000; ++k) row.push_back(20 * k * k);
  PackedRows rows(2);
  rows.add(row);
  EXPECT_LE(rows.size(), 1001u);
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
