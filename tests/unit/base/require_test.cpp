#include <gtest/gtest.h>

#include <taut/base/require.hpp>

namespace taut {
namespace {

TEST(Require, FillsThePatternInOrder) {
  EXPECT_EQ(message("{}: beta must lie in (0, 1/2], got {}.", "Newmark", 0.7),
            "Newmark: beta must lie in (0, 1/2], got 0.7.");
}

TEST(Require, LeavesBracesWithoutArgumentAlone) { EXPECT_EQ(message("{} and {}", 1), "1 and {}"); }

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
