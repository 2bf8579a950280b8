#pragma once

#include <taut/system/system.hpp>

namespace taut {

/// The numbers of a rod element. About d₁ and d₂ it bends, about d₃, the tangent, it twists; all are means over the element.
struct RodNumbers {
  double length = 1.0;
  std::array<double, 2> bending{};    ///< EI about d₁ and d₂, N m²
  double torsion = 0.0;               ///< GJ, N m²
  double axial = 0.0;                 ///< EA, N; 0: held by a constraint elsewhere
  std::array<double, 2> shear{};      ///< GA along d₁ and d₂, N; 0: it does not shear
  std::array<double, 3> curvature{};  ///< natural curvature and twist in the middle, 1/m
  std::array<double, 3> growth{};     ///< and their slopes along s, 1/m²
  bool corrected = true;              ///< by what varies inside the element, which makes it order 4; false for study

  /// Against Γ₁, Γ₂: shear, and bending inside the element.
  std::array<double, 2> shear_stiffness() const {
    const double part = length * length / 12.0;
    std::array<double, 2> out;
    for (std::size_t i = 0; i < 2; ++i)
      out[i] = 1.0 / ((shear[i] > 0.0 ? 1.0 / shear[i] : 0.0) + (corrected ? part / bending[1 - i] : 0.0));
    return out;
  }
};

/// Strains of a rod between two nodes (x, d₁, d₂, d₃), the uniform ones that lead from one to the other along a helix:
///
///     (Γ + e₃, K) = log(H₀⁻¹H₊)/h        H the motion that takes the frame of space to the node
///
/// With the bilinear a = axial part of (dᵢ·dⱼ₊), bᵢ = ½(dᵢ + dᵢ₊)·(x₊ − x)/h and the quadratic z = ⅛Σ|dᵢ₊ − dᵢ|² = sin²(θ/2), θ the angle between both frames:
///
///     K = f(z) a/h,      Γ = f b + ψ (a·b) a − e₃,      f = θ/sin θ,   ψ = (1 − f)/sin²θ = ½(f′ − f/(1 − z))
///
/// so seven invariants π(q) say all of it, and rigid motions change none. Uniform bending, twist and helices are exact on any mesh.
///
/// Inside the element strains vary: κ(s) = κ̄ + κ₁(s − h/2). By Magnus' series, to the order h⁴, Γ = −h²/12 κ₁×e₃ + (shear) and K = κ̄ + h²/12 κ̄×κ₁. So Γ tells κ₁, and
///
///     V = h/2 [Σ Cᵢ(κ̄ᵢ − κᵢ⁰)² − h²/12 m²/D + Σ Sᵢ(Γᵢ − Γᵢ⁰)² + EA Γ₃²],      1/S₁ = 1/GA₁ + h²/(12 EI₂),   1/S₂ = 1/GA₂ + h²/(12 EI₁)
///
/// where the second is what the best twist of the form κ₁₃ saves, m = M₁κ̄₂ − M₂κ̄₁, D = GJ + h²/12 (EI₁κ̄₂² + EI₂κ̄₁²). In the plane and for small
/// displacements this is the cubic Hermite element; for one that does not shear, x′ = d₃ at the nodes, and S is finite by bending alone. Order 4 in h.
/// V. Sonneville, A. Cardona, O. Brüls, Comput. Methods Appl. Mech. Eng. 268 (2014) for log; R. H. MacNeal, Comput. Struct. 8 (1978) for S.
struct RodElement {
  static constexpr int width = 24, invariants = 7;
  using Block = class RodBlock;
  std::array<int, 8> at;  ///< first coordinates of x, d₁, d₂, d₃ of both nodes
  std::shared_ptr<const RodNumbers> numbers;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < 8; ++k)
      for (int d = 0; d < 3; ++d) index[std::size_t(3 * k + d)] = at[std::size_t(k)] + d;
    return index;
  }
  std::string name() const { return message("rod element at coordinate {}", at[0]); }
};

/// Γ and K of an element, for what is watched.
struct RodStrains {
  std::array<double, 3> stretch, curvature;
};
RodStrains rod_strains(const RodElement& element, const double* q);

/// All rod elements. Potential only; inertia and the length are other terms'. Discrete gradients go through the invariants, so that energy–momentum
/// schemes keep linear and angular momentum with the energy.
class RodBlock final : public TermBlock<RodElement, DynamicsBlock>, public DiscreteForces {
 public:
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<RodBlock>(*this); }
  bool constant_mass() const override { return true; }
  bool lumped_mass() const override { return true; }
  bool conservative() const override { return true; }
  const DiscreteForces* discrete() const override { return this; }
  double kinetic(const Instant&) const override { return 0.0; }
  double potential(const Instant& at) const override;
  void add(const Instant& at, double momentum, double force, double* out) const override;
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant& at, const SlopeWeights& weights, const int* slots, double* values) const override;
  void add_discrete(const Segment& step, double weight, double* out) const override;
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override;
};

/// What a rod loses by being strained: Q = −β h Σ C ε̇ ∂ε/∂q over its six strains.
struct RodDamping {
  static constexpr int width = RodElement::width;
  using Block = class RodDampingBlock;
  RodElement element;
  double seconds;  ///< β

  std::array<int, width> stencil() const { return element.stencil(); }
  std::string name() const { return message("damping of the {}", element.name()); }
};

/// All of them, through the invariants as the elements are: Q = −Pᵀw(π, P v) with P = ∂π/∂q, which is linear in q.
class RodDampingBlock final : public TermBlock<RodDamping, DynamicsBlock>, public DiscreteForces {
 public:
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<RodDampingBlock>(*this); }
  bool constant_mass() const override { return true; }
  bool lumped_mass() const override { return true; }
  bool conservative() const override { return false; }
  const DiscreteForces* discrete() const override { return this; }
  double kinetic(const Instant&) const override { return 0.0; }
  double potential(const Instant&) const override { return 0.0; }
  double power(const Instant& at) const override;
  void add(const Instant& at, double momentum, double force, double* out) const override;
  void add_inertial(const Instant&, double, double*) const override {}
  void add_slopes(const Instant& at, const SlopeWeights& weights, const int* slots, double* values) const override;
  void add_discrete(const Segment& step, double weight, double* out) const override;
  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override;
};

/// A frame d₁, d₂, d₃ held parallel to a given one e₁, e₂, e₃: d₁·e₂ = d₂·e₃ = d₃·e₁ = 0; λ are the moments about e₃, e₁, e₂.
struct FrameHold {
  static constexpr int width = 9, rows = 3;
  std::array<int, 3> at;                       ///< first coordinates
  std::array<std::array<double, 3>, 3> frame;  ///< e₁, e₂, e₃

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < width; ++k) index[std::size_t(k)] = at[std::size_t(k / 3)] + k % 3;
    return index;
  }
  template <class T> Local<T, rows> value(const T&, const Local<T, width>& d) const {
    Local<T, rows> g;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::array<double, 3>& e = frame[(i + 1) % 3];
      g[i] = e[0] * d[3 * i] + e[1] * d[3 * i + 1] + e[2] * d[3 * i + 2];
    }
    return g;
  }
  std::string name() const { return message("frame at coordinate {}", at[0]); }
};

/// A moment on a frame: the force u×dᵢ on each dᵢ with A u = m, A = Σ(|dᵢ|² I − dᵢdᵢᵀ), whose sum of moments is m. For directors at right angles A = 2, and its work is m·ω;
/// in the middle of a step they are not quite, and A keeps the balance of angular momentum exact. Given in axes of space as a function of time, or along the frame itself.
struct FrameMoment {
  static constexpr int width = 9;
  std::array<int, 3> at;
  std::function<std::array<double, 3>(double t)> moment;  ///< N m
  bool follows = false;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < width; ++k) index[std::size_t(k)] = at[std::size_t(k / 3)] + k % 3;
    return index;
  }
  template <class T> Local<T, width> force(const T& t, const Local<T, width>& d, const Local<T, width>&) const {
    const std::array<double, 3> given = moment(plain(t));
    Local<T, 3> m;
    for (std::size_t k = 0; k < 3; ++k)
      m[k] = follows ? given[0] * d[k] + given[1] * d[3 + k] + given[2] * d[6 + k] : T(given[k]);
    const Local<T, 3> u = solved(d, m);
    Local<T, width> Q;
    for (std::size_t i = 0; i < 9; i += 3)
      for (std::size_t k = 0; k < 3; ++k)
        Q[i + k] = u[(k + 1) % 3] * d[i + (k + 2) % 3] - u[(k + 2) % 3] * d[i + (k + 1) % 3];
    return Q;
  }

  /// A⁻¹m by cofactors.
  template <class T> static Local<T, 3> solved(const Local<T, width>& d, const Local<T, 3>& m) {
    std::array<Local<T, 3>, 3> A;
    T trace(0.0);
    for (const T& one : d) trace += one * one;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        A[i][j] = i == j ? trace : T(0.0);
        for (std::size_t k = 0; k < 9; k += 3) A[i][j] -= d[k + i] * d[k + j];
      }
    const auto minor = [&](std::size_t i, std::size_t j) {
      const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, e = (j + 1) % 3, f = (j + 2) % 3;
      return A[a][e] * A[b][f] - A[a][f] * A[b][e];
    };
    const T determinant = A[0][0] * minor(0, 0) + A[0][1] * minor(0, 1) + A[0][2] * minor(0, 2);
    Local<T, 3> u;
    for (std::size_t i = 0; i < 3; ++i) u[i] = (minor(0, i) * m[0] + minor(1, i) * m[1] + minor(2, i) * m[2]) / determinant;
    return u;
  }
  std::string name() const { return message("moment at coordinate {}", at[0]); }
};

/// A force at a place that turns with a frame: Q = Σ fᵢ dᵢ.
struct FrameForce {
  static constexpr int width = 12;
  int place;  ///< first coordinate
  std::array<int, 3> at;
  std::array<double, 3> newtons;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int k = 0; k < width; ++k) index[std::size_t(k)] = (k < 3 ? place : at[std::size_t(k / 3 - 1)]) + k % 3;
    return index;
  }
  template <class T> Local<T, width> force(const T&, const Local<T, width>& q, const Local<T, width>&) const {
    Local<T, width> Q;
    Q.fill(T(0.0));
    for (std::size_t k = 0; k < 3; ++k) Q[k] = newtons[0] * q[3 + k] + newtons[1] * q[6 + k] + newtons[2] * q[9 + k];
    return Q;
  }
  std::string name() const { return message("follower force at coordinate {}", place); }
};

extern template class ConstraintTerms<FrameHold>;
extern template class DynamicsTerms<FrameMoment>;
extern template class DynamicsTerms<FrameForce>;

}  // namespace taut
