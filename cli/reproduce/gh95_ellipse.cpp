#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <taut/taut.hpp>

#include "experiment.hpp"

namespace taut::reproduce {
namespace {

constexpr double last = 10.0, torque_off = 4.0;

/// The paper's penalty, and its way to stop: when |g| is small, whatever λ does.
AugmentedLagrangian papers_method(AugmentedLagrangian::Update update, double epsilon, double tolerance) {
  return {.epsilon = epsilon, .update = update, .tolerance = tolerance, .settled = std::numeric_limits<double>::infinity()};
}

/// θ₁, θ₂ of the differential-algebraic equations at t = 4, computed in quadruple precision by an independent program.
constexpr double theta_t4[2] = {1.759892666183, 4.694429614383};

struct Watcher {
  const Report& report;
  std::string what;
  double from, to;
  void operator()(const Progress& p) const { report(what, from + (to - from) * p.done); }
};

double tip_y(const Trajectory& path, int k) { return std::sin(path.q(k)[0]) + 0.5 * std::sin(path.q(k)[1]); }

double energy(const System& system, const Trajectory& path, int k) {
  return system.energy({path.t(k), path.q(k).data(), path.v(k).data()});
}

int index_of(const Trajectory& path, double t) {
  for (int k = 0; k < path.size(); ++k)
    if (std::abs(path.t(k) - t) < 1e-9) return k;
  return path.size() - 1;
}

double energy_spread_after(const System& system, const Trajectory& path, double t) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int k = 0; k < path.size(); ++k) {
    if (path.t(k) < t - 1e-9) continue;
    low = std::min(low, energy(system, path, k));
    high = std::max(high, energy(system, path, k));
  }
  return high - low;
}

/// Slope of log error over log step for θ at t = 4, by least squares over four steps.
double measured_order(const Model& model) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double steps[] = {2e-3, 1e-3, 5e-4, 2.5e-4};
  for (const double h : steps) {
    const Trajectory path =
        simulate(model.system, model.start, Midpoint{}, Multipliers{}, {.step = h, .end = torque_off, .every = 0});
    const auto q = path.last.q;
    const double x = std::log(h), y = std::log(std::hypot(q[0] - theta_t4[0], q[1] - theta_t4[1]));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double n = std::size(steps);
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void add_curves(Outcome& out, const std::string& name, const System& system, const Trajectory& path, int every) {
  Curve curve{name, {"t", "tip y", "energy"}, {}};
  for (int k = 0; k < path.size(); k += every) curve.rows.push_back({path.t(k), tip_y(path, k), energy(system, path, k)});
  out.curves.push_back(std::move(curve));
}

/// Fig. 3: the pendulum at the start and the ellipse, x down as gravity pulls.
void draw_ellipse(Outcome& out, const Vector& theta) {
  const double x0 = 0.25, y0 = 1.0, c = 0.5, d = 1.155;
  const double Ax = std::cos(theta[0]), Ay = std::sin(theta[0]);
  const double Bx = Ax + 0.5 * std::cos(theta[1]), By = Ay + 0.5 * std::sin(theta[1]);
  Curve ellipse{"gh95_fig3_ellipse", {"y", "-x"}, {}};
  for (int k = 0; k <= 200; ++k) {
    const double a = 2.0 * std::numbers::pi * k / 200.0;
    ellipse.rows.push_back({y0 + d * std::sin(a), -x0 - c * std::cos(a)});
  }
  out.curves.push_back(std::move(ellipse));
  out.curves.push_back({"gh95_fig3_links", {"y", "-x"}, {{0.0, 0.0}, {Ay, -Ax}, {By, -Bx}}});
  std::string labels = "set size ratio -1\nset xrange [-0.5:2.5]\nset yrange [-1.1:1]\n";
  labels += "set label 'O' at 0, 0 offset -2, 0\n";
  labels += fmt::format("set label 'A' at {:.4f}, {:.4f} offset 0, 0.9\n", Ay, -Ax);
  labels += fmt::format("set label 'B' at {:.4f}, {:.4f} offset 1, 0.3\n", By, -Bx);
  out.plots.push_back({"gh95_fig3",
                       "The tip B stays on an ellipse; a torque acts at O (paper: Fig. 3)",
                       "y [m]",
                       "-x [m]",
                       {{"gh95_fig3_ellipse", "-x", "ellipse (43)", "lines lw 2 lc rgb '#7570b3'"},
                        {"gh95_fig3_links", "-x", "links at the start", "linespoints lw 3 pt 7 lc rgb '#222222'"}},
                       labels});
}

}  // namespace

Outcome run_gh95_ellipse(const Settings& set, const Report& report) {
  Outcome out;
  const Model model = gh95_ellipse();
  const double al_step = set("step"), epsilon = set("epsilon");
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto seconds = [&](auto since) { return std::chrono::duration<double>(now() - since).count(); };
  using Update = AugmentedLagrangian::Update;
  using Constraint = Midpoint::Constraint;
  const auto require_finished = [&](const std::string& what, const Trajectory& path) {
    if (!path.finished()) out.failure = what + ": " + path.message;
  };

  // Augmented Lagrangian, end point: the sound variant.
  const auto al_begins = now();
  const Trajectory al =
      simulate(model.system, model.start, Midpoint{}, papers_method(Update::first_order, epsilon, 1e-10),
               {.step = al_step, .end = last, .observers = {Watcher{report, "augmented Lagrangian", 0.0, 0.02}}});
  require_finished("augmented Lagrangian", al);
  const double al_seconds = seconds(al_begins);
  const Trajectory al2 =
      simulate(model.system, model.start, Midpoint{}, papers_method(Update::second_order, epsilon, 1e-10),
               {.step = al_step, .end = last, .observers = {Watcher{report, "second-order update", 0.02, 0.03}}});
  require_finished("second-order update", al2);
  // As printed: the multipliers oscillate, and runs die between t = 6 and 10. How soon depends on where the iteration stops;
  // |g| <= 1e-9 is in the middle of the range, 3e-10 to 1e-7, that reaches t = 6 with the paper's count.
  const Trajectory literal =
      simulate(model.system, model.start, Midpoint{Constraint::literal}, papers_method(Update::first_order, epsilon, 1e-9),
               {.step = al_step, .end = 6.0, .observers = {Watcher{report, "augmented Lagrangian as printed", 0.03, 0.05}}});
  require_finished("augmented Lagrangian as printed", literal);

  // Penalty with dt = eps = 1e-6: ten million steps.
  const System soft = penalized(model.system, epsilon);
  double penalty_max_g = 0.0;
  const Watcher progress{report, "penalty, ten million steps", 0.05, 1.0};
  const auto watch = [&](const Progress& p) {
    double g = 0.0;
    model.system.constraint_values(p.state.t, p.state.q.data(), &g);
    penalty_max_g = std::max(penalty_max_g, std::abs(g));
    if (p.step % 10000 == 0) progress(p);
  };
  const auto penalty_begins = now();
  const Trajectory penalty = simulate(soft, model.start, Midpoint{}, Multipliers{},
                                      {.step = set("penalty_step"), .end = last, .every = 5000, .observers = {watch}});
  require_finished("penalty", penalty);
  const double penalty_seconds = seconds(penalty_begins);

  const Certificate al_certificate = certificate(model.system, al), al2_certificate = certificate(model.system, al2);
  const Certificate literal_certificate = certificate(model.system, literal);
  const auto updates = [](const Certificate& c) { return double(c.counts.multiplier_updates) / double(c.counts.steps); };
  const int t1 = index_of(al, 1.0), t4 = index_of(al, torque_off);
  const double spread = energy_spread_after(model.system, al, torque_off), order = measured_order(model);

  out.number("penalty_max_g", penalty_max_g);
  out.number("literal_iterations_mean", updates(literal_certificate));
  out.number("literal_max_g", literal_certificate.position_residual);
  out.number("al_iterations_mean", updates(al_certificate));
  out.number("al2_iterations_mean", updates(al2_certificate));
  out.number("al2_iterations_max", al2_certificate.counts.updates_most);
  out.number("theta1_t1", al.q(t1)[0]);
  out.number("theta2_t1", al.q(t1)[1]);
  out.number("theta1_t4", al.q(t4)[0]);
  out.number("theta2_t4", al.q(t4)[1]);
  out.number("energy_after_4_spread", spread);
  out.number("order_theta", order);
  out.number("time_ratio", penalty_seconds / al_seconds);

  out.table = {
      {"penalty: max |g|", 2.28e-4, penalty_max_g, "the start is moved onto the ellipse"},
      {"as printed: max |g| at step ends", 1.34e-5, literal_certificate.position_residual, "geometric, dt^2/8 max|w.Hw|"},
      {"as printed: multiplier iterations per step", 40.0, updates(literal_certificate), "to t = 6, until |g| <= 1e-9"},
      {"end point: max |g|", {}, al_certificate.position_residual},
      {"end point: iterations per step, update (10)", {}, updates(al_certificate)},
      {"end point: iterations per step, update (11)",
       {},
       updates(al2_certificate),
       fmt::format("at most {}", al2_certificate.counts.updates_most)},
      {"computing time: penalty over augmented Lagrangian", 56.0 / 3.2, penalty_seconds / al_seconds,
       "end point, update (10); on one machine"},
      {"theta1 at t = 1", {}, al.q(t1)[0], "DAE 1.722655535487"},
      {"theta2 at t = 1", {}, al.q(t1)[1], "DAE 4.617244897682"},
      {"theta1 at t = 4", {}, al.q(t4)[0], "DAE 1.759892666183"},
      {"theta2 at t = 4", {}, al.q(t4)[1], "DAE 4.694429614383"},
      {"energy after t = 4: max - min [J]", {}, spread, "the paper's penalty solution is damped there; ours is not"},
      {"observed order in theta", {}, order},
      {"energy of the free-hanging pendulum [J]", -110.475,
       model.system.potential_energy({0.0, Vector::Zero(2).eval().data(), nullptr})},
  };
  add_curves(out, "gh95_ellipse_al", model.system, al, 10);
  add_curves(out, "gh95_ellipse_penalty", model.system, penalty, 1);
  const auto lines = [](const std::string& column) {
    // They lie on each other: a broad line under a thin one.
    return std::vector<Figure::Line>{{"gh95_ellipse_penalty", column, "penalty", "lines lw 5 lc rgb '#fdbe85'"},
                                     {"gh95_ellipse_al", column, "augmented Lagrangian", "lines lw 1.5 lc rgb '#222222'"}};
  };
  out.plots = {{"gh95_fig4", "Tip of the pendulum (paper: Fig. 4)", "t [s]", "y [m]", lines("tip y")},
               {"gh95_fig5", "Total energy T + V (paper: Fig. 5)", "t [s]", "energy [J]", lines("energy")}};
  draw_ellipse(out, model.start.q);
  out.remarks = {
      "Table 3 prints the semi-axes of the ellipse in each other's place; the right ones are used.",
      "Equation (40) with an augmented Lagrangian, read word by word, averages the multiplier over two intervals: a double "
      "root at -1.",
      "Its iteration count is the paper's; its multiplier oscillates ever more. The end-point variant is sound and of order "
      "2.",
  };
  return out;
}

}  // namespace taut::reproduce
