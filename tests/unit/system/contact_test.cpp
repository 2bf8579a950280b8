#include <Eigen/Cholesky>
#include <random>
#include <taut/integrators/moreau_jean.hpp>
#include <taut/linalg/complementarity.hpp>
#include <taut/system/constraints/obstacle_gap.hpp>
#include <taut/system/contact.hpp>

#include "error_of.hpp"
#include "laws.hpp"
#include "sanitized.hpp"

namespace taut {
namespace {

const auto tube = std::make_shared<const std::string>("tube");

/// Pieces between points 0-1, 2-3, …: none follows another.
ContactBlock apart(int count, double radius) {
  std::vector<ContactPiece> pieces;
  for (int k = 0; k < count; ++k) pieces.push_back({{6 * k, 6 * k + 3}, radius, 0.0, 1.0, tube});
  return {pieces, 3, "apart"};
}

Vector scattered(int pieces, std::mt19937& random) {
  std::uniform_real_distribution<double> anywhere(-2.0, 2.0), near(-0.4, 0.4);
  Vector q(6 * pieces);
  for (int k = 0; k < pieces; ++k)
    for (int c = 0; c < 3; ++c) {
      q[6 * k + c] = anywhere(random);
      q[6 * k + 3 + c] = q[6 * k + c] + near(random);
    }
  return q;
}

/// The smallest distance of two pieces by trial.
double by_trial(const Vector& q, int a, int b) {
  constexpr int parts = 60;
  double least = 1e9;
  for (int i = 0; i <= parts; ++i)
    for (int j = 0; j <= parts; ++j) {
      const double s = double(i) / parts, t = double(j) / parts;
      const Eigen::Vector3d x = (1 - s) * q.segment<3>(6 * a) + s * q.segment<3>(6 * a + 3),
                            y = (1 - t) * q.segment<3>(6 * b) + t * q.segment<3>(6 * b + 3);
      least = std::min(least, (x - y).norm());
    }
  return least;
}

TEST(Contact, LeastGapIsThatOfAllPairs) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 5; ++trial) {
    const int count = 12;
    const Vector q = scattered(count, random);
    double least = 1e9;
    for (int a = 0; a < count; ++a)
      for (int b = a + 1; b < count; ++b) least = std::min(least, by_trial(q, a, b));
    const ContactBlock contact = apart(count, 0.05);
    EXPECT_NEAR(contact.least_gap(q.data()), std::min(least - 0.1, contact.sight()), 0.02) << trial;
  }
}

TEST(Contact, FindsEveryPairThatMayMeetAsTrialOfAllDoes) {
  std::mt19937 random(11);
  const int count = sanitized ? 30 : 60;
  const ContactBlock contact = apart(count, 0.1);
  for (int trial = 0; trial < (sanitized ? 1 : 5); ++trial) {
    const Vector q = scattered(count, random);
    const auto found = contact.find(q.data(), q.data(), 0.05).meetings;
    for (int a = 0; a < count; ++a)
      for (int b = a + 1; b < count; ++b) {
        const double gap = by_trial(q, a, b) - 0.2;
        const bool there = std::binary_search(found.begin(), found.end(), ContactBlock::Meeting{a, b, 0.0});
        if (std::abs(gap - 0.01) > 0.01) {
          EXPECT_EQ(there, gap < 0.0) << a << " " << b << " " << gap;
        }
      }
  }
}

TEST(Contact, NeighboursAlongATubeDoNotCountAndOneCrossingHasOneRow) {
  // A tube with corners that crosses itself once, 0.1 above, away from all nodes.
  const std::vector<std::array<double, 3>> nodes{{-3, 0, 0},      {-1, 0, 0},       {1, 0, 0},
                                                 {3, 0, 0},       {3, 5, 0.1},      {0.2, 5, 0.1},
                                                 {0.2, 1.1, 0.1}, {0.2, -0.9, 0.1}, {0.2, -3, 0.1}};
  std::vector<ContactPiece> pieces;
  Vector q(27);
  for (int k = 0; k < 9; ++k) {
    for (int c = 0; c < 3; ++c) q[3 * k + c] = nodes[std::size_t(k)][std::size_t(c)];
    if (k < 8) pieces.push_back({{3 * k, 3 * k + 3}, 0.045, 2.0 * k, 2.0, tube});
  }
  const ContactBlock contact(pieces, 3, "tube");
  const auto found = contact.find(q.data(), q.data(), 0.5).meetings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(std::pair(found[0].a, found[0].b), std::pair(1, 6));
  EXPECT_NEAR(contact.least_gap(q.data()), 0.01, 1e-4);
}

TEST(Contact, GapHasItsDerivatives) {
  System system(Points{.count = 4, .dim = 3});
  system.add(SegmentGap<3>{{0, 3, 6, 9}, 0.2});
  State at = at_rest(system, Vector{{-1.0, 0.1, 0.0, 1.0, -0.1, 0.2, 0.1, -1.0, 0.7, 0.3, 1.0, 0.5}});
  for (int i = 0; i < 12; ++i) at.v[i] = 0.1 * i - 0.4;
  testing::expect_constraint_laws(system, at);
}

/// Two bars of two masses each that cross at right angles, 1 m apart, the upper one falling at speed 1 towards the other.
struct Bars {
  System system{Points{.count = 4, .dim = 3, .mass = 1.0}};
  State start;
  Bars() {
    system.add(Distance{.from = 0, .to = 1, .length = 2.0}).add(Distance{.from = 2, .to = 3, .length = 2.0});
    system.add_block(std::make_unique<ContactBlock>(
        std::vector<ContactPiece>{{{0, 3}, 0.1, 0.0, 2.0, tube}, {{6, 9}, 0.1, 0.0, 2.0, tube}}, 3, "bars"));
    Vector v = Vector::Zero(12);
    v[2] = v[5] = -1.0;
    start = state_at(system, 0.0, Vector{{-1, 0, 1, 1, 0, 1, 0, -1, 0, 0, 1, 0}}, v);
  }
};

TEST(Contact, BarsThatCollideExchangeMomentumByTheirRestitution) {
  for (const double e : {0.0, 0.5, 1.0}) {
    const Bars bars;
    const auto path = simulate(bars.system, bars.start, MoreauJean{e}, Multipliers{}, {.step = 0.01, .end = 1.5});
    ASSERT_TRUE(path.finished()) << path.message;
    const Vector v = path.v(path.size() - 1);
    // Both weigh the same: the velocity of the middle of both is −1/2, and they part with e.
    EXPECT_NEAR(v[2], -0.5 + 0.5 * e, 1e-9) << e;
    EXPECT_NEAR(v[8], -0.5 - 0.5 * e, 1e-9) << e;
    EXPECT_LE(certificate(bars.system, path).penetration, 1e-12);
  }
}

TEST(Contact, StepsInWhichBarsCouldPassThroughEachOtherAreTakenSmaller) {
  const Bars bars;
  const auto path = simulate(bars.system, bars.start, MoreauJean{0.0}, Multipliers{}, {.step = 0.75, .end = 1.5});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_GE(path.q(path.size() - 1)[2] - path.q(path.size() - 1)[8], 0.2 - 1e-9);
}

TEST(Contact, IsRefusedBySmoothSchemesAndAsAPenalty) {
  const Bars bars;
  EXPECT_NE(testing::error_of([&] { Integrator(Midpoint{}).bind(bars.system, Multipliers{}); }).find("moreau-jean"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { penalized(bars.system, 1e-3); }).find("moreau-jean"), std::string::npos);
}

/// A cylinder that is bent once, and a ball.
const Obstacle elbow{.axis = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}}, .radius = 0.2};
const Obstacle ball{.axis = {{0.1, 0.2, 0.3}}, .radius = 0.4};

TEST(Obstacle, GapIsThatOfManyPlaces) {
  std::mt19937 random(5);
  for (const Obstacle& one : {elbow, ball})
    for (int trial = 0; trial < 20; ++trial) {
      const Vector q = scattered(1, random);
      double least = 1e9;
      for (std::size_t k = 0; k + 1 < one.axis.size() || k == 0; ++k) {
        Vector both(12);
        const auto &from = one.axis[k], &to = one.axis[std::min(k + 1, one.axis.size() - 1)];
        both << q, from[0], from[1], from[2], to[0], to[1], to[2];
        least = std::min(least, by_trial(both, 0, 1));
      }
      const ContactBlock contact({{{0, 3}, 0.05, 0.0, 1.0, tube}}, one, 3, "wall");
      EXPECT_NEAR(contact.least_gap(q.data()), std::min(least - one.radius - 0.05, contact.sight()), 5e-3) << trial;
    }
}

TEST(Obstacle, GapsHaveTheirDerivatives) {
  auto hollow = std::make_shared<Obstacle>(elbow);
  hollow->hollow = true;
  System system(Points{.count = 4, .dim = 3});
  system.add(ObstacleGap<3, 2>{{0, 3}, 0.05, std::make_shared<const Obstacle>(elbow)});
  system.add(ObstacleGap<3, 2>{{3, 6}, 0.05, std::make_shared<const Obstacle>(ball)});
  system.add(ObstacleGap<3, 1>{{9}, 0.05, hollow});
  State at = at_rest(system, Vector{{-1.0, 0.4, 0.1, 0.3, -0.6, 0.2, 0.7, 0.9, 0.7, -0.3, 0.05, 0.1}});
  for (int i = 0; i < 12; ++i) at.v[i] = 0.1 * i - 0.4;
  testing::expect_constraint_laws(system, at);
  // In the middle of something hollow, the slope is zero and not undefined.
  for (int c = 0; c < 3; ++c) at.q[9 + c] = c == 0 ? -0.5 : 0.0;
  testing::expect_constraint_laws(system, at);
}

/// A bar of two masses falls on a ball that is thinner than the bar is long: both of its ends miss it.
struct BarOverBall {
  System system{Points{.count = 2, .dim = 3, .mass = 1.0}};
  State start;
  BarOverBall() {
    system.add(Distance{.from = 0, .to = 1, .length = 2.0});
    system.add_block(std::make_unique<ContactBlock>(std::vector<ContactPiece>{{{0, 3}, 0.1, 0.0, 2.0, tube}},
                                                    Obstacle{.axis = {{0, 0, 0}}, .radius = 0.1}, 3, "ball"));
    Vector v = Vector::Zero(6);
    v[2] = v[5] = -1.0;
    start = state_at(system, 0.0, Vector{{-1, 0, 1, 1, 0, 1}}, v);
  }
};

TEST(Obstacle, BarThatFallsOnABallBouncesByItsRestitution) {
  for (const double e : {0.0, 0.5, 1.0}) {
    const BarOverBall bar;
    const auto path = simulate(bar.system, bar.start, MoreauJean{e}, Multipliers{}, {.step = 0.01, .end = 1.5});
    ASSERT_TRUE(path.finished()) << path.message;
    const Vector v = path.v(path.size() - 1);
    EXPECT_NEAR(v[2], e, 1e-9) << e;
    EXPECT_NEAR(v[5], e, 1e-9) << e;
    EXPECT_LE(certificate(bar.system, path).penetration, 1e-12);
  }
}

TEST(Obstacle, StepsInWhichABarCouldPassThroughAreTakenSmaller) {
  const BarOverBall bar;
  const auto path = simulate(bar.system, bar.start, MoreauJean{0.0}, Multipliers{}, {.step = 0.75, .end = 1.5});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_GE(path.q(path.size() - 1)[2], 0.2 - 1e-9);
}

TEST(Obstacle, AsAPenaltyKeepsEnergyAndYieldsAsASpring) {
  const BarOverBall bar;
  const double epsilon = 1e-3;
  const System soft = penalized(bar.system, [&](int row) { return row == 1 ? epsilon : 0.0; });
  const auto path = simulate(soft, bar.start, EnergyMomentum{}, Multipliers{}, {.step = 1e-3, .end = 1.5});
  ASSERT_TRUE(path.finished()) << path.message;
  double deepest = 0.0;
  for (int k = 0; k < path.size(); ++k) deepest = std::max(deepest, 0.2 - path.q(k)[2]);
  // ½·2·1² = d²/2ε
  EXPECT_NEAR(deepest, std::sqrt(2.0 * epsilon), 1e-3 * std::sqrt(2.0 * epsilon));
  EXPECT_NEAR(path.v(path.size() - 1)[2], 1.0, 1e-9);
}

TEST(Obstacle, StaticsSaysWhereItWouldTakeAContact) {
  for (const double z : {1.0, 0.05}) {
    BarOverBall bar;
    for (const int end : {0, 1})
      bar.system.add(Tether{.point = end, .at = {2.0 * end - 1.0, 0.0, z}, .stiffness = 1.0, .length = 0.0});
    const Equilibrium found = equilibrium(bar.system, bar.start);
    EXPECT_EQ(found.status, z == 1.0 ? Status::ok : Status::refused) << found.trouble;
    EXPECT_EQ(found.trouble.find("ball") != std::string::npos, z != 1.0);
  }
}

TEST(Obstacle, OneAtANodeHasOneRowAndRowsBesideItStay) {
  // Two pieces that meet at a node right over the ball.
  const std::vector<ContactPiece> pieces{{{0, 3}, 0.1, 0.0, 1.0, tube}, {{3, 6}, 0.1, 1.0, 1.0, tube}};
  const ContactBlock contact(pieces, Obstacle{.axis = {{0, 0, 0}}, .radius = 0.1}, 3, "ball");
  const Vector over{{-1, 0, 0.4, 0, 0, 0.2, 1, 0, 0.4}};
  EXPECT_EQ(contact.find(over.data(), over.data(), 0.05).meetings.size(), 1u);
  const Vector along{{-1, 0, 0.2, 0, 0, 0.2, 1, 0, 0.2}};
  EXPECT_EQ(contact.find(along.data(), along.data(), 0.05).meetings.size(), 1u);
}

TEST(Obstacle, RefusesWhatDoesNotFit) {
  const std::vector<ContactPiece> thick{{{0, 3}, 0.3, 0.0, 1.0, tube}};
  Obstacle narrow = elbow;
  narrow.hollow = true;
  EXPECT_NE(testing::error_of([&] { ContactBlock(thick, narrow, 3, "bore"); }).find("less than its own"), std::string::npos);
  EXPECT_NE(testing::error_of([&] { ContactBlock(thick, Obstacle{.axis = {}, .radius = 1.0}, 3, "none"); }).find("axis"),
            std::string::npos);
}

TEST(Complementarity, FindsTheActiveRowsOfRandomProblems) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 30, rank = 12;  // more rows than freedoms: all but definite
    const Eigen::MatrixXd J = Eigen::MatrixXd::NullaryExpr(n, rank, [&] { return normal(random); });
    const Eigen::MatrixXd M = J * J.transpose() + 1e-9 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd b = J * Eigen::VectorXd::NullaryExpr(rank, [&] { return normal(random); });
    const auto on = complementary_rows(M, b);
    std::vector<Eigen::Index> held;
    for (int i = 0; i < n; ++i)
      if (on[std::size_t(i)] != 0) held.push_back(i);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(n);
    const Eigen::VectorXd part = M(held, held).ldlt().solve(-b(held));
    u(held) = part;
    EXPECT_GE(u.minCoeff(), -1e-9 * u.lpNorm<Eigen::Infinity>()) << trial;
    EXPECT_GE((M * u + b).minCoeff(), -1e-6) << trial;
  }
}

}  // namespace
}  // namespace taut
