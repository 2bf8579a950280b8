#include <algorithm>
#include <cmath>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/integrators/contact_stepper.hpp>
#include <taut/integrators/moreau_jean.hpp>
#include <taut/step/nearest.hpp>
#include <taut/system/contact.hpp>

namespace taut {
namespace {

/// Places are held in the metric of a step so many times as long: what is moved out of a wall takes along what lies beside it, so that the energy of the bend is far below that of the impact.
constexpr double giving_steps = 8.0;

class MoreauJeanStepper final : public Stepper {
 public:
  /// The first `touching` rows are brought back to g = 0 where they push: see project().
  MoreauJeanStepper(const System& system, const SolverMethod& method, double restitution, int touching)
      : system_(system),
        restitution_(restitution),
        touching_(touching),
        sets_(system.sets()),
        assembly_(std::make_shared<const Assembly>(system, Assembly::Parts{})),
        impact_(assembly_),
        nearest_(assembly_),
        giving_(assembly_),
        solver_(method),
        lambda_(Vector::Zero(system.constraint_count())),
        g_(system.constraint_count()),
        shift_(Vector::Zero(system.constraint_count())),
        opening_(shift_),
        before_(shift_),
        after_(shift_) {
    impact_.ahead = true;
    for (std::size_t i = 0; i < sets_.size(); ++i)
      if (sets_[i] != Set::zero && sets_[i] != Set::whole && contact_ < 0) contact_ = int(i);
  }

  StepReport advance(History past, double h, State& next) override {
    const State& now = past.back();
    if (h < 0.0 && contact_ >= 0) return refuse_backward();
    if (!inspected_ && system_.constraint_count() > 0) nearest_.inspect(now.t, now.q, solver_);
    inspected_ = true;
    next.t = now.t + h;
    pose(now, h);
    next.v = now.v;
    lambda_ = now.lambda;
    StepReport report;
    // First only the equalities act, then every inequality that would be violated.
    squeezed_ = false;
    do {
      report.solve = solver_.solve(impact_, next.v, lambda_);
      squeezed_ = touched_ && report.solve.status == Status::contradictory && next.v.allFinite();
      if (squeezed_) report.solve.status = Status::ok;
      if (!report.ok()) return failed(report, system_, instant(now), h);
      next.q = now.q + 0.5 * h * (now.v + next.v);
    } while (!squeezed_ && touch(next.t, next.q));
    for (std::size_t i = 0; i < sets_.size() && squeezed_; ++i)
      if (sets_[i] != Set::zero) lambda_[Eigen::Index(i)] = 0.0;
    next.lambda = lambda_;

    if (system_.constraint_count() > 0) project(report, next, h);
    if (!report.ok()) return failed(report, system_, instant(now), h);
    if (const int row = passed(now, next, h); row >= 0) return passed_through(row, h);
    set_momentum(system_, next);
    return report;
  }

  const std::vector<int>& dependent() const override { return solver_.dependent(); }

 private:
  void pose(const State& now, double h) {
    const double t = now.t + h;
    touched_ = false;
    for (std::size_t i = 0; i < sets_.size(); ++i) impact_.limits[i] = sets_[i] == Set::zero ? Set::zero : Set::whole;
    end_ = now.q + 0.5 * h * now.v;
    middle_ = now.q + 0.25 * h * now.v;
    half_v_ = 0.5 * now.v;
    ahead_ = now.q + h * now.v;
    impact_.inertias[0] = {.t = t, .q = &end_, .q_slope = 0.5 * h, .v_slope = 1.0, .momentum = 1.0};
    impact_.inertias[1] = {
        .t = now.t + 0.5 * h, .q = &middle_, .v = &half_v_, .q_slope = 0.25 * h, .v_slope = 0.5, .force = -h};
    impact_.rhs = &now.p;
    impact_.reactions[0] = {.t = now.t + 0.5 * h, .q = &end_, .weight = h};
    // In units of h ġ, like every condition on rates. Only what approaches rebounds.
    if (system_.constraint_count() > 0) system_.constraint_rates(instant(now), shift_.data());
    closing_ = shift_;
    for (std::size_t i = 0; i < sets_.size(); ++i)
      shift_[Eigen::Index(i)] = sets_[i] != Set::zero ? h * restitution_ * excess(sets_[i], shift_[Eigen::Index(i)]) : 0.0;
    impact_.condition = {.t = t, .q = &ahead_, .rate_weight = h, .shift = &shift_};
    impact_.size = size_.of(system_, now) / std::abs(h);
  }

  /// Lets the inequalities act that q violates or touches; whether there were new ones. Forces on what they touch then act along the G by which velocities are held, or its
  /// energy might grow; on what has nothing to do with that, as before.
  bool touch(double t, const Vector& q) {
    bool more = false;
    system_.constraint_values(t, q.data(), g_.data());
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (impact_.limits[i] != Set::whole) continue;
      const double g = g_[Eigen::Index(i)];
      if (excess(sets_[i], g) == 0.0 && g != 0.0) continue;
      impact_.limits[i] = sets_[i];
      if (!touched_) {
        along_ = end_;
        gone_.assign(std::size_t(system_.size()), 0);
      }
      more = touched_ = true;
      go_ahead(int(i));
      impact_.reactions[0].q = &along_;
      impact_.reactions[0].t = impact_.condition.t;
    }
    return more;
  }

  /// The coordinates of a row, and those tied to them by equations, are taken where velocities are held.
  void go_ahead(int row) {
    if (row >= touching_) {
      along_ = ahead_;
      return;
    }
    if (tied_.empty()) tie();
    for (const int one : coordinates_[std::size_t(row)]) {
      if (gone_[std::size_t(leader(one))] != 0) continue;
      gone_[std::size_t(leader(one))] = 1;
      for (int i = 0; i < system_.size(); ++i)
        if (leader(i) == leader(one)) along_[i] = ahead_[i];
    }
  }

  /// Which coordinates each row is of, and which of them equations tie together.
  void tie() {
    tied_.resize(std::size_t(system_.size()));
    std::iota(tied_.begin(), tied_.end(), 0);
    coordinates_.resize(sets_.size());
    std::size_t row = 0;
    for (const auto& block : system_.constraints())
      for (int term = 0; term < block->terms(); ++term)
        for (int k = 0; k < block->rows(); ++k, ++row) {
          const int* own = block->stencils().data() + std::ptrdiff_t(term) * block->width();
          coordinates_[row].assign(own, own + block->width());
        }
    keep_sharp();
    for (std::size_t k = 0; k < sets_.size(); ++k)
      for (const int one : coordinates_[k])
        if (sets_[k] == Set::zero) tied_[std::size_t(leader(one))] = leader(coordinates_[k].front());
  }
  /// Expressions of few coordinates stand together, as if each were of all: slopes somewhere near tell.
  void keep_sharp() {
    constexpr double most = 1e5;
    if (double(sets_.size()) * double(system_.size()) > most) return;
    Vector near = ahead_;
    for (Eigen::Index i = 0; i < near.size(); ++i)
      near[i] += 1e-3 * std::cos(1.0 + 2.3 * double(i)) * (1.0 + std::abs(near[i]));
    const Eigen::MatrixXd G = system_.constraint_gradient(impact_.condition.t, near);
    for (std::size_t k = 0; k < sets_.size(); ++k)
      std::erase_if(coordinates_[k], [&](int i) { return G(Eigen::Index(k), i) == 0.0; });
  }
  int leader(int i) {
    for (int& next = tied_[std::size_t(i)]; next != i; next = tied_[std::size_t(i)]) {
      next = tied_[std::size_t(next)];
      i = next;
    }
    return i;
  }

  /// q nearest to the given one with g ∈ S, on the contact where it pushes without rebound; then v nearest with rates that keep it there. Tubes that touch along a
  /// stretch have more contacts than can be met at once; it is enough that they do not pass each other.
  void project(StepReport& report, State& next, double h) {
    const double size = size_.of(system_, next);
    nearest_.position_limits() = sets_;
    bool held = false;
    for (std::size_t i = 0; i < std::size_t(touching_); ++i) {
      const auto row = Eigen::Index(i);
      if (sets_[i] == Set::zero || impact_.limits[i] == Set::whole || lambda_[row] == 0.0 || shift_[row] != 0.0) continue;
      nearest_.position_limits()[i] = Set::zero;
      held = true;
    }
    free_ = next.q;
    place(report, next, size, h);
    if (!report.ok() && held) {  // more contacts push than can be met at once; it is enough not to pass them
      nearest_.position_limits() = sets_;
      place(report, next, size, h);
    }
    if (!report.ok() || penetrates(report.solve, next, size) || squeezed_) return;
    nearest_.rate_limits() = impact_.limits;
    // What rests has no velocity to measure round-off by.
    const double speed = std::max(next.v.lpNorm<Eigen::Infinity>(), 1e-3 * size);
    const SolveReport velocity = nearest_.velocity(next.t, speed, next.q, next.v, solver_);
    report.velocity_iterations = velocity.newton_iterations;
    if (velocity.status != Status::ok) report.solve = velocity;
  }

  /// The place within the limits that is nearest to free_ in the metric of a step, M + h²/4 K, some steps long:
  ///
  ///     M (x − q) − h²/4 (f(x) − f(q)) + G(q)ᵀλ = 0,   g(x) ∈ S
  ///
  /// least ½|x − q|²_M and h²/4 of what V(x) is above its tangent at q. By the mass alone what touches would be moved and what is beside it would not: a kink of a fine
  /// mesh, whose energy EI δ²/l³ has no bound as the elements l shrink.
  SolveReport nearest_giving(AffineProblem& problem, bool turning, StepSolver& solver, double size, double h, State& next) {
    const double share = giving_steps * giving_steps * 0.25 * h * h, t = next.t;
    next.q = free_;
    minus_free_ = -free_;
    held_force_.setZero(system_.size());
    half_v_.setZero(system_.size());
    system_.add_dynamics({t, free_.data(), half_v_.data()}, 0.0, -share, held_force_.data());
    problem.limits = nearest_.position_limits();
    problem.inertias[0] = {.t = t, .q = &free_, .v = &minus_free_, .v_slope = 1.0, .momentum = 1.0, .rate = true};
    problem.inertias[1] = {.t = t, .q_slope = 1.0, .force = -share};
    problem.rhs = &held_force_;
    problem.reactions[0] = {.t = t, .q = turning ? nullptr : &free_, .q_slope = turning ? 1.0 : 0.0, .weight = 1.0};
    problem.condition = {.t = t, .q_slope = 1.0};
    problem.size = size;
    multipliers_.setZero(problem.constraints());
    return solver.solve(problem, next.q, multipliers_);
  }

  /// The nearest place to free_ within the limits; by the mass alone where nothing can touch. Forces along the G of free_ are cheap; where that turns too much on the way, as along a cable that snaps tight,
  /// they turn with it, and the problem is convex for every constraint that is.
  void place(StepReport& report, State& next, double size, double h) {
    if (contact_ < 0) {
      next.q = free_;
      report.solve = nearest_.position(next.t, size, next.q, solver_);
      return;
    }
    report.solve = nearest_giving(giving_, false, solver_, size, h, next);
    if (report.ok()) return;
    if (!turning_) turning_ = std::make_unique<Turning>(system_, solver_.method());
    const SolveReport turned = nearest_giving(turning_->giving, true, turning_->solver, size, h, next);
    if (turned.status == Status::ok || report.solve.status != Status::contradictory) report.solve = turned;
  }

  /// Whether an inequality is violated by more than a solution can be off, which is then the trouble.
  bool penetrates(SolveReport& report, const State& next, double size) {
    if (contact_ < 0) return false;
    system_.constraint_values(next.t, next.q.data(), g_.data());
    Vector sizes;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const double off = sets_[i] == Set::zero ? 0.0 : std::abs(excess(sets_[i], g_[Eigen::Index(i)]));
      if (off <= 1e-9 * size) continue;
      if (sizes.size() == 0) sizes = system_.constraint_gradient_norms(next.t, next.q);
      if (off <= 1e-9 * size * sizes[Eigen::Index(i)]) continue;
      report.status = Status::slow;
      report.worst_constraint = int(i);
      report.violation = off;
      return true;
    }
    return false;
  }

  /// An inequality that both ends of the step keep and a place between them does not: bodies that fly through each other. A gap that closes at the start and opens at the
  /// end is looked at where its tangents meet, below which a distance along a straight way never is. −1: none.
  int passed(const State& now, const State& next, double h) {
    if (contact_ < 0) return -1;
    system_.constraint_rates(instant(next), opening_.data());
    bool looked = false;
    for (std::size_t i = std::size_t(contact_); i < sets_.size(); ++i) {
      if (sets_[i] != Set::nonnegative && sets_[i] != Set::nonpositive) continue;
      const Eigen::Index k = Eigen::Index(i);
      const double side = sets_[i] == Set::nonnegative ? 1.0 : -1.0;
      const double closes = side * closing_[k], opens = side * opening_[k];
      if (!(closes < 0.0 && opens > 0.0)) continue;
      if (impact_.limits[i] !=
          Set::whole) {  // they touch, and nothing had to push: each is on the other side, or others push
        const bool unpushed = int(i) < touching_ && lambda_[k] == 0.0 && -closes * h > 1e-9 * size_.of(system_, now);
        if (unpushed && turned_round(k, now, next)) return int(i);
        continue;
      }
      if (!looked) {
        system_.constraint_values(now.t, now.q.data(), before_.data());
        system_.constraint_values(next.t, next.q.data(), after_.data());
        looked = true;
      }
      const double when = (side * (after_[k] - before_[k]) - opens * h) / (closes - opens);
      if (!(when > 0.0 && when < h && side * before_[k] + closes * when < 0.0)) continue;
      ahead_ = now.q + when / h * (next.q - now.q);
      system_.constraint_values(now.t + when, ahead_.data(), g_.data());
      if (side * g_[k] < -1e-9 * size_.of(system_, now)) return int(i);
    }
    return -1;
  }

  /// Whether the direction in which an inequality pushes has turned by more than a right angle or so.
  bool turned_round(Eigen::Index row, const State& now, const State& next) const {
    const Instant before = instant(now);
    return system_.constraint_gradient_norms(instant(next), nullptr, &before)[row] >
           system_.constraint_gradient_norms(before)[row];
  }

  StepReport passed_through(int row, double h) const {
    StepReport report;
    report.solve.status = Status::slow;
    report.solve.worst_constraint = row;
    report.trouble = message("'{}' would be passed within a step of {}, whose ends both keep it; take a smaller step",
                             system_.constraint_name(row), h);
    return report;
  }

  StepReport refuse_backward() const {
    StepReport report;
    report.solve.status = Status::refused;
    report.solve.worst_constraint = contact_;
    report.trouble = message(
        "impacts have no reverse: Moreau-Jean cannot step backward with the inequality '{}'; run forward, or penalise it: "
        "penalized(system, epsilon), or formulation: {penalty: epsilon}",
        system_.constraint_name(contact_));
    return report;
  }

  struct Turning {
    Turning(const System& system, const SolverMethod& method)
        : giving(std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true})),
          solver(method) {}
    AffineProblem giving;
    StepSolver solver;
  };

  const System& system_;
  double restitution_;
  int touching_;
  std::vector<Set> sets_;
  std::shared_ptr<const Assembly> assembly_;
  AffineProblem impact_;
  Nearest nearest_;
  AffineProblem giving_;
  StepSolver solver_;
  std::unique_ptr<Turning> turning_;  // made when it is first needed
  ConfigurationSize size_;
  Vector lambda_, g_, shift_, end_, middle_, half_v_, ahead_, along_, free_, minus_free_, held_force_, multipliers_;
  std::vector<std::vector<int>> coordinates_;  // of rows
  std::vector<int> tied_;                      // of each coordinate another of those that it is tied to, or itself
  std::vector<char> gone_;                     // whether those of a leader are taken ahead
  Vector closing_, opening_, before_, after_;  // rates and values of the constraints at both ends of the step
  int contact_ = -1;                           // the first inequality, if there is one
  bool inspected_ = false;
  bool touched_ = false, squeezed_ = false;  // in this step: inequalities act; their rates exclude each other
};

}  // namespace

Traits MoreauJean::traits() const {
  return {.name = "Moreau-Jean", .order = 2, .multiplier_time = 0.5, .multiplier_order = 1};
}

std::unique_ptr<Stepper> MoreauJean::bind(const System& system, const SolverMethod& method) const {
  require_quadratic(system, "MoreauJean");
  require_linear_rates(system, "MoreauJean");
  require(restitution >= 0.0 && restitution <= 1.0, "MoreauJean: restitution must lie in [0, 1], got {}.", restitution);
  const int contacts = int(contacts_of(system).size()), others = system.constraint_count() - contacts;
  if (contacts == 0) return std::make_unique<MoreauJeanStepper>(system, method, restitution, others);
  return contact_stepper(system, [method, e = restitution, others](const System& now) {
    return std::make_unique<MoreauJeanStepper>(now, method, e, others);
  });
}

}  // namespace taut
