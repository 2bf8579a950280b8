#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/integrators/hmm.hpp>
#include <taut/step/index_one.hpp>

namespace taut {
namespace {

class HmmStepper final : public Stepper {
 public:
  HmmStepper(const System& system, const SolverMethod& method, const Hmm& scheme)
      : system_(system),
        scheme_(scheme),
        soft_(penalized(system, scheme.epsilon * scheme.epsilon)),
        equations_(soft_, method),
        none_(0),
        g_(system.constraint_count()) {
    const Vector zero = Vector::Zero(system.size());
    for (Average* one : {&average_, &slope_}) one->q = one->v = one->a = zero;
    q_ = v_ = a_ = first_ = half_ = zero;
  }

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    StepReport report;
    if (!prepare(now, report)) return report;
    // Classical RK4 on (Q, V), with slopes by averaging.
    constexpr std::array<double, 4> c{0.0, 0.5, 0.5, 1.0}, b{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    next.q = now.q;
    next.v = now.v;
    Q_ = now.q;
    V_ = now.v;
    for (int i = 0; i < 4; ++i) {
      const double t = now.t + c[std::size_t(i)] * h;
      if (i > 0) {
        Q_ = now.q + (c[std::size_t(i)] * h) * slope_.v;
        V_ = now.v + (c[std::size_t(i)] * h) * slope_.a;
      }
      if (!project(t, Q_, V_, report) || !micro(t, Q_, V_, slope_, report)) return report;
      if (i == 0) next.lambda = slope_.lambda;
      next.q += (b[std::size_t(i)] * h) * slope_.v;
      next.v += (b[std::size_t(i)] * h) * slope_.a;
    }
    next.t = now.t + h;
    if (!project(next.t, next.q, next.v, report)) return report;
    set_momentum(system_, next);
    report.solve.newton_iterations = 0;
    report.evaluations = evaluations_;
    evaluations_ = 0;
    // A fast motion that was not averaged away shows as a spring that is stretched far beyond its load.
    const double size = next.q.lpNorm<Eigen::Infinity>();
    if (!(size <= 1e3 * (1.0 + size_.of(system_, now)))) {
      report.solve.status = Status::refused;
      report.trouble =
          message("the multiscale step blew up: |q| grew to {}; a smaller step, or more passes, would help", size);
    }
    return report;
  }

  const std::vector<int>& dependent() const override { return equations_.dependent(); }

 private:
  struct Average {
    Vector q, v, a, lambda;
  };

  /// Window, micro step and weights from the frequencies of this place.
  bool prepare(const State& now, StepReport& report) {
    const std::vector<double> omega = fast_frequencies(system_, instant(now), scheme_.epsilon);
    const double slowest = omega.front(), fastest = omega.back(), pi = std::acos(-1.0);
    const auto refuse = [&](const std::string& why) {
      report.solve.status = Status::refused;
      report.trouble = why;
      return false;
    };
    if (!(slowest > 1e-6 * fastest))
      return refuse(
          message("a fast frequency goes to zero ({} against {} rad/s): the constraints stand in a singular position",
                  slowest, fastest));
    const double window = scheme_.window > 0.0 ? scheme_.window : scheme_.periods * 2.0 * pi / slowest;
    const double step = scheme_.micro_step > 0.0 ? scheme_.micro_step : scheme_.resolution / fastest;
    if (window < 2.0 * pi / slowest)
      return refuse(message("the window of {} s is shorter than the slowest fast period, {} s", window, 2.0 * pi / slowest));
    if (step * fastest >= 2.0)
      return refuse(message("the micro step of {} s is unstable at the fastest frequency, {} rad/s", step, fastest));
    const int n = std::max(4, int(std::ceil(0.5 * window / step)));
    constexpr int most = 10'000'000;
    if (n > most) return refuse(message("the scales are too far apart: {} micro steps in a window", 2 * n));
    step_ = 0.5 * window / n;
    if (int(weights_.size()) != 2 * n + 1) weights_ = scheme_.kernel.weights(n);
    return true;
  }

  bool project(double t, Vector& Q, Vector& V, StepReport& report) {
    for (int pass = 0; pass < scheme_.passes; ++pass) {
      if (!micro(t, Q, V, average_, report)) return false;
      Q = average_.q;
      V = average_.v;
    }
    return true;
  }

  /// Weighted sums along micro runs forward and backward from (Q, V).
  bool micro(double t, const Vector& Q, const Vector& V, Average& sum, StepReport& report) {
    const int n = int(weights_.size()) / 2;
    if (!accelerate(t, Q, V, first_, report)) return false;
    sum.q = weights_[n] * Q;
    sum.v = weights_[n] * V;
    sum.a = weights_[n] * first_;
    sum.lambda.setZero(g_.size());
    add_multiplier(t, Q, weights_[n], sum.lambda);
    for (const double direction : {1.0, -1.0}) {
      const double h = direction * step_;
      q_ = Q;
      v_ = V;
      a_ = first_;
      for (int i = 1; i <= n; ++i) {
        half_ = v_ + 0.5 * h * a_;
        q_ += h * half_;
        v_ = half_ + 0.5 * h * a_;  // for forces that depend on it
        if (!accelerate(t + i * h, q_, v_, a_, report)) return false;
        v_ = half_ + 0.5 * h * a_;
        const double w = weights_[std::size_t(direction > 0.0 ? n + i : n - i)];
        sum.q += w * q_;
        sum.v += w * v_;
        sum.a += w * a_;
        add_multiplier(t + i * h, q_, w, sum.lambda);
      }
    }
    return true;
  }

  void add_multiplier(double t, const Vector& q, double weight, Vector& out) {
    system_.constraint_values(t, q.data(), g_.data());
    out += (weight / (scheme_.epsilon * scheme_.epsilon)) * g_;
  }

  bool accelerate(double t, const Vector& q, const Vector& v, Vector& a, StepReport& report) {
    ++evaluations_;
    report.solve = equations_.accelerate({t, q.data(), v.data()}, a, none_);
    if (report.ok() && a.allFinite()) return true;
    if (report.ok()) report.solve.status = Status::not_finite;
    report.trouble = message("the micro run blew up at t = {}", t);
    return false;
  }

  const System& system_;
  Hmm scheme_;
  System soft_;
  IndexOne equations_;
  ConfigurationSize size_;
  std::vector<double> weights_;
  double step_ = 0.0;
  long evaluations_ = 0;
  Average average_, slope_;
  Vector none_, g_, Q_, V_, q_, v_, a_, first_, half_;
};

}  // namespace

std::vector<double> HmmKernel::weights(int n) const {
  require(n >= 1, "HmmKernel: needs at least one point on each side, got {}.", n);
  require(moments >= 1 && moments <= 15 && smoothness >= 0 && smoothness <= 30,
          "HmmKernel: moments must lie in [1, 15] and smoothness in [0, 30], got {} and {}.", moments, smoothness);
  const int J = shape == Shape::box ? 0 : (moments - 1) / 2;
  const auto bell = [&](double s) {
    const double rest = 1.0 - s * s;
    if (shape == Shape::box) return 1.0;
    if (rest <= 0.0) return 0.0;
    return shape == Shape::polynomial ? std::pow(rest, smoothness + 1) : std::exp(-5.0 / rest);
  };
  // Σ w s^2k = δ_k0 in the coefficients aⱼ.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(J + 1, J + 1);
  for (int i = -n; i <= n; ++i) {
    const double s = double(i) / n;
    for (int k = 0; k <= J; ++k)
      for (int j = 0; j <= J; ++j) A(k, j) += bell(s) * std::pow(s, 2 * (k + j));
  }
  Vector right = Vector::Zero(J + 1);
  right[0] = 1.0;
  const Vector a = A.fullPivLu().solve(right);
  std::vector<double> out;
  for (int i = -n; i <= n; ++i) {
    const double s = double(i) / n;
    double sum = 0.0;
    for (int j = 0; j <= J; ++j) sum += a[j] * std::pow(s, 2 * j);
    out.push_back(bell(s) * sum);
  }
  return out;
}

std::vector<double> fast_frequencies(const System& system, const Instant& at, double epsilon) {
  const Vector q = Eigen::Map<const Vector>(at.q, system.size());
  const Eigen::MatrixXd G = system.constraint_gradient(at.t, q), M = system.mass(at);
  const Eigen::MatrixXd S = G * M.partialPivLu().solve(G.transpose());
  const Vector squares =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (S + S.transpose()), Eigen::EigenvaluesOnly).eigenvalues();
  std::vector<double> out;
  for (const double one : squares) out.push_back(std::sqrt(std::max(one, 0.0)) / epsilon);
  return out;
}

Traits Hmm::traits() const { return {.name = "HMM", .order = 4, .holds_velocities = false}; }

std::unique_ptr<Stepper> Hmm::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Hmm");
  require_holonomic(system, "Hmm");
  require(system.constraint_count() > 0,
          "Hmm: there is no constraint to penalise; RungeKutta integrates such a system directly.");
  require(epsilon > 0.0, "Hmm: epsilon must be positive, got {}.", epsilon);
  require(passes >= 0 && passes <= 10, "Hmm: passes must lie in [0, 10], got {}.", passes);
  require(periods >= 1.0, "Hmm: the window must hold at least one period, got {}.", periods);
  require(resolution > 0.0 && resolution < 2.0, "Hmm: resolution must lie in (0, 2), got {}; Verlet is unstable beyond.",
          resolution);
  return std::make_unique<HmmStepper>(system, method, *this);
}

}  // namespace taut
