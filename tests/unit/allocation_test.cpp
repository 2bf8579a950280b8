#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <taut/taut.hpp>

// Counts every allocation of the process, Eigen's included: glibc's malloc under its own name.
extern "C" void* __libc_malloc(std::size_t);
static std::atomic<long> allocations{0};
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace taut {
namespace {

/// Allocations between step 50 and the last.
long in_steady_loop(const System& system, const State& start, const Integrator& integrator, const SolverMethod& method,
                    double step) {
  long first = 0, last = 0;
  const auto path = simulate(system, start, integrator, method,
                             {.step = step, .end = 300 * step, .every = 1, .observers = {[&](const Progress& p) {
                                                                             if (p.step == 50) first = allocations;
                                                                             last = allocations;
                                                                           }}});
  EXPECT_TRUE(path.finished()) << path.message;
  EXPECT_GT(allocations, 0);
  return last - first;
}

TEST(Allocation, NoneInTheSteadyStepLoopOfSmallSystems) {
  const Model ellipse = gh95_ellipse(), wall = gh95_wall();
  const System soft = penalized(wall.system, 1e-6);
  EXPECT_EQ(in_steady_loop(soft, wall.start, Midpoint{}, Multipliers{}, 1e-3), 0);
  for (const NamedSolver& solver : solvers()) {
    if (solver.name == "splitting") continue;  // not with Midpoint
    EXPECT_EQ(in_steady_loop(ellipse.system, ellipse.start, Midpoint{}, solver.method, 5e-4), 0) << solver.name;
    for (const int links : {1, 2, 5, 10}) {
      if (solver.name == "uzawa" && links > 5) continue;  // the dual iteration is too slow there to be of use
      const Model model = chain({.links = links});
      EXPECT_EQ(in_steady_loop(model.system, model.start, Midpoint{}, solver.method, 1e-3), 0)
          << solver.name << " " << links;
    }
  }
}

TEST(Allocation, NoneInAnyPairOfIntegratorAndSolver) {
  const Model model = chain({.links = 2});
  for (const NamedIntegrator& named : integrators())
    for (const NamedSolver& solver : solvers()) {
      if (!named.integrator.traits().takes_constraints) continue;
      // Uzawa measures the norm of the dual operator anew where it stalls, as it does here at round-off, and that takes memory.
      if (named.name == "generalized-alpha" && solver.name == "uzawa") continue;
      if (named.name.find("spark") == 0 && solver.name != "multipliers") continue;  // refused
      if (solver.name == "splitting") continue;                                     // keeps vectors for each solution
      EXPECT_EQ(in_steady_loop(model.system, model.start, named.integrator, solver.method, 1e-3), 0)
          << named.name << ", " << solver.name;
    }
}

TEST(Allocation, NoneInAnyIntegratorAndNoneForLongChainsEither) {
  for (const NamedIntegrator& named : integrators())
    for (const int links : {5, 500}) {
      if (!named.integrator.traits().takes_constraints) continue;
      if (named.name == "midpoint-literal" && links > 5) continue;  // its multipliers blow up
      const Model model = chain({.links = links});
      EXPECT_EQ(in_steady_loop(model.system, model.start, named.integrator, Multipliers{}, 1e-3), 0)
          << named.name << " " << links;
    }
}

}  // namespace
}  // namespace taut
