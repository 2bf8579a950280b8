#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/taut.hpp>

#include "experiment.hpp"

namespace taut::reproduce {
namespace {

using Shape = HmmKernel::Shape;
using Macro = Hmm::Macro;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string logarithmic_errors(const std::string& more = {}) {
  return "set logscale y\nset format y '10^{%L}'\nset datafile missing 'nan'\n" + more;
}

/// The constrained motion to round-off.
Vector exact_motion(const Model& model, double end) {
  return simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = end, .rtol = 1e-12})
      .last.q;
}

/// A run on the penalised system, M q̈ = f − Gᵀg/ε². No step is tried again smaller: what fails shall show.
Trajectory penalty_run(const Model& model, double epsilon, const Integrator& scheme, double step, double end) {
  return simulate(penalized(model.system, epsilon * epsilon), model.start, scheme, Multipliers{},
                  {.step = step, .end = end, .every = 0, .halvings = 0});
}

/// Error at the end, or nothing where the run stopped.
double error_of(const Trajectory& path, const Vector& exact) {
  return path.finished() ? (path.last.q - exact).norm() : none;
}

void study_kernels(Outcome& out) {
  const std::pair<const char*, Shape> shapes[] = {
      {"poly", Shape::polynomial}, {"exp", Shape::exponential}, {"box", Shape::box}};
  Curve curve{"ka13_kernels", {"periods", "poly", "exp", "box"}, {}};
  for (double periods = 2.0; periods <= 20.0; periods += 0.25) {
    curve.rows.push_back({periods});
    for (const auto& one : shapes) curve.rows.back().push_back(HmmKernel{.shape = one.second}.left_over(periods));
  }
  for (const auto& [name, shape] : shapes)
    for (const int periods : {6, 8, 10, 12, 16}) {
      const double left = HmmKernel{.shape = shape}.left_over(periods);
      out.table.push_back({fmt::format("kernel {}: left of {} periods", name, periods), {}, left});
      out.number(fmt::format("kernel_{}_{}", name, periods), left);
    }
  double defect = 0.0;
  for (const Shape shape : {Shape::polynomial, Shape::exponential})
    for (const int moments : {1, 3, 5, 7})
      for (const int n : {10, 100, 1000}) {
        const std::vector<double> w = HmmKernel{.shape = shape, .moments = moments}.weights(n);
        for (int k = 0; k <= moments; ++k) {
          double sum = k == 0 ? -1.0 : 0.0;
          for (int i = -n; i <= n; ++i) sum += w[std::size_t(i + n)] * std::pow(double(i) / n, k);
          defect = std::max(defect, std::abs(sum));
        }
      }
  out.table.push_back({"largest defect of a discrete moment", {}, defect});
  out.number("moment_defect", defect);
  out.curves.push_back(std::move(curve));
  out.plots.push_back({"ka13_kernels",
                       "What averaging leaves of a fast motion",
                       "periods in the window",
                       "part left",
                       {{"ka13_kernels", "poly", "polynomial, p = 3, q = 9", "lines lw 2 lc rgb '#1b9e77'"},
                        {"ka13_kernels", "exp", "exponential, p = 3", "lines lw 2 lc rgb '#7570b3'"},
                        {"ka13_kernels", "box", "box", "lines lw 2 lc rgb '#d95f02'"}},
                       logarithmic_errors()});
}

void study_pendulum(Outcome& out) {
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{}).add(Pin{.point = 0});
  const Model model{system, at_rest(system, Vector{{1.0, 0.0}})};
  const Vector exact = exact_motion(model, 1.0);
  const std::pair<const char*, double> epsilons[] = {{"1e-4", 1e-4}, {"1e-5", 1e-5}, {"1e-6", 1e-6}};
  Curve curve{"ka13_pendulum", {"H"}, {}};
  for (const auto& one : epsilons) curve.columns.push_back(one.first);
  std::vector<double> steps, errors;
  for (const double H : {0.1, 0.05, 0.025, 0.0125, 0.00625}) {
    curve.rows.push_back({H});
    for (const auto& one : epsilons) {
      const double error = error_of(penalty_run(model, one.second, Hmm{}, H, 1.0), exact);
      curve.rows.back().push_back(error);
      if (one.second != 1e-6 || H < 0.02) continue;
      steps.push_back(H);
      errors.push_back(error);
    }
  }
  out.table.push_back({"pendulum: order in H", {}, slope(steps, errors)});
  out.number("order_pendulum", slope(steps, errors));
  out.curves.push_back(std::move(curve));
  out.plots.push_back(
      {"ka13_pendulum",
       "Pendulum: error at t = 1 of RK4 with averaged slopes",
       "H [s]",
       "error of q",
       {{"ka13_pendulum", "1e-4", "eps = 1e-4", "linespoints lw 2 pt 5 lc rgb '#d95f02'"},
        {"ka13_pendulum", "1e-5", "eps = 1e-5", "linespoints lw 2 pt 7 lc rgb '#7570b3'"},
        {"ka13_pendulum", "1e-6", "eps = 1e-6", "linespoints lw 2 pt 9 lc rgb '#1b9e77'"}},
       logarithmic_errors("set logscale x\nset xrange [0.005:0.13]\nset xtics (0.00625, 0.0125, 0.025, 0.05, 0.1)")});
}

/// Frequencies that depend on the solution: what passes, window and ε do to the error.
void study_double_pendulum(Outcome& out) {
  const Model model = chain({.links = 2});
  const Vector exact = exact_motion(model, 1.0);
  Curve steps{"ka13_double", {"H", "plain", "one pass", "two passes", "ab4"}, {}};
  for (const double H : {0.05, 0.025, 0.0125, 0.01}) {
    steps.rows.push_back({H});
    for (const Hmm& scheme : {Hmm{.passes = 0}, Hmm{.passes = 1}, Hmm{.passes = 2}, Hmm{.macro = Macro::ab4, .passes = 0}})
      steps.rows.back().push_back(error_of(penalty_run(model, 1e-4, scheme, H, 1.0), exact));
  }
  const double projected = steps.rows[1][3], plain = steps.rows[2][1];
  out.table.push_back({"double: no pass, H = 0.0125, eps = 1e-4", {}, plain});
  out.table.push_back({"double: two passes, H = 0.025, eps = 1e-4", {}, projected});
  out.number("double_plain_error_H0.0125", plain);
  out.number("double_projected_error_H0.025", projected);

  Curve windows{"ka13_window", {"periods", "one pass", "two passes", "automatic"}, {}};
  for (double periods = 3.0; periods <= 16.0; periods += 1.0) {
    windows.rows.push_back({periods});
    for (const int passes : {1, 2, Hmm::automatic})
      windows.rows.back().push_back(
          error_of(penalty_run(model, 1e-5, Hmm{.passes = passes, .periods = periods}, 0.0125, 1.0), exact));
  }
  Curve penalties{"ka13_epsilon", {"eps", "plain", "one pass", "two passes", "automatic"}, {}};
  for (const double epsilon : {1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7}) {
    penalties.rows.push_back({epsilon});
    for (const int passes : {0, 1, 2, Hmm::automatic})
      penalties.rows.back().push_back(error_of(penalty_run(model, epsilon, Hmm{.passes = passes}, 0.0125, 1.0), exact));
  }
  for (Curve* one : {&steps, &windows, &penalties}) out.curves.push_back(std::move(*one));
  const auto styled = [](int k) {
    const char* const colours[] = {"#d95f02", "#7570b3", "#1b9e77", "#222222"};
    return fmt::format("linespoints lw 2 pt {} lc rgb '{}'", 5 + 2 * k, colours[k]);
  };
  out.plots.push_back(
      {"ka13_double",
       "Double pendulum, eps = 1e-4: error at t = 1",
       "H [s]",
       "error of q",
       {{"ka13_double", "plain", "RK4, no pass", styled(0)},
        {"ka13_double", "one pass", "RK4, one pass", styled(1)},
        {"ka13_double", "two passes", "RK4, two passes", styled(2)},
        {"ka13_double", "ab4", "AB4, one micro run per step", styled(3)}},
       logarithmic_errors(
           "set logscale x\nset xrange [0.009:0.055]\nset xtics (0.01, 0.0125, 0.025, 0.05)\nset yrange [1e-6:1]")});
  out.plots.push_back({"ka13_window",
                       "Double pendulum, eps = 1e-5, H = 0.0125: error at t = 1 against the window",
                       "periods of the slowest fast mode in the window",
                       "error of q",
                       {{"ka13_window", "one pass", "one pass", styled(1)},
                        {"ka13_window", "two passes", "two passes", styled(2)},
                        {"ka13_window", "automatic", "automatic", styled(3)}},
                       logarithmic_errors()});
  out.plots.push_back({"ka13_epsilon",
                       "Double pendulum, H = 0.0125: error at t = 1 (missing: the run stopped)",
                       "eps",
                       "error of q",
                       {{"ka13_epsilon", "plain", "no pass", styled(0)},
                        {"ka13_epsilon", "one pass", "one pass", styled(1)},
                        {"ka13_epsilon", "two passes", "two passes", styled(2)},
                        {"ka13_epsilon", "automatic", "automatic", styled(3)}},
                       logarithmic_errors("set logscale x\nset format x '10^{%L}'\nset xrange [7e-8:1.5e-4]")});
}

/// A bead on the ellipse x²/a² + y²/b² = 1; the frequency |∇g|/ε of its spring depends on where it is.
struct OnEllipse {
  static constexpr int width = 2, rows = 1;
  double a, b;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const {
    return {0.5 * (q[0] * q[0] / (a * a) + q[1] * q[1] / (b * b) - 1.0)};
  }
};

/// Its limit for ε → 0 where the start is not on the slow manifold: in the angle φ, (x, y) = (a cos φ, b sin φ), the energy of the fast motion
/// divided by its frequency stays constant, and so acts as the potential E₀ ω(φ)/ω(φ₀) of H. Rubin and P. Ungar (1957).
struct LimitOnEllipse {
  static constexpr int width = 1;
  double a, b, g;
  double fast_energy, from;  ///< E₀ and φ₀
  std::array<int, 1> stencil() const { return {0}; }
  template <class T> T frequency(const T& phi) const {
    using std::cos, std::sin, std::sqrt;
    const T x = cos(phi) / a, y = sin(phi) / b;
    return sqrt(x * x + y * y);
  }
  template <class T> T kinetic(const T&, const Local<T, 1>& q, const Local<T, 1>& v) const {
    using std::cos, std::sin;
    const T x = a * sin(q[0]), y = b * cos(q[0]);
    return 0.5 * (x * x + y * y) * (v[0] * v[0]);
  }
  template <class T> T potential(const T&, const Local<T, 1>& q) const {
    using std::sin;
    return (g * b) * sin(q[0]) + (fast_energy / frequency(from)) * frequency(q[0]);
  }
};

/// A start with a velocity across the constraint: direct integration of the penalty keeps its energy and follows the limit; the projected
/// multiscale scheme takes it out and follows the constrained motion.
void study_inconsistent_start(Outcome& out) {
  const double a = 1.0, b = 0.5, phi = 0.4, across = 3.0, end = 1.5, epsilon = 1e-5, gravity = 9.81;
  System system(Points{.count = 1, .dim = 2});
  system.add(Gravity{.g = gravity}).add(OnEllipse{a, b});
  const Vector q{{a * std::cos(phi), b * std::sin(phi)}};
  const Vector normal = Vector{{std::cos(phi) / a, std::sin(phi) / b}}.normalized();
  const State moving = state_at(system, 0.0, q, across * normal);
  const System soft = penalized(system, epsilon * epsilon);

  const double interval = 0.01;
  const SimulateOptions fine{.end = end, .rtol = 1e-10, .interval = interval};
  const Integrator direct = RungeKutta{dormand_prince8()};
  const Trajectory penalty = simulate(soft, moving, direct, Multipliers{}, fine);
  const Trajectory dae = simulate(system, at_rest(system, q), direct, Multipliers{}, fine);
  System limit(1);
  limit.add(LimitOnEllipse{a, b, gravity, 0.5 * across * across, phi});
  const Trajectory averaged = simulate(limit, at_rest(limit, Vector{{phi}}), direct, Multipliers{}, fine);
  const Trajectory multiscale = simulate(soft, moving, Hmm{}, Multipliers{}, {.step = interval, .end = end, .halvings = 0});
  for (const Trajectory* one : {&penalty, &dae, &averaged, &multiscale})
    if (!one->finished()) out.failure = "inconsistent start: " + one->message;

  double to_limit = 0.0, to_dae = 0.0, multiscale_to_dae = 0.0;
  Curve curve{"ka13_inconsistent", {"t", "direct", "limit", "dae", "hmm"}, {}};
  for (int k = 0; k < penalty.size(); ++k) {
    const double angle = averaged.q(k)[0];
    const Vector in_limit{{a * std::cos(angle), b * std::sin(angle)}};
    to_limit = std::max(to_limit, (penalty.q(k) - in_limit).norm());
    to_dae = std::max(to_dae, (penalty.q(k) - dae.q(k)).norm());
    multiscale_to_dae = std::max(multiscale_to_dae, (multiscale.q(k) - dae.q(k)).norm());
    curve.rows.push_back({penalty.t(k), penalty.q(k)[0], in_limit[0], dae.q(k)[0], multiscale.q(k)[0]});
  }
  out.table.push_back({"thrown bead: penalty from the Rubin-Ungar limit", {}, to_limit});
  out.table.push_back({"thrown bead: penalty from the DAE", {}, to_dae});
  out.table.push_back({"thrown bead: multiscale from the DAE", {}, multiscale_to_dae});
  out.number("adiabatic_direct_vs_limit", to_limit);
  out.number("adiabatic_direct_vs_dae", to_dae);
  out.number("adiabatic_hmm_vs_dae", multiscale_to_dae);
  out.curves.push_back(std::move(curve));
  out.plots.push_back({"ka13_inconsistent",
                       "A bead thrown across its ellipse: spring of eps = 1e-5, and two limits",
                       "t [s]",
                       "x [m]",
                       {{"ka13_inconsistent", "limit", "limit with the Rubin-Ungar force", "lines lw 6 lc rgb '#a6dcc8'"},
                        {"ka13_inconsistent", "direct", "penalty, directly", "lines lw 1.5 lc rgb '#1b9e77'"},
                        {"ka13_inconsistent", "dae", "constrained motion", "lines lw 6 lc rgb '#f6c6a0'"},
                        {"ka13_inconsistent", "hmm", "multiscale", "lines lw 1.5 lc rgb '#d95f02'"}},
                       "set xrange [0:1.5]"});
}

/// Force evaluations on the double pendulum to t = 1.
void study_cost(Outcome& out) {
  const Model model = chain({.links = 2});
  const Vector exact = exact_motion(model, 1.0);
  const double fastest = 0.5 * (1.0 + std::sqrt(5.0));  // of √eig(G M⁻¹Gᵀ), with the links in line
  Curve curve{"ka13_cost", {"eps", "hmm", "verlet", "rk4", "dopri5", "dae"}, {}};
  const Trajectory dae =
      simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 1.0, .rtol = 1e-6});
  out.table.push_back({"double: DAE by dop853, rtol = 1e-6, error", {}, error_of(dae, exact)});
  out.number("error_dae", error_of(dae, exact));
  const std::pair<const char*, double> epsilons[] = {{"1e-4", 1e-4}, {"1e-5", 1e-5}, {"1e-6", 1e-6}};
  for (const auto& [name, epsilon] : epsilons) {
    // At the limit of their stability: no smaller effort is possible, whatever accuracy is asked for.
    const Trajectory verlet = penalty_run(model, epsilon, Rattle{}, 1.9 * epsilon / fastest, 1.0);
    const Trajectory rk4 = penalty_run(model, epsilon, RungeKutta{kutta4()}, 2.6 * epsilon / fastest, 1.0);
    const Trajectory dopri5 = simulate(penalized(model.system, epsilon * epsilon), model.start,
                                       RungeKutta{dormand_prince5()}, Multipliers{}, {.end = 1.0, .rtol = 1e-6, .every = 0});
    const Trajectory hmm = penalty_run(model, epsilon, Hmm{}, 0.025, 1.0);
    std::vector<double>& row = curve.rows.emplace_back(std::vector<double>{epsilon});
    const std::pair<const char*, const Trajectory*> runs[] = {
        {"hmm", &hmm}, {"direct", &verlet}, {"direct_rk4", &rk4}, {"direct_dopri5", &dopri5}, {"dae", &dae}};
    for (const auto& [what, path] : runs) {
      if (!path->finished()) out.failure = fmt::format("double pendulum, eps = {}, {}: {}", name, what, path->message);
      const double count = double(path->counts.evaluations);
      row.push_back(count);
      out.number(fmt::format("evaluations_{}_{}", what, name), count);
      out.number(fmt::format("error_{}_{}", what, name), error_of(*path, exact));
      out.table.push_back({fmt::format("double, eps = {}: evaluations, {}", name, what),
                           {},
                           count,
                           fmt::format("error {:.1e}", error_of(*path, exact))});
    }
  }
  // What accuracy costs at ε = 1e-6, where direct integration has one price.
  Curve precision{"ka13_precision", {"evaluations", "error"}, {}},
      steps_of_ab4{"ka13_precision_ab4", {"evaluations", "error"}, {}};
  for (const double H : {0.05, 0.025, 0.0125, 0.00625, 0.003125})
    for (const Macro macro : {Macro::rk4, Macro::ab4}) {
      const Trajectory path = penalty_run(model, 1e-6, Hmm{.macro = macro, .tolerance = 1e-10}, H, 1.0);
      (macro == Macro::rk4 ? precision : steps_of_ab4)
          .rows.push_back({double(path.counts.evaluations), error_of(path, exact)});
    }
  // Forward only.
  for (const double H : {0.0125, 0.00625, 0.003125})
    for (const auto& [name, macro] : {std::pair("rk4", Macro::rk4), std::pair("ab4", Macro::ab4)}) {
      const Trajectory path = penalty_run(model, 1e-6, Hmm{.macro = macro, .micro = Hmm::Micro::damped}, H, 1.0);
      out.table.push_back({fmt::format("double: damped, {}, H = {}, eps = 1e-6", name, H),
                           {},
                           error_of(path, exact),
                           fmt::format("{} evaluations", path.counts.evaluations)});
      out.number(fmt::format("error_damped_{}_H{}", name, H), error_of(path, exact));
    }
  Curve tolerances{"ka13_precision_dae", {"evaluations", "error"}, {}};
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Trajectory path =
        simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{}, {.end = 1.0, .rtol = rtol});
    tolerances.rows.push_back({double(path.counts.evaluations), error_of(path, exact)});
  }
  Curve direct{"ka13_precision_direct", {"evaluations", "error"}, {}};
  for (const double share : {1.9, 1.5, 1.0}) {
    const Trajectory path = penalty_run(model, 1e-6, Rattle{}, share * 1e-6 / fastest, 1.0);
    direct.rows.push_back({double(path.counts.evaluations), error_of(path, exact)});
  }
  for (Curve* one : {&curve, &precision, &steps_of_ab4, &tolerances, &direct}) out.curves.push_back(std::move(*one));
  out.plots.push_back(
      {"ka13_cost",
       "Double pendulum to t = 1: force evaluations against the penalty",
       "eps",
       "force evaluations",
       {{"ka13_cost", "dopri5", "direct, Dormand-Prince 5", "linespoints lw 2 pt 11 lc rgb '#e7298a'"},
        {"ka13_cost", "rk4", "direct, RK4", "linespoints lw 2 pt 9 lc rgb '#7570b3'"},
        {"ka13_cost", "verlet", "direct, Verlet", "linespoints lw 2 pt 7 lc rgb '#d95f02'"},
        {"ka13_cost", "hmm", "multiscale, H = 0.025", "linespoints lw 2 pt 5 lc rgb '#1b9e77'"},
        {"ka13_cost", "dae", "constraints exact, dop853", "linespoints lw 2 pt 13 lc rgb '#222222'"}},
       logarithmic_errors("set logscale x\nset format x '10^{%L}'\nset xrange [7e-7:1.5e-4]\nset yrange [100:3e7]")});
  out.plots.push_back({"ka13_precision",
                       "Double pendulum to t = 1, eps = 1e-6: what accuracy costs",
                       "force evaluations",
                       "error of q",
                       {{"ka13_precision", "error", "multiscale, RK4", "linespoints lw 2 pt 5 lc rgb '#1b9e77'"},
                        {"ka13_precision_ab4", "error", "multiscale, AB4", "linespoints lw 2 pt 9 lc rgb '#7570b3'"},
                        {"ka13_precision_direct", "error", "direct, Verlet", "linespoints lw 2 pt 7 lc rgb '#d95f02'"},
                        {"ka13_precision_dae", "error", "constraints exact", "linespoints lw 2 pt 13 lc rgb '#222222'"}},
                       logarithmic_errors("set logscale x\nset format x '10^{%L}'\nset yrange [1e-13:1]")});
}

/// Six fast frequencies, from 3.2e6 to 5.2e7 rad/s at the start.
void study_seven_body(Outcome& out, double end, const std::function<void(double)>& done) {
  const Model model = seven_body();
  const System soft = penalized(model.system, 1e-12);
  const std::vector<double> omega = frequencies(soft, instant(model.start));
  out.table.push_back({"seven bodies: ratio of the fast frequencies", {}, omega.back() / omega[1]});
  out.number("andrews_frequency_ratio", omega.back() / omega[1]);
  const double record = 4e-4, early = 0.01;
  const Trajectory exact = simulate(model.system, model.start, RungeKutta{dormand_prince8()}, Multipliers{},
                                    {.end = end, .rtol = 1e-12, .interval = record});
  struct Case {
    const char* name;
    double H;
    int passes;
  };
  const Case cases[] = {{"H = 4e-4", 4e-4, 1}, {"H = 2e-4", 2e-4, 1}, {"H = 1e-4", 1e-4, 1}, {"plain", 1e-4, 0}};
  Curve curve{"ka13_seven_body", {"t"}, {}};
  for (int k = 1; k < exact.size(); ++k) curve.rows.push_back({exact.t(k)});
  double begun = 0.0;
  for (const Case& one : cases) {
    curve.columns.push_back(one.name);
    const auto watch = [&](const Progress& p) { done((begun + p.done * 1e-4 / one.H) / 2.75); };
    const Trajectory path = simulate(
        soft, model.start, Hmm{.passes = one.passes}, Multipliers{},
        {.step = one.H, .end = end, .every = int(std::lround(record / one.H)), .halvings = 0, .observers = {watch}});
    begun += 1e-4 / one.H;
    for (int k = 1; k < exact.size(); ++k)
      curve.rows[std::size_t(k) - 1].push_back(k < path.size() && std::abs(path.t(k) - exact.t(k)) < 1e-9
                                                   ? (path.q(k) - exact.q(k)).lpNorm<Eigen::Infinity>()
                                                   : none);
    if (one.passes == 0) {
      out.table.push_back({"seven bodies, no pass: blows up at t", {}, path.last.t});
      out.number("andrews_plain_stops_at", path.finished() ? none : path.last.t);
      out.remarks.push_back("Seven bodies, RK4 without a pass, H = 1e-4: " + path.message + ".");
      continue;
    }
    if (!path.finished()) out.failure = fmt::format("seven bodies, {}: {}", one.name, path.message);
    const double error = (path.last.q - exact.last.q).lpNorm<Eigen::Infinity>();
    out.table.push_back({fmt::format("seven bodies, one pass, {}: error", one.name),
                         {},
                         error,
                         fmt::format("{} evaluations", path.counts.evaluations)});
    if (one.H != 1e-4) continue;
    double by_then = none;
    for (int k = 0; k < path.size() && k < exact.size(); ++k)
      if (std::abs(path.t(k) - early) < 1e-9) by_then = (path.q(k) - exact.q(k)).lpNorm<Eigen::Infinity>();
    out.number("andrews_error_t0.01", by_then);
    out.number("andrews_error_end", error);
    out.number("andrews_evaluations_hmm", double(path.counts.evaluations));
    out.number("andrews_evaluations_dae", double(exact.counts.evaluations));
  }
  out.curves.push_back(std::move(curve));
  out.plots.push_back({"ka13_seven_body",
                       "Seven-body mechanism, eps = 1e-6: largest error of an angle",
                       "t [s]",
                       "error [rad]",
                       {{"ka13_seven_body", "plain", "no pass, H = 1e-4", "linespoints lw 2 pt 5 lc rgb '#d95f02'"},
                        {"ka13_seven_body", "H = 4e-4", "one pass, H = 4e-4", "linespoints lw 2 pt 7 lc rgb '#a6dcc8'"},
                        {"ka13_seven_body", "H = 2e-4", "one pass, H = 2e-4", "linespoints lw 2 pt 7 lc rgb '#66c2a5'"},
                        {"ka13_seven_body", "H = 1e-4", "one pass, H = 1e-4", "linespoints lw 2 pt 7 lc rgb '#1b9e77'"}},
                       logarithmic_errors()});
}

/// A figure of eight, x⁴ = x² − y²: at its crossing G vanishes, and with it the frequency of the spring.
struct OnFigureOfEight {
  static constexpr int width = 2, rows = 1;
  std::array<int, 2> stencil() const { return {0, 1}; }
  template <class T> Local<T, 1> value(const T&, const Local<T, 2>& q) const {
    return {q[0] * q[0] * q[0] * q[0] - q[0] * q[0] + q[1] * q[1]};
  }
};

/// Each of these must end with a message and not with a result.
void study_failures(Outcome& out) {
  const Model pendulum = chain({.links = 2});
  System eight(Points{.count = 1, .dim = 2});
  eight.add(OnFigureOfEight{});
  const Model through_crossing{
      eight, consistent_start(eight, state_at(eight, 0.0, Vector{{0.6, 0.48}}, Vector{{-1.0, -0.4}})).state};
  struct Case {
    const char* what;
    const Model& model;
    double epsilon;
    Hmm scheme;
    double H;
  };
  const Case cases[] = {{"Double pendulum without a pass, eps = 1e-5", pendulum, 1e-5, {.passes = 0}, 0.025},
                        {"Double pendulum, a window of half a period", pendulum, 1e-5, {.window = 5e-5}, 0.025},
                        {"Double pendulum, eps = 1e-3", pendulum, 1e-3, {}, 0.025},
                        {"Double pendulum, a micro step beyond stability", pendulum, 1e-5, {.micro_step = 1e-4}, 0.025},
                        {"Double pendulum, eps = 1", pendulum, 1.0, {}, 0.025},
                        {"Bead through the crossing of a figure of eight, eps = 1e-6", through_crossing, 1e-6, {}, 0.0125}};
  double stopped = 0.0;
  for (const Case& one : cases) {
    const Trajectory path = penalty_run(one.model, one.epsilon, one.scheme, one.H, 2.0);
    stopped += path.finished() ? 0.0 : 1.0;
    out.remarks.push_back(fmt::format("{}: {}.", one.what, path.finished() ? "finished" : path.message));
  }
  out.table.push_back({"runs that cannot be: stopped, of 6", {}, stopped});
  out.number("failures_reported", stopped);
}

}  // namespace

Outcome run_ka13_hmm(const Settings& set, const Report& report) {
  Outcome out;
  report("kernels", 0.0);
  study_kernels(out);
  report("pendulum", 0.02);
  study_pendulum(out);
  report("double pendulum", 0.05);
  study_double_pendulum(out);
  report("inconsistent start", 0.1);
  study_inconsistent_start(out);
  report("cost", 0.2);
  study_cost(out);
  study_failures(out);
  study_seven_body(out, set("end"), [&](double done) { report("seven bodies", 0.4 + 0.6 * done); });
  out.remarks.insert(
      out.remarks.begin(),
      "Only the first pages of the paper are at hand, without its tables; the problems are its own, the numbers ours.");
  return out;
}

}  // namespace taut::reproduce
