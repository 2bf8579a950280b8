#include <Eigen/Cholesky>
#include <algorithm>
#include <taut/base/require.hpp>
#include <taut/integrators/integrator.hpp>
#include <taut/simulate/start.hpp>
#include <taut/step/nearest.hpp>

namespace taut {
namespace {

struct HeldVelocity {
  static constexpr int width = 1, rows = 1;
  int coordinate;
  double velocity;
  std::array<int, 1> stencil() const { return {coordinate}; }
  template <class T> Local<T, 1> rate(const T&, const Local<T, 1>&, const Local<T, 1>& v) const { return {v[0] - velocity}; }
  std::string name() const { return "velocity that is set"; }
};

/// Consistent to a few round-offs: nothing to mend.
constexpr double mended = 1e-13;

/// Found: Newton's method leaves less, unless something is wrong.
constexpr double consistent = 1e-9;

/// What a projection came to, with the names of what it found dependent; whether it is good.
bool note(const SolveReport& report, const StepSolver& solver, const System& system, ConsistentStart& result) {
  for (const int row : solver.dependent()) result.dependent.push_back(system.constraint_name(row));
  result.status = report.status;
  result.trouble = explain(report, system, instant(result.state), 0.0);
  return report.status == Status::ok;
}

constexpr int largest_approached = 600, largest_followed = 200;  // coordinates: a second or so, where nothing is found

/// Comes near the equalities from far away, where Newton's method for the nearest place does not: by the steps of Levenberg and Marquardt, which shrink
/// |g| each. Rows in units of their gradients. `goal`: what g is to come to, where it is not zero.
Vector approached(const System& system, double t, Vector q, const Vector& goal = {}) {
  const std::vector<Set> sets = system.sets();
  const auto residual = [&](const Vector& at, const Vector& norms) {
    Vector g = system.constraint_values(t, at);
    if (goal.size() == g.size()) g -= goal;
    for (Eigen::Index row = 0; row < g.size(); ++row)
      g[row] = norms[row] > 0.0 ? excess(sets[std::size_t(row)], g[row]) / norms[row] : 0.0;
    return g;
  };
  double damping = 1e-3;
  for (int round = 0; round < 200; ++round) {
    const Vector norms = system.constraint_gradient_norms(t, q), g = residual(q, norms);
    if (!(g.norm() > 1e-9) || !(damping < 1e12)) break;
    Eigen::MatrixXd G = system.constraint_gradient(t, q);
    for (Eigen::Index row = 0; row < G.rows(); ++row)
      if (norms[row] > 0.0) G.row(row) *= (g[row] == 0.0 && sets[std::size_t(row)] != Set::zero ? 0.0 : 1.0) / norms[row];
    Eigen::MatrixXd square = G * G.transpose();
    square.diagonal().array() += damping;
    const Vector next = q - G.transpose() * square.ldlt().solve(g);
    const bool better = next.allFinite() && residual(next, norms).norm() < g.norm();
    if (better) q = next;
    damping *= better ? 0.2 : 10.0;
  }
  return q;
}

/// Where the shortest way ends on a saddle or in a wrong turn: g goes to zero little by little, on a way that turns as far as it must.
Vector followed(const System& system, double t, Vector q) {
  constexpr int parts = 32;
  const std::vector<Set> sets = system.sets();
  Vector g = system.constraint_values(t, q);
  for (Eigen::Index row = 0; row < g.size(); ++row)
    if (sets[std::size_t(row)] != Set::zero) g[row] = 0.0;
  for (int k = 1; k < parts; ++k) q = approached(system, t, q, (1.0 - double(k) / parts) * g);
  return approached(system, t, q);
}

/// A little beside a place, in no direction that symmetry prefers.
Vector beside(const Vector& q, double distance) {
  Vector out = q;
  for (Eigen::Index i = 0; i < q.size(); ++i) out[i] += distance * std::cos(1.0 + 2.3 * double(i));
  return out;
}

}  // namespace

State state_at(const System& system, double t, const Vector& q, const Vector& v) {
  require(q.size() == system.size() && v.size() == system.size(),
          "state: the system has {} coordinates, got {} in q and {} in v.", system.size(), q.size(), v.size());
  State state{t, q, v, {}, Vector::Zero(system.constraint_count())};
  state.p = system.momentum(instant(state));
  return state;
}

State at_rest(const System& system, const Vector& q) { return state_at(system, 0.0, q, Vector::Zero(system.size())); }

std::vector<Violation> violations(const System& system, const State& state, double tolerance) {
  require(state.q.size() == system.size() && state.v.size() == system.size(),
          "violations: the system has {} coordinates, the state has {} in q and {} in v.", system.size(), state.q.size(),
          state.v.size());
  const Vector g = system.constraint_values(state.t, state.q), rate = system.constraint_rates(instant(state));
  const Vector norm = system.constraint_gradient_norms(instant(state));
  const std::vector<Set> sets = system.sets();
  // Lengths of constraints count as coordinates do; a velocity that would cross the configuration in a second counts as one.
  const double q_size = ConfigurationSize().of(system, state);
  const double v_size = std::max(q_size, state.v.lpNorm<Eigen::Infinity>());
  std::vector<Violation> found;
  for (int row = 0; row < system.constraint_count(); ++row) {
    const double scale = norm[row] > 0.0 ? norm[row] : 1.0;
    const double off = std::abs(excess(sets[row], g[row])) / scale;
    if (!(off <= tolerance * q_size)) found.push_back({system.constraint_name(row), false, off, row});
    const double drift = sets[row] == Set::zero ? std::abs(rate[row]) / scale : 0.0;
    if (!(drift <= tolerance * v_size)) found.push_back({system.constraint_name(row), true, drift, row});
  }
  return found;
}

void require_gradients(const System& system, const State& state) {
  constexpr double vanishing = 1e-8;
  if (system.constraint_count() == 0) return;
  const Vector here = system.constraint_gradient_norms(instant(state));
  if (here.minCoeff() > vanishing * here.maxCoeff()) return;
  const std::vector<Set> sets = system.sets();
  State other = state;
  const double shift = 1e-3 * ConfigurationSize().of(system, state);
  other.q = beside(other.q, shift);
  const Vector there = system.constraint_gradient_norms(instant(other));
  for (int row = 0; row < system.constraint_count(); ++row)
    require(sets[row] != Set::zero || !(here[row] < vanishing * there[row]),
            "the gradient of '{}' is zero at the start, and no force can hold it there; write it so that it changes sign "
            "where it holds, "
            "without a square around it, or begin elsewhere.",
            system.constraint_name(row));
}

std::string describe(const std::vector<Violation>& found) {
  constexpr std::size_t shown = 6;
  std::string out;
  for (std::size_t k = 0; k < std::min(shown, found.size()); ++k)
    out += message("{}'{}' by {} ({})", k > 0 ? ", " : "", found[k].constraint, found[k].size,
                   found[k].velocity ? "velocity" : "position");
  if (found.size() > shown) out += message(" and {} more", found.size() - shown);
  return out;
}

ConsistentStart consistent_positions(const System& system, const State& start, bool from_afar) {
  return Placing(system)(start, from_afar);
}

ConsistentStart Placing::operator()(const State& start, bool from_afar) {
  const System& system = system_;
  ConsistentStart result{.state = state_at(system, start.t, start.q, start.v)};
  result.before = violations(system, start, mended);
  std::erase_if(result.before, [](const Violation& v) { return v.velocity; });
  if (result.before.empty()) return result;

  State& state = result.state;
  if (assembly_ == nullptr)
    assembly_ = std::make_shared<const Assembly>(system, Assembly::Parts{.constraints = true, .curvature = true});
  Nearest nearest(assembly_, true);
  const double size = ConfigurationSize().of(system, start);
  bool good = false;
  std::vector<Violation> left;
  const auto settles = [&](const Vector& from) {
    state.q = from;
    StepSolver solver{Multipliers{}};
    result.dependent.clear();
    good = note(nearest.position(start.t, size, state.q, solver), solver, system, result);
    // Rows that depend on others where the search ends may contradict them: what is left over has the last word.
    left = violations(system, state, good ? consistent : mended);
    std::erase_if(left, [](const Violation& v) { return v.velocity; });
    return good && left.empty();
  };
  if (!settles(start.q) && from_afar && system.size() <= largest_approached) {
    const ConsistentStart first = result;
    const std::vector<Violation> first_left = left;
    bool found = settles(approached(system, start.t, start.q));
    if (!found && system.size() <= largest_followed) {
      found = settles(followed(system, start.t, start.q));
      for (const double share : {1e-3, -1e-2, 0.1})
        found = found || settles(approached(system, start.t, beside(start.q, share * size)));
    }
    if (!found) {
      result = first;
      left = first_left;
      good = result.status == Status::ok;
    }
  }
  if (!good || !left.empty()) {
    std::stable_sort(left.begin(), left.end(), [](const Violation& a, const Violation& b) { return a.size > b.size; });
    if (good) result.status = Status::contradictory;
    const std::string reason = good ? "" : " (" + result.trouble + ")";
    if (!left.empty())
      result.trouble = message("nothing near it meets all constraints; left over: {}", describe(left)) + reason;
    return result;
  }
  state.p = system.momentum(instant(state));
  result.moved_q = (state.q - start.q).lpNorm<Eigen::Infinity>();
  return result;
}

ConsistentStart consistent_velocities(const System& system, const State& start) {
  ConsistentStart result{.state = state_at(system, start.t, start.q, start.v)};
  result.before = violations(system, start, mended);
  std::erase_if(result.before, [](const Violation& v) { return !v.velocity; });
  if (result.before.empty()) return result;

  State& state = result.state;
  Nearest nearest(std::make_shared<const Assembly>(system, Assembly::Parts{}));
  for (Set& limit : nearest.rate_limits())
    if (limit != Set::zero) limit = Set::whole;
  StepSolver solver{Multipliers{}};
  const SolveReport report = nearest.velocity(start.t, start.v.lpNorm<Eigen::Infinity>(), state.q, state.v, solver);
  if (!note(report, solver, system, result)) return result;
  state.p = system.momentum(instant(state));
  result.moved_v = (state.v - start.v).lpNorm<Eigen::Infinity>();
  return result;
}

Vector velocities_with(const System& system, const State& state, const std::vector<int>& coordinates) {
  System held = system;
  for (const int i : coordinates) held.add(HeldVelocity{.coordinate = i, .velocity = state.v[i]});
  const ConsistentStart found = consistent_velocities(held, state);
  return found.status == Status::ok ? found.state.v : state.v;
}

bool is_consistent(const System& system, const State& start) { return violations(system, start, mended).empty(); }

ConsistentStart consistent_start(const System& system, const State& start) {
  const std::vector<Violation> before = violations(system, start, mended);
  if (before.empty()) return {.state = state_at(system, start.t, start.q, start.v)};
  ConsistentStart placed = consistent_positions(system, start);
  if (placed.status == Status::ok) {
    ConsistentStart moving = consistent_velocities(system, placed.state);
    moving.moved_q = placed.moved_q;
    for (const std::string& name : placed.dependent)
      if (std::find(moving.dependent.begin(), moving.dependent.end(), name) == moving.dependent.end())
        moving.dependent.push_back(name);
    placed = std::move(moving);
  }
  placed.before = before;
  return placed;
}

}  // namespace taut
