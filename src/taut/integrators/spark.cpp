#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/base/require.hpp>
#include <taut/integrators/spark.hpp>
#include <taut/integrators/spark_tableau.hpp>
#include <taut/linalg/matrix.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/step/index_one.hpp>
#include <taut/step/newton.hpp>

namespace taut {
namespace {

constexpr double suspicious_pivots = 1e-13;

/// out += factor · X Cᵀ, column by column and without a temporary: columns of X mixed by the rows of C.
template <class From, class To> void add_mixed(const From& X, const Eigen::MatrixXd& C, double factor, To&& out) {
  for (Eigen::Index i = 0; i < C.rows(); ++i)
    for (Eigen::Index j = 0; j < C.cols(); ++j)
      if (C(i, j) != 0.0) out.col(i) += (factor * C(i, j)) * X.col(j);
}

/// The equations of one step in z = (V₁ … Vₛ, v₁; Λ₀ … Λₛ), transformed by Q; a nonholonomic row has Ψ₁ … Ψₛ in the first s places of its Λ.
class Problem final : public NewtonProblem {
 public:
  Problem(const System& system, const SparkTableau& tableau)
      : system_(system),
        t_(tableau),
        n_(system.size()),
        m_(system.constraint_count()),
        assembly_(system, Assembly::Parts{}),
        inner_(Matrix::on(assembly_.layout())),
        on_(Vector::Ones(m_)),
        holonomic_(Vector::Ones(m_)),
        Y_(Eigen::MatrixXd::Zero(n_, tableau.s)),
        nodes_(Eigen::MatrixXd::Zero(n_, tableau.s + 1)),
        momenta_(Eigen::MatrixXd::Zero(n_, tableau.s + 1)),
        forces_(Eigen::MatrixXd::Zero(n_, tableau.s)),
        reactions_(Eigen::MatrixXd::Zero(n_, tableau.s + 1)),
        conditions_(Eigen::MatrixXd::Zero(m_, tableau.s + 1)),
        rates_(Eigen::MatrixXd::Zero(m_, tableau.s + 1)),
        mixed_rates_(rates_),
        part_(n_ + m_),
        lambda_(m_) {
    int row = 0;
    for (const auto& block : system.constraints())
      for (int k = 0; k < block->terms() * block->rows(); ++k) holonomic_[row++] = block->holonomic() ? 1.0 : 0.0;
    mixed_ = (holonomic_.array() == 0.0).any();
    if (mixed_) last_ = Matrix::on(assembly_.layout());
  }

  const State* now = nullptr;
  double h = 0.0, size_of_q = 0.0;
  std::vector<int> dependent;

  int unknowns() const { return (t_.s + 1) * (n_ + m_); }
  Eigen::Map<const Eigen::MatrixXd> velocities(const Vector& z) const { return {z.data(), n_, t_.s + 1}; }
  Eigen::Map<const Eigen::MatrixXd> multipliers(const Vector& z) const { return {z.data() + (t_.s + 1) * n_, m_, t_.s + 1}; }

  void residual(const Vector& z, Vector& r) override {
    evaluate(z);
    const int s = t_.s;
    const auto V = velocities(z);
    r.resize(unknowns());
    // p − p₀ − h α f + h α̃ GᵀΛ at the stages and at the end, then Q.
    for (int i = 0; i < s; ++i) momentum(t_.c[i], Y_.col(i).data(), V.col(i).data(), momenta_.col(i));
    momentum(1.0, nodes_.col(s).data(), V.col(s).data(), momenta_.col(s));
    add_mixed(forces_, t_.alpha, -h, momenta_);
    add_mixed(reactions_, t_.tilde, h, momenta_);
    momenta_.colwise() -= now->p;
    r.setZero();
    add_mixed(momenta_, t_.Q, 1.0, Eigen::Map<Eigen::MatrixXd>(r.data(), n_, s + 1));
    if (m_ == 0) return;

    for (int i = 1; i <= s; ++i)
      system_.constraint_values(time(t_.lobatto_c[i]), nodes_.col(i).data(), conditions_.col(i - 1).data());
    conditions_.leftCols(s) /= h;
    system_.constraint_rates({time(1.0), nodes_.col(s).data(), V.col(s).data()}, conditions_.col(s).data());
    Eigen::Map<Eigen::MatrixXd> C(r.data() + (s + 1) * n_, m_, s + 1);
    add_mixed(conditions_, t_.Q_check, 1.0, C);
    if (mixed_) {
      for (int i = 0; i < s; ++i)
        system_.constraint_rates({time(t_.c[i]), Y_.col(i).data(), V.col(i).data()}, rates_.col(i).data());
      rates_.col(s) = conditions_.col(s);
      mixed_rates_.setZero();
      add_mixed(rates_, t_.Q, 1.0, mixed_rates_);
      mixed_rates_.col(s).setZero();
      for (int row = 0; row < m_; ++row)
        if (holonomic_[row] == 0.0) C.row(row) = mixed_rates_.row(row);
    }
    for (const int row : dependent) C.row(row).setZero();
  }

  bool linearize(const Vector& z) override {
    // At the middle that z predicts.
    v_.setZero(n_);
    for (int j = 0; j < t_.s; ++j) v_ += t_.b[j] * velocities(z).col(j);
    q_ = now->q + 0.5 * h * v_;
    const Instant at{time(0.5), q_.data(), v_.data()};
    const auto all = [&] {
      if (mixed_) last_on_ = on_.cwiseProduct(holonomic_);
      return factor(*inner_, at, on_) && (!mixed_ || factor(*last_, at, last_on_));
    };
    if (all()) return true;
    if (m_ == 0) return false;
    // Constraints that repeat others are set aside.
    assemble(*inner_, at, Vector::Ones(m_));
    dependent = dependent_rows(lower_rows(*inner_, n_));
    on_.setOnes();
    for (const int row : dependent) on_[row] = 0.0;
    if (dependent.empty()) return false;
    return all();
  }

  void solve(const Vector& r, Vector& dz) override {
    const int s = t_.s;
    dz.setZero(unknowns());
    for (int i = 0; i <= s; ++i) {
      part_.head(n_) = r.segment(i * n_, n_);
      part_.tail(m_) = r.segment((s + 1) * n_ + i * m_, m_);
      (i == s && mixed_ ? *last_ : *inner_).solve(part_, part_);
      momenta_.col(i) = part_.head(n_);
      conditions_.col(i) = part_.tail(m_);
    }
    add_mixed(momenta_, t_.Q_inverse, 1.0, Eigen::Map<Eigen::MatrixXd>(dz.data(), n_, s + 1));
    if (m_ == 0) return;
    Eigen::Map<Eigen::MatrixXd> L(dz.data() + (s + 1) * n_, m_, s + 1);
    add_mixed(conditions_, t_.Q_tilde_inverse, 1.0 / h, L);
    if (!mixed_) return;
    mixed_rates_.setZero();
    add_mixed(conditions_, t_.A_inverse, 1.0 / h, mixed_rates_);
    for (int row = 0; row < m_; ++row)
      if (holonomic_[row] == 0.0) L.row(row) = mixed_rates_.row(row);
  }

  double size(const Vector& dz) const override {
    const double largest = dz.head((t_.s + 1) * n_).lpNorm<Eigen::Infinity>(), trace = dz.sum();
    return largest + (trace - trace);  // not a number where an entry is not finite
  }
  double threshold(const Vector& z, double tolerance) const override {
    return tolerance * size(z) + (m_ == 0 ? 0.0 : 0.1 * round_off());
  }
  double stagnation(const Vector& z) const override { return 1e-13 * size(z) + 1e3 * round_off(); }

  /// q₁, v₁ and p₁ of a solution; p₁ from the forces, which keeps momenta to h times the error left.
  void finish(const Vector& z, State& next) {
    evaluate(z);
    next.q = nodes_.col(t_.s);
    next.v = velocities(z).col(t_.s);
    next.p = now->p;
    for (int j = 0; j < t_.s; ++j) next.p += (h * t_.b[j]) * forces_.col(j);
    for (int j = 0; j <= t_.s; ++j) next.p -= (h * t_.lobatto_b[j]) * reactions_.col(j);
  }

  double round_off() const { return std::numeric_limits<double>::epsilon() * size_of_q / std::abs(h); }

 private:
  double time(double share) const { return now->t + share * h; }

  void momentum(double share, const double* q, const double* v, Eigen::Ref<Vector> out) const {
    out.setZero();
    system_.add_dynamics({time(share), q, v}, 1.0, 0.0, out.data());
  }

  /// Positions, forces at the stages (with those of nonholonomic constraints), reactions at the Lobatto nodes.
  void evaluate(const Vector& z) {
    const int s = t_.s;
    const auto V = velocities(z).leftCols(s);
    const auto L = multipliers(z);
    Y_.colwise() = now->q;
    add_mixed(V, t_.A, h, Y_);
    nodes_.colwise() = now->q;
    add_mixed(V, t_.bar, h, nodes_);
    for (int i = 0; i < s; ++i) {
      forces_.col(i).setZero();
      system_.add_dynamics({time(t_.c[i]), Y_.col(i).data(), V.col(i).data()}, 0.0, 1.0, forces_.col(i).data());
      if (!mixed_) continue;
      lambda_ = L.col(i) - L.col(i).cwiseProduct(holonomic_);
      system_.add_constraint_forces(time(t_.c[i]), Y_.col(i).data(), lambda_.data(), -1.0, forces_.col(i).data());
    }
    reactions_.setZero();
    for (int j = 0; m_ > 0 && j <= s; ++j) {
      lambda_ = L.col(j).cwiseProduct(holonomic_);
      system_.add_constraint_forces(time(t_.lobatto_c[j]), nodes_.col(j).data(), lambda_.data(), 1.0,
                                    reactions_.col(j).data());
    }
  }

  void assemble(Matrix& matrix, const Instant& at, const Vector& rows) {
    matrix.clear();
    assembly_.add_dynamics(at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, matrix.values());
    if (m_ == 0) return;
    assembly_.add_directions(at.t, at.q, 1.0, matrix.values());
    assembly_.add_gradient(at.t, at.q, 1.0, rows.data(), matrix.values());
    for (int row = 0; row < m_; ++row)
      if (rows[row] == 0.0) matrix.values()[matrix.layout().slot(n_ + row, n_ + row)] += 1.0;
  }
  bool factor(Matrix& matrix, const Instant& at, const Vector& rows) {
    assemble(matrix, at, rows);
    return matrix.factor() && (m_ == 0 || matrix.pivot_ratio() > suspicious_pivots);
  }

  const System& system_;
  const SparkTableau& t_;
  int n_, m_;
  Assembly assembly_;
  std::unique_ptr<Matrix> inner_, last_;  // (2), and (3) without the nonholonomic rows where there are any
  Vector on_, holonomic_;
  bool mixed_ = false;
  Eigen::MatrixXd Y_, nodes_, momenta_, forces_, reactions_, conditions_, rates_, mixed_rates_;
  Vector part_, lambda_, last_on_, q_, v_;
};

class SparkStepper final : public Stepper {
 public:
  SparkStepper(const System& system, const SolverMethod& method, int stages)
      : system_(system),
        tableau_(spark_tableau(stages)),
        problem_(system, tableau_),
        newton_(modified(std::get<Multipliers>(method).newton)),
        equations_(system, method),
        z_(problem_.unknowns()) {}

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    const int n = system_.size();
    problem_.now = &now;
    problem_.h = h;
    problem_.size_of_q = size_.of(system_, now);
    StepReport report;
    if (now.carried.size() != n) {  // the first step: accelerations and multipliers at the start
      a_.resize(n);
      lambda_.resize(system_.constraint_count());
      report.solve = equations_.accelerate(instant(now), a_, lambda_);
      if (!report.ok()) return failed(report, system_, instant(now), h);
    } else {
      a_ = now.carried;
      lambda_ = now.lambda;
    }
    guess(past, h);
    prime();
    const NewtonReport newton = newton_.solve(problem_, z_);
    report.solve = {.status = newton.status,
                    .newton_iterations = newton.iterations + 1,  // and the one of prime()
                    .factorizations = newton.factorizations,
                    .correction = newton.last_correction,
                    .contraction = newton.contraction};
    if (!report.ok()) {
      newton_.forget();
      return failed(report, system_, instant(now), h);
    }
    problem_.finish(z_, next);
    next.t = now.t + h;
    next.carried.resize(n);
    next.lambda.resize(system_.constraint_count());
    const SolveReport end = equations_.accelerate(instant(next), next.carried, next.lambda);
    if (end.status != Status::ok) {
      report.solve = end;
      return failed(report, system_, instant(next), h);
    }
    return report;
  }

  const std::vector<int>& dependent() const override { return problem_.dependent; }

 private:
  /// A new matrix hardly improves what the slopes left out cost: it is made only where corrections stop shrinking well.
  static NewtonOptions modified(NewtonOptions options) {
    options.reuse_below = 0.4;
    options.tolerance *= 0.1;  // it converges linearly, and what is left adds up in momenta
    return options;
  }

  /// Velocities by extrapolating the cubic through the last two ends and their accelerations, multipliers linearly.
  void guess(History past, double h) {
    const int n = system_.size(), m = system_.constraint_count(), s = tableau_.s;
    const State& now = past.back();
    const bool before = past.size() > 1 && past[past.size() - 2].carried.size() == n;
    Eigen::Map<Eigen::MatrixXd> V(z_.data(), n, s + 1), L(z_.data() + (s + 1) * n, m, s + 1);
    for (int i = 0; i <= s; ++i) {
      const double c = i < s ? tableau_.c[i] : 1.0;
      V.col(i) = now.v + c * h * a_;
      L.col(i) = lambda_;
      if (!before) continue;
      const State& old = past[past.size() - 2];
      const double H = now.t - old.t, x = c * h / H;  // in units of the last step, from its end
      // v + x H a + x² (2H a + H a₋ − 3Δ) + x³ (H a + H a₋ − 2Δ) with Δ = v − v₋ meets v₋ and H a₋ at x = −1.
      V.col(i) += x * x * ((2.0 * H) * a_ + H * old.carried - 3.0 * (now.v - old.v)) +
                  x * x * x * (H * a_ + H * old.carried - 2.0 * (now.v - old.v));
      const double node = tableau_.lobatto_c[i] * h / H;
      if (old.lambda.size() == m) L.col(i) += node * (lambda_ - old.lambda);
    }
  }

  /// One correction that is not judged. Velocities are guessed far better than multipliers, and Newton judges by velocities: without it the error
  /// of the multipliers would look like a divergence of the second correction.
  void prime() {
    if (!primed_) primed_ = problem_.linearize(z_);
    if (!primed_) return;
    problem_.residual(z_, r_);
    problem_.solve(r_, dz_);
    if (std::isfinite(problem_.size(dz_))) z_ -= dz_;
  }

  const System& system_;
  const SparkTableau& tableau_;
  Problem problem_;
  Newton newton_;
  IndexOne equations_;
  ConfigurationSize size_;
  Vector z_, a_, lambda_, r_, dz_;
  bool primed_ = false;
};

}  // namespace

Traits Spark::traits() const {
  return {.name = "SPARK(" + std::to_string(stages) + ")",
          .order = 2 * stages,
          .symmetric = true,
          .symplectic = true,
          .conserves_momentum = true,
          .multiplier_time = 1.0,
          .multiplier_order = 2 * stages};
}

std::unique_ptr<Stepper> Spark::bind(const System& system, const SolverMethod& method) const {
  spark_tableau(stages);
  require_equalities(system, "Spark");
  require_acting(system, "Spark");
  require(std::holds_alternative<Multipliers>(method),
          "Spark: has its own modified Newton iteration and takes Multipliers only, not {}.", name_of(method));
  return std::make_unique<SparkStepper>(system, method, stages);
}

}  // namespace taut
