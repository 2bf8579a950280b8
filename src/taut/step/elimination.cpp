#include <algorithm>
#include <cmath>
#include <limits>
#include <taut/step/elimination.hpp>
#include <taut/step/schur.hpp>

namespace taut {
namespace detail {

Vector positive_masses(const System& system) {
  if (!system.lumped_mass()) return {};
  const Vector zero = Vector::Zero(system.size()), one = Vector::Ones(system.size());
  Vector mass = system.momentum({0.0, zero.data(), one.data()});
  return (mass.array() > 0.0).all() ? mass : Vector();
}

Approach::Approach(double size, double distance, double& curvature)
    : smallest_(4.0 * std::numeric_limits<double>::epsilon() * size),
      distance_(distance),
      before_(std::numeric_limits<double>::infinity()),
      curvature_(curvature) {}

/// Done at round-off; before it, where the next change would be below. Corrections shrink by ω·distance, with ω a curvature of the constraints (Newton and
/// Kantorovich), so that what an earlier iteration showed of ω tells of this one's first correction.
Approach::Next Approach::after(double change) {
  constexpr int most = 12;  // corrections; where so many do not do, another way must be found
  if (!std::isfinite(change)) return Next::failed;
  const bool first = iteration_++ == 0;
  // A second change that is nothing but round-off says how large ω is at most.
  if (iteration_ == 2) curvature_ = std::max(std::max(change, 0.05 * smallest_) / (before_ * distance_), 0.5 * curvature_);
  if (change <= smallest_) return Next::done;
  if (first) {
    distance_ += change;
    before_ = change;
    const bool known = curvature_ >= 0.0;
    return known && change * curvature_ * distance_ <= 0.1 * smallest_ ? Next::done : Next::again;
  }
  const double before = before_;
  before_ = change;
  if (change < before && change * change / before <= smallest_) return Next::done;
  const bool poor = change > 0.1 * before;
  if (poor && change <= 1e2 * smallest_) return Next::done;  // stands still at round-off
  if (iteration_ == most) return Next::failed;
  return poor ? Next::renew : Next::again;
}

namespace {

/// Lumped masses and any number of rows: chains, whose S is a narrow band, and nets.
class BandedElimination final : public Elimination {
 public:
  BandedElimination(const System& system, Schur schur)
      : system_(system),
        schur_(std::move(schur)),
        lambda_(Vector::Zero(system.constraint_count())),
        q_(system.size()),
        change_(Vector::Zero(system.size())) {}

  bool linearize(double t, const double* q) override { return schur_.linearize(t, q); }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    return schur_.approach(at.t, at.q) && accelerate_here(at, a, lambda);
  }

  bool position(double t, double size, double* q, SolveReport& report) override {
    const double smallest = 4.0 * std::numeric_limits<double>::epsilon() * size;
    double before = std::numeric_limits<double>::infinity();
    q_ = here(q);
    for (int iteration = 0; iteration < 12; ++iteration) {
      system_.constraint_values(t, q_.data(), lambda_.data());
      schur_.correct_roughly(change_.data(), lambda_.data());
      q_ += change_;
      ++report.newton_iterations;
      const double change = change_.lpNorm<Eigen::Infinity>();
      if (!std::isfinite(change)) return false;
      report.correction = change;
      // Done at round-off; before it, where the next change would be below.
      const bool done = change <= smallest || (change < before && change * change / before <= smallest && iteration > 0);
      const bool still = change > 0.1 * before && change <= 1e2 * smallest;  // at round-off
      if (done || still) {
        here(q) = q_;
        return true;
      }
      if (change > 0.1 * before) {
        if (!schur_.linearize(t, q_.data())) return false;
        ++report.factorizations;
      }
      before = change;
    }
    return false;
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    return velocity(t, q, v) && accelerate_here({t, q, v}, a, lambda);
  }

  bool velocity(double t, const double* q, double* v) override {
    if (!schur_.linearize(t, q)) return false;
    system_.constraint_rates({t, q, v}, lambda_.data());
    schur_.correct(change_.data(), lambda_.data());
    if (!std::isfinite(change_.sum())) return false;
    here(v) += change_;
    return true;
  }

  bool momentum(const double*, double*) const override { return false; }

 private:
  Eigen::Map<Vector> here(double* x) const { return {x, system_.size()}; }

  bool accelerate_here(const Instant& at, double* a, double* lambda) {
    here(a).setZero();
    system_.add_dynamics(at, 0.0, 1.0, a);
    system_.constraint_accelerations(at, lambda);
    schur_.eliminate(a, lambda);
    return std::isfinite(here(a).sum());
  }

  const System& system_;
  Schur schur_;
  Vector lambda_, q_, change_;
};

}  // namespace

std::unique_ptr<Elimination> banded_elimination(const System& system) {
  std::optional<Schur> schur = Schur::of(system);
  return schur ? std::make_unique<BandedElimination>(system, std::move(*schur)) : nullptr;
}

}  // namespace detail

int Elimination::run(const StageSums& sums, double t, double h, const StagePlaces& places, int from, double* lambda) {
  for (int i = from; i < sums.stages; ++i) {
    double* q = places.q(i);
    combine(sums.rows[std::size_t(i)], h, places, places.base, q);
    if (!accelerate({t + sums.c[std::size_t(i)] * h, q, q + places.n}, q + 2 * places.n, lambda)) return i;
  }
  combine(sums.end, h, places, places.base, places.q(sums.stages));
  return sums.stages;
}

std::unique_ptr<Elimination> Elimination::of(const System& system) {
  if (system.turns() || !system.quadratic()) return nullptr;  // matrices that depend on v
  for (const auto& make : {detail::rod_elimination, detail::compact_elimination, detail::banded_elimination,
                           detail::carried_elimination, detail::written_elimination, detail::dense_elimination})
    if (auto found = make(system)) return found;
  return nullptr;
}

}  // namespace taut
