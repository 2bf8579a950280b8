#include <cmath>
#include <numbers>
#include <taut/models/beam.hpp>
#include <taut/simulate/continuation.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using Support = BeamEnd::Support;
using std::numbers::pi;

/// A beam of its own system, with a force on a node.
struct Loaded {
  Beam beam;
  System system;
  Loaded(BeamOptions options, int dim, int node, std::array<double, 3> force)
      : beam(std::move(options), dim), system(Points{.count = beam.points(), .dim = dim, .mass = 0.0}) {
    beam.add_to(system);
    beam.add_force(system, node, force);
  }
};

const CriticalPoint* first_of(const EquilibriumBranch& path, CriticalPoint::Kind kind) {
  for (const CriticalPoint& one : path.critical)
    if (one.kind == kind) return &one;
  return nullptr;
}

TEST(Continuation, ColumnLeavesItsAxisAtEulersLoadAndItsBranchIsTheElastica) {
  // Clamped at its foot, L = EI = 1: P = π²/4. The elastica with the end angle α has P = K(sin α/2)²; at α = 60° that is 1.685750² (Abramowitz and Stegun, table 17.2).
  const auto column = [](double P) {
    return Loaded({.length = 1.0, .elements = 12, .start = {.support = Support::clamped, .direction = {0.0, 1.0, 0.0}}}, 2,
                  12, {0.0, -P, 0.0});
  };
  const Loaded rest = column(0.0);
  Vector q(rest.system.size());
  rest.beam.place(straight({}, {0.0, 1.0, 0.0}), q);
  const auto family = [&](double P) { return column(P).system; };
  const EquilibriumBranch stays = continuation(family, at_rest(rest.system, q), 0.5, 4.0);
  ASSERT_TRUE(stays.finished) << stays.trouble;
  const CriticalPoint* buckles = first_of(stays, CriticalPoint::Kind::bifurcation);
  ASSERT_NE(buckles, nullptr);
  EXPECT_NEAR(buckles->parameter, pi * pi / 4.0, 1e-4 * pi * pi / 4.0);
  EXPECT_EQ(stays.points.front().unstable, 0);
  EXPECT_EQ(stays.points.back().unstable, 1);

  const EquilibriumBranch bends = continuation(family, at_rest(rest.system, q), 0.5, 1.685750 * 1.685750, {.leave_at = 1});
  ASSERT_TRUE(bends.finished) << bends.trouble;
  EXPECT_EQ(bends.points.back().branch, 1);
  EXPECT_EQ(bends.points.back().unstable, 0);
  const auto tip = rest.beam.at(bends.points.back().state.q.data(), 1.0, 1);
  EXPECT_NEAR(std::abs(std::atan2(tip[0], tip[1])), pi / 3.0, 1e-3);
}

/// The force in the middle of a shallow pinned arch, L = EI = 1, shortened by δ, as long as it stays symmetric under the thrust k²:
/// w = P/(2k²) [sin kx/(k cos k/2) − x], ½∫w′² = δ.
double arch_force(double k, double shortened) {
  const double c = std::cos(0.5 * k),
               square = (0.25 + std::sin(k) / (4.0 * k)) / (c * c) - 2.0 * std::sin(0.5 * k) / (k * c) + 0.5;
  return std::sqrt(4.0 * k * k * k * k * shortened / square);
}
double largest_arch_force(double from, double to, double shortened) {
  double largest = 0.0;
  for (int i = 1; i < 20000; ++i) largest = std::max(largest, arch_force(from + (to - from) * i / 20000, shortened));
  return largest;
}

TEST(Continuation, ShallowArchBucklesSidewaysAndPassesItsLimitsWhereTheElasticaSays) {
  // The symmetric branch leads from the first mode through the third, at P = 0, to the fifth.
  const double shortened = 1e-3, chord = 1.0 - shortened;
  const auto arch = [&](double P) {
    return Loaded({.length = 1.0,
                   .elements = 16,
                   .start = {.support = Support::pinned},
                   .end = {.support = Support::pinned, .place = {chord, 0.0, 0.0}}},
                  2, 8, {0.0, -P, 0.0});
  };
  const Loaded rest = arch(0.0);
  Vector q(rest.system.size());
  rest.beam.place(hanging({}, {chord, 0.0, 0.0}, 1.0, 2), q);
  for (int k = 1; k < q.size(); k += 2) q[k] = -q[k];
  const EquilibriumBranch path =
      continuation([&](double P) { return arch(P).system; }, at_rest(rest.system, q), 0.0, 14.0, {.increments = 60});
  ASSERT_TRUE(path.finished) << path.trouble;
  const CriticalPoint* sideways = first_of(path, CriticalPoint::Kind::bifurcation);
  ASSERT_NE(sideways, nullptr);
  EXPECT_NEAR(sideways->parameter / arch_force(2.0 * pi, shortened), 1.0, 3e-3);
  std::vector<double> limits;
  for (const CriticalPoint& one : path.critical)
    if (one.kind == CriticalPoint::Kind::limit) limits.push_back(one.parameter);
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_NEAR(limits[0] / largest_arch_force(pi, 3.0 * pi, shortened), 1.0, 3e-3);
  EXPECT_NEAR(-limits[1] / largest_arch_force(3.0 * pi, 5.0 * pi, shortened), 1.0, 3e-3);
}

TEST(Continuation, NarrowCantileverTipsSidewaysAtPrandtlsLoad) {
  // 4.0126 √(EI₁ GJ)/L², with the large stiffness far above the small one.
  const double EI = 1.0, GJ = 0.7;
  const auto strip = [&](double P) {
    BeamOptions options{.length = 1.0,
                        .elements = 10,
                        .start = {.support = Support::clamped, .direction = {1.0, 0.0, 0.0}, .roll = {0.0, 0.0, 1.0}}};
    options.rod = RodSection{.bending = {EI, 1e6}, .torsion = GJ, .inertia = {1e-3, 1e-3}};
    return Loaded(std::move(options), 3, 10, {0.0, 0.0, -P});
  };
  const Loaded rest = strip(0.0);
  Vector q(rest.system.size());
  rest.beam.place(straight({}, {1.0, 0.0, 0.0}), q);
  rest.beam.place_frames({0.0, 0.0, 1.0}, 0.0, q);
  const EquilibriumBranch path =
      continuation([&](double P) { return strip(P).system; }, at_rest(rest.system, q), 0.0, 4.5, {.increments = 8});
  ASSERT_TRUE(path.finished) << path.trouble;
  const CriticalPoint* tips = first_of(path, CriticalPoint::Kind::bifurcation);
  ASSERT_NE(tips, nullptr);
  EXPECT_NEAR(tips->parameter / (4.0126 * std::sqrt(EI * GJ)), 1.0, 1e-3);
}

TEST(Continuation, RefusesInequalitiesAndAnEmptyWay) {
  System floor(Points{.count = 1, .dim = 2});
  floor.add(HalfSpace{.point = 0});
  const auto same = [&](double) { return floor; };
  EXPECT_NE(testing::error_of([&] { continuation(same, at_rest(floor, Vector::Ones(2)), 0.0, 1.0); }).find("inequality"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { continuation(same, at_rest(floor, Vector::Ones(2)), 1.0, 1.0); }).find("two values"),
            std::string::npos);
}

}  // namespace
}  // namespace taut
