#include <algorithm>
#include <cmath>
#include <taut/step/small_approach.hpp>

namespace taut::detail {
namespace {

/// M rods between P points in D dimensions, each point of one mass: g = w/2 (|y|² − l²) with y = Σ cₚxₚ − a. G is known by y alone, and
///
///     Sᵢⱼ = Kᵢⱼ yᵢ·yⱼ,   Kᵢⱼ = wᵢwⱼ Σ cᵢₚcⱼₚ/mₚ,        M⁻¹Gᵀλ = Σ Bᵢₚ λᵢyᵢ at point p,   Bᵢₚ = wᵢcᵢₚ/mₚ
///
/// with constants K and B: as little as whoever writes such a system by hand would compute.
template <int M, int P, int D> class RodElimination final : public Elimination {
  static constexpr int N = P * D;
  using Vec = Few<D>;
  using Vecs = std::array<Vec, std::size_t(M)>;

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
    for (int p = 0; p < P; ++p) mass_[p] = mass[p * D];
    for (int i = 0; i < N; ++i) fall_[i] = blocks_.weights[i] / mass[i];
    SpanRow span;
    int row = 0;
    for (const auto& block : system.constraints())
      for (int k = 0; k < block->terms(); ++k, ++row) {
        block->span(k, span);
        weight_[row] = span.weight;
        square_[row] = span.length * span.length;
        std::copy_n(span.a.data(), D, a_[row].data());
        for (int i = 0; i < block->width(); i += D)
          c_[row][block->stencils()[std::size_t(k * block->width() + i)] / D] += span.c[std::size_t(i / D)];
      }
    for (int i = 0; i < M; ++i) {
      for (int p = 0; p < P; ++p) B_[i][p] = weight_[i] * c_[i][p] / mass_[p];
      for (int j = 0; j < M; ++j) {
        K_[i][j] = 0.0;
        for (int p = 0; p < P; ++p) K_[i][j] += B_[i][p] * c_[j][p] * weight_[j];
      }
      drop_[i] = along(i, fall_.data());
    }
  }

  bool linearize(double, const double* q) override { return factor(q); }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    return factor(at.q) && accelerate_here(at, a, lambda);
  }

  int run(const StageSums& sums, double t, double h, const StagePlaces& places, int from, double* lambda) override {
    for (int i = from; i < sums.stages; ++i) {
      double* q = places.q(i);
      combine_some<2 * N>(sums.rows[std::size_t(i)], h, places, 0, places.base, q);
      if (!factor(q) || !accelerate_here({t + sums.c[std::size_t(i)] * h, q, q + N}, q + 2 * N, lambda)) return i;
    }
    combine_some<2 * N>(sums.end, h, places, 0, places.base, places.q(sums.stages));
    return sums.stages;
  }

  bool position(double t, double size, double* q, SolveReport& report) override {
    if (!S_.good()) return false;
    double distance = 0.0;
    for (int i = 0; i < M; ++i) {
      const Vec y = vector(i, q);
      for (int d = 0; d < D; ++d) distance = std::max(distance, std::abs(y[d] - y_[i][d]));
    }
    const auto correction = [&](const double* x) {
      Few<M> g;
      for (int i = 0; i < M; ++i) {
        const Vec y = vector(i, x);
        double square = -square_[i];
        for (int d = 0; d < D; ++d) square += y[d] * y[d];
        g[i] = (0.5 * weight_[i]) * square;
      }
      return pull(S_.solve(g));
    };
    return approach<N>(Approach(size, distance, curvature_), q, report, correction,
                       [&](const double* x) { return linearize(t, x); });
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    return velocity(t, q, v) && accelerate_here({t, q, v}, a, lambda);
  }

  bool velocity(double, const double* q, double* v) override {
    if (!factor(q)) return false;
    Few<M> rate;
    for (int i = 0; i < M; ++i) rate[i] = weight_[i] * dot(y_[i], along(i, v));
    const Few<N> change = pull(S_.solve(rate));
    double sum = 0.0;
    for (int i = 0; i < N; ++i) sum += change[i];
    if (!std::isfinite(sum)) return false;
    for (int i = 0; i < N; ++i) v[i] -= change[i];
    return true;
  }

  bool momentum(const double* v, double* p) const override {
    for (int i = 0; i < N; ++i) p[i] = mass_[i / D] * v[i];
    return true;
  }

 private:
  /// Σ cₚxₚ.
  [[gnu::always_inline]] Vec along(int row, const double* x) const {
    Vec sum;
    for (int d = 0; d < D; ++d) sum[d] = c_[row][0] * x[d];
    for (int p = 1; p < P; ++p)
      for (int d = 0; d < D; ++d) sum[d] += c_[row][p] * x[p * D + d];
    return sum;
  }
  [[gnu::always_inline]] Vec vector(int row, const double* q) const {
    Vec y = along(row, q);
    for (int d = 0; d < D; ++d) y[d] -= a_[row][d];
    return y;
  }
  [[gnu::always_inline]] static double dot(const Vec& a, const Vec& b) {
    double sum = a[0] * b[0];
    for (int d = 1; d < D; ++d) sum += a[d] * b[d];
    return sum;
  }

  [[gnu::always_inline]] bool factor(const double* q) {
    Vecs y;
    for (int i = 0; i < M; ++i) y[i] = vector(i, q);
    typename SmallLdlt<M>::Matrix S{};
    for (int i = 0; i < M; ++i)
      for (int j = 0; j <= i; ++j) S[i][j] = K_[i][j] * dot(y[i], y[j]);
    y_ = y;
    return S_.factor(S);
  }

  /// M⁻¹Gᵀλ.
  [[gnu::always_inline]] Few<N> pull(const Few<M>& lambda) const {
    Few<N> out{};
    for (int i = 0; i < M; ++i) {
      Vec force;
      for (int d = 0; d < D; ++d) force[d] = lambda[i] * y_[i][d];
      for (int p = 0; p < P; ++p)
        for (int d = 0; d < D; ++d) out[p * D + d] += B_[i][p] * force[d];
    }
    return out;
  }

  [[gnu::always_inline]] bool accelerate_here(const Instant& at, double* a, double* lambda) {
    Few<N> f = fall_;
    Vecs drop = drop_;
    if (blocks_.forces.empty()) {
      note_force_evaluation();
    } else {
      f = few<N>(blocks_.weights.data());
      blocks_.add_forces(at, f.data());
      for (int i = 0; i < N; ++i) f[i] /= mass_[i / D];
      for (int i = 0; i < M; ++i) drop[i] = along(i, f.data());
    }
    // γ + G M⁻¹f
    Few<M> b;
    for (int i = 0; i < M; ++i) {
      const Vec u = along(i, at.v);
      b[i] = weight_[i] * (dot(u, u) + dot(y_[i], drop[i]));
    }
    b = S_.solve(b);
    const Few<N> change = pull(b);
    double sum = 0.0;
    for (int i = 0; i < N; ++i) {
      f[i] -= change[i];
      sum += f[i];
    }
    for (int i = 0; i < N; ++i) a[i] = f[i];
    for (int i = 0; i < M; ++i) lambda[i] = b[i];
    return std::isfinite(sum);
  }

  FlatBlocks blocks_;
  std::array<Few<P>, std::size_t(M)> c_{}, B_{};
  Vecs a_{}, drop_{};  // drop: Σ cₚ of what falls freely
  Few<M> weight_{}, square_{};
  Few<P> mass_{};
  Few<N> fall_{};
  std::array<Few<M>, std::size_t(M)> K_{};
  Vecs y_{};  // where S was taken
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
  if (mass.size() == 0 || system.constraint_count() == 0 || !only_equalities(system)) return nullptr;
  for (const auto& make : {between<1, 2>, between<2, 2>, between<3, 2>, between<4, 2>, between<1, 3>, between<2, 3>})
    if (auto found = make(system, mass)) return found;
  return nullptr;
}

}  // namespace taut::detail
