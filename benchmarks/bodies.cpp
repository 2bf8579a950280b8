// Chains of rigid bodies and hinges from a model file, released horizontally: microseconds of the processor for each body and step, after the first
// steps. The lengths take turns, so that a busy machine disturbs their ratio little. In space axes of hinges are level and upright in turn, or all parallel:
// sideways that is one rigid beam, for which long chains need a matrix that pivots in explicit schemes.
//   benchmark_bodies
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

#include "measure.hpp"

namespace {

using namespace benchmark;

enum class Kind { plane, space, parallel };

taut::ModelFile chain(int bodies, Kind kind) {
  const bool space = kind != Kind::plane;
  const std::string inertia = space ? "[1/12, 1/12, 1/1200]" : "1/12";
  return taut::parse_model(
      "gravity: 9.81\ndimension: " + std::string(space ? "3" : "2") + "\nparameters: {N: " + std::to_string(bodies) +
          "}\n"
          "bodies: {\"B{i}\": {repeat: {i: 1..N}, mass: 1, inertia: " +
          inertia + (space ? ", at: [\"{i} - 0.5\", 0, 0]}}\n" : ", at: [\"{i} - 0.5\", 0]}}\n") +
          "joints:\n"
          "  - {type: hinge, between: [ground, B1], " +
          (space ? "at: [0, 0, 0], axis: [0, 1, 0]}\n" : "at: [0, 0]}\n") +
          "  - {repeat: {i: 2..N}, do: {type: hinge, between: [\"B{i-1}\", \"B{i}\"], at: [\"{i} - 1\", 0" +
          (!space                   ? "]}}\n"
           : kind == Kind::parallel ? ", 0], axis: [0, 1, 0]}}\n"
                                    : ", 0], axis: [0, \"sin(pi*{i}/2)^2\", \"cos(pi*{i}/2)^2\"]}}\n"),
      "chain.yaml", {});
}

}  // namespace

int main() {
  std::printf("%s\nus for each body and step of 1 ms\n", processor().c_str());
  for (const Kind kind : {Kind::plane, Kind::space, Kind::parallel}) {
    std::printf("%-18s", kind == Kind::plane ? "in the plane" : kind == Kind::space ? "in space" : "parallel axes");
    for (const int n : {100, 1000, 10000}) std::printf("%10d", n);
    std::printf("   ratio\n");
    std::vector<taut::ModelFile> models;
    for (const int n : {100, 1000, 10000}) models.push_back(chain(n, kind));
    for (const char* name : {"midpoint", "energy-momentum", "newmark", "spark2", "rk4", "dop853"}) {
      std::printf("%-18s", name);
      constexpr int steps = 40;
      const auto seconds = [&](const taut::ModelFile& model, int count) {
        const std::clock_t begin = std::clock();
        taut::simulate(model.system, model.start.state, taut::integrator_named(name), taut::Multipliers{},
                       {.step = 1e-3, .end = 1e-3 * count, .every = 0});
        return double(std::clock() - begin) / CLOCKS_PER_SEC;
      };
      std::array<double, 3> best{1e300, 1e300, 1e300};
      for (int round = 0; round < 3; ++round)
        for (std::size_t k = 0; k < models.size(); ++k)
          best[k] = std::min(best[k], seconds(models[k], 10 + steps) - seconds(models[k], 10));
      for (std::size_t k = 0; k < models.size(); ++k)
        std::printf("%10.2f", 1e6 * best[k] / steps / (models[k].system.size() / (kind == Kind::plane ? 4 : 12)));
      std::printf("%8.2f", best[2] / best[0] / 100.0);
      std::fflush(stdout);
      std::printf("\n");
    }
  }
}
