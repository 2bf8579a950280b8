#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <taut/integrators/catalog.hpp>
#include <taut/step/step_solver.hpp>

namespace taut {
namespace {

/// minimise ½|x − a|² subject to c(x) ∈ S, written by hand: a step problem without any mechanics.
class Nearest final : public StepProblem {
 public:
  using Map = std::function<double(const Vector&)>;
  using Slope = std::function<Vector(const Vector&)>;
  struct Condition {
    Map c;
    Slope gradient;
    double curvature = 0.0;  // times the unit matrix
    Set set = Set::zero;
  };
  Nearest(Vector a, std::vector<Condition> conditions) : a_(std::move(a)), conditions_(std::move(conditions)) {
    const int n = unknowns(), size = n + int(conditions_.size());
    std::vector<Layout::Entry> entries;
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) entries.emplace_back(i, j);
    layout_ = std::make_shared<const Layout>(size, entries);
    for (const Condition& condition : conditions_) sets_.push_back(condition.set);
  }
  int unknowns() const override { return int(a_.size()); }
  const std::vector<Set>& sets() const override { return sets_; }
  const std::shared_ptr<const Layout>& layout() const override { return layout_; }
  double natural_size() const override { return 1.0; }
  void residual(const double* x, const double* lambda, double* r, double* c) override {
    const Eigen::Map<const Vector> X(x, unknowns());
    Eigen::Map<Vector> R(r, unknowns());
    R = X - a_;
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
      R += lambda[k] * conditions_[k].gradient(X);
      c[k] = conditions_[k].c(X);
    }
  }
  void slopes(const double* x, const double* lambda, const double* row_weight, double* values) override {
    const Eigen::Map<const Vector> X(x, unknowns());
    const int n = unknowns();
    std::fill_n(values, layout_->storage(), 0.0);
    for (int i = 0; i < n; ++i) values[layout_->slot(i, i)] += 1.0;
    for (int k = 0; k < int(conditions_.size()); ++k) {
      const Vector gradient = conditions_[k].gradient(X);
      for (int i = 0; i < n; ++i) {
        values[layout_->slot(i, i)] += lambda[k] * conditions_[k].curvature;
        values[layout_->slot(i, n + k)] += gradient[i];
        values[layout_->slot(n + k, i)] += row_weight[k] * gradient[i];
      }
    }
  }

 private:
  Vector a_;
  std::vector<Condition> conditions_;
  std::vector<Set> sets_;
  std::shared_ptr<const Layout> layout_;
};

Nearest::Condition circle(Set set) {
  return {[](const Vector& x) { return 0.5 * (x.squaredNorm() - 1.0); }, [](const Vector& x) { return Vector(x); }, 1.0,
          set};
}
Nearest::Condition line(Vector normal, double offset, Set set = Set::zero) {
  return {[=](const Vector& x) { return normal.dot(x) - offset; }, [=](const Vector&) { return normal; }, 0.0, set};
}

/// Every method, asked for more digits than by default, with a penalty that suits a problem of size one.
std::vector<SolverMethod> methods() {
  using Update = AugmentedLagrangian::Update;
  return {Multipliers{}, AugmentedLagrangian{.epsilon = 0.1, .tolerance = 1e-12},
          AugmentedLagrangian{.epsilon = 0.1, .update = Update::second_order, .tolerance = 1e-12},
          Uzawa{.tolerance = 1e-12}};
}

struct Solution {
  SolveReport report;
  Vector x, lambda;
};
Solution solve(StepProblem& problem, const SolverMethod& method, Vector x) {
  StepSolver solver(method);
  Vector lambda = Vector::Zero(problem.constraints());
  Solution out;
  out.report = solver.solve(problem, x, lambda);
  out.x = x;
  out.lambda = lambda;
  return out;
}

TEST(StepSolver, EveryMethodFindsTheNearestPointOnACircle) {
  for (const SolverMethod& method : methods()) {
    Nearest problem(Vector{{1.2, 1.6}}, {circle(Set::zero)});
    const Solution s = solve(problem, method, Vector{{1.0, 1.0}});
    ASSERT_EQ(s.report.status, Status::ok) << name_of(method);
    EXPECT_LE((s.x - Vector{{0.6, 0.8}}).norm(), 1e-10) << name_of(method);
    EXPECT_NEAR(s.lambda[0], 1.0, 1e-9) << name_of(method);  // x − a + λx = 0
    EXPECT_LE(s.report.violation, 1e-10) << name_of(method);
  }
}

TEST(StepSolver, EveryMethodHandlesInequalitiesActiveAndInactive) {
  for (const SolverMethod& method : methods()) {
    Nearest outside(Vector{{1.2, 1.6}}, {circle(Set::nonpositive), line(Vector{{1, 0}}, 5.0, Set::nonpositive)});
    const Solution s = solve(outside, method, Vector{{0.1, 0.0}});
    ASSERT_EQ(s.report.status, Status::ok) << name_of(method);
    EXPECT_LE((s.x - Vector{{0.6, 0.8}}).norm(), 1e-9) << name_of(method);
    EXPECT_NEAR(s.lambda[0], 1.0, 1e-8) << name_of(method);
    EXPECT_EQ(s.lambda[1], 0.0) << name_of(method);
    Nearest inside(Vector{{0.3, 0.4}}, {circle(Set::nonpositive)});
    const Solution t = solve(inside, method, Vector{{2.0, 1.0}});
    EXPECT_LE((t.x - Vector{{0.3, 0.4}}).norm(), 1e-12) << name_of(method);
    EXPECT_EQ(t.lambda[0], 0.0) << name_of(method);
    Nearest floor(Vector{{0.3, -0.4}}, {line(Vector{{0, 1}}, 0.0, Set::nonnegative)});
    const Solution u = solve(floor, method, Vector{{0.0, 1.0}});
    EXPECT_NEAR(u.x[1], 0.0, 1e-10) << name_of(method);
    EXPECT_NEAR(u.lambda[0], -0.4, 1e-9) << name_of(method) << ": pushes up with a negative multiplier";
  }
}

TEST(StepSolver, SecondOrderUpdateNeedsFarFewerUpdates) {
  using Update = AugmentedLagrangian::Update;
  Nearest problem(Vector{{1.2, 1.6}}, {circle(Set::zero)});
  const int first = solve(problem, AugmentedLagrangian{.epsilon = 1.0}, Vector{{1, 1}}).report.multiplier_updates;
  const int second = solve(problem, AugmentedLagrangian{.epsilon = 1.0, .update = Update::second_order}, Vector{{1, 1}})
                         .report.multiplier_updates;
  EXPECT_GE(first, 3 * second);
  EXPECT_LE(second, 8) << "quadratic convergence, and one solution to see that x has settled";
}

TEST(StepSolver, FirstOrderUpdateContractsAsPredicted) {
  // Linear problem with S = |n|² = 4: the rate is 1/(1 + S/ε).
  Nearest problem(Vector{{1.0, 1.0}}, {line(Vector{{2, 0}}, 1.0)});
  for (const double epsilon : {1.0, 4.0}) {
    const Solution s = solve(problem, AugmentedLagrangian{.epsilon = epsilon}, Vector{{0, 0}});
    EXPECT_NEAR(s.report.contraction, 1.0 / (1.0 + 4.0 / epsilon), 0.02);
  }
}

TEST(StepSolver, RedundantConstraintsGiveTheMultiplierOfLeastNorm) {
  // The same line three times, once doubled: λ shares the load in proportion to the gradients.
  Nearest problem(Vector{{1.0, 3.0}}, {line(Vector{{0, 1}}, 0.0), line(Vector{{0, 1}}, 0.0), line(Vector{{0, 2}}, 0.0)});
  StepSolver solver{Multipliers{}};
  Vector x = Vector::Zero(2), lambda = Vector::Zero(3);
  ASSERT_EQ(solver.solve(problem, x, lambda).status, Status::ok);
  EXPECT_EQ(solver.dependent(), (std::vector<int>{1, 2}));
  EXPECT_LE((x - Vector{{1, 0}}).norm(), 1e-12);
  EXPECT_LE((lambda - 3.0 / 6.0 * Vector{{1, 1, 2}}).norm(), 1e-10) << lambda.transpose();
  // And again from the solution, with what was learnt.
  ASSERT_EQ(solver.solve(problem, x, lambda).status, Status::ok);
  EXPECT_LE((lambda - 0.5 * Vector{{1, 1, 2}}).norm(), 1e-10);
}

TEST(StepSolver, ContradictoryConstraintsAreReportedWithTheCulprit) {
  Nearest problem(Vector{{1.0, 3.0}}, {line(Vector{{0, 1}}, 0.0), line(Vector{{0, 1}}, 0.5)});
  const Solution s = solve(problem, Multipliers{}, Vector{{0, 0}});
  EXPECT_EQ(s.report.status, Status::contradictory);
  EXPECT_EQ(s.report.worst_constraint, 1);
  EXPECT_NEAR(s.report.violation, 0.5, 1e-9);
}

TEST(StepSolver, InequalitiesThatRepeatEachOtherShareTheLoad) {
  // Three times the same floor, once doubled, and one that leans: the nearest point to (1, −3) is (1, 0), and each of the three pushes with a third of the force.
  Nearest problem(Vector{{1.0, -3.0}},
                  {line(Vector{{0, 1}}, 0.0, Set::nonnegative), line(Vector{{0, 1}}, 0.0, Set::nonnegative),
                   line(Vector{{0, 2}}, 0.0, Set::nonnegative), line(Vector{{1, 1}}, -5.0, Set::nonnegative)});
  const Solution s = solve(problem, Multipliers{}, Vector{{0.0, 1.0}});
  ASSERT_EQ(s.report.status, Status::ok);
  EXPECT_LE((s.x - Vector{{1, 0}}).norm(), 1e-12);
  EXPECT_LE((s.lambda + Vector{{1, 1, 0.5, 0}}).norm(), 1e-7) << s.lambda.transpose();
}

TEST(StepSolver, FindsTheTipOfConesOfManyPlanes) {
  for (const int planes : {2, 3, 5, 8}) {
    std::vector<Nearest::Condition> cone;
    for (int k = 0; k < planes; ++k)
      cone.push_back(line(Vector{{(k % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0.1 * k), 1.0}}, 0.0, Set::nonnegative));
    Nearest problem(Vector{{0.1, -1.0}}, cone);
    const Solution s = solve(problem, Multipliers{}, Vector{{0.3, 0.7}});
    ASSERT_EQ(s.report.status, Status::ok) << planes;
    EXPECT_LE(s.x.norm(), 1e-12) << planes;
    EXPECT_LE(s.lambda.maxCoeff(), 1e-12) << planes;
  }
}

TEST(StepSolver, InequalitiesThatExcludeEachOtherContradict) {
  Nearest problem(Vector{{1.0, 3.0}},
                  {line(Vector{{0, 1}}, 1.0, Set::nonnegative), line(Vector{{0, 1}}, 0.5, Set::nonpositive)});
  const Solution s = solve(problem, Multipliers{}, Vector{{0, 0}});
  EXPECT_EQ(s.report.status, Status::contradictory);
  EXPECT_GE(s.report.violation, 0.2);
}

TEST(StepSolver, RowsOfAnyScaleAreIndependentIfTheyAre) {
  Nearest problem(Vector{{1.0, 3.0}},
                  {line(Vector{{0, 1e-12}}, 0.0), line(Vector{{1e9, 1e9}}, 0.0), line(Vector{{1e-9, 0}}, 0.0)});
  StepSolver solver{Multipliers{}};
  Vector x = Vector::Zero(2), lambda = Vector::Zero(3);
  ASSERT_EQ(solver.solve(problem, x, lambda).status, Status::ok);
  EXPECT_EQ(solver.dependent(), (std::vector<int>{2}));
  EXPECT_LE(x.norm(), 1e-12);
}

TEST(StepSolver, DecidesTheRankWhereTheConstraintsHold) {
  // The circle twice, the second as r⁴ = 1: away from it the gradients are parallel too, but values are not; and a curve that only touches it at (1, 0)
  // depends on the circle there alone, so that it must not be set aside for long.
  const Nearest::Condition fourth{[](const Vector& x) { return 0.25 * (x.squaredNorm() * x.squaredNorm() - 1.0); },
                                  [](const Vector& x) { return Vector(x.squaredNorm() * x); }, 3.0, Set::zero};
  Nearest problem(Vector{{1.2, 1.6}}, {circle(Set::zero), fourth});
  const Solution s = solve(problem, Multipliers{}, Vector{{2.0, 1.0}});
  ASSERT_EQ(s.report.status, Status::ok);
  EXPECT_LE((s.x - Vector{{0.6, 0.8}}).norm(), 1e-10);
  EXPECT_NEAR(s.lambda[0], 0.5, 1e-6);
  EXPECT_NEAR(s.lambda[1], 0.5, 1e-6);
}

TEST(StepSolver, AnImpossibleConstraintIsSlowNotEndless) {
  // |x|² = −1 has no solution.
  Nearest problem(Vector{{1.0, 0.5}}, {{[](const Vector& x) { return x.squaredNorm() + 1.0; },
                                        [](const Vector& x) { return Vector(2.0 * x); }, 2.0}});
  for (const SolverMethod& method : methods())
    EXPECT_NE(solve(problem, method, Vector{{1, 1}}).report.status, Status::ok) << name_of(method);
}

TEST(StepSolver, RefusesMeaninglessOptions) {
  EXPECT_THROW(StepSolver(AugmentedLagrangian{.epsilon = -1.0}), std::invalid_argument);
  EXPECT_THROW(StepSolver(Uzawa{.relaxation = 2.0}), std::invalid_argument);
}

}  // namespace
}  // namespace taut
