#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <taut/base/require.hpp>

namespace taut {
namespace {

TEST(Require, FillsThePatternInOrder) {
  EXPECT_EQ(message("{}: beta must lie in (0, 1/2], got {}.", "Newmark", 0.7),
            "Newmark: beta must lie in (0, 1/2], got 0.7.");
}

TEST(Require, LeavesBracesWithoutArgumentAlone) { EXPECT_EQ(message("{} and {}", 1), "1 and {}"); }

TEST(Require, WritesNumbersAsStreamsDo) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -0.0, 1.0, -2.5, 0.1, 1.0 / 3.0, 1e-5, 1e5, 999999.5, 1234567.0, 6.02214076e23, -1.6e-19,
                             5e-324, infinite, -infinite})
    for (const int digits : {1, 2, 6, 15}) {
      std::ostringstream out;
      out.precision(digits);
      out << value;
      EXPECT_EQ(in_digits(value, digits), out.str());
    }
}

TEST(Require, ThrowsOnlyIfTheConditionFails) {
  EXPECT_NO_THROW(require(true, "no"));
  try {
    require(false, "step must be positive, got {}.", -1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "step must be positive, got -1.");
  }
}

}  // namespace
}  // namespace taut
