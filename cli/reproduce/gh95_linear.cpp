#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/taut.hpp>

#include <taut/system/terms/element.hpp>

#include "experiment.hpp"
#include "staggered.hpp"

namespace taut::reproduce {
namespace {

constexpr int d = 8;
using Square = Eigen::Matrix<double, d, d>;

/// The forces of springs that harden, of section 1.9: Φᵢ = stiff/4 xᵢ⁴.
struct Hardening {
  static constexpr int width = d;
  double stiff;
  std::array<int, d> stencil() const { return {0, 1, 2, 3, 4, 5, 6, 7}; }
  template <class T> T potential(const T&, const Local<T, d>& x) const {
    T sum(0.0);
    for (int i = 0; i < d; ++i) sum += (0.25 * stiff) * ((x[i] * x[i]) * (x[i] * x[i]));
    return sum;
  }
};

/// M ẍ + A x + φ(x) = 0 of sections 1.5 and 1.9, with V = ½ xᵀA x + stiff/4 Σ xᵢ⁴.
struct Masses {
  static constexpr int width = d;
  Square A;
  std::array<double, d> m;
  double stiff;

  std::array<int, d> stencil() const { return {0, 1, 2, 3, 4, 5, 6, 7}; }
  std::array<double, d> mass() const { return m; }
  template <class T> T potential(const T&, const Local<T, d>& x) const {
    T sum(0.0);
    for (int i = 0; i < d; ++i) {
      T row(0.0);
      for (int j = 0; j < d; ++j) row += A(i, j) * x[j];
      sum += 0.5 * (row * x[i]);
      if (stiff != 0.0) sum += (0.25 * stiff) * ((x[i] * x[i]) * (x[i] * x[i]));
    }
    return sum;
  }
};

/// Seeded: the same matrices in every run. A = B Bᵀ + I is positive definite.
Masses random_masses(unsigned seed, double stiff) {
  std::mt19937 generator(seed);
  const auto number = [&] { return 2.0 * (double(generator()) / double(std::mt19937::max())) - 1.0; };
  Masses masses{.A = {}, .m = {}, .stiff = stiff};
  Square B;
  for (int i = 0; i < d; ++i) {
    masses.m[i] = 1.0 + 0.5 * number();
    for (int j = 0; j < d; ++j) B(i, j) = number();
  }
  masses.A = B * B.transpose() + Square::Identity();
  return masses;
}

double largest_eigenvalue(const Masses& masses) {
  const Eigen::Map<const Eigen::Matrix<double, d, 1>> m(masses.m.data());
  return symmetric_eigenvalues(masses.A, m.asDiagonal()).maxCoeff();
}

System system_of(const Masses& masses) {
  System system(d);
  system.add(masses);
  return system;
}

/// The same with its linear part as such: (31) weighs it by α and takes φ by discrete gradients.
System divided(const Masses& masses) {
  auto matrices = std::make_shared<ElementMatrices<d>>();
  for (int i = 0; i < d; ++i) {
    matrices->mass[std::size_t(i) * (d + 1)] = masses.m[std::size_t(i)];
    for (int j = 0; j < d; ++j) matrices->stiffness[std::size_t(i) * d + std::size_t(j)] = masses.A(i, j);
  }
  System system(d);
  system.add(Element<d, 1>{{0, 1, 2, 3, 4, 5, 6, 7}, matrices});
  system.add(Hardening{masses.stiff});
  return system;
}

State start_of(const System& system) {
  Vector x(d);
  for (int i = 0; i < d; ++i) x[i] = std::cos(1.0 + i);
  return at_rest(system, x);
}

/// (19): ½ (M_α v₊, v₊) + V(x₊), at the middle of each step, M_α = M + (α − ¼)h²A; the largest change over its first value.
double energy_drift(const Masses& masses, const System& system, double alpha, const Trajectory& path) {
  double first = 0.0, largest = 0.0;
  for (int k = 1; k < path.size(); ++k) {
    const double h = path.t(k) - path.t(k - 1);
    const Vector v = (path.q(k) - path.q(k - 1)) / h, x = 0.5 * (path.q(k) + path.q(k - 1));
    const double energy = system.energy({0.0, x.data(), v.data()}) + 0.5 * (alpha - 0.25) * h * h * v.dot(masses.A * v);
    if (k == 1) first = energy;
    largest = std::max(largest, std::abs(energy / first - 1.0));
  }
  return largest;
}

double largest_of(const Trajectory& path) {
  double largest = 0.0;
  for (int k = 0; k < path.size(); ++k) largest = std::max(largest, path.q(k).norm());
  return largest / path.q(0).norm();
}

}  // namespace

Outcome run_gh95_linear(const Settings& set, const Report& report) {
  Outcome out;
  Curve growth{"gh95_growth", {"steps", "below the limit, 0.999", "above the limit, 1.001"}, {}};
  double linear = 0.0, nonlinear = 0.0, any_alpha = 0.0, bounded = 0.0, smallest_growth = 1e300;
  const Multipliers exactly{.newton = {.tolerance = 1e-15}};
  const auto run = [&](const System& system, const Integrator& integrator, double h, int steps) {
    Trajectory path =
        simulate(system, start_of(system), integrator, exactly, {.step = h, .end = steps * h, .through_divergence = true});
    if (path.verdict == Verdict::failed) out.failure = path.message;
    return path;
  };
  constexpr int seeds = 3;
  const int steps = set.whole("steps"), shown = std::min(steps, 500);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    report("random matrices", (seed - 1.0) / seeds);
    const Masses masses = random_masses(seed, 0.0);
    const System system = system_of(masses);
    const double frequency = std::sqrt(largest_eigenvalue(masses));
    for (const double alpha : {0.0, 0.1, 0.2, 0.25, 0.5}) {
      // Half the limit (23) where there is one, far above the shortest period where there is none.
      const double h = alpha < 0.25 ? 1.0 / (frequency * std::sqrt(1.0 - 4.0 * alpha)) : 5.0 / frequency;
      linear = std::max(linear, energy_drift(masses, system, alpha, run(system, Gcn{.alpha = alpha}, h, steps)));
    }
    for (const double alpha : {0.0, 0.1, 0.2}) {
      const double limit = 2.0 / (frequency * std::sqrt(1.0 - 4.0 * alpha));
      const Trajectory below = run(system, Gcn{.alpha = alpha}, 0.999 * limit, steps);
      const Trajectory above = run(system, Gcn{.alpha = alpha}, 1.001 * limit, 500);
      bounded = std::max(bounded, largest_of(below));
      smallest_growth = std::min(smallest_growth, largest_of(above));
      if (seed == 1 && alpha == 0.0)
        for (int k = 0; k <= shown; ++k)
          growth.rows.push_back({double(k), below.q(k).norm() / below.q(0).norm(), above.q(k).norm() / above.q(0).norm()});
    }
    const Masses hard = random_masses(seed, 3.0);
    const System duffing = system_of(hard);
    // (31) with its own α: half the limit (23) where there is one.
    const System parts = divided(hard);
    for (const double alpha : {0.0, 0.1, 0.2, 0.3, 0.5}) {
      const double h = alpha < 0.25 ? 0.5 / (frequency * std::sqrt(1.0 - 4.0 * alpha)) : 0.1;
      any_alpha =
          std::max(any_alpha,
                   relative_drift(staggered_energy(parts, run(parts, ThreeLevel{alpha}, h, std::min(steps, 2000)), alpha)));
    }
    for (const double h : {0.02, 0.1, 0.5})
      nonlinear = std::max(nonlinear, energy_drift(hard, duffing, 0.25, run(duffing, ThreeLevel{}, h, steps)));
  }
  out.number("energy_drift_linear", linear);
  out.number("energy_drift_nonlinear", nonlinear);
  out.number("energy_drift_any_alpha", any_alpha);
  out.number("bounded_at_0.999", bounded);
  out.number("growth_at_1.001", smallest_growth);
  out.table = {
      {"(16): relative change of the energy (19)", {}, linear, "alpha = 0, 0.1, 0.2, 1/4, 1/2; 10000 steps"},
      {"(31): relative change of its energy", {}, nonlinear, "h = 0.02, 0.1, 0.5; 10000 steps"},
      {"(31), any alpha: relative change of its energy", {}, any_alpha, "alpha = 0, 0.1, 0.2, 0.3, 1/2; 2000 steps"},
      {"0.999 of the limit (23): largest |x|/|x(0)|", {}, bounded, "10000 steps"},
      {"1.001 of the limit (23): smallest growth", {}, smallest_growth, "500 steps"}};
  out.remarks = {
      "Three random systems of 8 masses; sections 1.7 to 1.9 print no numbers, they prove what is measured here.",
      "(31) runs in its regular form, a discrete gradient: the printed quotient is 0/0 in the first step from rest."};
  out.curves.push_back(std::move(growth));
  out.plots = {{"gh95_stability",
                "The limit (23) is sharp: alpha = 0, steps at 0.999 and 1.001 of it",
                "steps",
                "|x| / |x(0)|",
                {{"gh95_growth", "below the limit, 0.999", "0.999", "lines lc rgb '#1b9e77'"},
                 {"gh95_growth", "above the limit, 1.001", "1.001", "lines lc rgb '#d95f02'"}},
                "set logscale y\nset format y '10^{%L}'"}};
  return out;
}

}  // namespace taut::reproduce
