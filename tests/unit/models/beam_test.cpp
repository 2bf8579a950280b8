#include <numbers>

#include "change_at.hpp"
#include "error_of.hpp"
#include "laws.hpp"

namespace taut {
namespace {

using Support = BeamEnd::Support;
using Approach = EquilibriumOptions::Approach;

/// The pipeline of Glowinski and Holmström 1995, (95).
BeamOptions pipe(int elements, BeamEnd end = {.support = Support::pinned, .place = {20.0, 0.0, 0.0}}) {
  return {.name = "pipe",
          .length = 32.6,
          .elements = elements,
          .density = 7.67,
          .stiffness = 700.0,
          .start = {.support = Support::pinned},
          .end = end};
}

struct Made {
  Beam beam;
  System system;
};
Made made(const BeamOptions& options, int dim = 2, double g = 9.81) {
  Beam beam(options, dim);
  System system(Points{.count = 0, .dim = dim}, beam.coordinates());
  beam.add_to(system);
  if (g != 0.0) beam.add_gravity(system, g);
  return {std::move(beam), std::move(system)};
}
State placed(const Made& m, const Curve& curve) {
  Vector q = Vector::Zero(m.system.size());
  m.beam.place(curve, q);
  return at_rest(m.system, q);
}

TEST(Beam, DerivativesObeyTheLawsInTheAndOutOfThePlane) {
  for (const int dim : {2, 3}) {
    BeamOptions options{.length = 1.3,
                        .nodes = {0.0, 0.5, 1.3},
                        .density = Profile([](double s) { return 1.0 + s; }),
                        .stiffness = Profile([](double s) { return 0.5 + 0.2 * s; }),
                        .mass_damping = 0.1,
                        .stiffness_damping = 0.05,
                        .start = {.support = Support::pinned}};
    Made m = made(options, dim);
    m.beam.add_follower(m.system, 1, 0.7, dim == 2 ? -0.4 : 0.0);
    m.beam.add_force(m.system, 2, [](double t) { return std::array<double, 3>{t, 1.0, 0.0}; });
    m.beam.add_load(m.system, [](double s, double t) { return std::array<double, 3>{s * t, 1.0, s}; });
    m.beam.add_follower_load(m.system, [](double s, double) { return std::array<double, 3>{0.3 * s, 0.2, 0.0}; });
    const State at = testing::generic_state(m.system);
    testing::expect_dynamics_laws(m.system, at, 1e-6);
    testing::expect_constraint_laws(m.system, at);
    testing::expect_discrete_laws(m.system, at, testing::later_state(m.system, at));
    const System soft = penalized(m.system, 1e-2);
    testing::expect_discrete_laws(soft, at, testing::later_state(soft, at), 1e-5);
  }
}

TEST(Beam, MassAndBendingAreThoseOfCubicHermiteElements) {
  // Exact integrals: T of a rigid motion, V of a parabola.
  const Made m = made({.length = 2.0, .elements = 3, .density = 1.5, .stiffness = 0.8}, 2, 0.0);
  Vector q = Vector::Zero(m.system.size()), v = q;
  m.beam.place([](double s) { return Frame{{s, s * s, 0.0}, {1.0, 2.0 * s, 0.0}}; }, q);
  m.beam.place([](double s) { return Frame{{-s, 1.0, 0.0}, {-1.0, 0.0, 0.0}}; }, v);
  EXPECT_NEAR(m.system.potential_energy({0, q.data(), v.data()}), 0.5 * 0.8 * 4.0 * 2.0, 1e-12);
  EXPECT_NEAR(m.system.kinetic_energy({0, q.data(), v.data()}), 0.5 * 1.5 * (8.0 / 3.0 + 2.0), 1e-12);
  const auto bend = m.beam.at(q.data(), 0.7, 2);
  EXPECT_NEAR(bend[1], 2.0, 1e-12);
}

TEST(Beam, HangingVerticallyItsTensionIsTheWeightBelow) {
  const Made m = made(pipe(12, {}));
  const State start = placed(m, straight({}, {0.0, -1.0, 0.0}));
  const Equilibrium found = equilibrium(m.system, start, {.approach = Approach::direct});
  ASSERT_EQ(found.status, Status::ok) << found.trouble;
  EXPECT_GT(found.lowest_eigenvalue, 0.0);
  for (const auto& [s, tension] : m.beam.tension(m.system, found.state.lambda))
    if (s > 0.0 && s < 32.6) {
      EXPECT_NEAR(tension, 7.67 * 9.81 * (32.6 - s), 0.02 * 2453.0) << s;
    }
}

/// mid y and H were computed in the errata by another program.
TEST(Beam, StaticPipelineConvergesWithOrderFour) {
  std::vector<double> sizes, errors;
  for (const int elements : {20, 30, 40, 60}) {
    const Made m = made(pipe(elements));
    const Equilibrium found = equilibrium(m.system, placed(m, hanging({}, {20.0, 0.0, 0.0}, 32.6, 2)));
    ASSERT_EQ(found.status, Status::ok) << found.trouble;
    EXPECT_GT(found.lowest_eigenvalue, 0.0) << "hanging is stable";
    sizes.push_back(1.0 / elements);
    errors.push_back(std::abs(m.beam.at(found.state.q.data(), 16.3)[1] + 11.6104240647));
    if (elements == 60) {
      EXPECT_LE(errors.back(), 1e-6);
      EXPECT_LE(m.beam.stretch(found.state.q.data()), 1e-12);
      const int last = m.system.constraint_count();
      EXPECT_NEAR(found.state.lambda[last - 4], 408.93485064, 1e-4) << "the support at A is pulled to the right";
      EXPECT_NEAR(found.state.lambda[last - 2], -408.93485064, 1e-4);
    }
  }
  EXPECT_GE(testing::slope(sizes, errors), 3.8);
}

TEST(Beam, WithoutStiffnessItHangsAsACatenary) {
  // y = a cosh((x − 10)/a) − a cosh(10/a) with 2 a sinh(10/a) = L.
  double low = 1.0, high = 20.0;
  for (int k = 0; k < 100; ++k) {
    const double a = 0.5 * (low + high);
    (2.0 * a * std::sinh(10.0 / a) > 32.6 ? low : high) = a;
  }
  const double a = low;
  for (const double stiffness : {1e-6, 0.0}) {
    BeamOptions options = pipe(120);
    options.stiffness = stiffness;
    const Made m = made(options);
    const Equilibrium found = equilibrium(m.system, placed(m, hanging({}, {20.0, 0.0, 0.0}, 32.6, 2)));
    ASSERT_EQ(found.status, Status::ok) << found.trouble;
    for (double s = 0.0; s <= 32.6; s += 1.63) {
      const double x = 10.0 + a * std::asinh((s - 16.3) / a);
      const auto at = m.beam.at(found.state.q.data(), s);
      EXPECT_NEAR(at[0], x, 1e-6) << stiffness;
      EXPECT_NEAR(at[1], a * std::cosh((x - 10.0) / a) - a * std::cosh(10.0 / a), 1e-6) << stiffness;
    }
    EXPECT_NEAR(found.state.lambda[m.system.constraint_count() - 4], 7.67 * 9.81 * a, 1e-3) << "horizontal force";
  }
}

/// Pinned ends without load: chord/L = 2E/K − 1, sag/L = k/K, force 4K²EI/L², in complete elliptic integrals of modulus k.
TEST(Beam, WithoutLoadItIsEulersElastica) {
  const double k = 0.6, K = std::comp_ellint_1(k), E = std::comp_ellint_2(k), length = 2.0, stiffness = 3.0;
  const double chord = length * (2.0 * E / K - 1.0);
  const BeamOptions options{.length = length,
                            .elements = 40,
                            .stiffness = stiffness,
                            .start = {.support = Support::pinned},
                            .end = {.support = Support::pinned, .place = {chord, 0.0, 0.0}}};
  const Made m = made(options, 2, 0.0);
  const Equilibrium found = equilibrium(m.system, placed(m, hanging({}, {chord, 0.0, 0.0}, length, 2)));
  ASSERT_EQ(found.status, Status::ok) << found.trouble;
  EXPECT_NEAR(m.beam.at(found.state.q.data(), 0.5 * length)[1], -length * k / K, 2e-6);
  EXPECT_NEAR(found.state.lambda[m.system.constraint_count() - 2], 4.0 * K * K * stiffness / (length * length), 2e-4)
      << "the support pushes";
  EXPECT_GT(found.lowest_eigenvalue, 0.0);
}

TEST(Beam, HasMoreThanOneEquilibriumWithoutLoadAndTellsWhichAreStable) {
  const BeamOptions options{.length = 2.0,
                            .elements = 24,
                            .start = {.support = Support::pinned},
                            .end = {.support = Support::pinned, .place = {1.4, 0.0, 0.0}}};
  const Made m = made(options, 2, 0.0);
  const auto wave = [&](int half_waves, double height) {
    return placed(m, [=](double s) {
      const double a = half_waves * std::numbers::pi * s / 2.0;
      const double slope = height * half_waves * std::numbers::pi / 2.0 * std::cos(a), size = std::hypot(0.7, slope);
      return Frame{{0.7 * s, height * std::sin(a), 0.0}, {0.7 / size, slope / size, 0.0}};
    });
  };
  const EquilibriumOptions direct{.approach = Approach::direct};
  const Equilibrium up = equilibrium(m.system, wave(1, 0.6), direct), down = equilibrium(m.system, wave(1, -0.6), direct);
  const Equilibrium second = equilibrium(m.system, wave(2, 0.35), direct);
  for (const Equilibrium* one : {&up, &down, &second}) ASSERT_EQ(one->status, Status::ok) << one->trouble;
  EXPECT_GT(up.lowest_eigenvalue, 0.0);
  EXPECT_NEAR(m.beam.at(up.state.q.data(), 1.0)[1], -m.beam.at(down.state.q.data(), 1.0)[1], 1e-9);
  EXPECT_NEAR(m.beam.at(second.state.q.data(), 1.0)[1], 0.0, 1e-9) << "an S, with its middle on the chord";
  EXPECT_LT(second.lowest_eigenvalue, 0.0);
}

/// Linear theory: a clamped beam deflects by F L³/(3 EI) at its end.
TEST(Beam, CantileverDeflectsAsLinearTheorySaysUnderSmallLoads) {
  for (const int dim : {2, 3}) {
    Made m = made({.length = 1.5, .elements = 4, .stiffness = 2.0, .start = {.support = Support::clamped}}, dim, 0.0);
    m.beam.add_force(m.system, 4, std::array<double, 3>{0.0, 1e-4, dim == 3 ? 2e-4 : 0.0});
    const Equilibrium found =
        equilibrium(m.system, placed(m, straight({}, {1.0, 0.0, 0.0})), {.approach = Approach::direct});
    ASSERT_EQ(found.status, Status::ok) << found.trouble;
    const auto tip = m.beam.at(found.state.q.data(), 1.5);
    const double unit = 1e-4 * 1.5 * 1.5 * 1.5 / 6.0;
    EXPECT_NEAR(tip[1] / unit, 1.0, 1e-6);
    if (dim == 3) {
      EXPECT_NEAR(tip[2] / unit, 2.0, 1e-6);
    }
  }
}

/// A circle: a moment cannot be applied, but a clamped beam bent to a prescribed tangent at both ends is an arc.
TEST(Beam, ClampedToAQuarterTurnItIsAnArcOfACircle) {
  const double length = 0.5 * std::numbers::pi;
  const Made m = made({.length = length,
                       .elements = 16,
                       .start = {.support = Support::clamped, .place = {1.0, 0.0, 0.0}, .direction = {0.0, 1.0, 0.0}},
                       .end = {.support = Support::clamped, .place = {0.0, 1.0, 0.0}, .direction = {-1.0, 0.0, 0.0}}},
                      2, 0.0);
  const auto arc = [](double s) { return Frame{{std::cos(s), std::sin(s), 0.0}, {-std::sin(s), std::cos(s), 0.0}}; };
  const Equilibrium found = equilibrium(m.system, placed(m, arc), {.approach = Approach::direct});
  ASSERT_EQ(found.status, Status::ok) << found.trouble;
  for (double s = 0.0; s < length; s += 0.1) EXPECT_NEAR(m.beam.curvature(found.state.q.data(), s), 1.0, 1e-2);
  EXPECT_NEAR(m.beam.at(found.state.q.data(), 0.5 * length)[0], std::sqrt(0.5), 1e-6);
}

TEST(Beam, JoinedBeamsMoveAsOne) {
  // Two halves that share place and tangent of the middle node are one beam.
  const Made whole = made({.length = 2.0, .elements = 8, .stiffness = 0.5, .start = {.support = Support::pinned}});
  const Beam left({.name = "left", .length = 1.0, .elements = 4, .stiffness = 0.5, .start = {.support = Support::pinned}},
                  2);
  const Beam right({.name = "right",
                    .length = 1.0,
                    .elements = 4,
                    .stiffness = 0.5,
                    .start = {.point = left.position(4), .tangent = left.tangent(4)}},
                   2, left.points());
  System joined(Points{.count = 0, .dim = 2}, left.coordinates() + right.coordinates());
  for (const Beam* half : {&left, &right}) {
    half->add_to(joined);
    half->add_gravity(joined, 9.81);
  }
  Vector q = Vector::Zero(joined.size());
  left.place(straight({}, {1.0, 0.0, 0.0}), q);
  right.place(straight({1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}), q);
  const auto run = [](const System& system, const State& start) {
    return simulate(system, start, Newmark{}, Multipliers{}, {.step = 0.01, .end = 0.5}).last;
  };
  const State one = run(whole.system, placed(whole, straight({}, {1.0, 0.0, 0.0}))), two = run(joined, at_rest(joined, q));
  const auto a = whole.beam.at(one.q.data(), 2.0), b = right.at(two.q.data(), 1.0);
  EXPECT_LT(a[1], -0.5) << "it has fallen";
  EXPECT_NEAR(a[0], b[0], 1e-4) << "the middle node has half the weight of a rule twice as long";
  EXPECT_NEAR(a[1], b[1], 1e-4);
}

TEST(Beam, CarriesAMassAndARodOfTheSameModel) {
  // A mass at the end of a hanging beam, and a rod with a second mass below it: all of it along the vertical.
  const int mass = 0, bob = 1;
  const Beam beam(
      {.length = 1.0, .elements = 3, .density = 0.5, .start = {.support = Support::pinned}, .end = {.point = mass}}, 2, 2);
  System system(Points{.count = 2, .dim = 2, .masses = {2.0, 3.0}}, beam.coordinates());
  beam.add_to(system);
  beam.add_gravity(system, 10.0);
  system.add(Gravity{.g = 10.0}).add(Distance{.from = mass, .to = bob, .length = 0.5});
  Vector q = Vector::Zero(system.size());
  beam.place(straight({}, {0.0, -1.0, 0.0}), q);
  q[2 * bob + 1] = -1.5;
  const Equilibrium found = equilibrium(system, at_rest(system, q));
  ASSERT_EQ(found.status, Status::ok) << found.trouble;
  const auto tension = beam.tension(system, found.state.lambda);
  EXPECT_NEAR(tension[tension.size() / 2].second, 50.0 + 10.0 * 0.5 * (1.0 - tension[tension.size() / 2].first), 0.2);
  const auto path = simulate(system, at_rest(system, q), EnergyMomentum{}, Multipliers{}, {.step = 0.01, .end = 0.2});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE((path.last.q - q).norm(), 1e-9) << "it hangs still";
}

TEST(Beam, ACornerKeepsItsAngle) {
  const Beam post(
      {.name = "post", .length = 1.0, .elements = 3, .start = {.support = Support::clamped, .direction = {0.0, 1.0, 0.0}}},
      2);
  const Beam arm({.name = "arm", .length = 0.7, .elements = 3, .start = {.point = post.position(3)}}, 2, post.points());
  System system(Points{.count = 0, .dim = 2}, post.coordinates() + arm.coordinates());
  for (const Beam* one : {&post, &arm}) {
    one->add_to(system);
    one->add_gravity(system, 1.0);
  }
  add_corner(system, post.tangent(3), arm.tangent(0), -0.5 * std::numbers::pi);
  Vector q = Vector::Zero(system.size());
  post.place(straight({}, {0.0, 1.0, 0.0}), q);
  arm.place(straight({0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}), q);
  const auto path = simulate(system, at_rest(system, q), Newmark{}, Multipliers{}, {.step = 0.01, .end = 0.5});
  ASSERT_TRUE(path.finished()) << path.message;
  const auto a = post.at(path.last.q.data(), 1.0, 1), b = arm.at(path.last.q.data(), 0.0, 1);
  EXPECT_GT(std::abs(a[0]), 1e-3) << "the post bends";
  EXPECT_NEAR(a[0] * b[0] + a[1] * b[1], 0.0, 1e-12);
}

TEST(Beam, FreeInSpaceItKeepsItsMomenta) {
  for (const int dim : {2, 3}) {
    const Made m = made({.length = 1.0, .elements = 5, .stiffness = 0.3}, dim, 0.0);
    State start = placed(m, straight({0.3, 0.2, 0.1}, {1.0, 0.5, dim == 3 ? 0.4 : 0.0}));
    for (Eigen::Index i = 0; i < start.v.size(); ++i) start.v[i] = 0.5 * std::cos(1.0 + 2.0 * double(i));
    start = consistent_start(m.system, start).state;
    const auto path = simulate(m.system, start, EnergyMomentum{}, Multipliers{}, {.step = 0.01, .end = 1.0});
    ASSERT_TRUE(path.finished()) << path.message;
    const Certificate c = certificate(m.system, path);
    EXPECT_EQ(c.momenta.size(), dim == 2 ? 3U : 6U);
    EXPECT_TRUE(c.conservative);
    EXPECT_LE(c.energy.deviation, 1e-12);
    for (const Conserved& momentum : c.momenta) EXPECT_LE(momentum.deviation, 1e-12) << momentum.name;
  }
}

TEST(Beam, FallsWhenItsSupportIsReleasedWithEveryKindOfScheme) {
  // Held at both ends until t = 0.1: the same as a run of two parts, with other systems.
  const auto options = [](bool held) {
    return BeamOptions{.name = "rope",
                       .length = 1.2,
                       .elements = 4,
                       .stiffness = 0.1,
                       .start = {.support = Support::pinned},
                       .end = held ? BeamEnd{.support = Support::pinned, .place = {1.0, 0.0, 0.0}} : BeamEnd{}};
  };
  const Made both = made(options(true)), one = made(options(false));
  const State rest = equilibrium(both.system, placed(both, hanging({}, {1.0, 0.0, 0.0}, 1.2, 2))).state;
  const auto loose =
      std::make_shared<const System>(released(both.system, [](const std::string& n) { return n == "rope end"; }));
  for (const Integrator& integrator :
       {Integrator(Newmark{}), Integrator(Gcn{}), Integrator(EnergyMomentum{}), Integrator(Rattle{}),
        Integrator(RungeKutta{kutta4()}), Integrator(GeneralizedAlpha{}), Integrator(Spark{2})}) {
    long seen = 0;
    const SimulateOptions changing =
        change_at(0.1, loose, {.step = 1e-3, .end = 0.2, .observers = {[&](const Progress& p) { seen = p.step; }}});
    const auto path = simulate(both.system, rest, integrator, Multipliers{}, changing);
    ASSERT_TRUE(path.finished()) << integrator.traits().name << ": " << path.message;
    EXPECT_EQ(path.counts.steps, 200);
    EXPECT_EQ(seen, 200);
    EXPECT_EQ(path.size(), 201);
    const auto alone =
        simulate(one.system, at_rest(one.system, rest.q), integrator, Multipliers{}, {.step = 1e-3, .end = 0.1});
    EXPECT_LE((path.last.q - alone.last.q).norm(), 1e-5) << integrator.traits().name;
    EXPECT_LT(one.beam.at(path.last.q.data(), 1.2)[1], -0.02) << "it falls";
    EXPECT_EQ(path.last.lambda[path.last.lambda.size() - 1], 0.0);
  }

  // Also while it moves, and with schemes that do not hold velocities.
  State moving = placed(both, hanging({}, {1.0, 0.0, 0.0}, 1.2, 2));
  moving = consistent_start(both.system, moving).state;
  const auto path =
      simulate(both.system, moving, Newmark{}, Multipliers{}, change_at(0.1, loose, {.step = 5e-3, .end = 0.2}));
  EXPECT_TRUE(path.finished()) << path.message;
}

TEST(Beam, ASlackCableFallsFreelyUntilItIsTaut) {
  // Bunched to 60 % of its length and let go. Exactly it never stretches, and impacts only take energy; by penalty it keeps its energy.
  Made m = made({.name = "rope",
                 .length = 1.0,
                 .elements = 8,
                 .stiffness = 0.0,
                 .slack = true,
                 .start = {.support = Support::pinned}});
  const State start = placed(m, [](double s) { return Frame{{0.6 * s, 0.0, 0.0}, {0.6, 0.0, 0.0}}; });
  const auto longest = [&](const Trajectory& path) {
    double worst = 0.0;
    for (int k = 0; k < path.size(); ++k)
      for (double s = 0.0; s <= 1.0; s += 0.0625) {
        const auto slope = m.beam.at(path.q(k).data(), s, 1);
        worst = std::max(worst, std::hypot(slope[0], slope[1]) - 1.0);
      }
    return worst;
  };
  const auto exact = simulate(m.system, start, MoreauJean{0.0}, Multipliers{}, {.step = 2e-3, .end = 1.0});
  ASSERT_TRUE(exact.finished()) << exact.message;
  EXPECT_LE(longest(exact), 1e-12);
  EXPECT_LT(m.system.energy(instant(exact.last)), -0.5) << "it was jerked";
  // While nothing is taut it falls as free bodies do.
  const auto early = simulate(m.system, start, MoreauJean{0.0}, Multipliers{}, {.step = 1e-3, .end = 0.05});
  EXPECT_NEAR(m.beam.at(early.last.q.data(), 1.0)[1], -0.5 * 9.81 * 0.05 * 0.05, 1e-5);

  const System soft = penalized(m.system, 1e-4, [&](int row) { return m.system.holds_length(row); });
  const auto path = simulate(soft, start, EnergyMomentum{}, Multipliers{}, {.step = 1e-3, .end = 1.0});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE(certificate(soft, path).energy.deviation, 1e-9);
  EXPECT_LE(longest(path), 0.1);
  EXPECT_GE(longest(path), 1e-4) << "a penalty gives way";
}

TEST(Beam, SaysWhatIsImpossibleAndTakesWhatIsExtreme) {
  const auto between = [](double distance, double stiffness = 700.0) {
    BeamOptions options = pipe(10, {.support = Support::pinned, .place = {distance, 0.0, 0.0}});
    options.stiffness = stiffness;
    return options;
  };
  EXPECT_NE(testing::error_of([&] { Beam(between(33.0), 2); }).find("held 33 m apart, but it is only 32.6 m long"),
            std::string::npos);
  EXPECT_NE(testing::error_of([&] { hanging({}, {3.0, 0.0, 0.0}, 2.0, 2); }).find("3 m apart"), std::string::npos);
  EXPECT_NE(testing::error_of([&] { Beam({.length = -1.0}, 2); }).find("must be positive"), std::string::npos);
  EXPECT_NE(testing::error_of([&] { Beam({.nodes = {0.0, 0.5, 0.4, 1.0}}, 2); }).find("ascend"), std::string::npos);

  // Ends that coincide: a loop.
  const Made loop = made(between(0.0));
  const Equilibrium closed = equilibrium(loop.system, placed(loop, hanging({}, {}, 32.6, 2)));
  ASSERT_EQ(closed.status, Status::ok) << closed.trouble;
  EXPECT_LT(loop.beam.at(closed.state.q.data(), 16.3)[1], -10.0);
  EXPECT_LE(loop.beam.stretch(closed.state.q.data()), 1e-10);

  // One element.
  BeamOptions short_one = pipe(1);
  const Made single = made(short_one);
  EXPECT_EQ(equilibrium(single.system, placed(single, hanging({}, {20.0, 0.0, 0.0}, 32.6, 2))).status, Status::ok);

  // Exactly as far apart as it is long, without load: straight, and the rows of the lengths and of the ends depend on each other.
  BeamOptions tight = between(32.6);
  const Made taut_one = made(tight, 2, 0.0);
  const Equilibrium stretched = equilibrium(taut_one.system, placed(taut_one, straight({}, {1.0, 0.0, 0.0})));
  ASSERT_EQ(stretched.status, Status::ok) << stretched.trouble;
  EXPECT_NEAR(taut_one.beam.at(stretched.state.q.data(), 16.3)[1], 0.0, 1e-9);
}

TEST(Beam, SnapsThroughWhenTheLoadIsReversed) {
  // A shallow arch, pushed down in the middle by a growing force, jumps to its mirror image, and the path says where.
  const double length = 1.0, chord = 0.98;
  const auto with = [&](double force) {
    Made m = made({.name = "arch",
                   .length = length,
                   .elements = 12,
                   .start = {.support = Support::pinned},
                   .end = {.support = Support::pinned, .place = {chord, 0.0, 0.0}}},
                  2, 0.0);
    m.beam.add_force(m.system, 6, std::array<double, 3>{0.0, -force, 0.0});
    return m;
  };
  const Made rest = with(0.0);
  Vector q = placed(rest, hanging({}, {chord, 0.0, 0.0}, length, 2)).q;
  for (int k = 1; k < q.size(); k += 2) q[k] = -q[k];  // upside down: an arch
  const EquilibriumPath path =
      follow([&](double force) { return with(force).system; }, at_rest(rest.system, q), 0.0, 40.0, 40);
  ASSERT_TRUE(path.finished) << path.trouble;
  ASSERT_EQ(path.jumps.size(), 1U);
  EXPECT_GT(rest.beam.at(path.points.front().state.q.data(), 0.5)[1], 0.05);
  EXPECT_LT(rest.beam.at(path.points.back().state.q.data(), 0.5)[1], -0.05);
  EXPECT_GT(path.points.back().lowest_eigenvalue, 0.0);
}

}  // namespace
}  // namespace taut
