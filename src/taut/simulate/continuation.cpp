#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/linalg/rank.hpp>
#include <taut/simulate/continuation.hpp>
#include <taut/simulate/equilibrium.hpp>
#include <taut/simulate/stability.hpp>
#include <taut/step/affine_problem.hpp>
#include <taut/step/newton.hpp>

namespace taut {
namespace {

constexpr int largest_dense_look = 800;  // coordinates, for eigenvalues

/// The system at one value of the parameter and its equations of rest.
struct Posed {
  Posed(System made, double parameter, double t)
      : p(parameter),
        system(std::move(made)),
        problem(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true})),
        zero(Vector::Zero(system.size())) {
    problem.inertias[0] = {.t = t, .q = &zero, .v = &zero, .q_slope = 1.0, .force = -1.0};
    problem.reactions[0] = {.t = t, .q = &zero, .q_slope = 1.0, .weight = 1.0};
    problem.condition = {.t = t, .q_slope = 1.0};
    problem.size = 1.0;
  }
  double p;
  System system;
  AffineProblem problem;
  Vector zero;
};

/// The equations in z = (q, λ, p), the last of them a plane across the branch: n·(z − z₀) = 0 with n in the coordinates and p.
class AcrossBranch final : public NewtonProblem {
 public:
  AcrossBranch(const std::function<System(double)>& family, double t, double length, double span)
      : family_(family), t_(t), length_(length), span_(span) {}

  Posed& at(double p) {
    if (posed_ == nullptr || posed_->p != p) posed_ = std::make_unique<Posed>(family_(p), p, t_);
    return *posed_;
  }

  void residual(const Vector& z, Vector& r) override {
    r.resize(z.size());
    balance(at(z[z.size() - 1]), z, r);
    r[z.size() - 1] = normal.dot(z - through);
  }

  bool linearize(const Vector& z) override {
    Posed& here = at(z[z.size() - 1]);
    const int n = here.system.size(), m = here.system.constraint_count();
    layout_ = here.problem.layout();
    matrix_ = Matrix::on(layout_);
    Vector on = Vector::Ones(m);
    here.problem.slopes(z.data(), z.data() + n, on.data(), matrix_->values());
    if (!inspected_) {
      dependent_ = dependent_rows(lower_rows(*matrix_, n));
      inspected_ = true;
    }
    if (!dependent_.empty()) {
      for (const int row : dependent_) on[row] = 0.0;
      here.problem.slopes(z.data(), z.data() + n, on.data(), matrix_->values());
      for (const int row : dependent_) matrix_->values()[layout_->slot(n + row, n + row)] += 1.0;
    }
    if (!matrix_->factor()) return false;
    const double small = 1e-6 * span_, p = z[z.size() - 1];
    Vector ahead(z.size()), behind(z.size());
    Posed more(family_(p + small), p + small, t_), less(family_(p - small), p - small, t_);
    balance(more, z, ahead);
    balance(less, z, behind);
    slope_ = (ahead - behind).head(n + m) / (2.0 * small);
    matrix_->solve(slope_, slope_);
    across_ = normal[n + m] - normal.head(n + m).dot(slope_);
    return slope_.allFinite() && across_ != 0.0;
  }

  void solve(const Vector& r, Vector& dz) override {
    const Eigen::Index last = r.size() - 1;
    Vector w = r.head(last);
    matrix_->solve(w, w);
    const double dp = (r[last] - normal.head(last).dot(w)) / across_;
    dz.resize(r.size());
    dz.head(last) = w - dp * slope_;
    dz[last] = dp;
  }

  /// dz/dp along the branch where the matrix was made.
  Vector along() const {
    Vector out(slope_.size() + 1);
    out << -slope_, 1.0;
    return out;
  }

  double size(const Vector& dz) const override {
    const double q = largest_entry(dz.data(), coordinates) / length_;
    return std::max(q, std::abs(dz[dz.size() - 1]) / span_);
  }
  double threshold(double size_of_z, double tolerance) const override { return tolerance * (1.0 + size_of_z); }
  double stagnation(double size_of_z) const override { return 1e-9 * (1.0 + size_of_z); }

  Vector normal, through;
  int coordinates = 0;

 private:
  void balance(Posed& posed, const Vector& z, Vector& r) const {
    const int n = posed.system.size();
    posed.problem.residual(z.data(), z.data() + n, r.data(), r.data() + n);
    for (const int row : dependent_) r[n + row] = z[n + row];
  }

  const std::function<System(double)>& family_;
  double t_, length_, span_;
  std::unique_ptr<Posed> posed_;
  std::shared_ptr<const Layout> layout_;
  std::unique_ptr<Matrix> matrix_;
  Vector slope_;
  double across_ = 0.0;
  std::vector<int> dependent_;
  bool inspected_ = false;
};

/// A place on the branch: z, the tangent of length one, and the eigenvalues of the stiffness by their real parts.
struct OnBranch {
  Vector z, tangent, eigenvalues;
  Eigen::MatrixXd shapes;  // δq of each
  int unstable() const { return eigenvalues.size() == 0 ? -1 : int((eigenvalues.array() < 0.0).count()); }
};

class Follower {
 public:
  Follower(const std::function<System(double)>& family, const State& start, double from, double to,
           const ContinuationOptions& options)
      : from_(from), to_(to), span_(std::abs(to - from)), options_(options) {
    State at = start;
    const Equilibrium first = equilibrium(family(from), start);
    if (first.status != Status::ok) {
      out_.trouble = message("at the first parameter, {}: {}", from, first.trouble);
      return;
    }
    at = first.state;
    n_ = int(at.q.size());
    m_ = int(at.lambda.size());
    t_ = at.t;
    here_.z.resize(n_ + m_ + 1);
    here_.z << at.q, at.lambda, from;
    size_ = at.q.norm();
    double length = at.q.lpNorm<Eigen::Infinity>();
    look_across(family, std::max(length, 1e-300));
    // Near the origin: as far as it would get along the way.
    if (across_->linearize(here_.z)) {
      const Vector moved = span_ * across_->along().head(n_);
      if (size_ < 1e-3 * moved.norm()) {
        size_ = moved.norm();
        length = moved.lpNorm<Eigen::Infinity>();
      }
    }
    size_ = size_ > 0.0 ? size_ : 1.0;
    look_across(family, length > 0.0 ? length : 1.0);
    if (!settle(here_, (to > from ? 1.0 : -1.0) * across_->normal)) {
      out_.trouble = message("at the first parameter, {}: the stiffness is singular; start a little beside it", from);
      return;
    }
    record(here_);
    run();
  }

  EquilibriumBranch result() { return std::move(out_); }

 private:
  double parameter(const Vector& z) const { return z[n_ + m_]; }

  /// From here_, at equal parameters.
  void look_across(const std::function<System(double)>& family, double length) {
    across_ = std::make_unique<AcrossBranch>(family, t_, length, span_);
    across_->coordinates = n_;
    across_->normal = Vector::Unit(n_ + m_ + 1, n_ + m_);
    across_->through = here_.z;
  }

  /// ⟨a, b⟩ of the arc length, as a plane: n with n·b = ⟨a, b⟩.
  Vector plane(const Vector& a) const {
    Vector n = Vector::Zero(a.size());
    n.head(n_) = a.head(n_) / (size_ * size_);
    n[n_ + m_] = a[n_ + m_] / (span_ * span_);
    return n;
  }

  /// The tangent, on the side of a direction, and the eigenvalues at place.z.
  bool settle(OnBranch& place, const Vector& towards) {
    if (!across_->linearize(place.z)) return false;
    place.tangent = across_->along();
    place.tangent /= std::sqrt(plane(place.tangent).dot(place.tangent));
    if (plane(place.tangent).dot(towards) < 0.0) place.tangent = -place.tangent;
    place.eigenvalues.resize(0);
    if (n_ > largest_dense_look) return place.tangent.allFinite();
    const SmallMotions small = small_motions(across_->at(parameter(place.z)).system, state(place.z));
    const Eigen::Index free = small.size();
    if (free == 0) return place.tangent.allFinite();
    const double uneven = (small.K - small.K.transpose()).norm();
    std::vector<std::pair<double, Vector>> found;
    if (uneven <= 1e-8 * small.K.norm()) {
      const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solved(0.5 * (small.K + small.K.transpose()), small.M);
      for (Eigen::Index k = 0; k < free; ++k)
        found.emplace_back(solved.eigenvalues()[k], small.Z * solved.eigenvectors().col(k));
    } else {
      const Eigen::EigenSolver<Eigen::MatrixXd> solved(small.M.ldlt().solve(small.K));
      for (Eigen::Index k = 0; k < free; ++k)
        found.emplace_back(solved.eigenvalues()[k].real(), small.Z * solved.eigenvectors().col(k).real());
      std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    place.eigenvalues.resize(free);
    place.shapes.resize(n_, free);
    for (Eigen::Index k = 0; k < free; ++k) {
      place.eigenvalues[k] = found[std::size_t(k)].first;
      place.shapes.col(k) = found[std::size_t(k)].second;
    }
    return place.tangent.allFinite();
  }

  State state(const Vector& z) {
    const System& system = across_->at(parameter(z)).system;
    State out = state_at(system, t_, z.head(n_), Vector::Zero(n_));
    out.lambda = z.segment(n_, m_);
    return out;
  }

  /// The place near place.z where the branch meets a plane.
  bool meet(const Vector& normal, const Vector& through, const Vector& towards, OnBranch& place) {
    across_->normal = normal;
    across_->through = through;
    Newton newton({.tolerance = 1e-13, .max_iterations = 12, .refresh = Refresh::iteration});
    const NewtonReport report = newton.solve(*across_, place.z);
    iterations_ = report.iterations;
    return report.status == Status::ok && place.z.allFinite() && settle(place, towards);
  }

  /// The place where it meets the plane across a direction, through `from` + σ·direction.
  bool correct(const Vector& from, const Vector& direction, double sigma, OnBranch& place) {
    place.z = from + sigma * direction;
    return meet(plane(direction), Vector(place.z), direction, place);
  }

  void record(const OnBranch& place) {
    out_.points.push_back({parameter(place.z), state(place.z), branch_, place.unstable()});
  }

  /// Between two places, σ apart, the zero of the slope of p or, where that does not change sign, of the eigenvalue that does: regula falsi, Illinois' way.
  OnBranch critical(const OnBranch& before, const OnBranch& after, double sigma, CriticalPoint::Kind kind) {
    const auto which = std::min(before.unstable(), after.unstable());
    const auto value = [&](const OnBranch& at) {
      return kind == CriticalPoint::Kind::limit ? parameter(at.tangent) : at.eigenvalues[which];
    };
    double low = 0.0, high = sigma, f_low = value(before), f_high = value(after);
    OnBranch best = std::abs(f_low) < std::abs(f_high) ? before : after;
    for (int round = 0; round < 40 && high - low > 1e-8; ++round) {
      const double guess = high - f_high * (high - low) / (f_high - f_low);
      OnBranch middle;
      if (!correct(before.z, before.tangent, guess, middle)) break;
      const double f = value(middle);
      best = middle;
      if (f == 0.0 || std::abs(guess - (std::abs(guess - low) < std::abs(guess - high) ? low : high)) < 1e-9) break;
      if ((f > 0.0) == (f_low > 0.0)) {
        low = guess;
        f_low = f;
        f_high *= 0.5;
      } else {
        high = guess;
        f_high = f;
        f_low *= 0.5;
      }
    }
    return best;
  }

  /// Notes what lies between here_ and the next place; whether the path goes on along another branch from there.
  bool look_between(const OnBranch& next, double sigma) {
    const bool turned = parameter(here_.tangent) * parameter(next.tangent) < 0.0;
    const bool crossed = here_.unstable() != next.unstable();
    if (!turned && !crossed) return false;
    const auto kind = turned ? CriticalPoint::Kind::limit : CriticalPoint::Kind::bifurcation;
    const OnBranch found = critical(here_, next, sigma, kind);
    out_.critical.push_back({kind, parameter(found.z), state(found.z), branch_});
    if (kind == CriticalPoint::Kind::limit || ++bifurcations_ != options_.leave_at || found.shapes.cols() == 0) return false;
    Eigen::Index nearest = 0;
    found.eigenvalues.cwiseAbs().minCoeff(&nearest);
    Vector off = Vector::Zero(n_ + m_ + 1);
    off.head(n_) = found.shapes.col(nearest) * (options_.other_side ? -1.0 : 1.0);
    off /= std::sqrt(plane(off).dot(off));
    ++branch_;
    for (double away = step_; away > 1e-4 * step_; away *= 0.5) {
      OnBranch aside;
      if (!correct(found.z, off, away, aside)) continue;
      // From now on the way leads on, away from the bifurcation.
      if (plane(aside.tangent).dot(aside.z - found.z) < 0.0) aside.tangent = -aside.tangent;
      here_ = aside;
      record(here_);
      return true;
    }
    out_.trouble = message("the branch that crosses at {} could not be entered", parameter(found.z));
    return true;
  }

  void run() {
    const double first = 1.0 / options_.increments, longest = 4.0 * first;
    step_ = first;
    while (out_.trouble.empty()) {
      if (int(out_.points.size()) >= options_.max_points) {
        out_.trouble = message("{} points along the branch did not lead to {}", options_.max_points, to_);
        return;
      }
      OnBranch next;
      const bool good = correct(here_.z, here_.tangent, step_, next) && plane(here_.tangent).dot(next.tangent) > 0.95;
      if (!good) {
        step_ *= 0.5;
        if (step_ < 1e-6 * first)
          out_.trouble =
              message("the branch cannot be followed beyond {}; where a whole family is at rest, hold what is free to move",
                      parameter(here_.z));
        continue;
      }
      const double sigma = step_;
      if (iterations_ <= 4) step_ = std::min(1.5 * step_, longest);
      if ((parameter(next.z) - to_) * (to_ - from_) >= 0.0) return finish(next, sigma);
      if ((parameter(next.z) - from_) * (to_ - from_) < -2.0 * span_ * span_) {
        out_.trouble = message("the branch leads away from {}, to {}", to_, parameter(next.z));
        return;
      }
      if (look_between(next, sigma)) continue;
      here_ = std::move(next);
      record(here_);
    }
  }

  /// The equilibrium at the last parameter itself.
  void finish(const OnBranch& beyond, double sigma) {
    OnBranch last;
    last.z = here_.z + (to_ - parameter(here_.z)) / (parameter(beyond.z) - parameter(here_.z)) * (beyond.z - here_.z);
    Vector through = last.z;
    through[n_ + m_] = to_;
    if (!meet(Vector::Unit(n_ + m_ + 1, n_ + m_), through, here_.tangent, last)) {
      out_.trouble = message("the branch cannot be followed beyond {}", parameter(here_.z));
      return;
    }
    if (look_between(last, sigma) && out_.trouble.empty()) return run();
    record(last);
    out_.finished = out_.trouble.empty();
  }

  double from_, to_, span_;
  ContinuationOptions options_;
  EquilibriumBranch out_;
  std::unique_ptr<AcrossBranch> across_;
  OnBranch here_;
  int n_ = 0, m_ = 0, iterations_ = 0, branch_ = 0, bifurcations_ = 0;
  double t_ = 0.0, size_ = 1.0, step_ = 0.0;
};

}  // namespace

const char* name_of(CriticalPoint::Kind kind) { return kind == CriticalPoint::Kind::limit ? "limit" : "bifurcation"; }

EquilibriumBranch continuation(const std::function<System(double)>& family, const State& start, double from, double to,
                               const ContinuationOptions& options) {
  require(from != to, "continuation: needs two values of the parameter, got {} twice.", from);
  require(options.increments > 0 && options.max_points > 1, "continuation: needs increments and points, got {} and {}.",
          options.increments, options.max_points);
  for (const Set set : family(from).sets())
    require(set == Set::zero, "continuation: follows equations, and the system has an inequality or a released constraint.");
  return Follower(family, start, from, to, options).result();
}

}  // namespace taut
