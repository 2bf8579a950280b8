#include <Eigen/Geometry>
#include <numbers>
#include <taut/linalg/eigenvalues.hpp>

#include "error_of.hpp"
#include "laws.hpp"
#include "sanitized.hpp"

namespace taut {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Direction = std::array<double, 3>;

struct MadeRod {
  Beam beam;
  System system;
};
MadeRod made_rod(const BeamOptions& options) {
  Beam beam(options, 3);
  System system(Points{.count = 0, .dim = 3}, beam.coordinates());
  beam.add_to(system);
  return {std::move(beam), std::move(system)};
}
/// Along x, d₁ along y.
BeamEnd rod_clamp() { return {.support = BeamEnd::Support::clamped, .direction = {1.0, 0.0, 0.0}, .roll = {0.0, 1.0, 0.0}}; }
Vector straight_rod(const Beam& beam) {
  Vector q = Vector::Zero(beam.coordinates());
  beam.place(straight({}, {1.0, 0.0, 0.0}), q);
  beam.place_frames({0.0, 1.0, 0.0}, 0.0, q);
  return q;
}
RodSection curly(bool soft) {
  RodSection section{.bending = {1.0, 2.5}, .torsion = 0.7, .inertia = {0.01, 0.02}};
  section.curvature = {Profile(0.3), Profile([](double s) { return 0.4 * s; }), Profile([](double s) { return 0.5 - s; })};
  if (soft) section.axial = 100.0, section.shear = {50.0, 60.0};
  return section;
}
/// Bent and twisted, with all velocities different.
State lively(const MadeRod& m) {
  Vector q = Vector::Zero(m.system.size()), v = q;
  m.beam.place(
      [](double s) {
        return Frame{{std::sin(s), 1.0 - std::cos(s), 0.1 * s * s}, {std::cos(s), std::sin(s), 0.2 * s}};
      },
      q);
  m.beam.place_frames({0.0, 0.0, 1.0}, 0.7, q);
  for (int i = 0; i < v.size(); ++i) v[i] = std::sin(1.0 + 2.3 * i);
  return state_at(m.system, 0.0, q, v);
}

TEST(Rod, DerivativesObeyTheLawsAsKirchhoffsAndAsReissners) {
  for (const bool soft : {false, true}) {
    MadeRod m = made_rod({.length = 2.0,
                          .nodes = {0.0, 0.8, 2.0},
                          .mass_damping = 0.1,
                          .stiffness_damping = 0.05,
                          .rod = curly(soft),
                          .start = rod_clamp()});
    m.beam.add_moment(
        m.system, 2,
        [](double t) {
          return Direction{t, 0.3, -0.2};
        },
        false);
    m.beam.add_moment(
        m.system, 1,
        [](double) {
          return Direction{0.1, 0.2, 0.3};
        },
        true);
    m.beam.add_director_force(m.system, 2, {0.4, -0.5, 0.6});
    m.beam.add_follower_load(m.system, [](double s, double t) { return Direction{0.3 * s, 0.2 + t, -0.1}; });
    const State at = lively(m);
    testing::expect_dynamics_laws(m.system, at, 1e-6);
    testing::expect_constraint_laws(m.system, at);
    testing::expect_discrete_laws(m.system, at, testing::later_state(m.system, at));
  }
}

TEST(Rod, LoadAlongItsDirectorsIsThatAlongTheAxesTheyPointAlong) {
  for (const bool soft : {false, true}) {
    const BeamOptions options{.length = 2.0, .elements = 3, .rod = curly(soft)};
    MadeRod still = made_rod(options), follows = made_rod(options);
    // d₁ along y, d₂ along z, d₃ along x.
    still.beam.add_load(still.system, [](double s, double) { return Direction{0.3, 0.1 * s, 0.2}; });
    follows.beam.add_follower_load(follows.system, [](double s, double) { return Direction{0.1 * s, 0.2, 0.3}; });
    const Vector q = straight_rod(still.beam), v = Vector::Zero(q.size());
    EXPECT_LE((still.system.force({0.0, q.data(), v.data()}) - follows.system.force({0.0, q.data(), v.data()})).norm(),
              1e-14);
  }
}

TEST(Rod, RefusesToTurnByMoreThanItsNodesCanTell) {
  RodSection section;
  section.curvature = {Profile(0.0), Profile(0.0), Profile(7.0)};
  EXPECT_NE(testing::error_of([&] { made_rod({.length = 2.0, .elements = 4, .rod = section}); }).find("more elements"),
            std::string::npos);
  const MadeRod m = made_rod({.length = 2.0, .elements = 4, .rod = RodSection{}});
  Vector q = straight_rod(m.beam);
  EXPECT_EQ(testing::error_of([&] { m.beam.place_frames({0.0, 1.0, 0.0}, 12.0, q); }), "no error");
  EXPECT_NE(testing::error_of([&] {
              m.beam.place_frames({0.0, 1.0, 0.0}, 13.0, q);
            }).find("more elements"),
            std::string::npos);
}

TEST(Rod, HasNoForcesInItsNaturalShapeAndFeelsNoRigidMotion) {
  // A helix: uniform curvature and twist of its own.
  RodSection section{.bending = {1.0, 2.0}, .torsion = 0.8};
  section.curvature = {Profile(0.6), Profile(-0.3), Profile(0.5)};
  const MadeRod m = made_rod({.length = 3.0, .elements = 3, .rod = section});
  Vector q = Vector::Zero(m.system.size());
  const Vector3d turn(0.6, -0.3, 0.5), axis = turn.normalized();
  const Matrix3d R0 = Eigen::AngleAxisd(0.9, Vector3d(1.0, 2.0, -1.0).normalized()).toRotationMatrix();
  for (int k = 0; k < m.beam.nodes(); ++k) {
    const double s = m.beam.s(k), a = turn.norm() * s;
    const Matrix3d R = R0 * Eigen::AngleAxisd(a, axis).toRotationMatrix();
    // ∫ exp(a n×) e₃ ds
    const Vector3d e = Vector3d::UnitZ(),
                   x = R0 *
                       (std::sin(a) * e + (1.0 - std::cos(a)) * axis.cross(e) + (a - std::sin(a)) * axis.dot(e) * axis) /
                       turn.norm();
    q.segment<3>(3 * m.beam.position(k)) = x + Vector3d(5.0, -3.0, 2.0);
    for (int i = 0; i < 3; ++i) q.segment<3>(m.beam.frame_at(k)[std::size_t(i)]) = R.col(i);
  }
  const Vector still = Vector::Zero(q.size());
  EXPECT_LE(m.system.force({0.0, q.data(), still.data()}).lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_NEAR(m.system.potential_energy({0.0, q.data(), still.data()}), 0.0, 1e-28);
  const RodStrains e = rod_strains(m.beam.rod_element(1), q.data());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(e.stretch[i], 0.0, 1e-14);
    EXPECT_NEAR(e.curvature[i], turn[int(i)], 1e-14);
  }
}

TEST(Rod, RollsUpIntoAClosedCircleOnFourElements) {
  const BeamOptions options{
      .length = 1.0, .elements = 4, .rod = RodSection{.bending = {2.0, 2.0}, .torsion = 1.5}, .start = rod_clamp()};
  Vector q = straight_rod(Beam(options, 3)), lambda;
  for (int k = 1; k <= 8; ++k) {
    MadeRod m = made_rod(options);
    m.beam.add_moment(
        m.system, 4,
        [k](double) {
          return Direction{0.0, 0.0, k / 8.0 * 4.0 * std::numbers::pi};
        },
        false);
    State start = at_rest(m.system, q);
    if (lambda.size() > 0) start.lambda = lambda;
    const Equilibrium found = equilibrium(m.system, start, {.approach = EquilibriumOptions::Approach::direct});
    ASSERT_EQ(found.status, Status::ok) << found.trouble;
    q = found.state.q;
    lambda = found.state.lambda;
  }
  const Beam beam(options, 3);
  EXPECT_LE(Vector3d(q.segment<3>(3 * beam.position(4))).norm(), 1e-12);
  EXPECT_LE(beam.rod_stretch(q.data()), 1e-12);
}

/// Tips of Kirchhoff's equations as ordinary ones, M′ = F × x′, solved by shooting with SciPy's DOP853 to 1e-12.
TEST(Rod, CantileverInSpaceConvergesWithOrderFourToKirchhoffsSolution) {
  struct Case {
    double second;
    bool curved;
    Vector3d tip;
  };
  for (const Case& one : {Case{1.0, false, {0.7409767728, 0.4732386726, 0.3919027795}},
                          Case{3.0, false, {0.8314777897, 0.1998051116, 0.4754060287}},
                          Case{3.0, true, {0.5073075719, 0.6141807548, 0.3190412862}}}) {
    std::vector<double> sizes, errors;
    if (sanitized && !one.curved) continue;
    for (const int N : sanitized ? std::vector{5, 10} : std::vector{5, 10, 20}) {
      RodSection section{.bending = {1.0, one.second}, .torsion = 0.7};
      if (one.curved) section.curvature = {Profile(0.5), Profile([](double s) { return 1.0 + s; }), Profile(0.8)};
      MadeRod m = made_rod({.length = 1.0, .elements = N, .rod = section, .start = rod_clamp()});
      m.beam.add_force(m.system, N, {-1.0, 2.0, 3.0});
      m.beam.add_moment(
          m.system, N,
          [](double) {
            return Direction{1.0, 0.0, 0.0};
          },
          true);
      const Equilibrium found = equilibrium(m.system, at_rest(m.system, straight_rod(m.beam)), {.tolerance = 1e-11});
      ASSERT_EQ(found.status, Status::ok) << found.trouble;
      sizes.push_back(1.0 / N);
      errors.push_back((Vector3d(found.state.q.segment<3>(3 * m.beam.position(N))) - one.tip).norm());
    }
    EXPECT_LE(errors.back(), sanitized ? 16e-6 : 1e-6);
    EXPECT_GE(testing::slope(sizes, errors), 3.8) << one.second << one.curved;
  }
}

TEST(Rod, InFreeFlightKeepsEnergyAndAllMomenta) {
  RodSection shearing = curly(true);
  shearing.axial = 0.0;
  for (const RodSection& section : {curly(false), curly(true), shearing}) {
    const MadeRod m = made_rod({.length = 2.0, .elements = 6, .rod = section});
    State start = lively(m);
    for (int i = 0; i < start.v.size(); ++i) start.v[i] *= 0.5;
    start = consistent_start(m.system, start).state;
    const Trajectory path = simulate(m.system, start, EnergyMomentum{}, Multipliers{}, {.step = 0.01, .end = 1.0});
    ASSERT_TRUE(path.finished()) << path.message;
    const Certificate kept = certificate(m.system, path);
    EXPECT_LE(kept.energy.relative(), 1e-11);
    ASSERT_EQ(kept.momenta.size(), 6U);
    for (const Conserved& one : kept.momenta) EXPECT_LE(one.relative(), 1e-11) << one.name;
    if (section.axial == 0.0) {
      EXPECT_LE(m.beam.rod_stretch(path.last.q.data()), 1e-12);
    }
  }
}

TEST(Rod, WithoutTwistItSwingsAsTheBeamWithoutTorsionToTheOrderOfBoth) {
  // Bent in a plane, without moment and shear at the free end.
  const auto angle = [](double s) { return 0.3 * (1.0 - std::pow(1.0 - s, 3)); };
  const auto curve = [&](double s) {
    Frame out{{}, {std::cos(angle(s)), -std::sin(angle(s)), 0.0}};
    const int n = 200;
    for (int k = 0; k < n; ++k) {
      out.x[0] += s / n * std::cos(angle(s * (k + 0.5) / n));
      out.x[1] -= s / n * std::sin(angle(s * (k + 0.5) / n));
    }
    return out;
  };
  const auto swing = [&](bool rod, int N) {
    BeamOptions options{.length = 1.0, .elements = N, .stiffness = 0.5, .start = rod_clamp()};
    options.start.roll = {0.0, 0.0, 1.0};
    if (rod) options.rod = RodSection{.bending = {0.5, 0.5}, .torsion = 0.4, .inertia = {1e-8, 1e-8}};
    const int dim = rod ? 3 : 2;
    const Beam beam(options, dim);
    System system(Points{.count = 0, .dim = dim}, beam.coordinates());
    beam.add_to(system);
    Vector q = Vector::Zero(system.size());
    beam.place(curve, q);
    if (rod) beam.place_frames({0.0, 0.0, 1.0}, 0.0, q);
    const State start = consistent_start(system, at_rest(system, q)).state;
    const Trajectory path = simulate(system, start, Midpoint{}, Multipliers{}, {.step = 0.005, .end = 0.5});
    EXPECT_TRUE(path.finished()) << path.message;
    return beam.at(path.last.q.data(), 1.0)[1];
  };
  std::vector<double> sizes, apart;
  for (const int N : {4, 8, 16}) {
    sizes.push_back(1.0 / N);
    apart.push_back(std::abs(swing(true, N) - swing(false, N)));
  }
  EXPECT_LE(apart.back(), 1e-5);
  EXPECT_GE(testing::slope(sizes, apart), 3.0) << apart[0] << " " << apart[1] << " " << apart[2];
}

TEST(Rod, TellsWhatItNeeds) {
  const auto error = [](BeamOptions options, int dim = 3) {
    return testing::error_of([&] { Beam(std::move(options), dim); });
  };
  EXPECT_NE(error({.rod = RodSection{}}, 2).find("in space"), std::string::npos);
  EXPECT_NE(error({.rod = RodSection{}, .start = {.support = BeamEnd::Support::clamped}}).find("needs a roll"),
            std::string::npos);
  BeamEnd askew = rod_clamp();
  askew.roll = {0.1, 1.0, 0.0};
  EXPECT_NE(error({.rod = RodSection{}, .start = askew}).find("right angles"), std::string::npos);
  EXPECT_NE(error({.rod = RodSection{.torsion = -1.0}}).find("GJ must be positive"), std::string::npos);
  EXPECT_NE(error({.rod = RodSection{.shear = {1.0, 0.0}}}).find("in both directions"), std::string::npos);
  const Beam plain({}, 3);
  System system(Points{.count = 0, .dim = 3}, plain.coordinates());
  EXPECT_NE(testing::error_of([&] {
              plain.add_moment(
                  system, 0, [](double) { return Direction{}; }, false);
            }).find("GJ"),
            std::string::npos);
}

}  // namespace
}  // namespace taut
