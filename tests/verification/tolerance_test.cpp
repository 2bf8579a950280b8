#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

#include <fstream>
#include <numeric>
#include <tuple>

#include "driven_pendulum.hpp"
#include "error_of.hpp"
#include "laws.hpp"

/// Step control: what is asked for is what is got.
namespace taut {
namespace {

struct Problem {
  std::string name, text;
  double end;
};
std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all{
      {"pendulum", "gravity: 9.81\npoints: {O: [0, 0]}\nmasses: {A: {mass: 1, at: [1, 0]}}\nrods: [[O, A]]", 5.0},
      {"driven pendulum", driven_pendulum, 5.0},
      // Crank and coupler together are 0.02 shorter than ground and rocker: it nearly reaches its dead point, again and again.
      {"near-singular four-bar", R"yaml(
gravity: 9.81
points: {O: [0, 0], C: [2, 0]}
masses: {A: {mass: 1, at: [0, 1]}, B: {mass: 1, at: [2, 1]}}
rods: [[O, A], {between: [A, B], length: 2.01}, {between: [B, C], length: 1.03}]
initial: {"A.x'": 2, solve: [B.x, B.y, "B.x'", "B.y'"]}
)yaml",
       2.0},
      {"seven-body mechanism", read(TAUT_CASES "/andrews.yaml"), 0.03}};
  return all;
}

TEST(Tolerance, GlobalErrorFollowsRtolWithinAFactorOfThirty) {
  for (const Problem& problem : problems()) {
    const ModelFile model = parse_model(problem.text, problem.name);
    const double interval = problem.end / 20;
    const auto exact = simulate(model.system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                                {.step = problem.end / 4000, .end = problem.end, .every = 200});
    ASSERT_EQ(exact.size(), 21);
    double size = 0.0;
    for (int k = 0; k < exact.size(); ++k) size = std::max(size, exact.q(k).lpNorm<Eigen::Infinity>());
    const std::vector<NamedIntegrator> schemes{{"dop853", "", RungeKutta{dormand_prince8()}},
                                               {"spark2", "", Spark{2}},
                                               {"spark3", "", Spark{3}},
                                               {"spark4", "", Spark{4}},
                                               {"spark3 by stages", "", Spark{.stages = 3, .embedded = true}},
                                               {"spark4 by stages", "", Spark{.stages = 4, .embedded = true}}};
    for (const auto& [name, summary, scheme] : schemes) {
      std::vector<double> ratios;
      for (int digits = 3; digits <= 11; ++digits) {
        const double rtol = std::pow(10.0, -digits);
        const auto path = simulate(model.system, model.start.state, scheme, Multipliers{},
                                   {.end = problem.end, .rtol = rtol, .interval = interval});
        ASSERT_TRUE(path.finished()) << problem.name << ", " << name << ": " << path.message;
        ASSERT_EQ(path.size(), 21);
        double error = 0.0;
        for (int k = 0; k < path.size(); ++k)
          error = std::max(error, (path.q(k) - exact.q(k)).lpNorm<Eigen::Infinity>() / size);
        ratios.push_back(error / rtol);
        EXPECT_LE(error, 50 * rtol) << problem.name << ", " << name;
      }
      // error = c·rtol with one c for each problem and scheme, within a factor of 30 over eight decades.
      double c = 0.0;
      for (const double ratio : ratios) c += std::log(ratio) / double(ratios.size());
      for (std::size_t k = 0; k < ratios.size(); ++k) {
        EXPECT_LE(std::abs(std::log(ratios[k]) - c), std::log(30.0))
            << problem.name << ", " << name << ", rtol = 1e-" << k + 3 << ": " << ratios[k] << " beside " << std::exp(c);
      }
    }
  }
}

TEST(Tolerance, ReversibleStepsKeepTheEnergyOfKeplersProblemOnASphereOverAHundredThousandSteps) {
  // An eccentric orbit: the attracting point is 0.25 rad away at its nearest and 1.3 at its farthest.
  const ModelFile model = parse_model(R"yaml(
dimension: 3
masses: {A: {mass: 1, at: ["sin(1.3)", 0, "cos(1.3)"], velocity: [0, 0.4, 0]}}
curves: [{mass: A, on: "x^2 + y^2 + z^2 = 1"}]
potential: "-A.z/sqrt(A.x^2 + A.y^2)"
)yaml",
                                      "kepler");
  const auto run = [&](bool reversible, double end) {
    std::vector<double> first, last;
    long steps = 0;
    const double begin = model.system.energy(instant(model.start.state));
    const auto watch = [&](const Progress& p) {
      steps = p.step;
      const double off = p.system.energy(instant(p.state)) - begin;
      if (p.done < 0.1) first.push_back(off);
      if (p.done > 0.9) last.push_back(off);
    };
    const auto path = simulate(model.system, model.start.state, Spark{2}, Multipliers{},
                               {.end = end, .rtol = 1e-4, .reversible = reversible, .every = 0, .observers = {watch}});
    EXPECT_TRUE(path.finished()) << path.message;
    const auto mean = [](const std::vector<double>& x) {
      return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size());
    };
    double band = 0.0;
    for (const double x : first) band = std::max(band, std::abs(x));
    for (const double x : last) band = std::max(band, std::abs(x));
    return std::tuple(mean(last) - mean(first), band, steps, path.counts.largest_step / path.counts.smallest_step);
  };
  const auto [drift, band, steps, spread] = run(true, 2400.0);
  EXPECT_GE(steps, 100000);
  EXPECT_GE(spread, 3.0) << "the step follows the motion";
  EXPECT_LE(std::abs(drift), 0.01 * band);
  EXPECT_LE(band, 1e-3);
  const auto [lost, other, fewer, ratio] = run(false, 500.0);
  EXPECT_GE(std::abs(lost), 0.3 * other) << "steps by error estimates lose energy: the controller is what matters";
}

TEST(Tolerance, ReversibleStepsAreForSymmetricSchemes) {
  const Model model = double_spherical_pendulum();
  const auto path = simulate(model.system, model.start, Spark{3}, Multipliers{},
                             {.end = 3.0, .rtol = 1e-6, .reversible = true, .every = 0});
  EXPECT_TRUE(path.finished()) << path.message;
  const std::string told = testing::error_of([&] {
    simulate(model.system, model.start, RungeKutta{}, Multipliers{}, {.end = 1.0, .rtol = 1e-6, .reversible = true});
  });
  EXPECT_NE(told.find("symmetric schemes"), std::string::npos) << told;
}

}  // namespace
}  // namespace taut
