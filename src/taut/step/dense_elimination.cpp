#include <algorithm>
#include <array>
#include <cmath>
#include <taut/expression/motion.hpp>
#include <taut/step/dense_approach.hpp>

namespace taut::detail {
namespace {

/// Small systems of any mass: L D Lᵀ of [M Gᵀ; G 0] in this order, without pivoting. The first n pivots are those of M, the others those of −S.
class DenseElimination final : public Elimination {
 public:
  static constexpr int most = most_dense;

  explicit DenseElimination(const System& system)
      : system_(system),
        n_(system.size()),
        m_(system.constraint_count()),
        size_(n_ + m_),
        stride_((size_ + 3) / 4 * 4),
        blocks_(system, n_),
        inertial_(!system.constant_mass()) {
    const auto slot = [this](int i, int j) { return std::min(i, j) * stride_ + std::max(i, j); };
    for (const auto& block : system.dynamics()) mass_slots_.push_back(lower_once(*block, slot));
  }

  bool linearize(double t, const double* q) override {
    blocks_.linearize({t, q, rest_.data()}, nullptr, nullptr, G_.data());
    return factor({t, q, rest_.data()});
  }

  bool accelerate(const Instant& at, double* a, double* lambda) override {
    std::array<double, most> gamma;
    blocks_.linearize(at, nullptr, gamma.data(), G_.data());
    return factor(at) && accelerate_here(at, gamma.data(), a, lambda);
  }

  bool position(double t, double size, double* q, SolveReport& report) override {
    ++report.factorizations;
    if (!linearize(t, q)) return false;
    std::array<double, most> change;
    return dense_approach(n_, size, curvature_, q, report, [&](const double* x) {
      std::fill_n(change.data(), n_, 0.0);
      blocks_.values(t, x, change.data() + n_);
      solve(change.data(), n_);
      return change.data();
    });
  }

  bool motion(double t, const double* q, double* v, double* a, double* lambda) override {
    if (!velocity(t, q, v)) return false;
    std::array<double, most> gamma;
    blocks_.accelerations({t, q, v}, gamma.data());
    return accelerate_here({t, q, v}, gamma.data(), a, lambda);
  }

  bool velocity(double t, const double* q, double* v) override {
    std::array<double, most> change;
    std::fill_n(change.data(), n_, 0.0);
    blocks_.linearize({t, q, v}, change.data() + n_, nullptr, G_.data());
    if (!factor({t, q, v})) return false;
    solve(change.data(), n_);
    if (!std::isfinite(largest_entry(change.data(), n_))) return false;
    for (int i = 0; i < n_; ++i) v[i] -= change[i];
    return true;
  }

  bool momentum(const double*, double*) const override { return false; }

 private:
  /// Slots of add_slopes in the upper half: entries below the diagonal of M go to a place that nobody reads.
  template <class Slot> std::vector<int> lower_once(const DynamicsBlock& block, const Slot& slot) const {
    return square_slots(block, [&](int i, int j) { return i <= j ? slot(i, j) : most * most; });
  }

  /// With G set, at a place: row k of A becomes D·Lᵀ, with 1/D kept beside it.
  bool factor(const Instant& at) {
    double* A = matrix_.data();
    std::fill_n(A, size_ * stride_, 0.0);
    const auto& dynamics = system_.dynamics();
    for (std::size_t b = 0; b < dynamics.size(); ++b)
      dynamics[b]->add_slopes(at, {.momentum = 1.0, .force = 0.0, .dq = 0.0, .dv = 1.0}, mass_slots_[b].data(), A);
    for (int r = 0; r < m_; ++r)
      for (int i = 0; i < n_; ++i) A[i * stride_ + n_ + r] = G_[r * n_ + i];
    std::array<double, most> whole;
    for (int k = 0; k < n_; ++k) whole[k] = weak_pivot * A[k * stride_ + k];
    for (int k = 0; k < size_; ++k) {
      if (k == n_)
        for (int r = n_; r < size_; ++r) whole[r] = weak_pivot * -A[r * stride_ + r];
      const double* row = A + k * stride_;
      const double pivot = k < n_ ? row[k] : -row[k];
      if (!(pivot > whole[k]) || !std::isfinite(pivot)) return false;
      const double inverse = inverse_[k] = 1.0 / row[k];
      for (int i = k + 1; i < size_; ++i) {
        const double share = row[i] * inverse;
        if (share == 0.0) continue;
        double* other = A + i * stride_;
        for (int j = i & ~3; j < stride_; j += 4) {
          double four[4];  // of another row: the compiler cannot know
          for (int l = 0; l < 4; ++l) four[l] = other[j + l] - share * row[j + l];
          for (int l = 0; l < 4; ++l) other[j + l] = four[l];
        }
      }
    }
    return true;
  }

  /// In place; the first entries of b are zero.
  void solve(double* b, int zeros) const {
    const double* A = matrix_.data();
    for (int k = zeros; k < size_; ++k) {
      const double* row = A + k * stride_;
      const double own = b[k], share = own * inverse_[k];
      for (int j = (k + 1) & ~1; j < stride_; j += 2) {
        const double first = b[j] - share * row[j], second = b[j + 1] - share * row[j + 1];
        b[j] = first;
        b[j + 1] = second;
      }
      b[k] = own;
    }
    for (int k = size_ - 1; k >= 0; --k) {
      const double* row = A + k * stride_;
      double even = b[k], odd = 0.0;
      int j = k + 1;
      for (; j + 1 < size_; j += 2) {
        even -= row[j] * b[j];
        odd -= row[j + 1] * b[j + 1];
      }
      if (j < size_) even -= row[j] * b[j];
      b[k] = (even + odd) * inverse_[k];
    }
  }

  bool accelerate_here(const Instant& at, const double* gamma, double* a, double* lambda) {
    // M a + Gᵀλ = f − p_q v − p_t,  G a = −γ
    std::array<double, most> b;
    std::copy_n(blocks_.weights.data(), n_, b.data());
    blocks_.add_forces(at, b.data());
    if (inertial_) system_.add_inertial(at, -1.0, b.data());
    for (int r = 0; r < m_; ++r) b[n_ + r] = -gamma[r];
    solve(b.data(), 0);
    if (!std::isfinite(largest_entry(b.data(), size_))) return false;
    std::copy_n(b.data(), n_, a);
    std::copy_n(b.data() + n_, m_, lambda);
    return true;
  }

  const System& system_;
  int n_, m_, size_, stride_;
  FlatBlocks blocks_;
  bool inertial_;
  std::vector<std::vector<int>> mass_slots_;
  std::array<double, most * most + 1> matrix_{};
  std::array<double, most> inverse_{}, rest_{};
  std::array<double, most * most> G_{};
  double curvature_ = -1.0;  // see Approach
};

}  // namespace

std::unique_ptr<Elimination> dense_elimination(const System& system) {
  return dense(system) ? std::make_unique<DenseElimination>(system) : nullptr;
}

}  // namespace taut::detail
