#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <iomanip>
#include <limits>
#include <sstream>
#include <taut/integrators/rattle.hpp>
#include <taut/integrators/runge_kutta.hpp>
#include <taut/model/model_certifier.hpp>
#include <taut/study/measured_run.hpp>

namespace taut {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const ExplicitTableau* tableau_of(const Integrator& integrator) {
  const std::string name = integrator.traits().name;
  for (const ExplicitTableau* one : {&kutta4(), &dormand_prince5(), &dormand_prince8()})
    if (RungeKutta{*one}.traits().name == name) return one;
  return nullptr;
}

/// |R(iy)|, by which a step multiplies an oscillation with h ω = y.
double growth(const ExplicitTableau& tableau, double y) {
  const std::complex<double> z(0.0, y);
  std::vector<std::complex<double>> k;
  std::complex<double> end = 1.0;
  for (std::size_t i = 0; i < tableau.b.size(); ++i) {
    std::complex<double> stage = 1.0;
    for (std::size_t j = 0; j < i && j < tableau.a[i].size(); ++j) stage += tableau.a[i][j] * k[j];
    k.push_back(z * stage);
    end += tableau.b[i] * k[i];
  }
  return std::abs(end);
}

}  // namespace

MeasuredRun measured_run(ModelModes& modes, const State& start, const Integrator& integrator, const SolverMethod& method,
                         SimulateOptions options, const RunLimits& limits, const StudyWatch& watch,
                         const std::function<void(double)>& done) {
  MeasuredRun out;
  const auto begin = Clock::now();
  double measuring = 0.0, kinetic = 0.0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  modes.enter(modes.first());
  ModelCertifier certifier(modes, options.end - start.t);
  const auto measure = [&](const Progress& p) {
    const auto since = Clock::now();
    const Measured now = certifier.see(p);
    kinetic = std::max(kinetic, now.kinetic);
    lowest = std::min(lowest, now.potential);
    highest = std::max(highest, now.potential);
    out.moved = std::max(out.moved, (p.state.q - start.q).lpNorm<Eigen::Infinity>());
    if (done) done(p.done);
    if (watch.over()) {
      *p.stop = "interrupted";
      out.cut = true;
    } else if (limits.steps > 0 && p.step >= limits.steps && p.done < 1.0) {
      *p.stop = message("more than {} steps", limits.steps);
      out.cut = true;
    } else if (limits.seconds > 0.0 && seconds_since(begin) > limits.seconds && p.done < 1.0) {
      *p.stop = message("more than {} s", brief(limits.seconds));
      out.cut = true;
    }
    measuring += seconds_since(since);
  };
  options.keep = false;
  options.interval = 0.0;
  options.observers = {measure};
  const Trajectory path = simulate(*modes.moving(modes.first()), start, integrator, method, options);
  out.wall = seconds_since(begin);
  out.seconds = std::max(out.wall - measuring, 0.0);
  out.verdict = path.verdict;
  out.message = path.message;
  out.last = path.last;
  out.certificate = certifier.certificate(path);
  out.energy = kinetic + std::max(highest - lowest, 0.0);
  if (good(out.verdict) && !(out.last.q.allFinite() && out.last.v.allFinite())) {
    out.verdict = out.certificate.verdict = Verdict::diverged;
    out.message = out.certificate.message = "the motion is not finite";
  }
  return out;
}

double apart(const State& a, const State& b) { return (a.q - b.q).lpNorm<Eigen::Infinity>(); }

bool has_inequalities(const System& system) {
  const std::vector<Set> sets = system.sets();
  return std::any_of(sets.begin(), sets.end(), [](Set set) { return set != Set::zero && set != Set::whole; });
}

int promised_order(const Integrator& integrator, const System& system) {
  const Traits traits = integrator.traits();
  if (has_inequalities(system)) return 1;
  return system.constraint_count() == 0 && traits.free_order > 0 ? traits.free_order : traits.order;
}

bool is_explicit(const Integrator& integrator) { return tableau_of(integrator) != nullptr; }

double swing_limit(const Integrator& integrator) {
  if (integrator.traits().name == Rattle{}.traits().name) return 2.0;
  const ExplicitTableau* tableau = tableau_of(integrator);
  if (tableau == nullptr) return std::numeric_limits<double>::infinity();
  constexpr double step = 0.01, most = 1.05;
  double y = step;
  while (y < 100.0 && growth(*tableau, y) <= most) y += step;
  return y;
}

std::string brief(double value, int digits) {
  std::ostringstream out;
  out << std::setprecision(digits) << value;
  return out.str();
}

std::string percent(double share) { return brief(100.0 * share) + " %"; }

}  // namespace taut
