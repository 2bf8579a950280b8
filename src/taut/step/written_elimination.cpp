#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <taut/expression/motion.hpp>
#include <taut/step/dense_approach.hpp>

namespace taut::detail {
namespace {

/// Small systems of expressions alone: what DenseElimination does, written out for the one system. What is zero costs nothing, forms and matrices share what they
/// have in common, and nothing goes from one part to another but numbers in registers.
class WrittenElimination final : public Elimination {
 public:
  WrittenElimination(const System& system, WrittenMotion motion)
      : n_(system.size()), m_(system.constraint_count()), motion_(std::move(motion)) {}

  bool linearize(double t, const double* q) override {
    return found(motion_.programs->velocities, t, q, rest_.data(), n_) != nullptr;
  }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    note_force_evaluation();
    const double* out = found(motion_.programs->accelerations, at.t, at.q, at.v, n_ + m_);
    if (out == nullptr || !std::isfinite(largest_entry(out, n_ + m_))) return false;
    std::copy_n(out, n_, a);
    std::copy_n(out + n_, m_, lambda);
    return true;
  }

  bool position(double t, double size, double* q, SolveReport& report) override {
    ++report.factorizations;
    return dense_approach(n_, size, curvature_, q, report,
                          [&](const double* x) { return found(motion_.programs->positions, t, q, x, n_); });
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    return velocity(t, q, v) && accelerate({t, q, v}, a, lambda);
  }

  bool velocity(double t, const double* q, double* v) override {
    const double* change = found(motion_.programs->velocities, t, q, v, n_);
    if (change == nullptr || !std::isfinite(largest_entry(change, n_))) return false;
    for (int i = 0; i < n_; ++i) v[i] -= change[i];
    return true;
  }

  bool momentum(const double*, double*) const override { return false; }

 private:
  /// What a program finds, so many numbers; nothing where a pivot is lost.
  const double* found(const Program& program, double t, const double* q, const double* v, int count) {
    in_[0] = t;
    std::copy_n(q, n_, in_.data() + 1);
    std::copy_n(v, n_, in_.data() + 1 + n_);
    const double* out = program(in_.data(), motion_.numbers.data());
    bool good = true;
    for (int k = count; k < count + n_ + m_; ++k)
      good = good && out[k] > 0.0 && out[k] <= std::numeric_limits<double>::max();
    return good ? out : nullptr;
  }

  int n_, m_;
  WrittenMotion motion_;
  std::array<double, 1 + 2 * most_dense> in_{}, rest_{};
  double curvature_ = -1.0;  // see Approach
};

}  // namespace

std::unique_ptr<Elimination> written_elimination(const System& system) {
  if (!dense(system)) return nullptr;
  WrittenMotion motion = written_motion(system);
  if (motion.programs == nullptr) return nullptr;
  return std::make_unique<WrittenElimination>(system, std::move(motion));
}

}  // namespace taut::detail
