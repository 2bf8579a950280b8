#include <gtest/gtest.h>

#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>
#include <thread>

namespace taut {
namespace {

/// Systems have no scratch: what a run writes is its own. Under the thread sanitizer (preset `threads`) this is more than a comparison.
TEST(Threads, EightRunsOfOneSystemGiveWhatOneGives) {
  const char* const texts[] = {
      R"yaml(
gravity: 9.81
points: {O: [0, 0]}
masses: {A: {mass: 1, at: [1, 0]}, B: {mass: 1, at: [1, 1]}}
rods: [[O, A], [A, B]]
springs: [{between: [O, B], stiffness: 20, damping: 0.1}]
)yaml",
      R"yaml(
coordinates: [x, y]
kinetic: "(x'^2 + (1 + x^2)*y'^2)/2"
potential: "cos(x) + y^4/4"
constraints: ["x^2 + sin(y) = 0"]
initial: {x: 0, y: 0, x': 1}
)yaml",
      R"yaml(
dimension: 3
gravity: 9.81
bodies: {top: {mass: 1, inertia: [0.2, 0.3, 0.1], at: [0.1, 0, 0.5], spin: [1, 2, 20]}}
joints: [{type: ball, between: [ground, top], at: [0, 0, 0]}]
)yaml",
      R"yaml(
gravity: 9.81
beams: {b: {length: 2, elements: 6, density: 1, stiffness: 0.5, start: {pinned: [0, 0]}}}
)yaml"};
  for (const char* text : texts) {
    const ModelFile model = parse_model(text, "threads.yaml", {});
    for (const char* name : {"dop853", "rk4", "midpoint", "energy-momentum", "spark2", "newmark", "rattle"}) {
      const auto run = [&] {
        return simulate(model.system, model.start.state, integrator_named(name), Multipliers{}, {.step = 2e-3, .end = 0.04})
            .last.q;
      };
      const Vector alone = run();
      std::vector<Vector> together(8);
      std::vector<std::thread> threads;
      for (Vector& one : together) threads.emplace_back([&] { one = run(); });
      for (std::thread& one : threads) one.join();
      for (const Vector& one : together) EXPECT_EQ(one, alone) << name << text;
    }
  }
}

}  // namespace
}  // namespace taut
