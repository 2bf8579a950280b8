// A model from a file against the same model in C++: the double compound pendulum on its ellipse, written as expressions and as templates;
// and a run that streams its results against one that keeps nothing.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <taut/model/run_model.hpp>
#include <taut/results/run_file.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

#include "measure.hpp"

namespace {

using namespace benchmark;

}  // namespace

int main(int count, char** arguments) {
  const std::string cases = count > 1 ? arguments[1] : "cases";
  const taut::Model compiled = taut::gh95_ellipse();
  const taut::ModelFile written = taut::read_model(cases + "/gh95_ellipse.yaml");
  std::printf("ellipse of GH95, 10000 steps       C++ [us/step]   expressions [us/step]   ratio   difference in q\n");
  for (const char* name : {"midpoint", "energy-momentum", "newmark", "rk4"}) {
    const taut::Integrator integrator = taut::integrator_named(name);
    const taut::SimulateOptions options{.step = 1e-4, .end = 1.0, .every = 0};
    taut::Vector a, b;
    const double fast = best_seconds(
        [&] { a = taut::simulate(compiled.system, compiled.start, integrator, taut::Multipliers{}, options).last.q; });
    const double slow = best_seconds(
        [&] { b = taut::simulate(written.system, written.start.state, integrator, taut::Multipliers{}, options).last.q; });
    std::printf("%-30s %17.3f %23.3f %7.2f %17.1e\n", name, 1e2 * fast, 1e2 * slow, slow / fast, (a - b).norm());
  }

  const std::string file = (std::filesystem::temp_directory_path() / "taut_benchmark.h5").string();
  taut::ModelFile pendulum =
      taut::read_model(cases + "/double_pendulum.yaml",
                       {.run = {{"integrator", "midpoint"}, {"step", "1e-4"}, {"until", "100"}, {"every", "1000"}}});
  const taut::Model same = taut::chain({.links = 2});
  const double api = best_seconds([&] {
    taut::simulate(same.system, same.start, taut::Midpoint{}, taut::Multipliers{},
                   {.step = 1e-4, .end = 100.0, .every = 1000});
  });
  const double run = best_seconds([&] {
    taut::FileRecorder recorder({.path = file, .force = true});
    taut::run_model(pendulum, taut::plan(pendulum), {.recorder = &recorder});
  });
  std::filesystem::remove(file);
  std::printf(
      "\ndouble pendulum, 1e6 steps of midpoint: C++ %.3f us/step, model file with results every 1000 steps %.3f, ratio "
      "%.2f\n",
      api, run, run / api);
}
