// Chains of unit links against SUNDIALS, with models written by hand for it: CVODE on the index-1 form, IDA on the stabilised index-2 form.
// Each method runs at the loosest setting that reaches the target: an error of the last positions against a converged run. Times include
// set-up; ratios are to the fastest of taut. Then a double pendulum against RK4 on its two angles, also by hand.
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numbers>
#include <taut/taut.hpp>
#include <vector>

#include "sundials.hpp"

namespace {

using namespace benchmark;

constexpr double gravity = 9.81, limit = 60.0;  // seconds for one run of SUNDIALS

struct Run {
  bool finished = false;
  taut::Vector q{};
  long steps = 0, rejected = 0;
};

/// G and S = G Gᵀ, tridiagonal, of a planar chain of unit links and masses.
struct Chain {
  explicit Chain(int links) : n(links), d(2 * links), inverse(links), lower(links), b(links) {}

  void set(const double* q) {
    double x = 0.0, y = 0.0, dx = 0.0, dy = 0.0, last = 0.0;
    for (int k = 0; k < n; ++k) {
      const double ex = q[2 * k] - x, ey = q[2 * k + 1] - y, off = -(ex * dx + ey * dy);
      lower[k] = off * last;
      last = inverse[k] = 1.0 / ((k == 0 ? 1.0 : 2.0) * (ex * ex + ey * ey) - lower[k] * off);
      d[2 * k] = dx = ex, d[2 * k + 1] = dy = ey;
      x = q[2 * k], y = q[2 * k + 1];
    }
  }

  /// b ← S⁻¹ b, then out −= Gᵀb; the sum of squares of the change.
  double pull(double* out) {
    for (int k = 1; k < n; ++k) b[k] -= lower[k] * b[k - 1];
    double last = b[n - 1] *= inverse[n - 1];
    for (int k = n - 2; k >= 0; --k) last = b[k] = b[k] * inverse[k] - lower[k + 1] * last;
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
      double x = d[2 * k] * b[k], y = d[2 * k + 1] * b[k];
      if (k + 1 < n) x -= d[2 * k + 2] * b[k + 1], y -= d[2 * k + 3] * b[k + 1];
      out[2 * k] -= x, out[2 * k + 1] -= y;
      sum += x * x + y * y;
    }
    return sum;
  }

  void accelerate(const double* q, const double* v, double* a) {
    set(q);
    double x = 0.0, y = 0.0;
    for (int k = 0; k < n; ++k) {
      b[k] = (v[2 * k] - x) * (v[2 * k] - x) + (v[2 * k + 1] - y) * (v[2 * k + 1] - y);
      x = v[2 * k], y = v[2 * k + 1];
      a[2 * k] = 0.0, a[2 * k + 1] = -gravity;
    }
    b[0] -= gravity * d[1];
    pull(a);
  }

  /// One step of Newton's method; the sum of squares of the change.
  double project_position(double* q) {
    set(q);
    for (int k = 0; k < n; ++k) b[k] = 0.5 * (d[2 * k] * d[2 * k] + d[2 * k + 1] * d[2 * k + 1] - 1.0);
    return pull(q);
  }

  void project_velocity(const double* q, double* v) {
    set(q);
    double x = 0.0, y = 0.0;
    for (int k = 0; k < n; ++k) {
      b[k] = d[2 * k] * (v[2 * k] - x) + d[2 * k + 1] * (v[2 * k + 1] - y);
      x = v[2 * k], y = v[2 * k + 1];
    }
    pull(v);
  }

  int n;
  std::vector<double> d, inverse, lower, b, copy{};
  double tolerance = 0.0;
};

double* data(N_Vector y) { return N_VGetArrayPointer(y); }

int cvode_rates(double, N_Vector y, N_Vector rates, void* user) {
  Chain& chain = *static_cast<Chain*>(user);
  const double* v = data(y) + 2 * chain.n;
  std::copy_n(v, 2 * chain.n, data(rates));
  chain.accelerate(data(y), v, data(rates) + 2 * chain.n);
  return 0;
}

int cvode_project(double, N_Vector y, N_Vector correction, double share, N_Vector, void* user) {
  Chain& chain = *static_cast<Chain*>(user);
  const int n = chain.n;
  chain.copy.assign(data(y), data(y) + 4 * n);
  for (int k = 0; std::sqrt(chain.project_position(chain.copy.data()) / (4 * n)) > share * chain.tolerance; ++k)
    if (k == 10) return 1;  // asks for a smaller step
  chain.project_velocity(chain.copy.data(), chain.copy.data() + 2 * n);
  for (int i = 0; i < 4 * n; ++i) data(correction)[i] = chain.copy[i] - data(y)[i];
  return 0;
}

/// BDF with projection, or Adams without: CVODE projects with BDF only. Fixed-point iteration, for this is not stiff.
Run cvode(int method, int links, double end, double tolerance) {
  const auto start = Clock::now();
  sundials::Context context;
  Chain chain(links);
  chain.tolerance = tolerance;
  N_Vector y = N_VNew_Serial(4 * links, context);
  N_VConst(0.0, y);
  for (int k = 0; k < links; ++k) data(y)[2 * k] = k + 1.0;
  void* memory = CVodeCreate(method, context);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeInit(memory, cvode_rates, 0.0, y);
  CVodeSStolerances(memory, 0.0, tolerance);
  CVodeSetUserData(memory, &chain);
  CVodeSetNonlinearSolver(memory, solver);
  CVodeSetStopTime(memory, end);
  if (method == CV_BDF) {
    CVodeSetProjFn(memory, cvode_project);
    CVodeSetProjErrEst(memory, 0);
  }
  double t = 0.0;
  int flag = CV_SUCCESS;
  while (t < end && flag >= 0 && since(start) < limit) flag = CVode(memory, end, y, &t, CV_ONE_STEP);
  Run run{t >= end && flag >= 0, Eigen::Map<taut::Vector>(data(y), 2 * links)};
  long errors = 0, stalls = 0;
  CVodeGetNumSteps(memory, &run.steps);
  CVodeGetNumErrTestFails(memory, &errors);
  CVodeGetNumNonlinSolvConvFails(memory, &stalls);
  run.rejected = errors + stalls;
  CVodeFree(&memory);
  SUNNonlinSolFree(solver);
  N_VDestroy(y);
  return run;
}

/// q' = v − Gᵀμ, v' = f − Gᵀλ, g = 0, G v = 0. Each node has the unknowns μ, λ, q, v and the equations of g, G v, v', q': a band of 6 and 6.
int ida_residual(double, N_Vector y, N_Vector rates, N_Vector out, void* user) {
  const int n = *static_cast<const int*>(user);
  static constexpr double hook[6] = {};
  for (int k = 0; k < n; ++k) {
    const double *u = data(y) + 6 * k, *before = k > 0 ? u - 6 : hook, *rate = data(rates) + 6 * k;
    double* r = data(out) + 6 * k;
    const double dx = u[2] - before[2], dy = u[3] - before[3];
    r[0] = 0.5 * (dx * dx + dy * dy - 1.0);
    r[1] = dx * (u[4] - before[4]) + dy * (u[5] - before[5]);
    r[2] = rate[4] + dx * u[1];
    r[3] = rate[5] + dy * u[1] + gravity;
    r[4] = rate[2] - u[4] + dx * u[0];
    r[5] = rate[3] - u[5] + dy * u[0];
    if (k == 0) continue;
    r[-4] -= dx * u[1];
    r[-3] -= dy * u[1];
    r[-2] -= dx * u[0];
    r[-1] -= dy * u[0];
  }
  return 0;
}

/// Without μ ∂²g: μ is as small as the error.
int ida_slopes(double, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
  const int n = *static_cast<const int*>(user);
  static constexpr double hook[6] = {};
  const auto at = [J](int i, int j) -> double& { return SM_ELEMENT_B(J, i, j); };
  for (int k = 0; k < n; ++k) {
    const int g = 6 * k, lambda = g + 1;
    const double *u = data(y) + g, *before = k > 0 ? u - 6 : hook;
    for (int i = 2; i < 4; ++i) {
      const int q = g + i, v = q + 2;  // q is also the row of v', and v that of q'
      const double d = u[i] - before[i], w = u[i + 2] - before[i + 2];
      at(g, q) = at(lambda, v) = at(q, lambda) = at(v, g) = d;
      at(lambda, q) = w;
      at(q, v) = at(v, q) = c;
      at(v, v) = -1.0;
      at(q, q) += u[1];
      if (k == 0) continue;
      at(g, q - 6) = at(lambda, v - 6) = at(q - 6, lambda) = at(v - 6, g) = -d;
      at(lambda, q - 6) = -w;
      at(q, q - 6) = at(q - 6, q) = -u[1];
      at(q - 6, q - 6) += u[1];
    }
  }
  return 0;
}

/// Multipliers are left out of the error test; a wide tolerance spares them Newton steps.
Run ida(int links, double end, double tolerance) {
  const auto start = Clock::now();
  sundials::Context context;
  N_Vector y = N_VNew_Serial(6 * links, context), rates = N_VClone(y), id = N_VClone(y), tolerances = N_VClone(y);
  for (int k = 0; k < links; ++k)
    for (int i = 0; i < 6; ++i) {
      data(y)[6 * k + i] = i == 2 ? k + 1.0 : 0.0;
      data(rates)[6 * k + i] = i == 5 ? -gravity : 0.0;
      data(id)[6 * k + i] = i < 2 ? 0.0 : 1.0;
      data(tolerances)[6 * k + i] = i < 2 ? 1e3 * tolerance : tolerance;
    }
  void* memory = IDACreate(context);
  SUNMatrix J = SUNBandMatrix(6 * links, 6, 6, context);
  SUNLinearSolver solver = SUNLinSol_Band(y, J, context);
  IDAInit(memory, ida_residual, 0.0, y, rates);
  IDASVtolerances(memory, 0.0, tolerances);
  IDASetUserData(memory, &links);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, 1);
  IDASetLinearSolver(memory, solver, J);
  IDASetJacFn(memory, ida_slopes);
  IDASetStopTime(memory, end);
  double t = 0.0;
  int flag = IDA_SUCCESS;
  while (t < end && flag >= 0 && since(start) < limit) flag = IDASolve(memory, end, &t, y, rates, IDA_ONE_STEP);
  Run run{t >= end && flag >= 0, taut::Vector(2 * links)};
  for (int k = 0; k < links; ++k) run.q.segment<2>(2 * k) = Eigen::Map<Eigen::Vector2d>(data(y) + 6 * k + 2);
  long errors = 0, stalls = 0;
  IDAGetNumSteps(memory, &run.steps);
  IDAGetNumErrTestFails(memory, &errors);
  IDAGetNumNonlinSolvConvFails(memory, &stalls);
  run.rejected = errors + stalls;
  IDAFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(J);
  for (N_Vector each : {y, rates, id, tolerances}) N_VDestroy(each);
  return run;
}

Run simulate(const taut::Model& model, const taut::Integrator& integrator, const taut::SimulateOptions& options) {
  const auto path = taut::simulate(model.system, model.start, integrator, taut::Multipliers{}, options);
  return {path.finished(), path.last.q, path.counts.steps - path.counts.retried, path.counts.rejected};
}

struct Row {
  std::string name;
  bool own;
  double setting, seconds = 0.0, error = 0.0, residual = 0.0;  // no seconds: the target is not reached within the limit
  long steps = 0, rejected = 0;
};

class Table {
 public:
  Table(int links, double end, double target, double reference)
      : end_(end), target_(target), model_(taut::chain({.links = links})) {
    const taut::Integrator scheme = taut::RungeKutta{taut::dormand_prince8()};
    const auto converged = [&](double rtol) { return simulate(model_, scheme, {.end = end, .rtol = rtol, .every = 0}).q; };
    exact_ = converged(reference);
    std::printf("\nchain of %d links to t = %g, error at most %.0e; the reference is good to %.0e\n", links, end, target,
                (converged(10.0 * reference) - exact_).lpNorm<Eigen::Infinity>());
  }

  const taut::Model& model() const { return model_; }

  /// Settings setting, factor·setting, … until the target is reached.
  void measure(const std::string& name, bool own, double setting, double factor, const std::function<Run(double)>& run) {
    for (; setting > 1e-13; setting *= factor) {
      const auto start = Clock::now();
      const Run result = run(setting);
      const double seconds = since(start), error = (result.q - exact_).lpNorm<Eigen::Infinity>();
      if (seconds > limit) break;
      if (!result.finished || !(error <= target_)) continue;
      const double best = seconds > 5.0 ? seconds : best_seconds([&] { run(setting); });
      rows_.push_back({name, own, setting, std::min(seconds, best), error,
                       model_.system.constraint_values(end_, result.q).lpNorm<Eigen::Infinity>(), result.steps,
                       result.rejected});
      return;
    }
    rows_.push_back({name, own, setting});
  }

  void print() const {
    double fastest = 1e300;
    for (const Row& row : rows_)
      if (row.own && row.seconds > 0.0) fastest = std::min(fastest, row.seconds);
    std::printf("%-26s %10s %10s %7s %9s %9s %8s %9s\n", "", "setting", "ms", "ratio", "error", "|g|", "steps", "rejected");
    for (const Row& row : rows_) {
      std::printf("%-26s %10.1e ", row.name.c_str(), row.setting);
      if (row.seconds > 0.0) {
        std::printf("%10.2f %7.2f %9.1e %9.1e %8ld %9ld\n", 1e3 * row.seconds, row.seconds / fastest, row.error,
                    row.residual, row.steps, row.rejected);
      } else {
        std::printf("not reached within %.0f s per run\n", limit);
      }
    }
    std::fflush(stdout);
  }

 private:
  double end_, target_;
  taut::Model model_;
  taut::Vector exact_;
  std::vector<Row> rows_;
};

const double half_decade = 1.0 / std::sqrt(10.0);

void chain(int links, double end, double target, double reference, bool swing) {
  Table table(links, end, target, reference);
  const auto explicit_scheme = [&](const char* name, const taut::ExplicitTableau& tableau) {
    table.measure(name, true, 1e-3, half_decade, [&](double rtol) {
      return simulate(table.model(), taut::RungeKutta{tableau}, {.end = end, .rtol = rtol, .every = 0});
    });
  };
  explicit_scheme("taut, dopri5, rtol", taut::dormand_prince5());
  explicit_scheme("taut, dop853, rtol", taut::dormand_prince8());
  if (!swing)
    table.measure("taut, midpoint, step", true, 1.0 / 256, std::sqrt(0.5), [&](double step) {
      return simulate(table.model(), taut::Midpoint{}, {.step = step, .end = end, .every = 0});
    });
  // Looser tolerances do not reach these targets; in the swing IDA costs as much with them.
  table.measure("CVODE, BDF and projection", false, 1e-5, half_decade,
                [&](double atol) { return cvode(CV_BDF, links, end, atol); });
  table.measure("CVODE, Adams, lengths free", false, 1e-5, half_decade,
                [&](double atol) { return cvode(CV_ADAMS, links, end, atol); });
  table.measure("IDA, index 2", false, swing ? 3e-6 : 1e-5, half_decade, [&](double atol) { return ida(links, end, atol); });
  table.print();
}

using Angles = std::array<double, 4>;  // of both rods from the vertical, and their rates

Angles rates(const Angles& x) {
  const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
  const double first = -s * x[3] * x[3] - 2.0 * gravity * std::sin(x[0]),
               second = s * x[2] * x[2] - gravity * std::sin(x[1]);
  return {x[2], x[3], (first - c * second) / (2.0 - c * c), (2.0 * second - c * first) / (2.0 - c * c)};
}

Angles swing_by_angles(double h, long steps) {
  const auto ahead = [](const Angles& x, double by, const Angles& rate) {
    return Angles{x[0] + by * rate[0], x[1] + by * rate[1], x[2] + by * rate[2], x[3] + by * rate[3]};
  };
  Angles x{std::numbers::pi / 2, std::numbers::pi / 2, 0.0, 0.0};
  for (long k = 0; k < steps; ++k) {
    const Angles a = rates(x), b = rates(ahead(x, h / 2, a)), c = rates(ahead(x, h / 2, b)), d = rates(ahead(x, h, c));
    for (int i = 0; i < 4; ++i) x[i] += h / 6 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
  }
  return x;
}

void double_pendulum() {
  const double h = 1e-3;
  const long steps = 100000, early = 2000;
  const taut::Model model = taut::chain({.links = 2});
  const auto run = [&](long count) {
    return simulate(model, taut::RungeKutta{taut::kutta4()}, {.step = h, .end = h * double(count), .every = 0});
  };
  const Angles x = swing_by_angles(h, early);
  const Eigen::Vector4d q{std::sin(x[0]), -std::cos(x[0]), std::sin(x[0]) + std::sin(x[1]),
                          -std::cos(x[0]) - std::cos(x[1])};
  volatile double keep = 0.0;
  const double own = 1e6 / double(steps) * best_seconds([&] { keep = run(steps).q[0]; });
  const double angles = 1e6 / double(steps) * best_seconds([&] { keep = swing_by_angles(h, steps)[0]; });
  std::printf("\ndouble pendulum, RK4 with h = 1e-3: taut %.3f us per step, two angles by hand %.3f, ratio %.2f; ", own,
              angles, own / angles);
  std::printf("they differ by %.0e at t = 2\n", (run(early).q - q).lpNorm<Eigen::Infinity>());
}

}  // namespace

int main() {
  std::printf("%s\n", processor().c_str());
  print_sundials();
  for (const int links : {100, 1000, 10000}) chain(links, 1.0, 2e-5, 1e-12, false);
  chain(1000, 32.0, 2e-3, 1e-11, true);
  double_pendulum();
}
