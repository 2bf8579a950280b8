#include <gtest/gtest.h>

#include <taut/taut.hpp>

namespace taut {
namespace {

TEST(ConsistentStart, DoesNoHarmToAConsistentOne) {
  const Model model = gh95_ellipse();
  const auto start = consistent_start(model.system, model.start);
  EXPECT_EQ(start.state.q, model.start.q);  // bit for bit
  EXPECT_EQ(start.state.v, model.start.v);
  EXPECT_TRUE(start.before.empty());
  EXPECT_EQ(start.moved_q, 0.0);
}

TEST(ConsistentStart, MovesThePrintedAnglesOntoTheEllipseByAsLittleAsThePrintMissesIt) {
  const Model model = gh95_ellipse();
  const State printed = at_rest(model.system, Vector{{2.271, 0.6591}});
  const auto start = consistent_start(model.system, printed);
  ASSERT_EQ(start.status, Status::ok) << start.trouble;
  ASSERT_EQ(start.before.size(), 1u);
  EXPECT_EQ(start.before[0].constraint, "tip on the ellipse");
  EXPECT_GT(start.moved_q, 1e-6);
  EXPECT_LT(start.moved_q, 2e-4);
  EXPECT_LE(std::abs(model.system.constraint_values(0.0, start.state.q)[0]), 1e-14);
}

TEST(ConsistentStart, MovesLeastInTheMetricOfTheMass) {
  // A heavy and a light point, too far apart: the light one comes.
  System system(Points{.count = 2, .dim = 2, .masses = {1000.0, 1.0}});
  system.add(Distance{.from = 0, .to = 1, .length = 1.0});
  const auto start = consistent_start(system, at_rest(system, Vector{{0, 0, 1.5, 0}}));
  ASSERT_EQ(start.status, Status::ok);
  EXPECT_NEAR(start.state.q[0], 0.5 / 1001.0, 1e-12);
  EXPECT_NEAR(start.state.q[2], 1.0 + 0.5 / 1001.0, 1e-12);
}

TEST(ConsistentStart, ProjectsVelocitiesAndReportsBoth) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Pin{.point = 0, .length = 1.0}, "rod");
  const auto start = consistent_start(system, state_at(system, 0.0, Vector{{1.1, 0.0}}, Vector{{2.0, 3.0}}));
  ASSERT_EQ(start.before.size(), 2u);
  EXPECT_EQ(describe(start.before), "'rod' by 0.0954545 (position), 'rod' by 2 (velocity)");
  EXPECT_NEAR(start.state.q[0], 1.0, 1e-14);
  EXPECT_NEAR(start.state.v[0], 0.0, 1e-14);
  EXPECT_NEAR(start.state.v[1], 3.0, 1e-14);
  EXPECT_NEAR(start.moved_q, 0.1, 1e-14);
  EXPECT_NEAR(start.moved_v, 2.0, 1e-14);
  EXPECT_NEAR(start.state.p[1], 3.0, 1e-14);
}

TEST(ConsistentStart, PushesOutOfAnInequalityAndLeavesTheVelocityToTheImpactLaw) {
  System system(Points{.count = 1, .dim = 2});
  system.add(HalfSpace{.point = 0, .offset = 0.0});
  const auto start = consistent_start(system, state_at(system, 0.0, Vector{{0.3, -0.2}}, Vector{{0.0, -1.0}}));
  ASSERT_EQ(start.status, Status::ok) << start.trouble;
  EXPECT_NEAR(start.state.q[1], 0.0, 1e-14);
  EXPECT_EQ(start.state.v[1], -1.0);
}

TEST(ConsistentStart, NamesContradictoryConstraints) {
  System system(Points{.count = 2, .dim = 2});
  system.add(Distance{.from = 0, .to = 1, .length = 1.0}, "short").add(Distance{.from = 0, .to = 1, .length = 1.2}, "long");
  const auto start = consistent_start(system, at_rest(system, Vector{{0, 0, 1.1, 0}}));
  EXPECT_EQ(start.status, Status::contradictory);
  EXPECT_NE(start.trouble.find("'long'"), std::string::npos) << start.trouble;
}

TEST(ConsistentStart, SaysWhatIsLeftOverOfAnImpossibleConstraint) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Pin{.point = 0, .at = {0, 0}, .length = 1.0}, "near").add(Pin{.point = 0, .at = {5, 0}, .length = 1.0}, "far");
  const auto start = consistent_start(system, at_rest(system, Vector{{1.0, 0.2}}));
  EXPECT_NE(start.status, Status::ok);
  EXPECT_NE(start.trouble.find("'far'"), std::string::npos) << start.trouble;
}

TEST(ConsistentStart, FindsRedundantConstraints) {
  System system(Points{.count = 2, .dim = 2});
  system.add(Distance{.from = 0, .to = 1}, "first").add(Distance{.from = 0, .to = 1}, "again");
  const auto start = consistent_start(system, at_rest(system, Vector{{0, 0, 1.1, 0}}));
  ASSERT_EQ(start.status, Status::ok) << start.trouble;
  EXPECT_EQ(start.dependent, std::vector<std::string>{"again"});
}

}  // namespace
}  // namespace taut
