#include <algorithm>
#include <cmath>
#include <optional>
#include <taut/base/require.hpp>
#include <taut/linalg/banded_cholesky.hpp>
#include <taut/linalg/matrix.hpp>
#include <taut/step/anderson.hpp>
#include <taut/step/split_rows.hpp>
#include <taut/step/splitting.hpp>
#include <taut/step/step_solver.hpp>
#include <taut/system/system.hpp>

namespace taut {
namespace {

/// Sweeps between two looks at r, and how far out of balance it must be: each change costs a factor and the history of Anderson.
constexpr int balance_every = 10, balances_most = 8;
constexpr double balanced = 5.0;

}  // namespace

/// One system's vectors, matrix and factor.
class SplittingSolver::Work {
 public:
  explicit Work(const Splitting& given) : options(given), r(given.r) {}

  Splitting options;
  double r;

  SolveReport solve(StepProblem& problem, Vector& x, Vector& lambda) {
    SplitForm form{.guess = &x};
    problem.split(form);
    require(form.refusal.empty(), "Splitting: {}.", form.refusal);
    if (form.system != system_) describe(*form.system, form);
    form_ = &form;
    const int n = problem.unknowns();
    zero_ = Vector::Zero(n);
    none_ = Vector::Zero(problem.constraints());
    residual_.resize(n);
    c_.resize(problem.constraints());
    // b = −R(0), and the given coordinates.
    problem.residual(zero_.data(), none_.data(), residual_.data(), c_.data());
    b_ = -residual_;
    known_ = Vector::Zero(n);
    problem.residual(x.data(), none_.data(), residual_.data(), c_.data());
    for (const SplitGiven& one : given_) known_[one.coordinate] = x[one.coordinate] - c_[one.row] / (one.slope * form.slope);
    const double force_scale = problem.force_scale();
    scale_ = force_scale * form.beta * form.slope;
    require(scale_ > 0.0 && form.beta > 0.0,
            "Splitting: the reaction must turn with the new configuration; give Gcn or Newmark `new` or `centred`, or take "
            "Houbolt.");

    // Fixed parts of the vectors: d(x) = d0 + β·slope·D x, and e with |d − e| = βl.
    vectors(form.rest, e_, form.beta - 1.0);
    base_ = e_;
    if (form.q != nullptr) add_vectors(*form.q, form.beta, base_);
    for (std::size_t i = 0; i < spans_.size(); ++i)
      for (int d = 0; d < dim_; ++d) base_[Eigen::Index(i) * dim_ + d] -= form.beta * spans_[i].a[d];

    if (r == 0.0) r = std::max(lambda.size() > 0 ? lambda.lpNorm<Eigen::Infinity>() : 0.0, load(problem));
    const bool dynamic = form.q != nullptr;
    if (options.r == 0.0 && dynamic && (tuned_ == 0 || last_ > 4 * tuned_)) tune(problem, x, lambda, force_scale);
    start(x, lambda);
    SolveReport report = sweep(problem, x, force_scale, options.max_sweeps);
    last_ = report.multiplier_updates;
    // λ of the lengths from Λ along p, of given coordinates from the equation of their row.
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const auto part = Eigen::Index(i) * dim_;
      const auto p = p_.segment(part, dim_);
      lambda[spans_[i].row] = multiplier_.segment(part, dim_).dot(p) / p.squaredNorm();
    }
    for (const SplitGiven& one : given_) lambda[one.row] = 0.0;
    const Vector Lambda = lambda * force_scale;
    problem.residual(x.data(), Lambda.data(), residual_.data(), c_.data());
    for (const SplitGiven& one : given_) lambda[one.row] = -residual_[one.coordinate] / (force_scale * one.slope);
    for (int row = 0; row < problem.constraints(); ++row) {
      const double off = std::abs(excess(problem.sets()[row], c_[row]));
      if (off > report.violation || !std::isfinite(off)) {
        report.violation = off;
        report.worst_constraint = row;
      }
    }
    return report;
  }

 private:
  /// The constraints of another system than before.
  void describe(const System& system, const SplitForm& form) {
    SplitRows rows = split_rows(system, form);
    spans_ = std::move(rows.spans);
    given_ = std::move(rows.given);
    dim_ = rows.dim;
    system_ = &system;
    weights_.clear();
    factor_.reset();
    anderson_.reset();
  }

  /// Warm: D of the guess, Λ = λ d. Cold: D of where the step begins, which is the last p, and no Λ. Either lies in V (Step 0 of ALG2): given
  /// coordinates are where they go, or the first sweep would see both ends of a driven beam at the old time.
  void start(Vector& x, const Vector& lambda) {
    const bool cold = options.start == Splitting::Start::cold;
    if (cold && form_->q != nullptr) x.setZero();
    for (const SplitGiven& one : given_) x[one.coordinate] = known_[one.coordinate];
    place(x);
    multiplier_.setZero(Eigen::Index(spans_.size()) * dim_);
    if (cold) return;
    for (std::size_t i = 0; i < spans_.size(); ++i)
      for (int d = 0; d < dim_; ++d)
        multiplier_[Eigen::Index(i) * dim_ + d] = lambda[spans_[i].row] * d_[Eigen::Index(i) * dim_ + d];
  }

  /// In a motion the best r depends on the step, the mass and the mesh: it is tried out, on this step, by factors of 8 and then of 2.
  void tune(StepProblem& problem, const Vector& x, const Vector& lambda, double force_scale) {
    int fewest = options.max_sweeps;
    double best = r;
    const auto better = [&](double by) {
      const double tried = best * by;
      Vector trial = x;
      r = tried;
      start(trial, lambda);
      const SolveReport report = sweep(problem, trial, force_scale, fewest);
      const bool good = report.status == Status::ok && report.multiplier_updates < fewest;
      if (good) best = tried, fewest = report.multiplier_updates;
      return good;
    };
    better(1.0);
    for (const double factor : {8.0, 2.0}) {
      int count = 0;
      while (count < 8 && better(factor)) ++count;
      for (int down = 0; count == 0 && down < 8 && better(1.0 / factor); ++down) {
      }
    }
    r = best;
    tuned_ = last_ = fewest;
  }

  /// out = D from − (1 − β)a … : D·(from) + share·a, with no `from` meaning zero.
  void vectors(const Vector* from, Vector& out, double share) {
    out.setZero(Eigen::Index(spans_.size()) * dim_);
    if (from != nullptr) add_vectors(*from, 1.0, out);
    for (std::size_t i = 0; i < spans_.size(); ++i)
      for (int d = 0; d < dim_; ++d) out[Eigen::Index(i) * dim_ + d] += share * spans_[i].a[d];
  }
  void add_vectors(const Vector& from, double weight, Vector& out) const {
    double* y = out.data();
    for (const SplitSpan& one : spans_) {
      for (std::size_t k = 0; k < one.at.size(); ++k)
        for (int d = 0; d < dim_; ++d) y[d] += weight * one.c[k] * from[one.at[k] + d];
      y += dim_;
    }
  }
  void place(const Vector& x) {
    d_ = base_;
    add_vectors(x, form_->beta * form_->slope, d_);
  }

  /// ‖q‖ of rule (5): with the mass, which for a beam is the norm of L² times √ρ; where nothing has mass, that of the numbers.
  double length_of(const Vector& q) {
    moment_.setZero(q.size());
    system_->add_dynamics({form_->t, zero_.data(), q.data()}, 1.0, 0.0, moment_.data());
    const double square = moment_.dot(q);
    return square > 0.0 ? std::sqrt(square) : q.norm();
  }

  /// A force to begin with: the largest sum of what acts on the coordinates of one component.
  double load(StepProblem& problem) const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < b_.size(); ++i) sum += std::abs(b_[i]);
    return std::max(sum / std::abs(problem.force_scale()), 1e-12);
  }

  /// K + r·scale·Σ w DᵀD, with given coordinates taken out.
  bool factor(StepProblem& problem, const Vector& x) {
    const int n = problem.unknowns();
    const Layout& layout = *problem.layout();
    if (!factor_) {
      std::vector<Layout::Entry> entries;
      each_entry(layout, n, [&](int i, int j) { entries.emplace_back(i, j); });
      // What K stores as zero (other components, most of all) would widen the band.
      const auto matrix = Matrix::on(problem.layout());
      const Vector off = Vector::Zero(problem.constraints());
      problem.slopes(x.data(), none_.data(), off.data(), matrix->values());
      std::erase_if(entries, [&](const auto& e) { return matrix->values()[layout.slot(e.first, e.second)] == 0.0; });
      for (const SplitSpan& one : spans_)
        for (const int a : one.at)
          for (const int b : one.at)
            for (int d = 0; d < dim_; ++d) entries.emplace_back(a + d, b + d);
      pattern_ = std::make_unique<Layout>(n, entries, Layout::Kind::banded);
      factor_.emplace(pattern_->half_bandwidth(), pattern_->position());
    }
    if (weights_ != form_->weights) {
      const auto matrix = Matrix::on(problem.layout());
      const Vector off = Vector::Zero(problem.constraints());
      problem.slopes(x.data(), none_.data(), off.data(), matrix->values());
      kept_.clear();
      each_entry(layout, n, [&](int i, int j) {
        const double value = matrix->values()[layout.slot(i, j)];
        if (i >= j && value != 0.0) kept_.push_back({i, j, value});
      });
      weights_ = form_->weights;
    }
    std::fill(factor_->values().begin(), factor_->values().end(), 0.0);
    known_part_.clear();
    fixed_.assign(n, 0);
    for (const SplitGiven& one : given_) fixed_[one.coordinate] = 1;
    const auto add = [&](int i, int j, double value) {
      if (fixed_[i] == 0 && fixed_[j] == 0) {
        factor_->values()[factor_->slot(i, j)] += value;
      } else if (i != j) {
        if (fixed_[i] == 0) known_part_.push_back({i, j, value});
        if (fixed_[j] == 0) known_part_.push_back({j, i, value});
      }
    };
    for (const Entry& e : kept_) add(e.i, e.j, e.value);
    for (const SplitSpan& one : spans_)
      for (std::size_t a = 0; a < one.at.size(); ++a)
        for (std::size_t b = 0; b < one.at.size(); ++b)
          for (int d = 0; d < dim_; ++d)
            if (one.at[a] >= one.at[b]) add(one.at[a] + d, one.at[b] + d, r * scale_ * one.weight * one.c[a] * one.c[b]);
    for (int i = 0; i < n; ++i)
      if (fixed_[i] != 0) factor_->values()[factor_->slot(i, i)] = 1.0;
    factored_r_ = r;
    return factor_->factor();
  }

  template <class Action> static void each_entry(const Layout& layout, int n, const Action& action) {
    for (int j = 0; j < n; ++j)
      for (int k = layout.column_starts()[j]; k < layout.column_starts()[j + 1]; ++k)
        if (layout.row_indices()[k] < n) action(layout.row_indices()[k], j);
  }

  /// p of every vector from P = r d + Λ.
  void project() {
    const double beta = form_->beta;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const auto part = Eigen::Index(i) * dim_;
      auto p = p_.segment(part, dim_);
      p = r * d_.segment(part, dim_) + multiplier_.segment(part, dim_);
      const double size = p.norm(), length = beta * spans_[i].length;
      const auto e = e_.segment(part, dim_);
      if (spans_[i].slack && (p / r - e).norm() <= length) {
        p /= r;
        continue;
      }
      if (!(size > 0.0)) {  // no direction: that of the old vector, or any
        p = e;
        if (!(p.norm() > 0.0)) p[0] = 1.0;
        p.normalize();
      } else {
        p /= size;
      }
      const double along = p.dot(e);
      p *= along + std::sqrt(std::max(0.0, along * along - e.squaredNorm() + length * length));
    }
  }

  /// The x of (p, Λ).
  void move(Vector& x, double force_scale) {
    x = b_;
    double* out = x.data();
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      const SplitSpan& one = spans_[i];
      for (int d = 0; d < dim_; ++d) {
        const auto k = Eigen::Index(i) * dim_ + d;
        const double pull = force_scale * one.weight * (r * (target_[k] - base_[k]) - multiplier_[k]);
        for (std::size_t a = 0; a < one.at.size(); ++a) out[one.at[a] + d] += one.c[a] * pull;
      }
    }
    for (const Entry& e : known_part_) x[e.i] -= e.value * known_[e.j];
    for (const SplitGiven& one : given_) x[one.coordinate] = known_[one.coordinate];
    factor_->solve(x.data());
  }

  SolveReport sweep(StepProblem& problem, Vector& x, double force_scale, int most) {
    SolveReport report{.advice = "another r (0 has it chosen), more vectors of Anderson, a larger tolerance or Multipliers"};
    course_ = {};
    const auto size = Eigen::Index(spans_.size()) * dim_;
    p_.setZero(size);
    z_.resize(2 * size);
    f_.resize(2 * size);
    if (!anderson_) anderson_.emplace(options.anderson, 2 * size);
    anderson_->restart();
    natural_ = std::max(configuration(x).norm(), 1e-300) / std::abs(form_->slope);
    const double tolerance = options.tolerance * std::pow(std::abs(form_->slope), options.power);
    double last = 0.0;
    while (report.multiplier_updates < most) {
      if (!factor_ || factored_r_ != r || weights_ != form_->weights) {
        ++report.factorizations;
        if (!factor(problem, x)) {
          report.status = Status::singular;
          return report;
        }
      }
      move_all(x, force_scale);
      ++report.multiplier_updates;
      ++course_.since;
      const double change = (x - old_).norm();
      if (!std::isfinite(change)) {
        report.status = Status::not_finite;
        return report;
      }
      report.correction = change;
      report.contraction = last > 0.0 ? change / last : 0.0;
      last = change;
      if (options.stop == Splitting::Stop::change &&
          length_of(form_->slope * (x - old_)) < tolerance * length_of(configuration(x)))
        return report;
      const double step = quicken(change);
      course_.recent = {course_.recent[1], course_.recent[2], std::max(step, change)};
      if (options.stop == Splitting::Stop::error && report.multiplier_updates > 3) {
        const double theta = std::min(report.contraction, 0.9999);
        const double most_of_late = *std::max_element(course_.recent.begin(), course_.recent.end());
        if ((options.anderson > 0 ? most_of_late : most_of_late / (1.0 - theta)) < tolerance * natural_) return report;
      }
      if (options.r == 0.0 && form_->q == nullptr) balance();
    }
    report.status = Status::slow;
    return report;
  }

  /// q of x, or a change of it.
  const Vector& configuration(const Vector& x) {
    q_ = form_->slope * x;
    if (form_->q != nullptr) q_ += *form_->q;
    return q_;
  }

  void note(Vector& z) const {
    const auto size = d_.size();
    z.head(size) = r * d_;
    z.tail(size) = multiplier_;
  }

  /// One sweep: p nearest to d, x that follows it, Λ that pulls them together.
  void move_all(Vector& x, double force_scale) {
    note(z_);
    old_ = x;
    project();
    target_ = options.relaxation * p_ + (1.0 - options.relaxation) * d_;
    was_ = d_;
    move(x, force_scale);
    place(x);
    multiplier_ += options.update * r * (d_ - target_);
  }

  /// The fixed-point residual, and with Anderson the step it makes of it: an estimate of the error itself.
  double quicken(double change) {
    if (options.anderson == 0) return change;
    note(f_);
    f_ -= z_;
    const double norm = f_.norm();
    if (norm > 10.0 * course_.best) anderson_->restart();
    course_.best = std::min(course_.best, norm);
    target_ = was_;
    anderson_->next(z_, f_);
    const auto size = d_.size();
    d_ = z_.head(size) / r;
    multiplier_ = z_.tail(size);
    return natural_ * (d_ - target_).norm() / std::max(target_.norm(), 1e-300);
  }

  /// In statics r is changed now and then so that both kinds of error shrink alike.
  void balance() {
    if (course_.since < balance_every || course_.balances >= balances_most) return;
    const double primal = (d_ - p_).norm() / std::max(p_.norm(), 1e-300);
    const double dual = r * (d_ - was_).norm() / std::max(multiplier_.norm(), 1e-300);
    course_.since = 0;
    if (primal <= balanced * dual && dual <= balanced * primal) return;
    r *= std::clamp(std::sqrt(primal / std::max(dual, 1e-300)), 0.1, 10.0);
    anderson_->restart();
    course_.best = std::numeric_limits<double>::infinity();
    ++course_.balances;
  }

  /// What is remembered from sweep to sweep.
  struct Course {
    double best = std::numeric_limits<double>::infinity();  // of the fixed-point residuals
    std::array<double, 3> recent{};                         // changes
    int balances = 0, since = 0;
  };
  struct Entry {
    int i, j;
    double value;
  };
  const System* system_ = nullptr;
  const SplitForm* form_ = nullptr;
  int dim_ = 1;
  std::vector<SplitSpan> spans_;
  std::vector<SplitGiven> given_;
  std::vector<char> fixed_;
  std::vector<Entry> kept_, known_part_;
  std::vector<double> weights_;
  std::unique_ptr<Layout> pattern_;
  std::optional<BandedCholesky> factor_;
  std::optional<Anderson> anderson_;  // its memory; each solution begins without history
  Course course_;
  double natural_ = 1.0;  // the size of a position, so that changes of x become changes of q relative to q
  double scale_ = 1.0, factored_r_ = -1.0;
  int tuned_ = 0, last_ = 0;  // sweeps: of the step for which r was tried out, of the last one
  Vector zero_, none_, residual_, c_, b_, known_, e_, base_, d_, was_, p_, target_, multiplier_, z_, f_, old_, moment_, q_;
};

SplittingSolver::SplittingSolver(const Splitting& options) : work_(std::make_unique<Work>(options)) {
  require(options.r >= 0.0, "Splitting: r must be positive, or 0 to have it chosen, got {}.", options.r);
  require(options.tolerance > 0.0, "Splitting: the tolerance must be positive, got {}.", options.tolerance);
  require(options.power >= 0.0 && options.power <= 8.0, "Splitting: the power of the step must lie between 0 and 8, got {}.",
          options.power);
  require(options.relaxation > 0.0 && options.relaxation < 2.0, "Splitting: the relaxation must lie in (0, 2), got {}.",
          options.relaxation);
  require(options.update > 0.0 && options.update < 0.5 * (1.0 + std::sqrt(5.0)),
          "Splitting: update must lie between 0 and (1 + sqrt 5)/2, got {}.", options.update);
  require(options.anderson >= 0 && options.anderson <= 50, "Splitting: anderson must lie between 0 and 50, got {}.",
          options.anderson);
}
SplittingSolver::~SplittingSolver() = default;
SplittingSolver::SplittingSolver(SplittingSolver&&) noexcept = default;

SolveReport SplittingSolver::solve(StepProblem& problem, Vector& x, Vector& lambda) {
  return work_->solve(problem, x, lambda);
}

double SplittingSolver::r() const { return work_->r; }

}  // namespace taut
