#include <taut/yaml/read_model.hpp>

#include "double_pendulum.hpp"
#include "laws.hpp"

/// What schemes promise to keep, over long runs: bound and drift.
namespace taut {
namespace {

using testing::double_pendulum;
using testing::PlaneAngles;

TEST(Invariants, EnergyOfMidpointIsBoundedAndDoesNotDriftOverAHundredThousandSteps) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0});
  const State start = at_rest(system, Vector{{std::sin(2.0), -std::cos(2.0)}});
  const double h = 0.02;
  const auto path = simulate(system, start, Midpoint{}, Multipliers{}, {.step = h, .end = 1e5 * h});
  ASSERT_TRUE(path.finished()) << path.message;
  ASSERT_EQ(path.counts.steps, 100000);
  const Certificate c = certificate(system, path);
  EXPECT_LE(c.energy.deviation, 0.1) << "under a percent of the 14 J that go to and fro";
  EXPECT_LE(std::abs(c.energy.drift), 1e-3 * c.energy.deviation);
  EXPECT_LE(c.position_residual, 1e-13);
  EXPECT_LE(c.velocity_residual, 1e-11);

  const auto finer = simulate(system, start, Midpoint{}, Multipliers{}, {.step = h / 2, .end = 1000 * h});
  EXPECT_NEAR(c.energy.deviation / certificate(system, finer).energy.deviation, 4.0, 0.3);
}

TEST(Invariants, EnergyInMinimalCoordinatesIsBoundedAndDoesNotDriftOverAHundredThousandSteps) {
  System links(2);
  links.add(
      CompoundLinks{.a1 = 0.5, .a2 = 0.25, .l1 = 1, .l2 = 0.5, .m1 = 10, .m2 = 5, .I1 = 0.8333, .I2 = 0.1042, .g = 9.82});
  const auto path =
      simulate(links, at_rest(links, Vector{{0.6, 0.9}}), Midpoint{}, Multipliers{}, {.step = 0.01, .end = 1000.0});
  ASSERT_TRUE(path.finished()) << path.message;
  const Certificate c = certificate(links, path);
  EXPECT_LE(c.energy.deviation, 0.1);
  EXPECT_LE(std::abs(c.energy.drift), 0.02 * c.energy.deviation);
}

TEST(Invariants, MomentumHoldsToRoundOffOverTenThousandStepsWhereItIsPromised) {
  const Model hung = double_spherical_pendulum();
  System sprung(Points{.count = 3, .dim = 3, .masses = {1.0, 2.0, 0.5}});
  sprung.add(Spring{.from = 0, .to = 1, .stiffness = 20.0, .length = 1.0})
      .add(Spring{.from = 1, .to = 2, .stiffness = 50.0, .length = 0.7})
      .add(Distance{.from = 0, .to = 2, .length = std::sqrt(2.0)});
  const State tumbling = consistent_start(sprung, state_at(sprung, 0, Vector{{0, 0, 0, 1, 0, 0.2, 1, 1, 0}},
                                                           Vector{{0.1, 0.5, -0.2, 0.3, -0.3, 0.7, 0, 0, 0.4}}))
                             .state;
  struct Case {
    std::string name;
    System system;
    State start;
    std::size_t momenta;
  };
  const std::vector<Case> cases{{"multipliers", hung.system, hung.start, 1},
                                {"penalty", penalized(hung.system, 1e-3), hung.start, 1},
                                {"springs and a rod", sprung, tumbling, 6}};
  for (const NamedIntegrator& named : integrators()) {
    if (!named.integrator.traits().conserves_momentum) continue;
    for (const Case& one : cases) {
      const auto path =
          simulate(one.system, one.start, named.integrator, Multipliers{}, {.step = 0.01, .end = 100.0, .every = 10});
      ASSERT_TRUE(path.finished()) << path.message;
      const Certificate c = certificate(one.system, path);
      ASSERT_EQ(c.momenta.size(), one.momenta) << one.name;
      for (const Conserved& momentum : c.momenta)
        EXPECT_LE(momentum.deviation, 1e-12 * std::max(6.0, std::abs(momentum.start)))
            << named.name << ", " << one.name << ", " << momentum.name;
    }
  }
}

/// A point in a bowl that is not quadratic, z = x⁴ + y² + 0.3 sin xy, and a mass that depends on the coordinate.
struct OnSurface {
  static constexpr int width = 3, rows = 1;
  std::array<int, 3> stencil() const { return {0, 1, 2}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 3>& q) const {
    using std::sin;
    return {q[2] - q[0] * q[0] * q[0] * q[0] - q[1] * q[1] - 0.3 * sin(q[0] * q[1])};
  }
};
struct Stretchy {
  static constexpr int width = 2;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T kinetic(const T&, const Local<T, 2>& q, const Local<T, 2>& v) const {
    using std::sin;
    return 0.5 * (2.0 + sin(q[1])) * (v[0] * v[0]) + 0.5 * (1.0 + q[0] * q[0]) * (v[1] * v[1]) + 0.3 * (v[0] * v[1]);
  }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    using std::cos;
    return q[0] * q[0] * q[0] * q[0] + cos(q[1]) + q[1] * q[1];
  }
};

/// Energy where it is promised: constraints of any form, masses of any form, penalties, minimal coordinates.
TEST(Invariants, EnergyHoldsToSolverToleranceOverTenThousandStepsWhereItIsPromised) {
  System surface(Points{.count = 1, .dim = 3});
  surface.add(Gravity{}).add(OnSurface{});
  const State on_surface =
      consistent_start(surface, state_at(surface, 0, Vector{{0.2, 0.5, 1.0}}, Vector{{1.0, -0.4, 0.0}})).state;
  System stretchy(2);
  stretchy.add(Stretchy{});
  const State stretched = state_at(stretchy, 0, Vector{{0.7, 0.3}}, Vector{{0.5, 1.0}});
  const Model hung = double_spherical_pendulum();
  const System plane = double_pendulum(2), angles = reduced(plane, PlaneAngles{}, Vector{{0.9, 1.4}});
  System looped = plane;
  looped.add(Spring{.from = 0, .to = 1, .stiffness = 3.0, .length = 0.5})
      .add(Pin{.point = 1, .at = {1.9, 0.0}, .length = 1.0});
  const System loop = reduced(looped, PlaneAngles{}, Vector{{0.6, 1.2}});
  const State loop_start = consistent_start(loop, state_at(loop, 0, Vector{{0.6, 1.2}}, Vector{{0.4, 0.0}})).state;
  struct Case {
    std::string name;
    System system;
    State start;
  };
  const std::vector<Case> cases{
      {"double spherical pendulum", hung.system, hung.start},
      {"penalised", penalized(hung.system, 1e-3), hung.start},
      {"surface", surface, on_surface},
      {"mass that depends on position", stretchy, stretched},
      {"minimal coordinates", angles, state_at(angles, 0, Vector{{0.9, 1.4}}, Vector{{0.3, -0.5}})},
      {"loop closed on minimal coordinates", loop, loop_start}};
  for (const NamedIntegrator& named : integrators()) {
    if (!named.integrator.traits().conserves_energy) continue;
    for (const Case& one : cases) {
      const auto path = simulate(one.system, one.start, named.integrator, Multipliers{}, {.step = 0.01, .end = 100.0});
      ASSERT_TRUE(path.finished()) << one.name << ": " << path.message;
      const Certificate c = certificate(one.system, path);
      EXPECT_LE(c.energy.deviation, 1e-11 * (1.0 + std::abs(c.energy.start))) << named.name << ", " << one.name;
    }
  }
}

TEST(Invariants, LinearAndAngularMomentumOfAFreeRodAreKept) {
  System system(Points{.count = 2, .dim = 3, .masses = {1.0, 3.0}});
  system.add(Distance{.from = 0, .to = 1});
  const State start = state_at(system, 0, Vector{{0, 0, 0, 1, 0, 0}}, Vector{{0.1, 0.5, -0.2, 0.1, -0.3, 0.7}});
  const auto path = simulate(system, start, Midpoint{}, Multipliers{}, {.step = 0.01, .end = 100.0});
  const Certificate c = certificate(system, path);
  ASSERT_EQ(c.momenta.size(), 6u);
  for (const Conserved& momentum : c.momenta) EXPECT_LE(momentum.deviation, 2e-12) << momentum.name;
}

/// ω(a, b) = δq_a·δp_b − δq_b·δp_a of two variations of a start, carried along by differences, does not change.
double largest_change_of_symplectic_form(const Integrator& integrator) {
  const System system = double_pendulum(2);
  const Vector u{{0.9, 1.4}}, w{{0.3, -0.5}};
  const auto carried = [&](const Vector& du, const Vector& dw, int steps) {
    Vector q, v;
    lift(PlaneAngles{}, Vector(u + du), Vector(w + dw), q, v);
    State s = state_at(system, 0, q, v);
    if (steps > 0) s = simulate(system, s, integrator, Multipliers{}, {.step = 0.05, .end = 0.05 * steps, .every = 0}).last;
    Vector z(8);
    z << s.q, system.momentum(instant(s));
    return z;
  };
  const auto variation = [&](int direction, int steps) {
    const double h = 1e-5;
    Vector du = Vector::Zero(2), dw = Vector::Zero(2);
    (direction < 2 ? du[direction] : dw[direction - 2]) = h;
    return Vector((carried(du, dw, steps) - carried(-du, -dw, steps)) / (2 * h));
  };
  double largest = 0.0;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) {
      const auto form = [&](int steps) {
        const Vector x = variation(a, steps), y = variation(b, steps);
        return x.head(4).dot(y.tail(4)) - y.head(4).dot(x.tail(4));
      };
      largest = std::max(largest, std::abs(form(20) - form(0)));
    }
  return largest;
}

TEST(Invariants, EnergyMomentumTurnsAFreeRotorAHundredThousandSteps) {
  const ModelFile rotor = parse_model(R"yaml(
dimension: 3
bodies: {r: {mass: 1, inertia: [1, 2, 3], spin: [0.01, 2, 0.02]}}
)yaml",
                                      "rotor.yaml", {});
  const auto path = simulate(rotor.system, rotor.start.state, EnergyMomentum{}, Multipliers{},
                             {.step = 0.02, .end = 2000.0, .every = 100});
  ASSERT_TRUE(path.finished()) << path.message;
  ASSERT_EQ(path.counts.steps, 100000);
  const Certificate c = certificate(rotor.system, path);
  EXPECT_LE(c.energy.relative(), 1e-12);
  ASSERT_EQ(c.momenta.size(), 6u);
  for (const Conserved& one : c.momenta) EXPECT_LE(one.deviation, 4e-12) << one.name << ", of 4 in all";
  EXPECT_LE(c.position_residual, 1e-14);
}

TEST(Invariants, SymplecticSchemesAreSymplecticOnTheConstraintManifold) {
  for (const NamedIntegrator& named : integrators()) {
    if (!named.integrator.traits().symplectic) continue;
    EXPECT_LE(largest_change_of_symplectic_form(named.integrator), 1e-6) << named.name;
  }
}

TEST(Invariants, SymmetricSchemesReturnAfterStepsForthAndBack) {
  const Model model = double_spherical_pendulum();
  const double h = 0.01;
  for (const NamedIntegrator& named : integrators()) {
    const Traits traits = named.integrator.traits();
    if (!traits.symmetric) continue;
    const auto forth =
        simulate(model.system, model.start, named.integrator, Multipliers{}, {.step = h, .end = h * traits.levels});
    State turned = forth.last;
    SimulateOptions back{.step = h, .end = 0.0, .resume = true};
    if (traits.levels > 1) {  // the newest states in reverse order; the way back leads to the start
      ASSERT_EQ(traits.levels, 2);
      turned = forth.earlier.back();
      back.earlier = {forth.last};
    }
    const auto path = simulate(model.system, turned, named.integrator, Multipliers{}, back);
    EXPECT_LE((path.last.q - model.start.q).norm(), 1e-13) << named.name;
    const double off = (path.last.v - model.start.v).norm();
    EXPECT_TRUE(traits.levels > 1 || off <= 1e-13) << named.name << " " << off;
  }
}

}  // namespace
}  // namespace taut
