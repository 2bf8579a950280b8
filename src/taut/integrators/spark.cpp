#include <algorithm>
#include <cmath>
#include <taut/base/require.hpp>
#include <taut/integrators/spark.hpp>
#include <taut/integrators/spark_problem.hpp>
#include <taut/step/index_one.hpp>

namespace taut {
namespace {

class SparkStepper final : public Stepper {
 public:
  SparkStepper(const System& system, const SolverMethod& method, const SparkTableau& tableau, bool embedded)
      : system_(system),
        tableau_(tableau),
        embedded_(embedded),
        problem_(system, tableau),
        options_(std::get<Multipliers>(method).newton),
        modified_(modified(options_)),
        full_(options_),
        equations_(system, method),
        z_(problem_.unknowns()) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    const int n = system_.size();
    problem_.now = &now;
    problem_.h = h;
    problem_.size_of_q = size_.of(system_, now);
    StepReport report;
    equations_.begin(now);
    set_aside();
    acceleration_ = &now.carried;
    multiplier_ = &now.lambda;
    if (now.carried.size() != n) {  // the first step: accelerations and multipliers at the start
      first_acceleration_.resize(n);
      first_multiplier_.resize(system_.constraint_count());
      acceleration_ = &first_acceleration_;
      multiplier_ = &first_multiplier_;
      report.solve = equations_.accelerate(instant(now), first_acceleration_, first_multiplier_);
      if (!report.ok()) return failed(report, system_, instant(now), h);
    }
    solve(past, h, report.solve);
    if (!report.ok()) return failed(report, system_, instant(now), h);
    problem_.finish(z_, next);
    next.t = now.t + h;
    if (!problem_.dependent.empty() && !implied(next, report.solve)) {
      // The rank has changed on the way, or the constraints contradict each other.
      equations_.inspect(instant(next));
      if (equations_.dependent() == problem_.dependent) return failed(report, system_, instant(now), h);
      set_aside();
      solve(past, h, report.solve);
      if (!report.ok()) return failed(report, system_, instant(now), h);
      problem_.finish(z_, next);
      next.t = now.t + h;
      if (!implied(next, report.solve)) return failed(report, system_, instant(now), h);
    }
    equations_.begin(next);
    next.carried.resize(n);
    next.lambda.resize(system_.constraint_count());
    SolveReport end = hold_velocities(next);
    if (end.status == Status::ok) end = equations_.accelerate(instant(next), next.carried, next.lambda);
    if (end.status != Status::ok) {
      report.solve = end;
      return failed(report, system_, instant(next), h);
    }
    if (embedded_) estimate(now, next, h);
    return report;
  }

  const Vector* error() const override { return embedded_ ? &error_ : nullptr; }

  const std::vector<int>& dependent() const override { return problem_.dependent; }

 private:
  void set_aside() {
    if (!problem_.set_aside(equations_.dependent())) return;
    modified_.forget();
    full_.forget();
  }

  /// Whether the constraints that were set aside hold by themselves.
  bool implied(const State& next, SolveReport& report) {
    g_.resize(system_.constraint_count());
    system_.constraint_values(next.t, next.q.data(), g_.data());
    const Vector sizes = system_.constraint_gradient_norms(instant(next));
    for (const int row : problem_.dependent) {
      const double allowed = 1e-10 * problem_.size_of_q * (sizes[row] > 0.0 ? sizes[row] : 1.0);
      if (std::abs(g_[row]) <= allowed) continue;
      report.status = Status::contradictory;
      report.worst_constraint = row;
      report.violation = std::abs(g_[row]);
      return false;
    }
    return true;
  }

  /// Near a singular position Newton's corrections end above what velocities can hold. What is left is projected in the metric of the mass, which changes the
  /// energy by its square alone; p goes along.
  SolveReport hold_velocities(State& next) {
    const int m = system_.constraint_count();
    if (m == 0 || !system_.holonomic()) return {};
    g_.resize(m);
    system_.constraint_rates(instant(next), g_.data());
    if (unit_.size() != m) unit_ = system_.constraint_gradient_norms(instant(next)).cwiseMax(1e-300);
    const double allowed = 2e-13 * next.v.lpNorm<Eigen::Infinity>();
    if ((g_.array().abs() <= allowed * unit_.array()).all()) return {};
    system_.add_dynamics(instant(next), -1.0, 0.0, next.p.data());
    const SolveReport report = equations_.project_velocity(next.t, next.q, next.v);
    system_.add_dynamics(instant(next), 1.0, 0.0, next.p.data());
    return report;
  }

  /// See Spark::embedded.
  void estimate(const State& now, const State& next, double h) {
    const int n = system_.size(), s = tableau_.s;
    const auto V = problem_.velocities(z_);
    double nodes = 1.0, factorial = 1.0;
    for (int i = 0; i < s; ++i) nodes *= tableau_.c[i], factorial *= i + 1.0;
    // What the polynomial misses at both ends.
    first_ = now.v;
    last_ = next.v;
    for (int i = 0; i < s; ++i) {
      double at_start = 1.0, at_end = 1.0;
      for (int j = 0; j < s; ++j) {
        if (j == i) continue;
        at_start *= -tableau_.c[j] / (tableau_.c[i] - tableau_.c[j]);
        at_end *= (1.0 - tableau_.c[j]) / (tableau_.c[i] - tableau_.c[j]);
      }
      first_ -= at_start * V.col(i);
      last_ -= at_end * V.col(i);
    }
    error_.setZero(2 * n);
    const double missed = 0.5 * (first_.norm() + last_.norm()),
                 change = std::abs(h) * std::max(acceleration_->norm(), next.carried.norm());
    if (!(missed > 0.0) || !(change > 0.0)) return;
    const double x = std::pow(missed / change * factorial / nodes, 1.0 / (s - 1));
    const double constant = factorial * factorial / (std::tgamma(2.0 * s + 1.0) * std::tgamma(2.0 * s + 2.0));
    const double in_v = constant * std::pow(x, 2.0 * s) * change;
    first_ += last_;  // only the size matters
    first_ *= in_v / std::max(first_.norm(), 1e-300);
    error_.tail(n) = first_;
    error_.head(n) = (h / x) * first_;
  }

  /// A new matrix costs about as much as two corrections, and does not bring the slopes that are left out: it is made where corrections shrink by less
  /// than ten. Twenty that do not suffice shrink by less than a half, and cost more than the full matrix.
  static NewtonOptions modified(NewtonOptions options) {
    options.reuse_below = 0.1;
    options.max_iterations = std::min(options.max_iterations, 20);
    options.tolerance *= 0.1;  // it converges linearly, and what is left adds up in momenta
    options.unjudged = 1;      // velocities are guessed far better than multipliers, whose error would look like divergence
    return options;
  }

  /// By the modified matrix; where that contracts badly, by the full one, and so for the next steps. Now and then, and where h becomes much smaller, the cheaper
  /// one has another chance.
  void solve(History past, double h, SolveReport& report) {
    report = {};
    const bool always = options_.refresh == Refresh::iteration;
    const bool again = steps_in_full_ >= 100 || std::abs(h) < 0.5 * stiff_step_;
    if (!always && (stiff_step_ == 0.0 || again)) {
      problem_.full = false;
      guess(past, h);
      const NewtonReport newton = modified_.solve(problem_, z_);
      add(newton, report);
      const bool good = newton.status == Status::ok;
      stiff_step_ = good ? 0.0 : std::abs(h);
      steps_in_full_ = 0;
      if (good) return;
      modified_.forget();
    }
    problem_.full = true;
    guess(past, h);
    const NewtonReport newton = full_.solve(problem_, z_);
    add(newton, report);
    ++steps_in_full_;
    if (newton.status != Status::ok) full_.forget();
  }
  static void add(const NewtonReport& newton, SolveReport& report) {
    report.status = newton.status;
    report.newton_iterations += newton.iterations;
    report.factorizations += newton.factorizations;
    report.correction = newton.last_correction;
    report.contraction = newton.contraction;
  }

  /// Velocities by extrapolating the cubic through the last two ends and their accelerations, multipliers linearly. Where forces are stiff, accelerations say
  /// nothing about the step.
  void guess(History past, double h) {
    const int n = system_.size(), m = system_.constraint_count(), s = tableau_.s;
    const State& now = past.back();
    const bool before = past.size() > 1 && past[past.size() - 2].carried.size() == n;
    const Eigen::OuterStride<> stride(n + m);
    Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> V(z_.data(), n, s + 1, stride), L(z_.data() + n, m, s + 1, stride);
    const Vector &a = *acceleration_, &lambda = *multiplier_;
    for (int i = 0; i <= s; ++i) {
      if (problem_.full) {
        V.col(i) = now.v;
        L.col(i) = lambda;
        continue;
      }
      const double c = i < s ? tableau_.c[i] : 1.0;
      if (!before) {
        V.col(i) = now.v + (c * h) * a;
        L.col(i) = lambda;
        continue;
      }
      const State& old = past[past.size() - 2];
      const double H = now.t - old.t, x = c * h / H, xx = x * x, xxx = xx * x;  // in units of the last step, from its end
      // v + x H a + x² (2H a + H a₋ − 3Δ) + x³ (H a + H a₋ − 2Δ) with Δ = v − v₋ meets v₋ and H a₋ at x = −1.
      V.col(i) = (1.0 - 3.0 * xx - 2.0 * xxx) * now.v + (3.0 * xx + 2.0 * xxx) * old.v + (H * (x + 2.0 * xx + xxx)) * a +
                 (H * (xx + xxx)) * old.carried;
      const double node = old.lambda.size() == m ? tableau_.lobatto_c[i] * h / H : 0.0;
      if (node != 0.0) {
        L.col(i) = (1.0 + node) * lambda - node * old.lambda;
      } else {
        L.col(i) = lambda;
      }
    }
  }

  const System& system_;
  const SparkTableau& tableau_;
  bool embedded_;
  SparkProblem problem_;
  NewtonOptions options_;
  Newton modified_, full_;
  IndexOne equations_;
  ConfigurationSize size_;
  const Vector *acceleration_ = nullptr, *multiplier_ = nullptr;  // at the start of the step
  Vector z_, g_, unit_, first_acceleration_, first_multiplier_, error_, first_, last_;
  double stiff_step_ = 0.0;  // the step at which the modified matrix failed; 0: it does not
  int steps_in_full_ = 0;
};

}  // namespace

Traits Spark::traits() const {
  const bool gauss = family == SparkFamily::gauss, mean = family == SparkFamily::lobatto_iiid;
  const bool radau = family == SparkFamily::radau_iia || family == SparkFamily::radau_ia;
  const int order = 2 * stages - (gauss ? 0 : (radau ? 1 : 2));
  const char* of =
      gauss ? "" : (mean ? ", Lobatto IIID" : (family == SparkFamily::lobatto_iiic ? ", Lobatto IIIC" : ", Radau IA"));
  return {.name = "SPARK(" + std::to_string(stages) + ")" + (family == SparkFamily::radau_iia ? ", Radau IIA" : of),
          .order = order,
          .symmetric = gauss || mean,
          .symplectic = gauss || mean,
          .conserves_momentum = gauss || mean,
          .multiplier_time = 1.0,
          .multiplier_order = order,
          .error_order = embedded ? order : 0};
}

std::unique_ptr<Stepper> Spark::bind(const System& system, const SolverMethod& method) const {
  const SparkTableau& tableau = spark_tableau(stages, family);
  require_equalities(system, "Spark");
  require_acting(system, "Spark");
  require(std::holds_alternative<Multipliers>(method),
          "Spark: has its own modified Newton iteration and takes Multipliers only, not {}.", name_of(method));
  require(!embedded || (family == SparkFamily::gauss && stages >= 2),
          "Spark: the estimate by stages is for Gauss schemes of two stages or more; leave it to doubling.");
  return std::make_unique<SparkStepper>(system, method, tableau, embedded);
}

}  // namespace taut
