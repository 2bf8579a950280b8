#include <gtest/gtest.h>

#include <cmath>
#include <taut/taut.hpp>

#include "double_pendulum.hpp"
#include "error_of.hpp"

namespace taut {
namespace {

TEST(Chain, StartsAtTheAnglesAndRatesItIsTold) {
  const Vector u{{0.9, 1.4}}, w{{0.3, -0.5}};
  Vector q, v;
  lift(testing::PlaneAngles{}, u, w, q, v);
  const Model model = chain({.links = 2, .angles = {0.9, 1.4}, .rates = {0.3, -0.5}});
  EXPECT_LE((model.start.q - q).norm(), 1e-15);
  EXPECT_LE((model.start.v - v).norm(), 1e-15);
  // In space it swings in the plane of x and z, down being −z.
  const Model space = chain({.links = 2, .dim = 3, .angles = {0.9, 1.4}, .rates = {0.3, -0.5}});
  EXPECT_NEAR(space.start.q[5], q[3], 1e-15);
  EXPECT_EQ(space.start.q[1], 0.0);
  EXPECT_LE(space.system.constraint_rates(instant(space.start)).norm(), 1e-15);
}

TEST(Chain, IsStretchedOutAndAtRestUnlessTold) {
  const Model model = chain({.links = 3, .length = 0.5});
  EXPECT_EQ(model.start.q, (Vector{{0.5, 0, 1.0, 0, 1.5, 0}}));
  EXPECT_TRUE(model.start.v.isZero(0.0));
  EXPECT_EQ(testing::error_of([] { chain({.links = 3, .angles = {0.1}}); }), "chain: 1 angles are given for 3 links.");
}

}  // namespace
}  // namespace taut
