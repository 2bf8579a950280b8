#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <taut/base/require.hpp>
#include <taut/integrators/hmm.hpp>
#include <taut/integrators/runge_kutta.hpp>
#include <taut/linalg/eigenvalues.hpp>
#include <taut/step/index_one.hpp>

namespace taut {
namespace {

using Macro = Hmm::Macro;
using Micro = Hmm::Micro;

const ExplicitTableau& tableau_of(Macro macro) {
  static const ExplicitTableau euler{"forward Euler", 1, {0.0}, {{}}, {1.0}};
  static const ExplicitTableau midpoint{"explicit midpoint", 2, {0.0, 0.5}, {{}, {0.5}}, {0.0, 1.0}};
  if (macro == Macro::euler) return euler;
  return macro == Macro::rk2 ? midpoint : kutta4();
}

/// β of the damped micro run, times the fastest frequency: a fifth of critical damping there.
constexpr double lead = 0.4;

/// hω up to which micro runs are stable: hω = 2 for Verlet; with the force ahead of its time (hω)² + 2 lead hω = 4.
double most_resolution(Micro micro) { return micro == Micro::verlet ? 2.0 : 1.6; }

/// ωH up to which a mode is slow: the classical scheme is stable to 2.8.
constexpr double resolved = 2.0;

/// Windows longer than this many periods cost more than they average.
constexpr double most_periods = 60.0;

/// Passes that do not suffice now will not suffice.
constexpr int most_passes = 8;

/// A fast motion with this many times the energy of the slow one has taken over.
constexpr double blown_up = 10.0;

HmmKernel kernel_of(const Hmm& scheme) {
  HmmKernel kernel = scheme.kernel;
  kernel.forward = scheme.micro == Micro::damped;
  return kernel;
}

/// 0 if there are not enough.
double periods_of(const Hmm& scheme) {
  return scheme.periods > 0.0 ? scheme.periods : kernel_of(scheme).periods_for(std::sqrt(scheme.tolerance), most_periods);
}

class HmmStepper final : public Stepper {
 public:
  HmmStepper(const System& system, const SolverMethod& method, const Hmm& scheme)
      : system_(system),
        scheme_(scheme),
        kernel_(kernel_of(scheme)),
        tableau_(tableau_of(scheme.macro)),
        equations_(system, method),
        periods_(scheme.window > 0.0 ? 0.0 : periods_of(scheme)),
        left_over_(scheme.window > 0.0 ? 0.0 : kernel_.left_over(periods_)),
        slopes_(tableau_.b.size()) {
    const Vector zero = Vector::Zero(system.size());
    for (Mean* one : {&start_, &end_}) one->q = one->v = one->a = zero;
    for (Mean& one : slopes_) one.q = one.v = one.a = zero;
    lambda_ = Vector::Zero(system.constraint_count());
    q_ = v_ = a_ = kick_ = first_ = half_ = Q_ = V_ = zero;
  }

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    StepReport report;
    report_ = &report;
    equations_.begin(now);
    if (!set_micro_runs(now, h)) return report;
    next.t = now.t + h;
    const bool adams = scheme_.macro == Macro::ab4 && past.size() >= 4 && has_slopes(past[past.size() - 4]);
    if (!(adams ? take_adams_step(past, h, next) : take_stages(now, h, next))) return report;
    if (!settle(next.t, next.q, next.v, h, end_)) return report;
    if (scheme_.macro == Macro::ab4) {  // the run that gives the slopes projects too
      next.q = end_.q;
      next.v = end_.v;
      if (held() && !place(next.t, next.q, next.v)) return report;
    }
    carry(end_, next);
    set_momentum(system_, next);
    next.lambda = end_.lambda;
    return report;
  }

  const std::vector<int>& dependent() const override { return equations_.dependent(); }

 private:
  /// What a micro run gives.
  struct Mean {
    Vector q, v, a, lambda;
  };
  bool held() const { return system_.constraint_count() > 0; }

  // A state carries the number of fast modes and its slopes (Q̇, V̇).
  int size() const { return system_.size(); }
  bool has_slopes(const State& state) const { return state.carried.size() == 1 + 2 * size(); }
  auto carried_q(const State& state) const { return state.carried.segment(1, size()); }
  auto carried_v(const State& state) const { return state.carried.tail(size()); }
  void carry(const Mean& mean, State& state) const {
    state.carried.resize(1 + 2 * size());
    state.carried[0] = fast_;
    state.carried.segment(1, size()) = mean.v;
    state.carried.tail(size()) = mean.a;
  }

  /// The Runge–Kutta scheme on (Q, V). The first slopes are those at the end of the last step.
  bool take_stages(const State& now, double h, State& next) {
    Q_ = now.q;
    V_ = now.v;
    if (has_slopes(now)) {
      slopes_[0].v = carried_q(now);
      slopes_[0].a = carried_v(now);
    } else if (!settle(now.t, Q_, V_, h, slopes_[0])) {
      return false;
    }
    next.q = Q_;
    next.v = V_;
    for (std::size_t i = 1; i < slopes_.size(); ++i) {
      start_.q = Q_;
      start_.v = V_;
      for (std::size_t j = 0; j < i; ++j) {
        start_.q += (h * tableau_.a[i][j]) * slopes_[j].v;
        start_.v += (h * tableau_.a[i][j]) * slopes_[j].a;
      }
      const double t = now.t + tableau_.c[i] * h;
      if (!settle(t, start_.q, start_.v, h, slopes_[i])) return false;
      // A singular position must not be stepped over. At the mean, since off the slow manifold the pull of the springs bends the spectrum.
      Scales there;
      if (!read_scales({t, slopes_[i].q.data(), slopes_[i].v.data()}, h, fast_, there)) return false;
    }
    for (std::size_t i = 0; i < slopes_.size(); ++i) {
      next.q += (h * tableau_.b[i]) * slopes_[i].v;
      next.v += (h * tableau_.b[i]) * slopes_[i].a;
    }
    return true;
  }

  bool take_adams_step(History past, double h, State& next) {
    constexpr std::array<double, 4> weights{55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24};
    next.q = past.back().q;
    next.v = past.back().v;
    for (std::size_t k = 0; k < 4; ++k) {
      const State& one = past[past.size() - 1 - k];
      next.q += (h * weights[k]) * carried_q(one);
      next.v += (h * weights[k]) * carried_v(one);
    }
    return true;
  }

  /// The fast modes at a place of the slow motion.
  struct Scales {
    int fast = 0;
    double slowest = 0.0, fastest = 0.0, window = 0.0;
  };

  /// Reads the scales of a place; false, with the figure that forbids it, where they do not let themselves be separated. A start has no fast modes
  /// before it.
  bool read_scales(const Instant& at, double h, int fast_before, Scales& out) {
    const auto refuse = [&](const std::string& why) { return fail(Status::refused, why); };
    const std::vector<double> omega = frequencies(system_, at);
    const double H = std::abs(h);
    if (!omega.empty() && !std::isfinite(omega.back()))
      return refuse(message("the stiffness of the system is not finite at t = {}", at.t));
    const auto first = std::find_if(omega.begin(), omega.end(), [&](double one) { return one * H > resolved; });
    out.fast = int(omega.end() - first);
    out.fastest = omega.empty() ? 0.0 : omega.back();
    if (out.fast < fast_before)
      return refuse(
          message("a fast frequency went to zero at t = {}: it is {} rad/s beside {} rad/s; the springs stand in a singular "
                  "position",
                  at.t, *(first - 1), out.fastest));
    if (out.fast == 0 && held())
      return refuse(message(
          "there is nothing fast: a step of {} s resolves the highest frequency, {} rad/s, beside '{}', which is held "
          "exactly; penalise what shall vibrate, with formulation: {penalty: epsilon} or `penalty` of a rod, or "
          "take another integrator, which is cheaper unless that epsilon is prescribed",
          H, out.fastest, system_.constraint_name(0)));
    if (out.fast == 0)
      return refuse(
          message("there is nothing fast: a step of {} s resolves the highest frequency, {} rad/s; rk4 or rattle "
                  "integrate this directly",
                  H, out.fastest));
    out.slowest = *first;
    const double period = 2.0 * std::numbers::pi / out.slowest;
    out.window = scheme_.window > 0.0 ? scheme_.window : periods_ * period;
    if (out.window < period)
      return refuse(message("the window of {} s is shorter than the slowest fast period, {} s ({} rad/s)", out.window,
                            period, out.slowest));
    if (out.window > H && fast_before > 0)
      return refuse(
          message("a fast frequency fell to {} rad/s at t = {}, and its window of {} s is longer than the step of {} s: "
                  "the springs come to a singular position, or the passes are too few",
                  out.slowest, at.t, out.window, H));
    if (out.window > H)
      return refuse(
          message("the scales overlap: {} rad/s is too fast for the step of {} s, and its window of {} s is longer "
                  "than the step; a larger step, a shorter window, or direct integration (rattle, dop853)",
                  out.slowest, H, out.window));
    return true;
  }

  /// Window, micro step and weights of the whole step, from the scales at its start.
  bool set_micro_runs(const State& now, double h) {
    Scales found;
    if (!read_scales(instant(now), h, has_slopes(now) ? int(now.carried[0]) : 0, found)) return false;
    const double step = scheme_.micro_step > 0.0 ? scheme_.micro_step : scheme_.resolution / found.fastest;
    const double stable = most_resolution(scheme_.micro);
    if (step * found.fastest >= stable)
      return fail(Status::refused,
                  message("the micro step of {} s is unstable at the fastest frequency, {} rad/s; at most {} s", step,
                          found.fastest, stable / found.fastest));
    constexpr double most = 1e6;  // points on one side
    const double reach = kernel_.forward ? found.window : 0.5 * found.window;
    if (!(reach / step < most))
      return fail(Status::refused,
                  message("the fast frequencies are too far apart, {} to {} rad/s: {} micro steps in a window",
                          found.slowest, found.fastest, found.window / step));
    const int n = std::max(4, int(std::ceil(reach / step)));
    if (n != n_) weights_ = kernel_.weights(n);
    n_ = n;
    micro_ = (kernel_.forward && h < 0.0 ? -reach : reach) / n;
    fast_ = found.fast;
    fastest_ = found.fastest;
    if (scheme_.window > 0.0) left_over_ = kernel_.left_over(found.window * found.slowest / (2.0 * std::numbers::pi));
    return true;
  }

  /// Projects (Q, V) onto the slow manifold, as often as is asked for or needed; then the slopes there.
  bool settle(double t, Vector& Q, Vector& V, double h, Mean& mean) {
    const bool automatic = scheme_.passes == Hmm::automatic;
    double before = std::numeric_limits<double>::infinity();
    for (int pass = 0;; ++pass) {
      if (!run(t, Q, V, mean)) return false;
      const FastMotion found = fast_motion(t, Q, V, mean, h);
      // Where another pass changes nothing, what is left must at least be too little to act on the slow motion.
      const bool stands = automatic && pass > 0 && found.energy > 0.25 * before;
      const bool harmless = found.small || found.energy <= (stands ? scheme_.tolerance : blown_up) * found.slow_energy;
      const bool last = automatic ? found.small || stands || pass == most_passes : pass == scheme_.passes;
      if (last && harmless) return true;
      if (last || !std::isfinite(found.energy))
        return fail(
            Status::slow,
            message("the multiscale step blew up at t = {}: after {} projections the fast motion holds {} J, the slow "
                    "one {} J; a smaller step, or more passes",
                    t, pass, found.energy, found.slow_energy));
      before = found.energy;
      Q = mean.q;
      V = mean.v;
    }
  }

  struct FastMotion {
    double energy, slow_energy;
    bool small;  // against the tolerance, or at round-off
  };

  /// What (Q, V) has besides its mean: displacement, velocity and acceleration of the fast motion at this moment.
  FastMotion fast_motion(double t, const Vector& Q, const Vector& V, const Mean& mean, double h) {
    const auto kinetic = [&](const Vector& v) { return system_.kinetic_energy({t, Q.data(), v.data()}); };
    FastMotion out{};
    half_ = V - mean.v;
    kick_ = first_ - mean.a;
    const double acceleration = kick_.lpNorm<Eigen::Infinity>() + fastest_ * half_.lpNorm<Eigen::Infinity>();
    out.energy = kinetic(half_);
    // and in the springs ½ x·Kx = −½ x·M ẍ
    half_.setZero();
    system_.add_dynamics({t, Q.data(), kick_.data()}, 1.0, 0.0, half_.data());
    out.energy += 0.5 * std::abs((Q - mean.q).dot(half_));
    half_ = h * mean.a;
    out.slow_energy = kinetic(mean.v) + kinetic(half_);
    const double slow = mean.a.lpNorm<Eigen::Infinity>() + mean.v.lpNorm<Eigen::Infinity>() / std::abs(h);
    // Where the springs are told positions to their round-off; a system that rests in the origin has no other size than the units.
    const double round_off =
        32.0 * std::numeric_limits<double>::epsilon() * fastest_ * fastest_ * std::max(1.0, Q.lpNorm<Eigen::Infinity>());
    out.small = acceleration <= round_off ||
                (left_over_ * acceleration <= scheme_.tolerance * slow && out.energy <= scheme_.tolerance * out.slow_energy);
    return out;
  }

  /// A micro run from (Q, V), which come to lie on the constraints, and the means along it.
  bool run(double t, Vector& Q, Vector& V, Mean& mean) {
    if (!place(t, Q, V)) return false;
    const bool forward = kernel_.forward;
    const double own = weights_[std::size_t(forward ? 0 : n_)];
    // β ḟ by the difference to the force before
    const double advance_by = scheme_.micro == Micro::damped ? lead / (fastest_ * std::abs(micro_)) : 0.0;
    // Of q what it moves, so that round-off is that of the motion.
    mean.q.setZero();
    mean.v = own * V;
    mean.a = own * first_;
    mean.lambda = own * lambda_;
    for (const double direction : {1.0, -1.0}) {
      const double h = direction * micro_;
      q_ = Q;
      v_ = V;
      a_ = kick_ = first_;
      for (int i = 1; i <= n_; ++i) {
        half_ = v_ + 0.5 * h * kick_;
        q_ += h * half_;
        v_ = half_ + 0.5 * h * kick_;  // for forces that depend on it
        kick_ = a_;
        if (!accelerate(t + i * h, q_, v_, a_)) return false;
        kick_ = a_ + advance_by * (a_ - kick_);
        v_ = half_ + 0.5 * h * kick_;
        const double w = weights_[std::size_t(forward ? i : (direction > 0.0 ? n_ + i : n_ - i))];
        mean.q += w * (q_ - Q);
        mean.v += w * v_;
        mean.a += w * a_;
        mean.lambda += w * lambda_;
      }
      if (forward) break;
    }
    mean.q += Q;
    return true;
  }

  /// Onto what is held exactly, and the acceleration there. The run from here keeps G a = −γ and drifts by what Verlet's error is in so short a time.
  bool place(double t, Vector& Q, Vector& V) {
    // First the directions here: those of another stage would bend this one by O(H³), and cost an order.
    if (held() && !accelerate(t, Q, V, first_)) return false;
    const SolveReport found = equations_.settle(t, Q.lpNorm<Eigen::Infinity>(), Q, V, first_, lambda_);
    return judge(found, t, Q, V, first_);
  }
  bool accelerate(double t, const Vector& q, const Vector& v, Vector& a) {
    return judge(equations_.accelerate({t, q.data(), v.data()}, a, lambda_), t, q, v, a);
  }
  bool judge(const SolveReport& found, double t, const Vector& q, const Vector& v, const Vector& a) {
    if (found.status == Status::ok && std::isfinite(a.sum())) return true;
    return fail(found.status == Status::ok ? Status::not_finite : found.status,
                message("the micro run blew up at t = {}: |q| = {}, |v| = {}", t, q.lpNorm<Eigen::Infinity>(),
                        v.lpNorm<Eigen::Infinity>()));
  }

  bool fail(Status status, const std::string& why) {
    report_->solve.status = status;
    report_->trouble = why;
    return false;
  }

  const System& system_;
  Hmm scheme_;
  HmmKernel kernel_;
  const ExplicitTableau& tableau_;
  IndexOne equations_;
  double periods_, left_over_;
  std::vector<double> weights_;
  int n_ = 0, fast_ = 0;
  double micro_ = 0.0, fastest_ = 0.0;
  StepReport* report_ = nullptr;
  std::vector<Mean> slopes_;
  Mean start_, end_;
  Vector lambda_, Q_, V_, q_, v_, a_, kick_, first_, half_;
};

}  // namespace

std::vector<double> frequencies(const System& system, const Instant& at) {
  Eigen::MatrixXd K = system.stiffness(at), M = system.mass(at);
  std::vector<double> out;
  if (system.constraint_count() > 0) {
    const Eigen::MatrixXd G = system.constraint_gradient(at.t, Eigen::Map<const Vector>(at.q, system.size()));
    const Eigen::MatrixXd Z = null_space(G, std::numeric_limits<double>::epsilon() * double(std::min(G.rows(), G.cols())));
    if (Z.cols() == 0) return out;
    K = Z.transpose() * K * Z;
    M = Z.transpose() * M * Z;
  }
  for (const double square : symmetric_eigenvalues(0.5 * (K + K.transpose()), M)) out.push_back(std::sqrt(std::abs(square)));
  std::sort(out.begin(), out.end());
  return out;
}

Traits Hmm::traits() const {
  const bool adams = macro == Macro::ab4;
  return {.name = adams ? "HMM, Adams-Bashforth 4" : "HMM, " + tableau_of(macro).name,
          .levels = adams ? 4 : 1,
          .order = tableau_of(macro).order,
          .holds_velocities = false,
          .takes_constraints = false};
}

void Hmm::check() const {
  require(tolerance > 0.0 && tolerance < 1.0, "Hmm: tolerance must lie in (0, 1), got {}.", tolerance);
  require(passes == automatic || (passes >= 0 && passes <= 100), "Hmm: passes must lie in [0, 100], or be left out, got {}.",
          passes);
  require(periods == 0.0 || (periods >= 1.0 && periods <= 1000.0),
          "Hmm: periods must lie in [1, 1000], or be left out, got {}.", periods);
  require(resolution > 0.0 && resolution < most_resolution(micro),
          "Hmm: resolution must lie in (0, {}), got {}; the micro runs are unstable beyond.", most_resolution(micro),
          resolution);
  require(window >= 0.0 && micro_step >= 0.0, "Hmm: window and micro_step must not be negative, got {} and {}.", window,
          micro_step);
  const HmmKernel taken = kernel_of(*this);
  taken.weights(taken.moments + 4);  // says what is wrong with the kernel
  require(window > 0.0 || periods_of(*this) > 0.0,
          "Hmm: after {} periods the kernel still leaves {} of a fast motion, and a tolerance of {} asks for its root; take "
          "the polynomial kernel, a larger tolerance, or give periods or window.",
          most_periods, taken.left_over(most_periods), tolerance);
}

std::unique_ptr<Stepper> Hmm::bind(const System& system, const SolverMethod& method) const {
  require_equalities(system, "Hmm");
  require_holonomic(system, "Hmm");
  require_quadratic(system, "Hmm");
  check();
  return std::make_unique<HmmStepper>(system, method, *this);
}

}  // namespace taut
