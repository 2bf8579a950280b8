#include <algorithm>
#include <cmath>
#include <taut/step/small_step.hpp>

namespace taut::detail {
namespace {

/// Lumped masses, M rows of any kind and N coordinates: G and S = G W Gᵀ in arrays of fixed size. For a handful of rows the lists of the band, and calls for
/// one number each, would cost several times what they find. What blocks are asked for is written down once.
template <int M, int N> class CompactElimination final : public Elimination {
 public:
  CompactElimination(const System& system, const Vector& mass) : blocks_(system, N) {
    for (int i = 0; i < N; ++i) {
      mass_[i] = mass[i];
      weight_[i] = 1.0 / mass_[i];
    }
    for (const FlatBlocks::Rows& rows : blocks_.constraints) {
      double *g = g_ + rows.first, *gamma = gamma_ + rows.first;
      const int* slots = rows.slots.data();
      requests_.push_back({rows.block,
                           {.gradient = G_, .slots = slots},
                           {.acceleration = gamma, .gradient = G_, .slots = slots},
                           {.rate = g, .gradient = G_, .slots = slots},
                           {.acceleration = gamma}});
    }
  }
  CompactElimination(const CompactElimination&) = delete;  // requests name places in it
  CompactElimination& operator=(const CompactElimination&) = delete;

  bool linearize(double t, const double* q) override {
    ask({t, q, rest_}, &Request::gradient);
    return factor(q);
  }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    ask(at, &Request::stage);
    return factor(at.q) && accelerate_here(at, a, lambda);
  }

  bool step(const StageSums& sums, const ExplicitStep& step, const StagePlaces& places, SolveReport& report) override {
    return small_step<M, N>(*this, sums, step, places, report);
  }
  bool at(const double* q) const { return S_.good() && same<N>(place_, q); }

  bool position(double t, double size, double* q, SolveReport& report) override {
    if (!S_.good()) return false;
    double distance = 0.0;
    for (int i = 0; i < N; ++i) distance = std::max(distance, std::abs(q[i] - place_[i]));
    const auto correction = [&](const double* x) {
      blocks_.values(t, x, g_);
      return pull(S_.solve(few<M>(g_)));
    };
    return approach<N>(Approach(size, distance, curvature_), q, report, correction,
                       [&](const double* x) { return linearize(t, x); });
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    if (!velocity(t, q, v)) return false;
    ask({t, q, v}, &Request::end);
    return accelerate_here({t, q, v}, a, lambda);
  }

  bool velocity(double t, const double* q, double* v) override {
    ask({t, q, v}, &Request::rate);
    if (!factor(q)) return false;
    const Few<N> change = pull(S_.solve(few<M>(g_)));
    double sum = 0.0;
    for (int i = 0; i < N; ++i) sum += change[i];
    if (!std::isfinite(sum)) return false;
    for (int i = 0; i < N; ++i) v[i] -= change[i];
    return true;
  }

  bool momentum(const double* v, double* p) const override {
    for (int i = 0; i < N; ++i) p[i] = mass_[i] * v[i];
    return true;
  }

 private:
  /// G alone, for stages, for velocities, for the end of a step.
  struct Request {
    const ConstraintBlock* block;
    Linearization gradient, stage, rate, end;
  };
  void ask(const Instant& at, Linearization Request::*what) const {
    for (const Request& one : requests_) one.block->linearize(at, one.*what);
  }

  /// With G at this place.
  [[gnu::always_inline]] bool factor(const double* q) {
    const Few<M* N> G = few<M * N>(G_);
    typename SmallLdlt<M>::Matrix S{};
    for (int i = 0; i < N; ++i) place_[i] = q[i];
    for (int i = 0; i < M; ++i)
      for (int j = 0; j <= i; ++j) {
        double even = 0.0, odd = 0.0;
        for (int k = 0; k < N; ++k) (k % 2 == 0 ? even : odd) += G[i * N + k] * weight_[k] * G[j * N + k];
        S[i][j] = even + odd;
      }
    return S_.factor(S);
  }

  /// W Gᵀλ.
  [[gnu::always_inline]] Few<N> pull(const Few<M>& lambda) const {
    Few<N> out{};
    for (int i = 0; i < M; ++i)
      for (int k = 0; k < N; ++k) out[k] += G_[i * N + k] * lambda[i];
    for (int k = 0; k < N; ++k) out[k] *= weight_[k];
    return out;
  }

  /// With γ known.
  [[gnu::always_inline]] bool accelerate_here(const Instant& at, double* a, double* lambda) {
    Few<N> f = few<N>(blocks_.weights.data());
    blocks_.add_forces(at, f.data());
    for (int k = 0; k < N; ++k) f[k] *= weight_[k];
    Few<M> b = few<M>(gamma_);
    for (int i = 0; i < M; ++i)
      for (int k = 0; k < N; ++k) b[i] += G_[i * N + k] * f[k];
    b = S_.solve(b);
    const Few<N> change = pull(b);
    double sum = 0.0;
    for (int k = 0; k < N; ++k) {
      a[k] = f[k] - change[k];
      sum += a[k];
    }
    for (int i = 0; i < M; ++i) lambda[i] = b[i];
    return std::isfinite(sum);
  }

  FlatBlocks blocks_;
  std::vector<Request> requests_;
  double mass_[N], weight_[N];
  double g_[M + 1], gamma_[M + 1];  // values or rates, accelerations
  double G_[M * N + 1] = {};
  SmallLdlt<M> S_;
  double place_[N] = {};     // where it was taken
  double rest_[N] = {};      // no velocity
  double curvature_ = -1.0;  // see Approach
};

template <int M, int N> std::unique_ptr<Elimination> with(const System& system, const Vector& mass) {
  if (system.constraint_count() != M) return nullptr;
  return std::make_unique<CompactElimination<M, N>>(system, mass);
}

template <int N> std::unique_ptr<Elimination> with_coordinates(const System& system, const Vector& mass) {
  if (system.size() != N) return nullptr;
  for (const auto& make : {with<0, N>, with<1, N>, with<2, N>, with<3, N>, with<4, N>})
    if (auto found = make(system, mass)) return found;
  return nullptr;
}

}  // namespace

std::unique_ptr<Elimination> compact_elimination(const System& system) {
  const Vector mass = positive_masses(system);
  if (mass.size() == 0 || mass.size() > 8 || !system.equalities_only()) return nullptr;
  if (!FlatBlocks(system, system.size()).distinct) return nullptr;
  for (const auto& make : {with_coordinates<1>, with_coordinates<2>, with_coordinates<3>, with_coordinates<4>,
                           with_coordinates<6>, with_coordinates<8>})
    if (auto found = make(system, mass)) return found;
  return nullptr;
}

}  // namespace taut::detail
