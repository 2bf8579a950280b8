// Small systems against code written for them alone: the double pendulum of two unit masses on two unit rods, by its angles and by rods, with RK4 and
// with Dormand and Prince's scheme of order 8; the same from its model file; and the seven-body mechanism from its file. Ratios are to the angles.
//
//     benchmark_small CASES [NAME]     NAME runs one of them alone, once: for whoever counts instructions
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <taut/model/run_model.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>
#include <vector>

namespace {

constexpr double gravity = 9.81, h = 1e-3, tolerance = 1e-9;
constexpr long rk4_steps = 20'000;
constexpr double dop853_end = 100.0, mechanism_end = 0.03;
constexpr int rounds = 60;  // of runs of some milliseconds, short beside whatever interrupts them

/// Both angles from the vertical, and their rates.
struct ByAngles {
  static constexpr int size = 4;
  using State = std::array<double, size>;
  static State start() { return {std::numbers::pi / 2, std::numbers::pi / 2, 0.0, 0.0}; }
  static State rates(const State& x) {
    const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
    const double first = -s * x[3] * x[3] - 2.0 * gravity * std::sin(x[0]),
                 second = s * x[2] * x[2] - gravity * std::sin(x[1]);
    return {x[2], x[3], (first - c * second) / (2.0 - c * c), (2.0 * second - c * first) / (2.0 - c * c)};
  }
  static void project(State&) {}
  static std::array<double, 2> tip(const State& x) {
    return {std::sin(x[0]) + std::sin(x[1]), -std::cos(x[0]) - std::cos(x[1])};
  }
};

/// Places of both masses, and their velocities; multipliers of both rods by elimination, projection after each step.
struct ByRods {
  static constexpr int size = 8;
  using State = std::array<double, size>;
  static State start() { return {1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0}; }

  /// S of both rods, and what they do.
  struct Rods {
    explicit Rods(const State& x) : ax(x[0]), ay(x[1]), bx(x[2] - x[0]), by(x[3] - x[1]) {
      off = -(ax * bx + ay * by);
      first = ax * ax + ay * ay;
      second = 2.0 * (bx * bx + by * by);
      inverse = 1.0 / (first * second - off * off);
    }
    std::array<double, 4> pull(double r, double s) const {
      const double lambda = inverse * (second * r - off * s), mu = inverse * (first * s - off * r);
      return {lambda * ax - mu * bx, lambda * ay - mu * by, mu * bx, mu * by};
    }
    double ax, ay, bx, by, off, first, second, inverse;
  };
  static State rates(const State& x) {
    const Rods rods(x);
    const double ux = x[6] - x[4], uy = x[7] - x[5];
    const auto f = rods.pull(x[4] * x[4] + x[5] * x[5] - gravity * rods.ay, ux * ux + uy * uy);
    return {x[4], x[5], x[6], x[7], -f[0], -gravity - f[1], -f[2], -gravity - f[3]};
  }
  static void project(State& x) {
    double largest = 1.0;
    for (int k = 0; k < 5 && largest > 1e-15; ++k) {
      const Rods rods(x);
      const auto f = rods.pull(0.5 * (rods.first - 1.0), 0.5 * (0.5 * rods.second - 1.0));
      largest = 0.0;
      for (int i = 0; i < 4; ++i) x[i] -= f[i], largest = std::max(largest, std::abs(f[i]));
    }
    const Rods rods(x);
    const auto f = rods.pull(rods.ax * x[4] + rods.ay * x[5], rods.bx * (x[6] - x[4]) + rods.by * (x[7] - x[5]));
    for (int i = 0; i < 4; ++i) x[4 + i] -= f[i];
  }
  static std::array<double, 2> tip(const State& x) { return {x[2], x[3]}; }
};

struct Outcome {
  std::array<double, 2> tip;
  long steps;
};

template <class Problem> Outcome kutta() {
  using State = typename Problem::State;
  const auto ahead = [](const State& x, double by, const State& rate) {
    State y;
    for (int i = 0; i < Problem::size; ++i) y[i] = x[i] + by * rate[i];
    return y;
  };
  State x = Problem::start();
  for (long k = 0; k < rk4_steps; ++k) {
    const State a = Problem::rates(x), b = Problem::rates(ahead(x, h / 2, a)), c = Problem::rates(ahead(x, h / 2, b)),
                d = Problem::rates(ahead(x, h, c));
    for (int i = 0; i < Problem::size; ++i) x[i] += h / 6 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    Problem::project(x);
  }
  return {Problem::tip(x), rk4_steps};
}

/// With the coefficients of the library, and the control of E. Hairer's code without its refinements.
template <class Problem> Outcome dormand_prince() {
  using State = typename Problem::State;
  static const taut::ExplicitTableau& scheme = taut::dormand_prince8();
  constexpr int stages = 12, n = Problem::size;
  double a[stages][stages] = {}, b[stages], e5[stages], e3[stages];
  for (int i = 0; i < stages; ++i) {
    for (int j = 0; j < i; ++j) a[i][j] = scheme.a[i][j];
    b[i] = scheme.b[i], e5[i] = scheme.error[i], e3[i] = scheme.coarse_error[i];
  }
  State x = Problem::start(), k[stages];
  double t = 0.0, step = 1e-3;
  long taken = 0;
  k[0] = Problem::rates(x);
  while (t < dop853_end) {
    step = std::min(step, dop853_end - t);
    for (int i = 1; i < stages; ++i) {
      State y = x;
      for (int j = 0; j < i; ++j)
        if (a[i][j] != 0.0)
          for (int l = 0; l < n; ++l) y[l] += step * a[i][j] * k[j][l];
      k[i] = Problem::rates(y);
    }
    State y = x;
    double fine = 0.0, coarse = 0.0, scale = 0.0;
    for (int l = 0; l < n; ++l) {
      double sum = 0.0, e = 0.0, c = 0.0;
      for (int j = 0; j < stages; ++j) sum += b[j] * k[j][l], e += e5[j] * k[j][l], c += e3[j] * k[j][l];
      y[l] += step * sum, fine += e * e, coarse += c * c, scale = std::max(scale, std::abs(y[l]));
    }
    const double unit = tolerance * scale, size = fine + 0.01 * coarse;
    const double error = size > 0.0 ? step * fine / (unit * std::sqrt(size * n)) : 0.0;
    if (error <= 1.0) {
      t += step, ++taken;
      x = y;
      Problem::project(x);
      k[0] = Problem::rates(x);
    }
    step *= std::clamp(0.9 * std::pow(std::max(error, 1e-10), -1.0 / 8.0), 0.2, 5.0);
  }
  return {Problem::tip(x), taken};
}

/// Of this process: what others do on a busy machine does not count.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Case {
  std::string name, title;
  std::function<Outcome()> run;
};

std::vector<Case> cases_in(const std::string& folder) {
  static const taut::Model model = taut::chain({.links = 2});
  static const taut::ModelFile file = taut::read_model(folder + "/double_pendulum.yaml");
  static const taut::ModelFile mechanism = taut::read_model(folder + "/andrews.yaml");
  const taut::Integrator rk4 = taut::RungeKutta{taut::kutta4()}, dop853 = taut::RungeKutta{taut::dormand_prince8()};
  const taut::SimulateOptions equal{.step = h, .end = h * double(rk4_steps), .every = 0};
  const taut::SimulateOptions controlled{.end = dop853_end, .rtol = tolerance, .every = 0};
  const auto simulated = [](const taut::System& system, const taut::State& start, const taut::Integrator& integrator,
                            const taut::SimulateOptions& options) {
    return [&system, &start, integrator, options] {
      const auto path = taut::simulate(system, start, integrator, taut::Multipliers{}, options);
      const Eigen::Index last = path.last.q.size() - 1;
      return Outcome{{path.last.q[last - 1], path.last.q[last]}, path.counts.steps - path.counts.retried};
    };
  };
  const auto certified = [&folder](const taut::ModelOverrides& settings) {
    const auto own = std::make_shared<taut::ModelFile>(taut::read_model(folder + "/double_pendulum.yaml", settings));
    return [own] {
      const taut::RunOutcome outcome = taut::run_model(*own, taut::plan(*own), {});
      const auto& counts = outcome.certificate.counts;
      return Outcome{{outcome.last.q[2], outcome.last.q[3]}, counts.steps - counts.retried};
    };
  };
  const std::string end = std::to_string(h * double(rk4_steps));
  return {
      {"rk4-angles", "RK4, two angles by hand", kutta<ByAngles>},
      {"rk4-rods", "RK4, rods by hand", kutta<ByRods>},
      {"rk4", "RK4, C++", simulated(model.system, model.start, rk4, equal)},
      {"rk4-file", "RK4, model file", simulated(file.system, file.start.state, rk4, equal)},
      {"rk4-run", "RK4, model file, certified",
       certified({.run = {{"integrator", "rk4"}, {"step", "1e-3"}, {"until", end}, {"every", "100000000"}}})},
      {"dop853-angles", "dop853, two angles by hand", dormand_prince<ByAngles>},
      {"dop853-rods", "dop853, rods by hand", dormand_prince<ByRods>},
      {"dop853", "dop853, C++", simulated(model.system, model.start, dop853, controlled)},
      {"dop853-file", "dop853, model file", simulated(file.system, file.start.state, dop853, controlled)},
      {"andrews", "dop853, seven bodies, file",
       simulated(mechanism.system, mechanism.start.state, dop853, {.end = mechanism_end, .rtol = tolerance, .every = 0})},
  };
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : "cases";
  std::vector<Case> cases = cases_in(folder);
  if (count > 2) {
    for (const Case& one : cases)
      if (one.name == arguments[2]) {
        const Outcome outcome = one.run();
        std::printf("%s: %ld steps to (%.15f, %.15f)\n", one.name.c_str(), outcome.steps, outcome.tip[0], outcome.tip[1]);
        return 0;
      }
    std::printf("no '%s' here\n", arguments[2]);
    return 2;
  }
  // In turn, so that whatever else the machine does falls on all of them; the best of each.
  std::vector<double> best(cases.size(), 1e300);
  std::vector<Outcome> outcome(cases.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const double start = processor_time();
      outcome[k] = cases[k].run();
      best[k] = std::min(best[k], (processor_time() - start) / double(outcome[k].steps));
    }
  std::printf("%-30s %9s %12s %18s\n", "", "steps", "us per step", "ratio to angles");
  double angles = 1.0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (cases[k].name.ends_with("angles")) angles = best[k];
    std::printf("%-30s %9ld %12.4f", cases[k].title.c_str(), outcome[k].steps, 1e6 * best[k]);
    if (cases[k].name == "andrews")
      std::printf("\n");
    else
      std::printf(" %18.2f\n", best[k] / angles);
  }
}
