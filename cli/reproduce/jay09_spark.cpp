#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <taut/model/run_model.hpp>
#include <taut/taut.hpp>
#include <taut/yaml/read_model.hpp>

#include "experiment.hpp"

namespace taut::reproduce {
namespace {

struct Kind {
  std::string name, text;
  std::vector<std::vector<int>> steps;  ///< for s = 1 … 4: numbers of steps, even
};

/// One of each kind; the paper prints none.
const std::vector<Kind>& problems() {
  static const std::vector<Kind> all{{"holonomic",
                                      R"yaml(
dimension: 3
gravity: 9.81
points: {O: [0, 0, 0]}
masses: {A: {mass: 1, at: [1, 0, 0], velocity: [0, 1, 0]}, B: {mass: 1, at: [2, 0, 0], velocity: [0, 2.5, 0]}}
rods: [[O, A], [A, B]]
)yaml",
                                      {{80, 160, 320}, {40, 80, 160}, {24, 32, 48, 64}, {28, 32, 40, 48}}},
                                     {"nonholonomic",
                                      R"yaml(
coordinates: [x, y, theta]
kinetic: "(x'^2 + y'^2)/2 + 0.05*theta'^2"
potential: "-3*x + 0.5*y^2 + 0.3*sin(2*theta)"
constraints: ["x'*sin(theta) - y'*cos(theta) = 0"]
initial: {"x'": 0.5, "theta'": 4}
)yaml",
                                      {{80, 160, 320}, {40, 80, 160}, {24, 32, 48}, {16, 20, 24, 28}}},
                                     {"mixed",
                                      R"yaml(
masses: {A: {mass: 1, at: [0, 0], velocity: [0.5, 0]}, B: {mass: 0.7, at: [1, 0], velocity: [0.5, 1]}}
rods: [[A, B]]
constraints: ["A.x'*(B.y - A.y) - A.y'*(B.x - A.x) = 0"]
potential: "2*A.x^2 + 3*B.y + 1.5*B.x^3"
)yaml",
                                      {{80, 160, 320}, {40, 80, 160}, {16, 24, 32}, {12, 16, 20, 24}}},
                                     {"rheonomic",
                                      R"yaml(
gravity: 9.81
masses: {A: {mass: 1}}
points: {P: ["0.3*sin(2*t)", "0.2*cos(3*t)"]}
rods: [{between: [P, A], length: 1}]
initial: {A.x: 1, A.y: 0.2, solve: all}
)yaml",
                                      {{80, 160, 320}, {32, 64, 128}, {16, 24, 32}, {12, 16, 20, 24}}},
                                     {"appell",
                                      R"yaml(
coordinates: [x, y, z]
kinetic: "(x'^2 + y'^2 + z'^2)/2"
potential: "9.81*z + 2*x^2 + 3*y^2"
constraints: ["x'^2 + y'^2 = 2*z'^2"]
initial: {x: 0.5, "x'": 0.6, "y'": 0.8, "z'": -0.7, solve: ["z'"]}
)yaml",
                                      {{80, 160, 320}, {40, 80, 160}, {24, 32, 48}, {16, 20, 24, 28}}},
                                     {"relativistic",
                                      R"yaml(
coordinates: [x, y, z]
kinetic: "-9*sqrt(1 - (x'^2 + y'^2 + z'^2)/9)"
potential: "2*z"
constraints: ["x^2 + y^2 + z^2 = 1"]
initial: {x: 1, "y'": 2, "z'": 0.5}
)yaml",
                                      {{80, 160, 320}, {20, 40, 80}, {8, 12, 16}, {4, 6, 8}}}};
  return all;
}

/// The first step forth and back again.
double symmetry_defect(const ModelFile& model, int s, double h) {
  const auto forth = simulate(model.system, model.start.state, Spark{s}, Multipliers{}, {.step = h, .end = h});
  const auto back = simulate(model.system, forth.last, Spark{s}, Multipliers{}, {.step = h, .end = 0.0, .resume = true});
  const State& start = model.start.state;
  return (back.last.q - start.q).lpNorm<Eigen::Infinity>() + (back.last.v - start.v).lpNorm<Eigen::Infinity>();
}

/// The modified against the full Newton iteration, after ten steps.
double newton_difference(const ModelFile& model, int s) {
  const SimulateOptions options{.step = 0.01, .end = 0.1, .every = 0};
  const auto a = simulate(model.system, model.start.state, Spark{s}, Multipliers{}, options);
  const auto b =
      simulate(model.system, model.start.state, Spark{s}, Multipliers{.newton = {.refresh = Refresh::iteration}}, options);
  return (a.last.q - b.last.q).lpNorm<Eigen::Infinity>();
}

/// Contraction of the modified Newton iteration in the first step, which has a poor guess and so shows it best.
double contraction(const ModelFile& model, int s, double h) {
  double found = 0.0;
  simulate(model.system, model.start.state, Spark{s}, Multipliers{.newton = {.tolerance = 1e-8}},
           {.step = h, .end = h, .every = 0, .observers = {[&](const Progress& p) {
                                               if (p.step > 0) found = p.report.solve.contraction;
                                             }}});
  return found;
}

}  // namespace

Outcome run_jay09_spark(const Settings& set, const Report& report) {
  Outcome out;
  double g = 0.0, gdot = 0.0, k = 0.0, defect = 0.0, difference = 0.0;
  double done = 0.0;
  for (const Kind& problem : problems()) {
    const ModelFile model = parse_model(problem.text, problem.name);
    const System& system = model.system;
    const auto exact = simulate(system, model.start.state, RungeKutta{dormand_prince8()}, Multipliers{},
                                {.step = 1.0 / 800, .end = 1.0, .every = 400});
    std::vector<bool> holonomic;
    for (const auto& block : system.constraints())
      for (int row = 0; row < block->terms() * block->rows(); ++row) holonomic.push_back(block->holonomic());
    for (int s = 1; s <= 4; ++s) {
      report(fmt::format("{}, s = {}", problem.name, s), done++ / 25.0);
      std::vector<double> h, y, z, lambda, psi;
      int iterations = 0;
      for (const int n : problem.steps[std::size_t(s) - 1]) {
        const auto path =
            simulate(system, model.start.state, Spark{s}, Multipliers{}, {.step = 1.0 / n, .end = 1.0, .every = n / 2});
        if (!path.finished()) out.failure = problem.name + ": " + path.message;
        if (path.size() != exact.size()) continue;
        // At two times, so that no zero of the leading term is taken for the rule.
        double ey = 0.0, ez = 0.0, el = 0.0, ep = 0.0;
        for (int i = 1; i < path.size(); ++i) {
          ey += (path.q(i) - exact.q(i)).squaredNorm();
          ez += (path.v(i) - exact.v(i)).squaredNorm();
          for (std::size_t row = 0; row < holonomic.size(); ++row) {
            const double off = path.lambda(i)[Eigen::Index(row)] - exact.lambda(i)[Eigen::Index(row)];
            (holonomic[row] ? el : ep) += off * off;
          }
          const Instant at{path.t(i), path.q(i).data(), path.v(i).data()};
          const Vector values = system.constraint_values(at.t, Vector(path.q(i))), rates = system.constraint_rates(at);
          for (std::size_t row = 0; row < holonomic.size(); ++row) {
            const auto r = Eigen::Index(row);
            g = std::max(g, std::abs(values[r]));
            (holonomic[row] ? gdot : k) = std::max(holonomic[row] ? gdot : k, std::abs(rates[r]));
          }
        }
        h.push_back(1.0 / n);
        y.push_back(std::sqrt(ey));
        z.push_back(std::sqrt(ez));
        lambda.push_back(std::sqrt(el));
        psi.push_back(std::sqrt(ep));
        iterations = std::max(iterations, path.counts.newton_most);
      }
      Curve curve{fmt::format("spark_{}_{}", problem.name, s), {"h", "error in q", "error in v"}, {}};
      for (std::size_t i = 0; i < h.size(); ++i) curve.rows.push_back({h[i], y[i], z[i]});
      out.curves.push_back(std::move(curve));
      // A line of slope 2s through the first error, as far as the errors go.
      Curve guide{fmt::format("spark_{}_{}_slope", problem.name, s), {"h", "slope"}, {}};
      for (const double one : {h.front(), h.back()})
        guide.rows.push_back({one, 2.0 * y.front() * std::pow(one / h.front(), 2.0 * s)});
      out.curves.push_back(std::move(guide));
      const auto note = [&](const std::string& what, const std::vector<double>& errors) {
        if (errors.empty() || errors.back() == 0.0) return;
        const double order = slope(h, errors);
        out.number(fmt::format("order_{}_{}_{}", problem.name, s, what), order);
        out.table.push_back({fmt::format("{}, s = {}: order of {}", problem.name, s, what), 2.0 * s, order,
                             fmt::format("errors {:.1e} to {:.1e}", errors.front(), errors.back())});
      };
      note("y", y);
      note("z", z);
      note("lambda", lambda);
      note("psi", psi);
      defect = std::max(defect, symmetry_defect(model, s, 0.01));
      difference = std::max(difference, newton_difference(model, s));
      out.number(fmt::format("iterations_{}_{}", problem.name, s), iterations);
    }
  }
  out.number("residual_g_max", g);
  out.number("residual_gdot_max", gdot);
  out.number("residual_k_max", k);
  out.number("symmetry_defect", defect);
  out.number("newton_difference", difference);

  const ModelFile pendulum = parse_model(problems()[0].text, "holonomic");
  std::vector<double> h, theta;
  for (const int n : {25, 50, 100, 200}) {
    h.push_back(1.0 / n);
    theta.push_back(contraction(pendulum, 2, 1.0 / n));
    out.table.push_back({fmt::format("contraction of the modified Newton, h = 1/{}", n), {}, theta.back()});
  }
  const double rate = slope(h, theta);
  out.number("contraction_slope", rate);

  report("long run", 0.97);
  System circle(Points{.count = 1, .dim = 2});
  circle.add(Gravity{}).add(Pin{.point = 0});
  for (int s = 1; s <= 4; ++s) {
    const auto path = simulate(circle, at_rest(circle, Vector{{std::sin(2.0), -std::cos(2.0)}}), Spark{s}, Multipliers{},
                               {.step = set("long_step"), .end = set("long_end")});
    const Certificate c = certificate(circle, path);
    out.number(fmt::format("energy_band_pendulum_{}", s), c.energy.deviation);
    out.table.push_back({fmt::format("pendulum, 10000 steps, s = {}: energy off by", s),
                         {},
                         c.energy.deviation,
                         fmt::format("drift {:.1e}", c.energy.drift)});
  }
  // H = v·p − L of a relativistic particle, whose kinetic energy is not quadratic: an oscillation of O(h^2s) without drift.
  report("relativistic particle", 0.98);
  const ModelFile fast = parse_model(problems().back().text, "relativistic");
  const State& begins = fast.start.state;
  for (int s = 1; s <= 3; ++s) {
    const auto path = simulate(fast.system, begins, Spark{s}, Multipliers{}, {.step = 0.05, .end = 100.0});
    if (!path.finished()) out.failure = "relativistic: " + path.message;
    const Certificate c = certificate(fast.system, path);
    out.number(fmt::format("energy_band_relativistic_{}", s), c.energy.deviation);
    out.number(fmt::format("energy_drift_relativistic_{}", s), std::abs(c.energy.drift));
    out.table.push_back({fmt::format("relativistic particle, 2000 steps, s = {}: H off by", s),
                         {},
                         c.energy.deviation,
                         fmt::format("drift {:.1e}", c.energy.drift)});
  }
  out.table.push_back({"largest |g|", {}, g});
  out.table.push_back({"largest |G v + g_t|", {}, gdot});
  out.table.push_back({"largest |k|", {}, k});
  out.table.push_back({"a step forth and back is off by", {}, defect});
  out.table.push_back({"modified and full Newton differ by", {}, difference});
  out.table.push_back({"contraction of the modified Newton goes like h to the", {}, rate});
  out.remarks = {"The paper states the order 2s and prints no experiment: the column `paper` is that order.",
                 "lambda and psi are those of the index-1 equations at the end of the step; the stage values are of order s "
                 "and s + 1.",
                 "appell: a constraint that is not linear in the velocities, with Chetaev's forces; relativistic: a kinetic "
                 "energy that is not quadratic in them."};
  const char* colours[] = {"#d95f02", "#7570b3", "#1b9e77", "#222222"};
  for (const Kind& problem : problems()) {
    Figure figure{"spark_orders_" + problem.name,
                  fmt::format("SPARK, {}: errors and lines of slope 2s", problem.name),
                  "h",
                  "error in q",
                  {},
                  "set logscale xy\nset format xy '10^{%L}'\nset yrange [1e-13:1e-2]\nset key maxrows 2"};
    for (int s = 1; s <= 4; ++s) {
      const std::string curve = fmt::format("spark_{}_{}", problem.name, s);
      figure.lines.push_back(
          {curve, "error in q", fmt::format("s = {}", s), fmt::format("linespoints lw 2 pt 7 lc rgb '{}'", colours[s - 1])});
      figure.lines.push_back({curve + "_slope", "slope", fmt::format("h^{{{}}}", 2 * s),
                              fmt::format("lines dt 2 lc rgb '{}'", colours[s - 1])});
    }
    out.plots.push_back(std::move(figure));
  }
  return out;
}

}  // namespace taut::reproduce
