#include <cmath>
#include <functional>
#include <numbers>
#include <taut/simulate/rank_watch.hpp>
#include <taut/taut.hpp>

#include "laws.hpp"

namespace taut {
namespace {

/// A parallelogram of rods, which loses rank where it lies flat.
System parallelogram() {
  System system(Points{.count = 2, .dim = 2});
  system.add(Pin{.point = 0, .at = {0.0, 0.0}}).add(Pin{.point = 1, .at = {1.5, 0.0}});
  system.add(Distance{.from = 0, .to = 1, .length = 1.5});
  return system;
}

State turned(double t, double angle, double rate) {
  State out;
  out.t = t;
  const double c = std::cos(angle), s = std::sin(angle);
  out.q = Vector{{c, s, 1.5 + c, s}};
  out.v = rate * Vector{{-s, c, -s, c}};
  return out;
}

/// The first time it tells along a motion given by its angle.
std::optional<double> told(const std::function<double(double)>& angle, const std::function<double(double)>& rate, double h,
                           double end) {
  const System system = parallelogram();
  State before = turned(0.0, angle(0.0), rate(0.0));
  RankWatch watch(system, before);
  for (double t = h; t <= end; t += h) {
    const State after = turned(t, angle(t), rate(t));
    if (const auto found = watch.look(before, after)) return found;
    before = after;
  }
  return {};
}

TEST(RankWatch, TellsADeadPointWhateverTheStepIs) {
  constexpr double right = std::numbers::pi / 2;
  for (const double h : {0.3, 0.05, 0.01, 1e-3, 1e-4}) {
    const auto found = told([](double t) { return right - t; }, [](double) { return -1.0; }, h, 2.0);
    ASSERT_TRUE(found) << h;
    EXPECT_NEAR(*found, right, 1e-2) << h;
    EXPECT_FALSE(told([](double t) { return right - t; }, [](double) { return -1.0; }, h, 1.4)) << h;
  }
}

/// A motion that creeps for long, so that looks become rare, and then goes on a thousand times as fast.
TEST(RankWatch, WakesUpForAMotionThatBeginsToRun) {
  constexpr double right = std::numbers::pi / 2, since = 50.0;
  const auto angle = [](double t) { return right - 1e-3 * t - std::max(t - since, 0.0); };
  const auto rate = [](double t) { return t < since ? -1e-3 : -1.001; };
  const auto found = told(angle, rate, 0.02, 60.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, since + (right - 1e-3 * since) / 1.001, 1e-2);
}

}  // namespace
}  // namespace taut
