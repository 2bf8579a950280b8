#include <gtest/gtest.h>

#include <taut/taut.hpp>

namespace taut {
namespace {

struct Shaking {
  template <class T> std::array<T, 3> operator()(const T& t) const {
    using std::sin;
    return {0.1 * sin(7.0 * t), T(0.0), T(0.0)};
  }
};

TEST(Midpoint, RefusesExactInequalitiesAndSaysWhatWorks) {
  const Model model = gh95_wall();
  try {
    simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'tip before the wall'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("penalized(system, epsilon)"), std::string::npos);
  }
}

TEST(Midpoint, DrivenPointFollowsItsMotionExactly) {
  System system(Points{.count = 2, .dim = 2});
  system.add(Gravity{}).add(Hold<Shaking>{.point = 0}).add(Distance{.from = 0, .to = 1});
  const auto start = consistent_start(system, at_rest(system, Vector{{0, 0, 0, -1}}));
  ASSERT_EQ(start.status, Status::ok);
  EXPECT_NEAR(start.state.v[0], 0.7, 1e-12);
  const auto path = simulate(system, start.state, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 2.0});
  ASSERT_TRUE(path.finished()) << path.message;
  for (int k = 0; k < path.size(); ++k) {
    EXPECT_NEAR(path.q(k)[0], 0.1 * std::sin(7.0 * path.t(k)), 1e-13);
    EXPECT_NEAR(path.v(k)[0], 0.7 * std::cos(7.0 * path.t(k)), 1e-11);
  }
  EXPECT_LE(certificate(system, path).velocity_residual, 1e-11);
}

TEST(Midpoint, ReturnsToItsStartWhenTimeIsReversed) {
  const Model model = chain({.links = 3});
  const auto there = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 0.5});
  const auto back = simulate(model.system, there.last, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 0.0});
  ASSERT_TRUE(back.finished());
  EXPECT_LE((back.last.q - model.start.q).norm(), 1e-11);
  EXPECT_LE((back.last.v - model.start.v).norm(), 1e-10);
}

TEST(Midpoint, RestartChangesNothingBeyondTolerance) {
  const Model model = chain({.links = 4});
  const auto whole = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
  const auto half = simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 0.5});
  const auto rest = simulate(model.system, half.last, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1.0});
  EXPECT_LE((whole.last.q - rest.last.q).norm(), 1e-11);
}

}  // namespace
}  // namespace taut
