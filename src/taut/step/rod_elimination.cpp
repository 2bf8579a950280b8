#include <algorithm>
#include <cmath>
#include <taut/step/arrow.hpp>
#include <taut/step/small_step.hpp>

namespace taut::detail {
namespace {

/// M rods between P points in D dimensions, each point of one mass: g = w/2 (|y|² − l²) with y = Σ cₚxₚ − a. G is known by y alone, and
///
///     Sᵢⱼ = Kᵢⱼ yᵢ·yⱼ,   Kᵢⱼ = wᵢwⱼ Σ cᵢₚcⱼₚ/mₚ,        M⁻¹Gᵀλ = Σ Bᵢₚ λᵢyᵢ at point p,   Bᵢₚ = wᵢcᵢₚ/mₚ
///
/// with constants K and B: as little as whoever writes such a system by hand would compute.
template <int M, int P, int D> class RodElimination final : public Elimination {
  static constexpr int N = P * D;
  using Arrows = std::array<Arrow<D>, std::size_t(M)>;
  using Places = std::array<Arrow<D>, std::size_t(P)>;

 public:
  static bool takes(const System& system, const Vector& mass) {
    for (int i = 0; i < N; ++i)
      if (mass[i] != mass[i / D * D]) return false;
    SpanRow span;
    for (const auto& block : system.constraints())
      for (int k = 0; k < block->terms(); ++k) {
        if (!block->span(k, span) || span.a.size() != D) return false;
        const int* stencil = block->stencils().data() + std::ptrdiff_t(k) * block->width();
        for (int i = 0; i < block->width(); ++i)
          if (stencil[i] % D != i % D || stencil[i] / D != stencil[i / D * D] / D) return false;
      }
    return true;
  }

  RodElimination(const System& system, const Vector& mass) : blocks_(system) {
    for (int p = 0; p < P; ++p) {
      mass_[p] = mass[p * D];
      fall_[p] = Arrow<D>::at(blocks_.weights.data() + p * D) * (1.0 / mass_[p]);
    }
    SpanRow span;
    int row = 0;
    std::array<Few<P>, std::size_t(M)> c{};
    for (const auto& block : system.constraints())
      for (int k = 0; k < block->terms(); ++k, ++row) {
        block->span(k, span);
        weight_[row] = span.weight;
        square_[row] = span.length * span.length;
        a_[row] = Arrow<D>::at(span.a.data());
        for (int i = 0; i < block->width(); i += D)
          c[row][block->stencils()[std::size_t(k * block->width() + i)] / D] += span.c[std::size_t(i / D)];
      }
    for (int i = 0; i < M; ++i) {
      for (int p = 0; p < P; ++p) {
        c_[i][p] = Arrow<D>::all(c[i][p]);
        B_[i][p] = Arrow<D>::all(weight_[i] * c[i][p] / mass_[p]);
      }
      for (int j = 0; j < M; ++j) {
        K_[i][j] = 0.0;
        for (int p = 0; p < P; ++p) K_[i][j] += weight_[i] * c[i][p] / mass_[p] * c[j][p] * weight_[j];
      }
      drop_[i] = along(i, fall_);
    }
  }

  bool linearize(double, const double* q) override { return factor(q); }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    return factor(at.q) && accelerate_here(at, a, lambda);
  }

  bool step(const StageSums& sums, const ExplicitStep& step, const StagePlaces& places, SolveReport& report) override {
    return small_step<M, N>(*this, sums, step, places, report);
  }
  bool at(const double* q) const { return S_.good() && same<N>(place_.data(), q); }

  bool position(double t, double size, double* q, SolveReport& report) override {
    if (!S_.good()) return false;
    double distance = 0.0;
    const Places here = places(q);
    for (int i = 0; i < M; ++i) distance = std::max(distance, (along(i, here) - a_[i] - y_[i]).largest());
    const auto correction = [&](const double* x) {
      const Places there = places(x);
      Few<M> g;
      for (int i = 0; i < M; ++i) {
        const Arrow<D> y = along(i, there) - a_[i];
        g[i] = (0.5 * weight_[i]) * (dot(y, y) - square_[i]);
      }
      Few<N> out;
      const Places change = pull(S_.solve(g));
      for (int p = 0; p < P; ++p) change[p].store(out.data() + p * D);
      return out;
    };
    return approach<N>(Approach(size, distance, curvature_), q, report, correction,
                       [&](const double* x) { return linearize(t, x); });
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    return RodElimination::velocity(t, q, v) && accelerate_here({t, q, v}, a, lambda);
  }

  bool velocity(double, const double* q, double* v) override {
    if (!factor(q)) return false;
    const Places speeds = places(v);
    Few<M> rate;
    for (int i = 0; i < M; ++i) rate[i] = weight_[i] * dot(y_[i], along(i, speeds));
    const Places change = pull(S_.solve(rate));
    if (!finite(change)) return false;
    for (int p = 0; p < P; ++p) (speeds[p] - change[p]).store(v + p * D);
    return true;
  }

  bool momentum(const double* v, double* p) const override {
    for (int i = 0; i < N; ++i) p[i] = mass_[i / D] * v[i];
    return true;
  }

 private:
  [[gnu::always_inline]] static Places places(const double* x) {
    Places out;
    for (int p = 0; p < P; ++p) out[p] = Arrow<D>::at(x + p * D);
    return out;
  }
  [[gnu::always_inline]] static bool finite(const Places& x) {
    Arrow<D> sum = x[0];
    for (int p = 1; p < P; ++p) sum = sum + x[p];
    return std::isfinite(sum.sum());
  }

  /// Σ cₚxₚ.
  [[gnu::always_inline]] Arrow<D> along(int row, const Places& x) const {
    Arrow<D> sum = c_[row][0] * x[0];
    for (int p = 1; p < P; ++p) sum = sum + c_[row][p] * x[p];
    return sum;
  }

  [[gnu::always_inline]] bool factor(const double* q) {
    const Places here = places(q);
    Arrows y;
    for (int i = 0; i < M; ++i) y[i] = along(i, here) - a_[i];
    typename SmallLdlt<M>::Matrix S{};
    for (int i = 0; i < M; ++i)
      for (int j = 0; j <= i; ++j) S[i][j] = K_[i][j] * dot(y[i], y[j]);
    y_ = y;
    for (int p = 0; p < P; ++p) here[p].store(place_.data() + p * D);
    return S_.factor(S);
  }

  /// M⁻¹Gᵀλ.
  [[gnu::always_inline]] Places pull(const Few<M>& lambda) const {
    Places out;
    for (int i = 0; i < M; ++i) {
      const Arrow<D> force = y_[i] * lambda[i];
      for (int p = 0; p < P; ++p) out[p] = i == 0 ? B_[i][p] * force : out[p] + B_[i][p] * force;
    }
    return out;
  }

  [[gnu::always_inline]] bool accelerate_here(const Instant& at, double* a, double* lambda) {
    Places f = fall_;
    Arrows drop = drop_;
    if (blocks_.forces.empty()) {
      note_force_evaluation();
    } else {
      Few<N> sum = few<N>(blocks_.weights.data());
      blocks_.add_forces(at, sum.data());
      for (int p = 0; p < P; ++p) f[p] = Arrow<D>::at(sum.data() + p * D) * (1.0 / mass_[p]);
      for (int i = 0; i < M; ++i) drop[i] = along(i, f);
    }
    // γ + G M⁻¹f
    const Places speeds = places(at.v);
    Few<M> b;
    for (int i = 0; i < M; ++i) {
      const Arrow<D> u = along(i, speeds);
      b[i] = weight_[i] * (u * u + y_[i] * drop[i]).sum();
    }
    b = S_.solve(b);
    const Places change = pull(b);
    for (int p = 0; p < P; ++p) {
      f[p] = f[p] - change[p];
      f[p].store(a + p * D);
    }
    for (int i = 0; i < M; ++i) lambda[i] = b[i];
    return finite(f);
  }

  FlatBlocks blocks_;
  std::array<Places, std::size_t(M)> c_{}, B_{};  // each number in all places of an arrow
  Arrows a_{}, drop_{};                           // drop: Σ cₚ of what falls freely
  Few<M> weight_{}, square_{};
  Few<P> mass_{};
  Places fall_{};
  std::array<Few<M>, std::size_t(M)> K_{};
  Arrows y_{};  // where S was taken
  Few<N> place_{};
  SmallLdlt<M> S_;
  double curvature_ = -1.0;  // see Approach
};

template <int M, int P, int D> std::unique_ptr<Elimination> between(const System& system, const Vector& mass) {
  if (system.constraint_count() != M || system.size() != P * D || !RodElimination<M, P, D>::takes(system, mass))
    return nullptr;
  return std::make_unique<RodElimination<M, P, D>>(system, mass);
}

template <int P, int D> std::unique_ptr<Elimination> between(const System& system, const Vector& mass) {
  for (const auto& make : {between<1, P, D>, between<2, P, D>, between<3, P, D>, between<4, P, D>})
    if (auto found = make(system, mass)) return found;
  return nullptr;
}

}  // namespace

std::unique_ptr<Elimination> rod_elimination(const System& system) {
  const Vector mass = positive_masses(system);
  if (mass.size() == 0 || system.constraint_count() == 0 || !system.equalities_only()) return nullptr;
  for (const auto& make : {between<1, 2>, between<2, 2>, between<3, 2>, between<4, 2>, between<1, 3>, between<2, 3>})
    if (auto found = make(system, mass)) return found;
  return nullptr;
}

}  // namespace taut::detail
