#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <taut/system/system.hpp>

namespace taut {

/// The matrices of a finite element with `Shapes` shape functions, row by row and symmetric.
template <int Shapes> struct ElementMatrices {
  using Square = std::array<double, Shapes * Shapes>;
  Square mass{}, stiffness{}, damping{};

  /// Of beams, motions without energy, K rigid[k] = 0, each with coefficient k = 1 and the other one of the first two = 0. They are taken off before K acts:
  /// entries of K are N³ times the energy of a beam of N elements, and what they leave of a rigid motion is round-off. Of a string they are N times it.
  static constexpr int rigid_motions = Shapes > 2 ? 2 : 0;
  std::array<std::array<double, Shapes>, rigid_motions> rigid{};
};

template <int Shapes, int Dim> class ElementBlock;

/// A finite element of a linear continuum, with the same matrices for each of Dim components:
///
///     T = ½ Σ Mᵢⱼ vᵢ·vⱼ,      V = ½ Σ Kᵢⱼ qᵢ·qⱼ,      Q = −Σ Cᵢⱼ vⱼ
///
/// Equal elements share their matrices.
template <int Shapes, int Dim> struct Element {
  static constexpr int width = Shapes * Dim;
  using Block = ElementBlock<Shapes, Dim>;
  std::array<int, Shapes> at;  ///< the first coordinate of each shape function; its other components follow
  std::shared_ptr<const ElementMatrices<Shapes>> matrices;

  std::array<int, width> stencil() const {
    std::array<int, width> index;
    for (int i = 0; i < Shapes; ++i)
      for (int d = 0; d < Dim; ++d) index[i * Dim + d] = at[i] + d;
    return index;
  }
  std::string name() const { return message("element at coordinate {}", at[0]); }
};

/// All elements of one kind. The mass is constant, and lumped where all mass matrices are diagonal; slopes couple equal components only.
template <int Shapes, int Dim>
class ElementBlock final : public TermBlock<Element<Shapes, Dim>, DynamicsBlock>, public DiscreteForces {
  using Term = Element<Shapes, Dim>;
  using Square = typename ElementMatrices<Shapes>::Square;

 public:
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<ElementBlock>(*this); }
  bool couples(int i, int j) const override { return i % Dim == j % Dim; }
  bool constant_mass() const override { return true; }
  bool affine() const override { return true; }
  bool lumped_mass() const override {
    return all([](const ElementMatrices<Shapes>& m) {
      for (int k = 0; k < Shapes * Shapes; ++k)
        if (k % (Shapes + 1) != 0 && m.mass[k] != 0.0) return false;
      return true;
    });
  }
  bool conservative() const override {
    return all([](const ElementMatrices<Shapes>& m) { return m.damping == Square{}; });
  }
  const DiscreteForces* discrete() const override { return this; }

  double kinetic(const Instant& at) const override {
    return half_square([&](const Term& term, Local& x) { gather(term, at.v, x); },
                       [](const auto& m) -> const Square& { return m.mass; });
  }
  double potential(const Instant& at) const override {
    return half_square([&](const Term& term, Local& x) { gather_bent(term, at.q, x); },
                       [](const auto& m) -> const Square& { return m.stiffness; });
  }
  double power(const Instant& at) const override {
    return -2.0 * half_square([&](const Term& term, Local& x) { gather(term, at.v, x); },
                              [](const auto& m) -> const Square& { return m.damping; });
  }

  void add(const Instant& at, double momentum, double force, double* out) const override {
    Local x;
    const ElementMatrices<Shapes>* last = nullptr;
    bool damped = false;
    for (const Term& term : this->terms_) {
      const ElementMatrices<Shapes>& m = *term.matrices;
      if (momentum != 0.0) {
        gather(term, at.v, x);
        multiply(term, m.mass, momentum, x, out);
      }
      if (force != 0.0) {
        gather_bent(term, at.q, x);
        multiply(term, m.stiffness, -force, x, out);
        if (last != &m) {  // most elements are like their neighbours
          last = &m;
          damped = m.damping != Square{};
        }
        if (damped) {
          gather(term, at.v, x);
          multiply(term, m.damping, -force, x, out);
        }
      }
    }
  }
  void add_inertial(const Instant&, double, double*) const override {}

  void add_slopes(const Instant&, const SlopeWeights& w, const int* slots, double* values) const override {
    scatter(w.momentum * w.dv, -w.force * w.dq, -w.force * w.dv, slots, values);
  }

  void add_discrete(const Segment& step, double weight, double* out) const override {
    for (const double* q : {step.q0, step.q1}) {
      const double* v = q == step.q0 ? step.v0 : step.v1;
      add({step.t, q, v}, 0.0, 0.5 * weight, out);
    }
  }
  void add_discrete_slopes(const Segment&, double weight, double dq, const int* slots, double* values) const override {
    scatter(0.0, -0.5 * weight * dq, -0.5 * weight, slots, values);
  }

 private:
  template <class Condition> bool all(const Condition& condition) const {
    return std::all_of(this->terms_.begin(), this->terms_.end(), [&](const Term& t) { return condition(*t.matrices); });
  }

  using Local = double[Shapes][Dim];

  static void gather(const Term& term, const double* x, Local& out) {
    for (int j = 0; j < Shapes; ++j)
      for (int d = 0; d < Dim; ++d) out[j][d] = x[term.at[j] + d];
  }

  /// Without the rigid motion of the element.
  static void gather_bent(const Term& term, const double* x, Local& out) {
    const auto& rigid = term.matrices->rigid;
    for (int j = 0; j < Shapes; ++j)
      for (int d = 0; d < Dim; ++d) {
        double sum = x[term.at[j] + d];
        for (int k = 0; k < ElementMatrices<Shapes>::rigid_motions; ++k) sum -= rigid[k][j] * x[term.at[k] + d];
        out[j][d] = sum;
      }
  }

  /// out += weight · A x over one element.
  static void multiply(const Term& term, const Square& A, double weight, const Local& x, double* out) {
    for (int i = 0; i < Shapes; ++i)
      for (int d = 0; d < Dim; ++d) {
        double sum = 0.0;
        for (int j = 0; j < Shapes; ++j) sum += A[i * Shapes + j] * x[j][d];
        out[term.at[i] + d] += weight * sum;
      }
  }

  template <class Gather, class Which> double half_square(const Gather& gather_all, const Which& which) const {
    double sum = 0.0;
    Local x;
    for (const Term& term : this->terms_) {
      const Square& A = which(*term.matrices);
      gather_all(term, x);
      for (int i = 0; i < Shapes; ++i)
        for (int j = 0; j < Shapes; ++j)
          for (int d = 0; d < Dim; ++d) sum += A[i * Shapes + j] * x[i][d] * x[j][d];
    }
    return 0.5 * sum;
  }

  /// values += mass·M + stiffness·K + damping·C, component by component.
  void scatter(double mass, double stiffness, double damping, const int* slots, double* values) const {
    for (const Term& term : this->terms_) {
      const ElementMatrices<Shapes>& m = *term.matrices;
      for (int i = 0; i < Shapes; ++i)
        for (int d = 0; d < Dim; ++d)
          for (int j = 0; j < Shapes; ++j) {
            const int k = i * Shapes + j;
            values[*slots++] += mass * m.mass[k] + stiffness * m.stiffness[k] + damping * m.damping[k];
          }
    }
  }
};

extern template class ElementBlock<1, 1>;
extern template class ElementBlock<2, 1>;
extern template class ElementBlock<4, 2>;
extern template class ElementBlock<4, 3>;

}  // namespace taut
