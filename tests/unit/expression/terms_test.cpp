#include <random>
#include <taut/expression/parse.hpp>
#include <taut/expression/terms.hpp>
#include <thread>

namespace taut {
namespace {

/// Coordinates x0, x1, … with their names as symbols.
struct Named {
  explicit Named(int coordinates) : numbering{coordinates} {
    scope.symbols["t"] = graph->variable(numbering.time());
    for (int i = 0; i < coordinates; ++i) {
      scope.symbols["x" + std::to_string(i)] = graph->variable(numbering.q(i));
      scope.symbols["x" + std::to_string(i) + "'"] = graph->variable(numbering.v(i));
    }
  }
  Graph::Node operator()(const std::string& text) const { return parse(*graph, scope, text); }
  ExpressionTerms terms(const std::shared_ptr<Shapes>& shapes = std::make_shared<Shapes>()) const {
    return {graph, numbering, shapes};
  }

  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Numbering numbering;
  Scope scope;
};

struct Motion {
  explicit Motion(int n, unsigned seed = 1) : q(n), v(n) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int i = 0; i < n; ++i) {
      q[i] = number(random);
      v[i] = number(random);
    }
  }
  Instant at(double t = 0.3) const { return {t, q.data(), v.data()}; }
  Vector q, v;
};

std::string joined(int count, const auto& term) {
  std::string out = term(0);
  for (int i = 1; i < count; ++i) out += " + " + term(i);
  return out;
}
std::string x(int i) { return "x" + std::to_string(i); }

/// A chain whose springs have all different constants.
LagrangianNodes chain(const Named& named, int n) {
  LagrangianNodes out;
  out.kinetic = named("0.5*(" + joined(n, [](int i) { return std::to_string(1.0 + 0.1 * i) + "*" + x(i) + "'^2"; }) + ")");
  out.potential = named(joined(n - 1, [](int i) {
    const std::string d = "(" + x(i + 1) + " - " + x(i) + ")";
    return std::to_string(2.0 + i) + "*" + d + "^2/2 - " + d + "^3/3 + cos(" + d + " - t)";
  }));
  for (int i = 0; i < n; ++i) out.forces.emplace_back(i, named("-0.1*" + x(i) + "'*abs(" + x(i) + "')"));
  return out;
}

TEST(ExpressionTerms, TakeSumsOverManyCoordinatesApart) {
  const int n = 60;
  const Named named(n);
  ExpressionTerms terms = named.terms();
  terms.add(chain(named, n), "chain");
  System system(n);
  terms.into(system);
  int pieces = 0;
  for (const auto& block : system.dynamics()) {
    EXPECT_LE(block->width(), 2);
    pieces += block->terms();
  }
  EXPECT_EQ(pieces, n + (n - 1)) << "a mass with its drag, and a spring, each once";
  EXPECT_LE(system.dynamics().size(), 4u) << "of few shapes";
  EXPECT_TRUE(system.constant_mass());
  EXPECT_TRUE(system.lumped_mass());
  EXPECT_FALSE(system.conservative());

  const Motion motion(n);
  const double t = 0.3;
  double T = 0.0, V = 0.0;
  Vector f = Vector::Zero(n), p(n);
  for (int i = 0; i < n; ++i) {
    const double m = 1.0 + 0.1 * i;
    T += 0.5 * m * motion.v[i] * motion.v[i];
    p[i] = m * motion.v[i];
    f[i] -= 0.1 * motion.v[i] * std::abs(motion.v[i]);
    if (i + 1 == n) continue;
    const double d = motion.q[i + 1] - motion.q[i], k = 2.0 + i, slope = k * d - d * d - std::sin(d - t);
    V += k * d * d / 2 - d * d * d / 3 + std::cos(d - t);
    f[i] += slope;
    f[i + 1] -= slope;
  }
  EXPECT_NEAR(system.kinetic_energy(motion.at(t)), T, 1e-12 * T);
  EXPECT_NEAR(system.potential_energy(motion.at(t)), V, 1e-12 * std::abs(V));
  EXPECT_LT((system.momentum(motion.at(t)) - p).norm(), 1e-12);
  EXPECT_LT((system.force(motion.at(t)) - f).norm(), 1e-11);

  // Slopes by differences, and discrete gradients that know the energy.
  const Eigen::MatrixXd K = system.stiffness(motion.at(t));
  for (const int j : {0, 7, n - 1}) {
    Motion more = motion, less = motion;
    more.q[j] += 1e-6;
    less.q[j] -= 1e-6;
    const Vector column = (system.force(less.at(t)) - system.force(more.at(t))) / 2e-6;
    EXPECT_LT((K.col(j) - column).norm(), 1e-6 * (1.0 + column.norm()));
  }
  const Motion end(n, 2);
  const Segment step{t, motion.q.data(), end.q.data(), motion.v.data(), motion.v.data()};
  Named quiet(n);
  LagrangianNodes nodes = chain(quiet, n);
  nodes.forces.clear();
  ExpressionTerms others = quiet.terms();
  others.add(nodes, "chain");
  System conservative(n);
  others.into(conservative);
  Vector mean = Vector::Zero(n);
  for (const auto& block : conservative.dynamics()) block->discrete()->add_discrete(step, 1.0, mean.data());
  EXPECT_NEAR(mean.dot(end.q - motion.q),
              conservative.potential_energy(motion.at(t)) - conservative.potential_energy(end.at(t)), 1e-11);
}

TEST(ExpressionTerms, ShareTheirCodeOverSeveralReadings) {
  const auto shapes = std::make_shared<Shapes>();
  std::vector<System> systems;
  for (const char* k : {"2.5", "7"}) {
    const Named named(2);
    ExpressionTerms terms = named.terms(shapes);
    terms.add({.kinetic = named("x0'^2 + x1'^2"), .potential = named(std::string(k) + "*(x0 - x1)^2")}, "model");
    terms.add_constraint(named(std::string("x0^2 + ") + k + "*x1^2 - 1"), Set::zero, "ellipse");
    terms.into(systems.emplace_back(2));
  }
  const Motion motion(2);
  const double d = motion.q[0] - motion.q[1];
  EXPECT_NEAR(systems[0].potential_energy(motion.at()), 2.5 * d * d, 1e-15);
  EXPECT_NEAR(systems[1].potential_energy(motion.at()), 7.0 * d * d, 1e-15);
  EXPECT_NEAR(systems[0].potential_energy(motion.at()), 2.5 * d * d, 1e-15) << "and the first knows its numbers again";
  EXPECT_NEAR(systems[1].constraint_values(0.0, motion.q)[0] - systems[0].constraint_values(0.0, motion.q)[0],
              4.5 * motion.q[1] * motion.q[1], 1e-15);
}

TEST(ExpressionTerms, ConstraintsKeepTheirRowsNamesAndSetsHoweverTheyAreGrouped) {
  for (const int n : {6, 40}) {  // one instance of many rows, and many of one
    const Named named(n);
    ExpressionTerms terms = named.terms();
    std::vector<std::function<double(const Vector&)>> g;
    for (int i = 0; i + 1 < n; ++i) {
      const bool wall = i % 3 == 2;
      terms.add_constraint(named(wall ? x(i) + " - " + std::to_string(i) : x(i) + "^2 + " + x(i + 1) + "^3"),
                           wall ? Set::nonnegative : Set::zero, "c" + std::to_string(i));
      g.push_back([i, wall](const Vector& q) { return wall ? q[i] - i : q[i] * q[i] + std::pow(q[i + 1], 3); });
    }
    System system(n);
    const std::vector<int> rows = terms.into(system);
    ASSERT_EQ(system.constraint_count(), n - 1);
    const Motion motion(n);
    const Vector values = system.constraint_values(0.3, motion.q);
    const Eigen::MatrixXd G = system.constraint_gradient(0.3, motion.q);
    Vector rate(n - 1), acceleration(n - 1);
    system.constraint_rates(motion.at(), rate.data());
    system.constraint_accelerations(motion.at(), acceleration.data());
    EXPECT_LT((rate - G * motion.v).norm(), 1e-13);
    const auto sets = system.sets();
    for (int i = 0; i + 1 < n; ++i) {
      const int row = rows[std::size_t(i)];
      EXPECT_EQ(system.constraint_name(row), "c" + std::to_string(i));
      EXPECT_NEAR(values[row], g[std::size_t(i)](motion.q), 1e-14);
      EXPECT_EQ(sets[std::size_t(row)], i % 3 == 2 ? Set::nonnegative : Set::zero);
      const double h = 1e-4;
      const auto along = [&](double s) { return g[std::size_t(i)](motion.q + s * motion.v); };
      EXPECT_NEAR(acceleration[row], (along(h) - 2.0 * along(0.0) + along(-h)) / (h * h), 1e-5);
    }

    // Directions of forces that do no work, each on its own coordinates alone.
    const Motion end(n, 3);
    const Segment step{0.3, motion.q.data(), end.q.data(), motion.v.data(), end.v.data()};
    int first = 0;
    for (const auto& block : system.constraints()) {
      for (int k = 0; k < block->terms(); ++k) {
        Vector lambda = Vector::Zero(block->terms()), out = Vector::Zero(n);
        lambda[k] = 1.0;
        block->discrete()->add_discrete(step, lambda.data(), 1.0, out.data());
        const int i = int(std::find(rows.begin(), rows.end(), first + k) - rows.begin());
        EXPECT_NEAR(out.dot(end.q - motion.q), g[std::size_t(i)](end.q) - g[std::size_t(i)](motion.q), 1e-13);
        for (int j = 0; j < n; ++j)
          if (j != i && j != i + 1) {
            EXPECT_EQ(out[j], 0.0);
          }
      }
      first += block->terms();
    }

    // Without some, and with some as springs.
    const System rest = acting(released(system, [](const std::string& name) { return name == "c1"; })).system;
    EXPECT_EQ(rest.constraint_count(), n - 2);
    for (int row = 0; row < rest.constraint_count(); ++row) EXPECT_NE(rest.constraint_name(row), "c1");
    const System soft = penalized(system, 0.5, [&](int row) { return row == rows[0]; });
    EXPECT_EQ(soft.constraint_count(), n - 2);
    EXPECT_NEAR(soft.potential_energy(motion.at()), std::pow(g[0](motion.q), 2), 1e-14);
  }
}

TEST(ExpressionTerms, RefuseWhatNoSchemeTakes) {
  const Named named(2);
  ExpressionTerms terms = named.terms();
  // Not quadratic, not linear in the velocities: some schemes take it.
  EXPECT_NO_THROW(terms.add({.kinetic = named("x0'^4")}, "T"));
  EXPECT_NO_THROW(terms.add_constraint(named("x0'^2 - 1"), Set::zero, "k"));
  EXPECT_THROW(terms.add_constraint(named("x0' - 1"), Set::nonnegative, "k"), InputError);
  EXPECT_THROW(terms.add_constraint(named("t - 1"), Set::zero, "k"), InputError);
  EXPECT_NO_THROW(terms.add_constraint(named("sin(x1)*x0' - cos(x1)*x1' + t"), Set::zero, "k"));
}

/// A random expression of x0 … x3 and t, of all operations that expressions know.
std::string random_expression(std::mt19937& random, int depth) {
  const auto pick = [&](int count) { return int(random() % unsigned(count)); };
  if (depth == 0) return pick(3) == 0 ? std::to_string(0.1 * (1 + pick(30))) : (pick(5) == 0 ? "t" : x(pick(4)));
  const auto more = [&] { return random_expression(random, depth - 1); };
  switch (pick(9)) {
    case 0:
      return "(" + more() + " + " + more() + ")";
    case 1:
      return "(" + more() + " - " + more() + ")";
    case 2:
    case 3:
      return more() + "*" + more();
    case 4:
      return "(" + more() + ")/(1.5 + (" + more() + ")^2)";
    case 5: {
      const char* names[] = {"sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "abs", "sign", "step"};
      return std::string(names[pick(11)]) + "(0.1*" + more() + ")";
    }
    case 6: {
      const char* names[] = {"atan2", "min", "max", "hypot"};
      return std::string(names[pick(4)]) + "(" + more() + ", " + more() + ")";
    }
    case 7:
      return "if(" + more() + (pick(2) == 0 ? " < " : " <= ") + more() + ", " + more() + ", " + more() + ")";
    default:
      return "((" + more() + ")^" + std::to_string(2 + pick(5)) + " + sqrt(1 + (" + more() + ")^2))^-" +
             std::to_string(1 + pick(2));
  }
}

TEST(Programs, GiveTheSameBitsOneByOneInLanesAndAsMachineCode) {
  std::mt19937 random(7);
  const Named named(4);
  std::vector<int> inputs(9);
  for (int k = 0; k < 9; ++k) inputs[std::size_t(k)] = k;
  for (int sample = 0; sample < 60; ++sample) {
    std::vector<Graph::Node> nodes;
    for (int k = 0; k < 3; ++k) nodes.push_back(named(random_expression(random, 1 + sample % 5)));
    const Program often(*named.graph, nodes, inputs);
    std::vector<double> in(9 * Program::lanes), out(3 * Program::lanes);
    std::uniform_real_distribution<double> number(-2.0, 2.0);
    for (double& one : in) one = number(random);
    often.run_lanes(in.data(), out.data());
    const auto lane = [&](int l) {
      std::vector<double> one(9);
      for (int k = 0; k < 9; ++k) one[std::size_t(k)] = in[std::size_t(k * Program::lanes + l)];
      return one;
    };
    for (int round = 0; round < 150; ++round)  // so often that it becomes machine code, where there is such
      often(lane(round % Program::lanes).data());
    for (int l = 0; l < Program::lanes; ++l) {
      const Program once(*named.graph, nodes, inputs);
      const std::vector<double> slowly(once(lane(l).data()), once(lane(l).data()) + 3);
      const double* fast = often(lane(l).data());
      for (int k = 0; k < 3; ++k) {
        const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
        EXPECT_EQ(bits(fast[k]), bits(slowly[std::size_t(k)]));
        EXPECT_EQ(bits(out[std::size_t(k * Program::lanes + l)]), bits(slowly[std::size_t(k)]));
      }
    }
  }
}

/// Sines of sums, of sines, and of what needs none of them: found in rounds, each after what it needs.
TEST(Programs, FindSinesOfSinesInTheRightOrder) {
  const Named named(2);
  const std::vector<Graph::Node> nodes{named("sin(x0 + cos(x1 + sin(x0)))*cos(x0) + sin(x1)"),
                                       named("cos(sin(cos(sin(x1))))"), named("x0*sin(x1 + cos(x1))^2 - cos(x0 + x1)")};
  const Program program(*named.graph, nodes, {0, 1, 2, 3, 4});
  for (int round = 0; round < 150; ++round) {  // interpreted, and then as machine code
    const double a = 0.1 + 0.03 * round, b = 2.0 - 0.05 * round;
    const double in[] = {0.0, a, b, 0.0, 0.0};
    const double* found = program(in);
    EXPECT_NEAR(found[0], std::sin(a + std::cos(b + std::sin(a))) * std::cos(a) + std::sin(b), 1e-14);
    EXPECT_NEAR(found[1], std::cos(std::sin(std::cos(std::sin(b)))), 1e-14);
    EXPECT_NEAR(found[2], a * std::pow(std::sin(b + std::cos(b)), 2) - std::cos(a + b), 1e-13);
  }
}

TEST(Programs, MayBeRunByManyThreadsAtOnce) {
  const int n = 30;
  const Named named(n);
  ExpressionTerms terms = named.terms();
  terms.add(chain(named, n), "chain");
  terms.add({.potential = named("sin(x0)*cos(x1) + x0^2*x1/3")}, "more");
  terms.add_constraint(named("x0*x1 - sin(x2)"), Set::zero, "g");
  System made(n);
  terms.into(made);
  const System& system = made;
  const auto work = [&](unsigned seed) {
    Vector sum = Vector::Zero(n + 1);
    for (int k = 0; k < 300; ++k) {
      const Motion motion(n, seed + unsigned(k));
      sum.head(n) += system.force(motion.at());
      sum[n] += system.constraint_values(0.3, motion.q)[0] + system.energy(motion.at());
    }
    return sum;
  };
  std::vector<Vector> alone, together(8);
  for (unsigned k = 0; k < 8; ++k) alone.push_back(work(100 * k));
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 8; ++k) threads.emplace_back([&, k] { together[k] = work(100 * k); });
  for (std::thread& one : threads) one.join();
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(together[k], alone[k]) << "to the last bit";
}

}  // namespace
}  // namespace taut
