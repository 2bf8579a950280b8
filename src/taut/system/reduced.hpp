#pragma once

#include <limits>
#include <numeric>
#include <taut/system/discrete_parts.hpp>
#include <taut/system/system.hpp>

/// Minimal coordinates as a transformation of the system: q = ψ(u), v = J w with J = ψ′(u) and w = u̇.
///
///     p_u = Jᵀp,     f_u = Jᵀf + J̇ᵀp,     J̇ = ∂(J w)/∂u
///
/// which is Lagrange's equation of L(ψ(u), J w) in u, forces included. Slopes are exact: with the second derivatives
/// H(y) = ∂²(y·ψ) and the third T(y) = ∂²(y·J w),
///
///     ∂q/∂x = dq J,   ∂v/∂x = dq J̇ + dv J,   ∂(Jᵀy)/∂u = H(y),   ∂(J̇ᵀy)/∂u = T(y),   ∂(J̇ᵀy)/∂w = H(y).
///
/// One evaluation of ψ over Dual<1, Hyper<n>> gives J, J̇, H and T together.
namespace taut {

namespace detail {

/// Sizes of a map ψ: from `Map::coordinates` numbers to the length of what it returns.
template <class Map> inline constexpr int minimal = Map::coordinates;
template <class Map>
inline constexpr int redundant =
    int(std::tuple_size_v<decltype(std::declval<const Map&>()(std::array<double, Map::coordinates>{}))>);

/// ψ with derivatives at (u, w): order 1 gives q, v, J, J̇; order 2 also H and T on demand.
template <class Map, class Inner> struct Lifted {
  static constexpr int n = minimal<Map>, N = redundant<Map>;
  using X = Dual<1, Inner>;
  std::array<X, N> y;

  Lifted(const Map& map, const double* u, const double* w) {
    std::array<X, n> x;
    for (int i = 0; i < n; ++i) {
      x[i] = X(Inner::variable(u[i], i));
      x[i].slope[0] = Inner(w == nullptr ? 0.0 : w[i]);
    }
    y = map(x);
  }
  Eigen::Matrix<double, N, 1> q() const {
    Eigen::Matrix<double, N, 1> out;
    for (int k = 0; k < N; ++k) out[k] = y[k].value.value;
    return out;
  }
  Eigen::Matrix<double, N, 1> v() const {
    Eigen::Matrix<double, N, 1> out;
    for (int k = 0; k < N; ++k) out[k] = y[k].slope[0].value;
    return out;
  }
  Eigen::Matrix<double, N, n> J() const {
    Eigen::Matrix<double, N, n> out;
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < n; ++i) out(k, i) = y[k].value.slope[i];
    return out;
  }
  Eigen::Matrix<double, N, n> J_rate() const {
    Eigen::Matrix<double, N, n> out;
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < n; ++i) out(k, i) = y[k].slope[0].slope[i];
    return out;
  }
  /// H(a), or T(a) with `rate`.
  template <class Weights> Eigen::Matrix<double, n, n> second(const Weights& a, bool rate) const {
    Eigen::Matrix<double, n, n> out = Eigen::Matrix<double, n, n>::Zero();
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) out(i, j) += a[k] * (rate ? y[k].slope[0] : y[k].value).second(i, j);
    return out;
  }
};

}  // namespace detail

/// All dynamics of a system, pulled back along ψ: one term that touches every minimal coordinate.
template <class Map> class ReducedDynamics final : public DynamicsBlock, public DiscreteForces {
  static constexpr int n = detail::minimal<Map>, N = detail::redundant<Map>;

 public:
  ReducedDynamics(std::shared_ptr<const System> system, Map map) : system_(std::move(system)), map_(std::move(map)) {
    stencils_.resize(n);
    std::iota(stencils_.begin(), stencils_.end(), 0);
    for (const auto& block : system_->dynamics()) slots_.push_back(square_slots(*block, dense));
  }
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<ReducedDynamics>(*this); }
  int terms() const override { return 1; }
  int width() const override { return n; }
  std::string name(int) const override { return "system in minimal coordinates"; }
  bool constant_mass() const override { return false; }
  bool conservative() const override { return system_->conservative(); }
  const DiscreteForces* discrete() const override { return conservative() ? this : nullptr; }

  double kinetic(const Instant& at) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    return system_->kinetic_energy({at.t, q.data(), v.data()});
  }
  double potential(const Instant& at) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    return system_->potential_energy({at.t, q.data(), v.data()});
  }

  double power(const Instant& at) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    return system_->power({at.t, q.data(), v.data()});
  }

  void add(const Instant& at, double momentum, double force, double* out) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    Eigen::Matrix<double, N, 1> p = Eigen::Matrix<double, N, 1>::Zero(), f = p;
    system_->add_dynamics({at.t, q.data(), v.data()}, 1.0, 0.0, p.data());
    system_->add_dynamics({at.t, q.data(), v.data()}, 0.0, 1.0, f.data());
    const Eigen::Matrix<double, n, 1> sum =
        psi.J().transpose() * (momentum * p + force * f) + psi.J_rate().transpose() * (force * p);
    for (int i = 0; i < n; ++i) out[i] += sum[i];
  }

  void add_discrete(const Segment& step, double weight, double* out) const override {
    const Column f = parts(step, 0.0).value();
    for (int i = 0; i < n; ++i) out[i] += weight * f[i];
  }
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override {
    detail::scatter(parts(step, dq).slope(), weight, slots, values);
  }

  /// d/dt (Jᵀp) without ẇ: J̇ᵀp + Jᵀ(p_q v + p_t + M J̇w).
  void add_inertial(const Instant& at, double weight, double* out) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    const auto J_rate = psi.J_rate();
    const Instant inner{at.t, q.data(), v.data()};
    Eigen::Matrix<double, N, 1> p = Eigen::Matrix<double, N, 1>::Zero(), rate = p;
    system_->add_dynamics(inner, 1.0, 0.0, p.data());
    system_->add_inertial(inner, 1.0, rate.data());
    rate += slopes(inner, {1.0, 0.0, 0.0, 1.0}) * (J_rate * Eigen::Map<const Eigen::Matrix<double, n, 1>>(at.v));
    const Eigen::Matrix<double, n, 1> sum = J_rate.transpose() * p + psi.J().transpose() * rate;
    for (int i = 0; i < n; ++i) out[i] += weight * sum[i];
  }

  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const override {
    const detail::Lifted<Map, Hyper<n>> psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    const auto J = psi.J(), J_rate = psi.J_rate();
    const Instant inner{at.t, q.data(), v.data()};
    Eigen::Matrix<double, N, 1> p = Eigen::Matrix<double, N, 1>::Zero(), f = p;
    system_->add_dynamics(inner, 1.0, 0.0, p.data());
    system_->add_dynamics(inner, 0.0, 1.0, f.data());
    const Eigen::Matrix<double, N, n> dq = w.dq * J, dv = w.dq * J_rate + w.dv * J;
    const Eigen::Matrix<double, N, n> dp =
        slopes(inner, {1.0, 0.0, 1.0, 0.0}) * dq + slopes(inner, {1.0, 0.0, 0.0, 1.0}) * dv;
    const Eigen::Matrix<double, N, n> df =
        slopes(inner, {0.0, 1.0, 1.0, 0.0}) * dq + slopes(inner, {0.0, 1.0, 0.0, 1.0}) * dv;
    const auto H = psi.second(p, false);
    const Eigen::Matrix<double, n, n> sum = w.momentum * (J.transpose() * dp + w.dq * H) +
                                            w.force * (J.transpose() * df + w.dq * psi.second(f, false) +
                                                       J_rate.transpose() * dp + w.dq * psi.second(p, true) + w.dv * H);
    detail::scatter(sum, 1.0, slots, values);
  }

 private:
  using First = detail::Lifted<Map, Dual<n>>;

  using Column = Eigen::Matrix<double, n, 1>;
  using Square = Eigen::Matrix<double, n, n>;

  detail::DiscreteParts<n> parts(const Segment& step, double dq) const {
    return detail::lagrangian_parts<n>(*this, step, dq, n);
  }

  static int dense(int i, int j) { return i + N * j; }

  Eigen::Matrix<double, N, N> slopes(const Instant& at, const SlopeWeights& weights) const {
    Eigen::Matrix<double, N, N> out = Eigen::Matrix<double, N, N>::Zero();
    for (std::size_t b = 0; b < slots_.size(); ++b)
      system_->dynamics()[b]->add_slopes(at, weights, slots_[b].data(), out.data());
    return out;
  }

  std::shared_ptr<const System> system_;
  Map map_;
  std::vector<std::vector<int>> slots_;  // into a column-major N × N matrix
};

/// Those constraints of a system that ψ does not satisfy by itself, as g(ψ(u)); all with one set.
template <class Map> class ReducedConstraints final : public ConstraintBlock, public DiscreteDirections {
  static constexpr int n = detail::minimal<Map>, N = detail::redundant<Map>;

 public:
  ReducedConstraints(std::shared_ptr<const System> system, Map map, std::vector<int> kept, Set set)
      : system_(std::move(system)), map_(std::move(map)), kept_(std::move(kept)), set_(set) {
    stencils_.resize(n);
    std::iota(stencils_.begin(), stencils_.end(), 0);
  }
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<ReducedConstraints>(*this); }
  int terms() const override { return 1; }
  int width() const override { return n; }
  int rows() const override { return int(kept_.size()); }
  Set set(int) const override { return set_; }
  const DiscreteDirections* discrete() const override { return this; }
  std::string name(int) const override { return "constraints in minimal coordinates"; }
  std::string row_name(int, int row) const override { return system_->constraint_name(kept_[row]); }

  void values(double t, const double* u, double* g) const override {
    const Vector all = system_->constraint_values(t, First(map_, u, nullptr).q());
    for (int r = 0; r < rows(); ++r) g[r] = all[kept_[r]];
  }
  void rates(const Instant& at, double* rate) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    const Vector all = system_->constraint_rates({at.t, q.data(), v.data()});
    for (int r = 0; r < rows(); ++r) rate[r] = all[kept_[r]];
  }
  /// γ(q, v) + G J̇w.
  void accelerations(const Instant& at, double* acceleration) const override {
    const First psi(map_, at.q, at.v);
    const auto q = psi.q(), v = psi.v();
    Vector all(system_->constraint_count());
    system_->constraint_accelerations({at.t, q.data(), v.data()}, all.data());
    all += system_->constraint_gradient(at.t, q) * (psi.J_rate() * Eigen::Map<const Eigen::Matrix<double, n, 1>>(at.v));
    for (int r = 0; r < rows(); ++r) acceleration[r] = all[kept_[r]];
  }
  void add_forces(double t, const double* u, const double* lambda, double weight, double* out) const override {
    const First psi(map_, u, nullptr);
    const Vector forces = weight * (psi.J().transpose() * force(t, psi.q(), lambda));
    for (int i = 0; i < n; ++i) out[i] += forces[i];
  }
  void add_gradient(double t, const double* u, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    const First psi(map_, u, nullptr);
    const Eigen::MatrixXd G = system_->constraint_gradient(t, psi.q()) * psi.J();
    for (int r = 0; r < rows(); ++r)
      detail::scatter(G.row(kept_[r]), weight * (row_weight == nullptr ? 1.0 : row_weight[r]), slots + r * n, values);
  }
  /// Jᵀ (λ∂²g) J + H(Gᵀλ).
  void add_curvature(double t, const double* u, const double* lambda, double weight, const int* slots,
                     double* values) const override {
    const detail::Lifted<Map, Hyper<n>> psi(map_, u, nullptr);
    const Vector q = psi.q(), all = spread(lambda);
    Eigen::MatrixXd inner = Eigen::MatrixXd::Zero(N, N);
    const double* block_lambda = all.data();
    for (const auto& block : system_->constraints()) {
      const auto inner_slots = square_slots(*block, [](int i, int j) { return i + N * j; });
      block->add_curvature(t, q.data(), block_lambda, 1.0, inner_slots.data(), inner.data());
      block_lambda += block->terms() * block->rows();
    }
    const Eigen::MatrixXd sum = psi.J().transpose() * inner * psi.J() + psi.second(force(t, q, lambda), false);
    detail::scatter(sum, weight, slots, values);
  }
  void add_discrete(const Segment& step, const double* lambda, double weight, double* out) const override {
    for (int r = 0; r < rows(); ++r) {
      const auto G = parts(step, r, false).value();
      for (int i = 0; i < n; ++i) out[i] += weight * lambda[r] * G[i];
    }
  }
  void add_discrete_gradient(const Segment& step, double weight, const int* slots, double* values) const override {
    for (int r = 0; r < rows(); ++r)
      detail::scatter(parts(step, r, false).value().transpose(), weight, slots + r * n, values);
  }
  void add_discrete_curvature(const Segment& step, const double* lambda, double weight, const int* slots,
                              double* values) const override {
    for (int r = 0; r < rows(); ++r) detail::scatter(parts(step, r, true).slope(), weight * lambda[r], slots, values);
  }
  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    // What ψ satisfies by itself adds nothing to the penalty, so that of whole blocks serves; those with another set have a block of
    // reduced constraints of their own.
    auto penalties = std::make_shared<System>(system_->size());
    for (const auto& block : system_->constraints())
      if (block->set(0) == set_) penalties->add_block(block->penalized(epsilon));
    return std::make_unique<ReducedDynamics<Map>>(penalties, map_);
  }

 private:
  using First = detail::Lifted<Map, Dual<n>>;

  /// One row between the ends of a step; slopes in u1.
  detail::DiscreteParts<n> parts(const Segment& step, int row, bool slopes) const {
    using Column = Eigen::Matrix<double, n, 1>;
    const Vector one = Vector::Unit(rows(), row);
    const auto value = [&](const double* u) {
      Vector g(rows());
      values(step.t, u, g.data());
      return g[row];
    };
    const auto gradient = [&](const double* u) {
      Column out = Column::Zero();
      add_forces(step.t, u, one.data(), 1.0, out.data());
      return out;
    };
    const auto curvature = [&](const double* u, double weight, const int* slots, double* into) {
      add_curvature(step.t, u, one.data(), weight, slots, into);
    };
    return detail::constraint_parts<n>(value, gradient, curvature, step.q0, step.q1, slopes, n);
  }

  Vector spread(const double* lambda) const {
    Vector all = Vector::Zero(system_->constraint_count());
    for (int r = 0; r < rows(); ++r) all[kept_[r]] = lambda[r];
    return all;
  }
  Vector force(double t, const Vector& q, const double* lambda) const {
    Vector out = Vector::Zero(N);
    system_->add_constraint_forces(t, q.data(), spread(lambda).data(), 1.0, out.data());
    return out;
  }

  std::shared_ptr<const System> system_;
  Map map_;
  std::vector<int> kept_;
  Set set_;
};

/// The system in the minimal coordinates u of  q = ψ(u),  where ψ is a type with
///
///     static constexpr int coordinates;                                           length of u
///     template <class T> std::array<T, N> operator()(const std::array<T, coordinates>& u) const;
///
/// Constraints that ψ satisfies at `near` and around it, value and gradient, are dropped; the others remain as g(ψ(u)).
template <class Map> System reduced(const System& system, const Map& map, const Vector& near) {
  constexpr int n = detail::minimal<Map>, N = detail::redundant<Map>;
  require(system.size() == N, "reduced: the map gives {} coordinates, the system has {}.", N, system.size());
  require(near.size() == n, "reduced: the map takes {} coordinates, `near` has {}.", n, near.size());
  const auto shared = std::make_shared<const System>(system);
  System out(n);
  out.add_block(std::unique_ptr<DynamicsBlock>(std::make_unique<ReducedDynamics<Map>>(shared, map)));

  // Four places around `near`, at four times: enough that a constraint met at all of them with its gradient is met by ψ itself.
  Vector broken = Vector::Zero(system.constraint_count());
  for (int sample = 0; sample < 4; ++sample) {
    Vector u = near;
    for (int i = 0; i < n; ++i) u[i] += 0.1 * sample * std::cos(1.0 + 2.0 * sample + 3.0 * i);
    const detail::Lifted<Map, Dual<n>> psi(map, u.data(), nullptr);
    const Vector q = psi.q();
    const double t = 0.7 * sample;
    const Eigen::MatrixXd G = system.constraint_gradient(t, q);
    const Eigen::MatrixXd pulled = G * psi.J();
    const Vector g = system.constraint_values(t, q);
    for (int r = 0; r < system.constraint_count(); ++r) {
      const double scale = 1.0 + G.row(r).norm() * (1.0 + q.norm() + psi.J().norm());
      broken[r] = std::max({broken[r], std::abs(g[r]) / scale, pulled.row(r).norm() / scale});
    }
  }
  const std::vector<Set> sets = system.sets();
  for (const Set set : {Set::zero, Set::nonpositive, Set::nonnegative}) {
    std::vector<int> kept;
    for (int r = 0; r < system.constraint_count(); ++r)
      if (sets[r] == set && broken[r] > 1e-10) kept.push_back(r);
    if (!kept.empty())
      out.add_block(std::unique_ptr<ConstraintBlock>(std::make_unique<ReducedConstraints<Map>>(shared, map, kept, set)));
  }
  return out;
}

/// q = ψ(u) and v = J w of a motion in minimal coordinates.
template <class Map> void lift(const Map& map, const Vector& u, const Vector& w, Vector& q, Vector& v) {
  const detail::Lifted<Map, Dual<detail::minimal<Map>>> psi(map, u.data(), w.data());
  q = psi.q();
  v = psi.v();
}

}  // namespace taut
