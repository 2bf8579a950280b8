#include <algorithm>
#include <taut/model/model_builder.hpp>
#include <taut/step/index_one.hpp>
#include <taut/yaml/read_model.hpp>

#include "error_of.hpp"

namespace taut {
namespace {

using testing::error_of;

TEST(RungeKutta, TableausSatisfyTheOrderConditionsOfQuadrature) {
  // Σ bᵢ cᵢ^(k−1) = 1/k up to the order, rows sum to c, and estimates are zero on what both formulas integrate.
  for (const ExplicitTableau& t : {kutta4(), dormand_prince5(), dormand_prince8()}) {
    for (std::size_t i = 0; i < t.c.size(); ++i) {
      double row = 0.0;
      for (const double a : t.a[i]) row += a;
      EXPECT_NEAR(row, t.c[i], 1e-13) << t.name;
    }
    for (int k = 1; k <= t.order; ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < t.b.size(); ++i) sum += t.b[i] * std::pow(t.c[i], k - 1);
      EXPECT_NEAR(sum, 1.0 / k, 1e-13) << t.name << " " << k;
    }
    if (t.error.empty()) continue;
    ASSERT_EQ(t.error.size(), t.b.size() + 1);
    double sum = 0.0;
    for (const double e : t.error) sum += e;
    EXPECT_NEAR(sum, 0.0, 1e-14) << t.name;
  }
}

/// The Schur complement is another way to the same numbers as the KKT system, which the augmented Lagrangian (11) takes.
TEST(RungeKutta, SchurComplementAndKktSystemAgree) {
  for (const int links : {1, 2, 30}) {
    const Model model = chain({.links = links});
    const auto run = [&](const SolverMethod& method) {
      return simulate(model.system, model.start, RungeKutta{}, method, {.step = 1e-3, .end = 0.1}).last;
    };
    const State fast = run(Multipliers{});
    const State slow =
        run(AugmentedLagrangian{.epsilon = 1e-6, .update = AugmentedLagrangian::Update::second_order, .tolerance = 1e-14});
    EXPECT_LE((fast.q - slow.q).norm(), 1e-10);
    EXPECT_LE((fast.lambda - slow.lambda).norm(), 1e-6 * slow.lambda.norm());
  }
}

/// Off the constraints, elimination finds what the KKT system of the same place gives, and the same nearest state.
void expect_what_the_kkt_system_gives(const Model& model) {
  const System& system = model.system;
  const int n = system.size(), m = system.constraint_count();
  State off = model.start;
  for (int i = 0; i < n; ++i) {
    off.q[i] += 1e-5 * std::cos(1.0 + 2.0 * i);
    off.v[i] += 0.3 * std::sin(2.0 + 3.0 * i);
  }
  Vector a(n), lambda(m), b = Vector::Zero(n), mu = Vector::Zero(m);
  IndexOne equations(system, Multipliers{});
  equations.begin(model.start);
  ASSERT_EQ(equations.accelerate(instant(off), a, lambda).status, Status::ok);

  const auto assembly = std::make_shared<const Assembly>(system, Assembly::Parts{});
  AccelerationProblem problem(assembly);
  problem.at = instant(off);
  StepSolver solver{Multipliers{}};
  ASSERT_EQ(solver.solve(problem, b, mu).status, Status::ok);
  EXPECT_LE((a - b).norm(), 1e-10 * b.norm()) << n;
  EXPECT_LE((lambda - mu).norm(), 1e-10 * mu.norm()) << n;

  const double size = ConfigurationSize{}.of(system, off);
  State fast = off, slow = off;
  ASSERT_EQ(equations.settle(off.t, size, fast.q, fast.v, a, lambda).status, Status::ok);
  Nearest nearest(assembly);
  ASSERT_EQ(nearest.position(off.t, size, slow.q, solver).status, Status::ok);
  ASSERT_EQ(nearest.velocity(off.t, size, slow.q, slow.v, solver).status, Status::ok);
  EXPECT_LE((fast.q - slow.q).norm(), 1e-13 * slow.q.norm()) << n;
  EXPECT_LE((fast.v - slow.v).norm(), 1e-12 * slow.v.norm()) << n;
  problem.at = instant(slow);
  b.setZero(), mu.setZero();
  ASSERT_EQ(solver.solve(problem, b, mu).status, Status::ok);
  EXPECT_LE((a - b).norm(), 1e-9 * b.norm()) << n;
  EXPECT_LE((lambda - mu).norm(), 1e-9 * mu.norm()) << n;
  equations.find_momentum(fast);
  EXPECT_LE((fast.p - system.momentum(instant(fast))).norm(), 1e-14 * fast.p.norm());
}

/// In arrays of fixed size (few rods), in a band (many), in dense ones (masses that turn with the motion).
TEST(IndexOne, EliminationAndKktSystemAgree) {
  std::vector<Model> models;
  for (const int links : {1, 2, 3, 4, 5, 30}) models.push_back(chain({.links = links}));
  models.push_back(double_spherical_pendulum());
  models.push_back(gh95_ellipse());
  models.push_back(seven_body());
  for (const Model& model : models) expect_what_the_kkt_system_gives(model);
}

/// Programs for systems of expressions: closed loops of angles, energies and rows that change with time, inputs and tables, rows on velocities, no rows at all.
TEST(IndexOne, WrittenEliminationAndKktSystemAgree) {
  const std::string pendulum =
                        "coordinates: [a, b]\nkinetic: \"(a'^2 + (0.5 + cos(a - b))*a'*b' + b'^2)/2 + sin(t)*cos(a)*a'\"\n",
                    rest = "initial: {a: 0.4, b: 0.9, \"a'\": 0.3}\nrun: {until: 1}\n",
                    sleigh =
                        "coordinates: [x, y, a]\n"
                        "kinetic: \"(x'^2 + y'^2 + 2*a'^2)/2 + 0.3*a'*(y'*cos(a) - x'*sin(a))\"\n"
                        "constraints: [\"y'*cos(a) - x'*sin(a) = 0.1*sin(t)*cos(x)\"]\n"
                        "initial: {x: 0.2, y: 0.1, a: 0.7, \"a'\": 0.5, \"x'\": 1, solve: [\"y'\"]}\nrun: {until: 1}\n";
  const std::string texts[] = {pendulum + "potential: \"-3*cos(a) - cos(b) + a*t\"\n" + rest,
                               pendulum +
                                   "inputs: {push: 2}\ntables: {hill: {t: [0, 1, 2, 3], values: [0, 1, 0, 2]}}\n"
                                   "forces: {a: \"push*cos(b) - 0.1*a'\"}\npotential: \"hill(a + b)\"\n" +
                                   rest,
                               pendulum + "constraints: [\"sin(a) + sin(b + 0.1*t) = sin(0.4) + sin(0.9)\"]\n" +
                                   "initial: {a: 0.4, b: 0.9, \"a'\": 0.3, solve: [\"b'\"]}\nrun: {until: 1}\n",
                               sleigh};
  std::vector<ModelFile> models{read_model(TAUT_CASES "/andrews.yaml")};
  for (const std::string& text : texts) models.push_back(parse_model(text, "test"));
  for (const ModelFile& model : models) {
    ASSERT_NE(detail::written_elimination(model.system), nullptr);
    expect_what_the_kkt_system_gives({model.system, model.start.state});
  }
}

/// Systems with the same outlines share one program and have numbers of their own.
TEST(IndexOne, WrittenEliminationTakesTheNumbersOfItsSystem) {
  ModelReader reader = model_reader(TAUT_CASES "/andrews.yaml");
  for (const double mass : {0.04325, 0.4, 2.0}) {
    const ModelFile model = reader.read({.parameters = {{"m1", mass}}});
    expect_what_the_kkt_system_gives({model.system, model.start.state});
  }
}

TEST(IndexOne, WrittenEliminationSaysWhereAPivotIsLost) {
  const auto of = [](const std::string& rows) {
    const ModelFile model = parse_model(
        "coordinates: [a, b, c]\nkinetic: \"(a'^2 + a'*b'*cos(c) + b'^2 + c'^2)/2\"\n"
        "constraints: [" +
            rows + "]\ninitial: {a: 0.3, b: 0, c: 0.2}\nrun: {until: 1}\n",
        "test");
    const auto made = detail::written_elimination(model.system);
    return made != nullptr && made->linearize(0.0, model.start.state.q.data());
  };
  EXPECT_TRUE(of("\"sin(a) + b = sin(0.3)\", \"c - b = 0.2\""));
  EXPECT_FALSE(of("\"sin(a) + b = sin(0.3)\", \"2*sin(a) + 2*b = 2*sin(0.3)\""));
  EXPECT_FALSE(of("\"sin(a) + b = sin(0.3)\", \"sin(a) + b + 1e-5*c = sin(0.3) + 2e-6\""));
}

/// A row that is no rod.
struct OnParabola {
  static constexpr int width = 2, rows = 1;
  int point;
  std::array<int, 2> stencil() const { return point_stencil<2>(point); }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const { return {q[1] - q[0] * q[0]}; }
  std::string name() const { return "point on the parabola"; }
};

/// What takes a whole step at once finds what its parts find one after the other: for rods in the plane and in space, forces besides weight, rows of other kinds,
/// and no rows at all; with the first stage carried from the step before, and without.
TEST(IndexOne, AWholeStepIsTheSumOfItsParts) {
  std::vector<Model> models;
  for (const int links : {1, 2, 3, 4}) models.push_back(chain({.links = links}));
  models.push_back(double_spherical_pendulum());
  System bead(Points{.count = 1, .dim = 2});
  bead.add(Gravity{.g = 9.81}).add(OnParabola{.point = 0});
  models.push_back({bead, at_rest(bead, Vector{{1.0, 1.0}})});
  models.push_back(chain({.links = 2}));
  models.back().system.add(Spring{.from = 0, .to = 1, .stiffness = 50.0, .length = 0.7});
  System free(Points{.count = 2, .dim = 2});
  free.add(Spring{.from = 0, .to = 1, .stiffness = 9.0, .length = 0.8});
  State apart = at_rest(free, Vector{{0.0, 0.0, 1.0, 0.5}});
  models.push_back({free, apart});
  const ExplicitTableau& tableau = kutta4();
  StageSums sums{.stages = 4, .c = tableau.c, .rows = {}, .end = StageSums::of(tableau.b)};
  for (const auto& row : tableau.a) sums.rows.push_back(StageSums::of(row));
  constexpr double h = 1e-2;
  for (const Model& model : models) {
    const int n = model.system.size(), m = model.system.constraint_count();
    IndexOne whole(model.system, Multipliers{}), parts(model.system, Multipliers{});
    State now = model.start, next = now, other = now;
    const double size = ConfigurationSize{}.of(model.system, now);
    for (const bool carried : {false, true, true}) {
      Vector room = Vector::Zero(15 * n), base(2 * n), a(n), lambda = Vector::Zero(m);
      const StagePlaces places{.n = n, .base = base.data(), .first = room.data()};
      for (Vector* one : {&next.q, &next.v, &next.p, &next.carried, &other.carried}) one->resize(n);
      next.lambda.resize(m), other.lambda.resize(m);
      SolveReport report;
      ASSERT_TRUE(whole.step(sums,
                             {now.t, h, size, now.q.data(), now.v.data(), carried ? now.carried.data() : nullptr,
                              next.q.data(), next.v.data(), next.carried.data(), next.p.data(), next.lambda.data()},
                             places, report))
          << n;
      const Vector stages = room;
      room.setZero();
      base << now.q, now.v;
      parts.begin(now);
      if (carried) room.segment(n, n) = now.v, room.segment(2 * n, n) = now.carried;
      ASSERT_TRUE(parts.run(sums, now.t, h, places, carried ? 1 : 0, lambda.data(), report));
      other.q = room.segment(12 * n, n), other.v = room.segment(13 * n, n);
      ASSERT_EQ(parts.settle(now.t + h, size, other.q, other.v, other.carried, other.lambda).status, Status::ok);
      parts.find_momentum(other);
      const int first = carried ? n : 0;  // nobody asks where a carried stage is
      EXPECT_LE((stages.segment(first, 14 * n - first) - room.segment(first, 14 * n - first)).norm(), 1e-13 * room.norm())
          << n;
      EXPECT_LE((next.q - other.q).norm(), 1e-14 * other.q.norm()) << n;
      EXPECT_LE((next.v - other.v).norm(), 1e-13 * (1.0 + other.v.norm())) << n;
      EXPECT_LE((next.p - other.p).norm(), 1e-13 * (1.0 + other.p.norm())) << n;
      EXPECT_LE((next.carried - other.carried).norm(), 1e-12 * (1.0 + other.carried.norm())) << n;
      EXPECT_LE((next.lambda - other.lambda).norm(), 1e-12 * (1.0 + other.lambda.norm())) << n;
      next.t = now.t + h;
      now = next;
    }
  }
}

TEST(IndexOne, FewRodsAreWatchedForRankAsManyAre) {
  // Two rods on one line between three points of which the outer are held: singular there, by elimination as well.
  System system(Points{.count = 1, .dim = 2});
  system.add(Pin{.point = 0, .at = {-1.0, 0.0}}).add(Pin{.point = 0, .at = {1.0, 0.0}}, "the other");
  IndexOne equations(system, Multipliers{});
  const Vector still = Vector::Zero(2);
  equations.inspect({0.0, still.data(), still.data()});
  EXPECT_EQ(equations.dependent(), std::vector<int>{1});
}

TEST(RungeKutta, DependentConstraintsGoTheGeneralWay) {
  Model model = double_spherical_pendulum();
  model.system.add(Distance{.from = 0, .to = 1}, "again");
  const auto path = simulate(model.system, model.start, RungeKutta{}, Multipliers{}, {.step = 1e-3, .end = 0.2});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_EQ(path.dependent, std::vector<std::string>{"again"});
  EXPECT_NEAR(path.last.lambda[1], path.last.lambda[2], 1e-8);
}

TEST(ErrorControl, TheErrorFollowsTheTolerance) {
  const Model model = double_spherical_pendulum();
  const Vector exact{{.1618879892158, -.4289433124115, -.8887068772577, .1957919636416, -1.3835805750567, -1.1845416576463}};
  for (const ExplicitTableau& tableau : {dormand_prince5(), dormand_prince8()})
    for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
      const auto path = simulate(model.system, model.start, RungeKutta{tableau}, Multipliers{}, {.end = 2.0, .rtol = rtol});
      ASSERT_TRUE(path.finished()) << path.message;
      EXPECT_EQ(path.last.t, 2.0);
      EXPECT_LE((path.last.q - exact).norm(), 300.0 * rtol) << tableau.name << " " << rtol;
      EXPECT_LE(certificate(model.system, path).position_residual, 1e-14);
    }
}

TEST(ErrorControl, ByDoublingWhereTheSchemeHasNoEstimate) {
  const Model model = double_spherical_pendulum();
  const Vector exact{{.1618879892158, -.4289433124115, -.8887068772577, .1957919636416, -1.3835805750567, -1.1845416576463}};
  for (const Integrator& integrator :
       {Integrator(Spark{2}), Integrator(Spark{3}), Integrator(RungeKutta{}), Integrator(Rattle{})})
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      if (integrator.traits().order == 2 && rtol < 1e-7) continue;  // a matter of minutes
      const auto path = simulate(model.system, model.start, integrator, Multipliers{}, {.end = 2.0, .rtol = rtol});
      ASSERT_TRUE(path.finished()) << path.message;
      const double error = (path.last.q - exact).norm();
      EXPECT_LE(error, 300.0 * rtol) << integrator.traits().name << " " << rtol;
      EXPECT_GE(error, 0.01 * rtol) << "and not by working far too hard: " << integrator.traits().name << " " << rtol;
    }
}

TEST(ErrorControl, LandsOnTheTimesAskedFor) {
  const Model model = double_spherical_pendulum();
  const auto path = simulate(model.system, model.start, RungeKutta{dormand_prince5()}, Multipliers{},
                             {.end = 1.0, .rtol = 1e-6, .interval = 0.3});
  ASSERT_TRUE(path.finished());
  ASSERT_EQ(path.size(), 5);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(path.t(k), 0.3 * k);
  EXPECT_EQ(path.t(4), 1.0);
  const auto back =
      simulate(model.system, path.last, RungeKutta{dormand_prince5()}, Multipliers{}, {.end = 0.0, .rtol = 1e-10});
  EXPECT_EQ(back.last.t, 0.0);
  EXPECT_LE((back.last.q - model.start.q).norm(), 1e-4);
}

/// The pull of a fixed body at the origin.
struct Pull {
  static constexpr int width = 2;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> T potential(const T&, const Local<T, 2>& q) const {
    using std::sqrt;
    return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]);
  }
};

TEST(ErrorControl, TakesShortStepsWhereTheMotionIsFast) {
  System kepler(Points{.count = 1, .dim = 2});
  kepler.add(Pull{});
  const double e = 0.9, period = 2.0 * 3.14159265358979323846;
  const State start = state_at(kepler, 0, Vector{{1.0 - e, 0.0}}, Vector{{0.0, std::sqrt((1 + e) / (1 - e))}});
  const auto path = simulate(kepler, start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = period, .rtol = 1e-10});
  ASSERT_TRUE(path.finished()) << path.message;
  EXPECT_LE((path.last.q - start.q).norm(), 1e-7) << "a closed orbit";
  EXPECT_GE(path.counts.largest_step, 20.0 * path.counts.smallest_step);
}

TEST(ErrorControl, WhatCannotBeIsSaid) {
  const Model model = double_spherical_pendulum();
  const auto told = [&](const Integrator& integrator, const SimulateOptions& options) {
    return error_of([&] { simulate(model.system, model.start, integrator, Multipliers{}, options); });
  };
  EXPECT_EQ(told(Gcn{}, {.end = 1.0, .rtol = 1e-6}),
            "simulate: GCN needs equal steps and takes no tolerances; give a step, or use a scheme of one level.");
  EXPECT_EQ(told(RungeKutta{dormand_prince5()}, {.end = 1.0, .rtol = 1e-15}), "simulate: rtol = 1e-15 is below round-off.");
  EXPECT_EQ(told(RungeKutta{dormand_prince5()}, {.step = 0.1, .end = 1.0, .interval = 0.2}),
            "simulate: interval = 0.2 goes with tolerances only; with fixed steps use every.");
  // A collision: the steps shrink to nothing, and the run says where.
  System kepler(Points{.count = 1, .dim = 2});
  kepler.add(Pull{});
  const auto path = simulate(kepler, at_rest(kepler, Vector{{1.0, 0.0}}), RungeKutta{dormand_prince5()}, Multipliers{},
                             {.end = 2.0, .rtol = 1e-8});
  EXPECT_FALSE(path.finished());
  EXPECT_NEAR(path.last.t, 1.1107, 1e-3) << path.message;  // π/(2√2)
}

}  // namespace
}  // namespace taut
