#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <taut/taut.hpp>

#include "experiment.hpp"

namespace taut::reproduce {
namespace {

/// The first time the gap closes: root of the cubic through values and rates at both ends of the step in which g changes sign.
double first_contact(const System& walled, const Trajectory& path) {
  const auto g = [&](int k) { return walled.constraint_values(path.t(k), path.q(k))[0]; };
  const auto rate = [&](int k) { return walled.constraint_rates({path.t(k), path.q(k).data(), path.v(k).data()})[0]; };
  for (int k = 1; k < path.size(); ++k) {
    if (g(k) <= 0.0) continue;
    const double h = path.t(k) - path.t(k - 1), a = g(k - 1), b = g(k), da = h * rate(k - 1), db = h * rate(k);
    double low = 0.0, high = 1.0;
    for (int bisection = 0; bisection < 60; ++bisection) {
      const double s = 0.5 * (low + high), r = 1.0 - s;
      const double value = r * r * (1 + 2 * s) * a + s * s * (3 - 2 * s) * b + s * r * r * da - s * s * r * db;
      (value > 0.0 ? high : low) = s;
    }
    return path.t(k - 1) + low * h;
  }
  return std::nan("");
}

/// Fig. 1: the pendulum at the start, x down as gravity pulls, and the wall.
void draw_wall(Outcome& out, const Vector& theta) {
  const double l1 = 3.26, l2 = 1.98, a1 = 1.63, a2 = 0.99, wall = 2.44;
  const auto along = [&](double first, double second) {
    return std::array<double, 2>{first * std::sin(theta[0]) + second * std::sin(theta[1]),
                                 -first * std::cos(theta[0]) - second * std::cos(theta[1])};
  };
  const auto A = along(l1, 0.0), B = along(l1, l2), C1 = along(a1, 0.0), C2 = along(l1, a2);
  out.curves.push_back({"gh95_fig1_links", {"y", "-x"}, {{0.0, 0.0}, {A[0], A[1]}, {B[0], B[1]}}});
  out.curves.push_back({"gh95_fig1_centres", {"y", "-x"}, {{C1[0], C1[1]}, {C2[0], C2[1]}}});
  out.curves.push_back({"gh95_fig1_wall", {"y", "-x"}, {{wall, 0.5}, {wall, -4.5}}});
  std::string labels = "set size ratio -1\nset xrange [-5:4]\nset yrange [-4.5:0.7]\n";
  const std::tuple<const char*, std::array<double, 2>, const char*> named[] = {
      {"O", {0.0, 0.0}, "1, 0.5"}, {"A", A, "-2, 1"}, {"B", B, "-2, 0"}, {"C_1", C1, "1.2, -0.3"}, {"C_2", C2, "0, -1"}};
  for (const auto& [name, at, offset] : named)
    labels += fmt::format("set label '{}' at {:.4f}, {:.4f} offset {}\n", name, at[0], at[1], offset);
  out.plots.push_back({"gh95_fig1",
                       "The double compound pendulum at the start, and the wall (paper: Fig. 1)",
                       "y [m]",
                       "-x [m]",
                       {{"gh95_fig1_links", "-x", "links", "linespoints lw 3 pt 7 lc rgb '#222222'"},
                        {"gh95_fig1_centres", "-x", "centres of mass", "points pt 7 ps 1.5 lc rgb '#d95f02'"},
                        {"gh95_fig1_wall", "-x", "wall y = d", "lines lw 4 lc rgb '#7570b3'"}},
                       labels});
}

}  // namespace

Outcome run_gh95_wall(const Settings& set, const Report& report) {
  struct Case {
    double epsilon;
    const char* name;
    double paper_mm;
  };
  const Case cases[] = {
      {1e-5, "1e-5", 130.0}, {1e-6, "1e-6", 36.0}, {1e-7, "1e-7", 11.0}, {1e-8, "1e-8", 3.63}, {1e-9, "1e-9", 1.16}};
  const double step = set("step"), end = set("end");
  // The paper's Newton: a new matrix in each iteration.
  const Multipliers newton{.newton = {.refresh = Refresh::iteration}};

  Outcome out;
  Curve distance{"gh95_wall_distance", {"t", "eps 1e-5", "eps 1e-7", "eps 1e-9"}, {}};
  const Model model = gh95_wall();
  double contact = 0.0, iterations = 0.0, steps = 0.0;
  int done = 0;
  for (const Case& one : cases) {
    const std::string what = fmt::format("penalty {}", one.name);
    const auto watch = [&](const Progress& p) { report(what, (done + p.done) / 5.0); };
    const System soft = penalized(model.system, one.epsilon);
    const Trajectory path =
        simulate(soft, model.start, Midpoint{}, newton, {.step = step, .end = end, .observers = {watch}});
    if (!path.finished()) out.failure = what + ": " + path.message;
    const double millimetres = 1e3 * certificate(model.system, path).penetration;
    out.table.push_back({fmt::format("penetration, eps = {} [mm]", one.name), one.paper_mm, millimetres});
    out.number(fmt::format("penetration_mm_{}", one.name), millimetres);
    iterations += double(path.counts.newton_iterations);
    steps += double(path.counts.steps);
    if (one.epsilon == 1e-9) contact = first_contact(model.system, path);
    for (std::size_t column = 1; column < distance.columns.size(); ++column) {
      if (distance.columns[column] != std::string("eps ") + one.name) continue;
      for (int k = 0, row = 0; k < path.size(); k += 50, ++row) {
        if (row == int(distance.rows.size())) distance.rows.push_back({path.t(k)});
        distance.rows[row].push_back(-model.system.constraint_values(path.t(k), path.q(k))[0]);
      }
    }
    ++done;
  }
  out.table.push_back({"first contact [s]", {}, contact});
  out.table.push_back({"Newton iterations per step", {}, iterations / steps});
  out.number("first_contact_time", contact);
  out.number("newton_mean", iterations / steps);
  out.curves.push_back(std::move(distance));
  out.plots.push_back({"gh95_fig2",
                       "Distance from the wall to the tip, dt = 1e-4 (paper: Fig. 2)",
                       "t [s]",
                       "distance [m]",
                       {{"gh95_wall_distance", "eps 1e-5", "eps = 1e-5", "lines dt 2 lw 2 lc rgb '#d95f02'"},
                        {"gh95_wall_distance", "eps 1e-7", "eps = 1e-7", "lines dt 3 lw 2 lc rgb '#1b9e77'"},
                        {"gh95_wall_distance", "eps 1e-9", "eps = 1e-9", "lines lw 1.5 lc rgb '#222222'"}},
                       "set xzeroaxis lt 1 lc rgb '#888888'"});
  draw_wall(out, model.start.q);
  out.remarks = {
      "The paper prints no final time; any T in [8.76, 22] gives its table, here T = 10.",
      "At eps = 1e-5 the deepest penetration is that of the third collision, not of the first.",
  };
  return out;
}

}  // namespace taut::reproduce
