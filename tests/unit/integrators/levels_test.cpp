#include "error_of.hpp"
#include "sanitized.hpp"

/// What GCN, Houbolt, Newmark and the three-level form promise besides the verification tables.
namespace taut {
namespace {

using testing::error_of;

/// q̈ + 2ζω q̇ + ω² q = cos 3t: linear, damped, driven.
struct Oscillator {
  static constexpr int width = 1;
  double omega = 2.0, zeta = 0.0, drive = 0.0;
  std::array<int, 1> stencil() const { return {0}; }
  std::array<double, 1> mass() const { return {1.0}; }
  template <class T> Local<T, 1> force(const T& t, const Local<T, 1>& q, const Local<T, 1>& v) const {
    using std::cos;
    return {-omega * omega * q[0] - 2.0 * zeta * omega * v[0] + drive * cos(3.0 * t)};
  }
};

TEST(Gcn, IsTheSchemeOfThePaperForALinearSystemWithDampingAndLoad) {
  // Solved by hand: (16) with the load f̃ = α f₊ + (1 − 2α) f + α f₋ is one scalar equation per step.
  const Oscillator one{.omega = 2.0, .zeta = 0.1, .drive = 1.5};
  System system(1);
  system.add(one);
  const double h = 0.05;
  for (const double alpha : {0.0, 0.1, 0.25, 0.5}) {
    const auto path = simulate(system, state_at(system, 0, Vector{{1.0}}, Vector{{0.3}}), Gcn{.alpha = alpha}, Multipliers{},
                               {.step = h, .end = 20 * h});
    ASSERT_TRUE(path.finished()) << path.message;
    const double k = one.omega * one.omega, c = 2.0 * one.zeta * one.omega;
    const auto load = [&](int n) {
      const auto f = [&](double t) { return one.drive * std::cos(3.0 * t); };
      return alpha * f((n + 1) * h) + (1 - 2 * alpha) * f(n * h) + alpha * f((n - 1) * h);
    };
    // First step: x₋ = x₊ − 2 h v₀.
    const double v0 = 0.3, x0 = 1.0;
    std::vector<double> x{x0};
    x.push_back((load(0) + 2 * (x0 + h * v0) / (h * h) - k * ((1 - 2 * alpha) * x0 - 2 * alpha * h * v0) - c * v0) /
                (2 / (h * h) + 2 * alpha * k));
    for (int n = 1; n < 20; ++n)
      x.push_back((load(n) - (x[n - 1] - 2 * x[n]) / (h * h) - k * ((1 - 2 * alpha) * x[n] + alpha * x[n - 1]) +
                   c * x[n - 1] / (2 * h)) /
                  (1 / (h * h) + alpha * k + c / (2 * h)));
    for (int n = 0; n <= 20; ++n) EXPECT_NEAR(path.q(n)[0], x[n], 1e-12) << alpha << " " << n;
  }
}

TEST(Newmark, IsTheTrapezoidalRuleForALinearSystemAndTheClassicalOneForOtherParameters) {
  const Oscillator one{.omega = 2.0, .drive = 1.0};
  System system(1);
  system.add(one);
  const double h = 0.05, k = one.omega * one.omega;
  for (const auto& [beta, gamma] :
       {std::pair(0.25, 0.5), std::pair(1.0 / 6, 0.5), std::pair(0.0, 0.5), std::pair(0.3025, 0.6)}) {
    const auto path = simulate(system, state_at(system, 0, Vector{{1.0}}, Vector{{0.3}}),
                               Newmark{.beta = beta, .gamma = gamma}, Multipliers{}, {.step = h, .end = 20 * h});
    double x = 1.0, v = 0.3, a = std::cos(0.0) - k * x;
    for (int n = 1; n <= 20; ++n) {
      const double x_free = x + h * v + h * h * (0.5 - beta) * a, v_free = v + h * (1 - gamma) * a;
      a = (std::cos(3.0 * n * h) - k * x_free) / (1 + beta * h * h * k);
      x = x_free + beta * h * h * a;
      v = v_free + gamma * h * a;
      EXPECT_NEAR(path.q(n)[0], x, 1e-12) << beta << " " << gamma;
      EXPECT_NEAR(path.v(n)[0], v, 1e-11) << beta << " " << gamma;
    }
  }
}

/// Energy at half steps, ½|(q₊ − q)/h|²_M + V((q₊ + q)/2): constant for centred reactions, linear or discrete-gradient forces.
std::vector<double> half_step_energies(const System& system, const Trajectory& path) {
  std::vector<double> out;
  for (int k = 1; k < path.size(); ++k) {
    const double h = path.t(k) - path.t(k - 1);
    const Vector w = (path.q(k) - path.q(k - 1)) / h, middle = 0.5 * (path.q(k) + path.q(k - 1));
    out.push_back(system.energy({0.0, middle.data(), w.data()}));
  }
  return out;
}

double spread(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

TEST(Gcn, KeepsEnergyUnderQuadraticConstraintsWithTheCentredReactionOnly) {
  const Model model = double_spherical_pendulum();
  const auto energies = [&](Reaction reaction) {
    const auto path =
        simulate(model.system, model.start, Gcn{.reaction = reaction}, Multipliers{}, {.step = 0.01, .end = 20.0});
    return half_step_energies(model.system, path);
  };
  EXPECT_LE(spread(energies(Reaction::centred)), 1e-10);
  EXPECT_GE(spread(energies(Reaction::middle)), 1e-4);
  const auto lost = energies(Reaction::new_point);
  EXPECT_LE(lost.back(), lost.front() - 1.0) << "the papers' placement loses energy";
}

TEST(Gcn, LosesEnergyExactlyAsTheIdentityOfTheNewReactionSays) {
  // With the reaction at q₊ a step loses λ G(q₊)·(q₊ − q₋)/2; for g = (|x|² − 1)/2 and |q₊| = |q₋| that is λ|q₊ − q₋|²/4.
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0});
  const auto path = simulate(system, at_rest(system, Vector{{1.0, 0.0}}), Gcn{.reaction = Reaction::new_point},
                             Multipliers{}, {.step = 0.01, .end = 2.0});
  const std::vector<double> energy = half_step_energies(system, path);
  for (int k = 1; k + 1 < path.size(); ++k) {
    const double lost = energy[k - 1] - energy[k];
    const double told = 0.25 * path.lambda(k + 1)[0] * (path.q(k + 1) - path.q(k - 1)).squaredNorm();
    EXPECT_NEAR(lost, told, 1e-12);
  }
}

TEST(Newmark, KeepsEnergyUnderQuadraticConstraintsWithTheCentredReactionOnly) {
  const Model model = double_spherical_pendulum();
  const auto run = [&](Reaction reaction) {
    return certificate(model.system, simulate(model.system, model.start, Newmark{.reaction = reaction}, Multipliers{},
                                              {.step = 0.01, .end = 20.0}));
  };
  EXPECT_LE(run(Reaction::centred).energy.deviation, 1e-10);
  EXPECT_GE(run(Reaction::new_point).energy.deviation, 1.0);
}

/// V = Σ cosh qᵢ + q₀²q₁²/2: neither quadratic nor a sum over coordinates.
struct Well {
  static constexpr int width = 2;
  std::array<int, 2> stencil() const { return {0, 1}; }
  std::array<double, 2> mass() const { return {1.0, 2.0}; }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    using std::exp;
    return 0.5 * (exp(q[0]) + exp(-q[0]) + exp(q[1]) + exp(-q[1])) + 0.5 * (q[0] * q[0]) * (q[1] * q[1]);
  }
};

TEST(ThreeLevel, KeepsItsDiscreteEnergyForAnyPotentialAnyConstraintAndPenalties) {
  System well(2);
  well.add(Well{});
  const Model hung = double_spherical_pendulum();
  const System soft = penalized(hung.system, 1e-4);
  struct Case {
    const System& system;
    State start;
    double h;
  };
  for (const Case& one :
       {Case{well, state_at(well, 0, Vector{{1.0, 0.4}}, Vector{{0.0, 1.0}}), 0.05},
        Case{well, at_rest(well, Vector{{1.0, 0.4}}), 0.05},  // the first step from rest is the paper's 0/0
        Case{hung.system, hung.start, 0.01}, Case{soft, hung.start, 0.002}}) {
    const auto path = simulate(one.system, one.start, ThreeLevel{}, Multipliers{},
                               {.step = one.h, .end = (sanitized ? 1000 : 10000) * one.h});
    ASSERT_TRUE(path.finished()) << path.message;
    const std::vector<double> energy = half_step_energies(one.system, path);
    EXPECT_LE(spread(energy), 1e-11 * (1.0 + std::abs(energy.front())) + 1e-10);
  }
}

TEST(EnergyMomentum, ProjectsTheVelocityWhenAskedAndReportsWhatItCost) {
  const Model model = double_spherical_pendulum();
  const SimulateOptions options{.step = 0.01, .end = 5.0};
  const auto plain = simulate(model.system, model.start, EnergyMomentum{}, Multipliers{}, options);
  const auto projected =
      simulate(model.system, model.start, EnergyMomentum{.project_velocity = true}, Multipliers{}, options);
  EXPECT_GE(certificate(model.system, plain).velocity_residual, 1e-3);
  EXPECT_EQ(plain.counts.projection_energy, 0.0);
  const Certificate c = certificate(model.system, projected);
  EXPECT_LE(c.velocity_residual, 1e-12);
  EXPECT_LT(projected.counts.projection_energy, 0.0) << "a projection in the metric of the mass can only take";
  const double change = model.system.energy(instant(projected.last)) - model.system.energy(instant(model.start));
  EXPECT_NEAR(change, projected.counts.projection_energy, 1e-10) << "and it is the whole change of energy";
}

TEST(Levels, BadParametersAreRefusedWithTheirRange) {
  const Model model = double_spherical_pendulum();
  const auto told = [&](const Integrator& integrator) {
    return error_of([&] { integrator.bind(model.system, Multipliers{}); });
  };
  EXPECT_EQ(told(Gcn{.alpha = 0.7}), "Gcn: alpha must lie in [0, 1/2], got 0.7.");
  EXPECT_EQ(told(Newmark{.beta = -1.0}), "Newmark: beta must lie in [0, 1], got -1.");
  EXPECT_EQ(told(Newmark{.gamma = 0.3}), "Newmark: gamma must lie in [1/2, 1], got 0.3; below 1/2 the scheme is unstable.");
  EXPECT_EQ(told(Newmark{.reaction = Reaction::middle}),
            "Newmark: the reaction is `new_point` or `centred`; a step has no middle level.");
}

/// A kinetic energy with a part linear in v, seen from a frame that moves: T = ½(v + 2t)², so that p(0) is not zero.
struct Drifting {
  static constexpr int width = 1;
  std::array<int, 1> stencil() const { return {0}; }
  template <class T> T kinetic(const T& t, const Local<T, 1>&, const Local<T, 1>& v) const {
    const T u = v[0] + 2.0 * t;
    return 0.5 * (u * u);
  }
};

TEST(Levels, AccelerationsAreRightWhereMomentumIsNotZeroAtRest) {
  System system(1);
  system.add(Drifting{});  // d/dt (v + 2t) = 0
  for (const Integrator& integrator : {Integrator(Gcn{}), Integrator(Houbolt{}), Integrator(Newmark{}),
                                       Integrator(GeneralizedAlpha{}), Integrator(RungeKutta{}), Integrator(Midpoint{})}) {
    const auto path =
        simulate(system, at_rest(system, Vector{{0.0}}), integrator, Multipliers{}, {.step = 0.01, .end = 1.0});
    EXPECT_NEAR(path.last.q[0], -1.0, 1e-3) << integrator.traits().name;
    EXPECT_NEAR(path.last.v[0], -2.0, 1e-3) << integrator.traits().name;
  }
}

/// Applied forces of a bent beam are huge at its clamps, which bear them: no guess can be made from these alone.
TEST(Levels, NewmarkTakesItsFirstStepOnABeamBentBetweenClamps) {
  const double quarter = std::acos(0.0);
  const Beam beam({.length = quarter,
                   .elements = 60,
                   .start = {.support = BeamEnd::Support::clamped, .place = {1.0, 0.0, 0.0}, .direction = {0.0, 1.0, 0.0}},
                   .end = {.support = BeamEnd::Support::clamped, .place = {0.0, 1.0, 0.0}, .direction = {-1.0, 0.0, 0.0}}},
                  2);
  System system(Points{.count = 0, .dim = 2}, beam.coordinates());
  beam.add_to(system);
  Vector q = Vector::Zero(system.size());
  beam.place([](double s) { return Frame{{std::cos(s), std::sin(s), 0.0}, {-std::sin(s), std::cos(s), 0.0}}; }, q);
  const Equilibrium rest = equilibrium(system, at_rest(system, q), {.approach = EquilibriumOptions::Approach::direct});
  ASSERT_EQ(rest.status, Status::ok) << rest.trouble;
  const auto path = simulate(system, at_rest(system, rest.state.q), Newmark{}, Multipliers{}, {.step = 0.1, .end = 0.5});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_EQ(path.counts.retried, 0);
  EXPECT_LE((path.last.q - rest.state.q).lpNorm<Eigen::Infinity>(), 1e-9) << "it stays at rest";
}

}  // namespace
}  // namespace taut
