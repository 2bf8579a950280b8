#pragma once

#include <taut/system/discrete_gradient.hpp>
#include <taut/system/term.hpp>

namespace taut {

/// The block of all dynamics terms of one type: gather, evaluate, scatter, with derivatives by differentiation.
template <DynamicsTerm Term> class DynamicsTerms final : public TermBlock<Term, DynamicsBlock>, public DiscreteForces {
  using Base = TermBlock<Term, DynamicsBlock>;
  using Base::n;

 public:
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<DynamicsTerms>(*this); }
  bool constant_mass() const override { return !HasKinetic<Term>; }
  bool lumped_mass() const override { return constant_mass(); }
  bool affine() const override { return !HasKinetic<Term> && (given || (!HasPotential<Term> && !HasForce<Term>)); }
  bool constant_force() const override {
    if constexpr (requires { Term::constant; }) return Term::constant;
    return mass_only;
  }
  bool conservative() const override { return !HasForce<Term>; }
  const DiscreteForces* discrete() const override { return this; }

  double kinetic(const Instant& at) const override {
    double sum = 0.0;
    this->each([&](const Term& term, const int* stencil, int) {
      const auto v = Base::gather(at.v, stencil);
      if constexpr (HasMass<Term>) {
        const auto mass = term.mass();
        for (int i = 0; i < n; ++i) sum += 0.5 * mass[i] * v[i] * v[i];
      }
      if constexpr (HasKinetic<Term>) sum += term.kinetic(at.t, Base::gather(at.q, stencil), v);
    });
    return sum;
  }

  double potential(const Instant& at) const override {
    double sum = 0.0;
    if constexpr (HasPotential<Term>)
      this->each(
          [&](const Term& term, const int* stencil, int) { sum += term.potential(at.t, Base::gather(at.q, stencil)); });
    return sum;
  }

  double power([[maybe_unused]] const Instant& at) const override {
    double sum = 0.0;
    if constexpr (HasForce<Term>)
      this->each([&](const Term& term, const int* stencil, int) {
        const auto v = Base::gather(at.v, stencil), Q = term.force(at.t, Base::gather(at.q, stencil), v);
        for (int i = 0; i < n; ++i) sum += Q[i] * v[i];
      });
    return sum;
  }

  void add(const Instant& at, double momentum, double force, double* out) const override {
    if (mass_only && momentum == 0.0) return;
    constexpr bool massless = !HasMass<Term> && !HasKinetic<Term>;
    if (massless && force == 0.0) return;
    this->each([&](const Term& term, const int* stencil, int) {
      if constexpr (HasMass<Term>) {
        const auto mass = term.mass();
        for (int i = 0; i < n; ++i) out[stencil[i]] += momentum * mass[i] * at.v[stencil[i]];
      }
      if constexpr (HasKinetic<Term>) {
        using X = Dual<2 * n>;
        const X T =
            term.kinetic(X(at.t), Base::template variables<X>(at.q, stencil), Base::template variables<X>(at.v, stencil, n));
        for (int i = 0; i < n; ++i) out[stencil[i]] += momentum * T.slope[n + i] + force * T.slope[i];
      }
      if constexpr (requires { term.slope(at.t, Base::gather(at.q, stencil)); }) {
        const auto slope = term.slope(at.t, Base::gather(at.q, stencil));
        for (int i = 0; i < n; ++i) out[stencil[i]] -= force * slope[i];
      } else if constexpr (HasPotential<Term>) {
        using X = Dual<n>;
        const X V = term.potential(X(at.t), Base::template variables<X>(at.q, stencil));
        for (int i = 0; i < n; ++i) out[stencil[i]] -= force * V.slope[i];
      }
      if constexpr (HasForce<Term>) {
        const auto Q = term.force(at.t, Base::gather(at.q, stencil), Base::gather(at.v, stencil));
        for (int i = 0; i < n; ++i) out[stencil[i]] += force * Q[i];
      }
    });
  }

  void add_inertial([[maybe_unused]] const Instant& at, [[maybe_unused]] double weight,
                    [[maybe_unused]] double* out) const override {
    if constexpr (HasKinetic<Term>)
      this->each([&](const Term& term, const int* stencil, int) {
        // The derivative of ∂T/∂v along (1, v, 0).
        using X = Dual<1, Dual<2 * n>>;
        Local<X, n> q, v;
        for (int i = 0; i < n; ++i) {
          q[i] = X(Dual<2 * n>::variable(at.q[stencil[i]], i));
          q[i].slope[0] = Dual<2 * n>(at.v[stencil[i]]);
          v[i] = X(Dual<2 * n>::variable(at.v[stencil[i]], n + i));
        }
        X t(Dual<2 * n>(at.t));
        t.slope[0] = Dual<2 * n>(1.0);
        const X T = term.kinetic(t, q, v);
        for (int i = 0; i < n; ++i) out[stencil[i]] += weight * T.slope[0].slope[n + i];
      });
  }

  void add_discrete(const Segment& step, double weight, double* out) const override {
    this->each([&](const Term& term, const int* stencil, int) {
      const auto f = discrete_force(term, step.t, Base::gather(step.q0, stencil), Base::gather(step.q1, stencil),
                                    Base::gather(step.v0, stencil), Base::gather(step.v1, stencil));
      for (int i = 0; i < n; ++i) out[stencil[i]] += weight * f[i];
    });
  }

  void add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const override {
    if constexpr (!given && (HasKinetic<Term> || HasPotential<Term> || HasForce<Term>))
      this->each([&](const Term& term, const int* stencil, int k) {
        using X = Dual<n>;
        Local<X, n> q0, q1, v0, v1;
        for (int i = 0; i < n; ++i) {
          q0[i] = X(step.q0[stencil[i]]);
          v0[i] = X(step.v0[stencil[i]]);
          q1[i] = X(step.q1[stencil[i]]);
          q1[i].slope[i] = dq;
          v1[i] = X::variable(step.v1[stencil[i]], i);
        }
        const auto f = discrete_force(term, step.t, q0, q1, v0, v1);
        const int* slot = slots + std::ptrdiff_t(k) * n * n;
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) values[slot[i * n + j]] += weight * f[i].slope[j];
      });
  }

  void add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const override {
    if (given && !HasMass<Term> && !HasKinetic<Term>) return;
    constexpr bool massless = !HasMass<Term> && !HasKinetic<Term>;
    if (massless && w.force == 0.0) return;
    this->each([&](const Term& term, const int* stencil, int k) {
      const int* slot = slots + std::ptrdiff_t(k) * n * n;
      if constexpr (HasMass<Term>) {
        const auto mass = term.mass();
        for (int i = 0; i < n; ++i) values[slot[i * n + i]] += w.momentum * w.dv * mass[i];
      }
      if constexpr (HasKinetic<Term>) {
        // momentum (p_q dq + p_v dv) + force (T_qq dq + T_qv dv)
        using X = Hyper<2 * n>;
        const X T =
            term.kinetic(X(at.t), Base::template variables<X>(at.q, stencil), Base::template variables<X>(at.v, stencil, n));
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            values[slot[i * n + j]] += w.momentum * (w.dq * T.second(n + i, j) + w.dv * T.second(n + i, n + j)) +
                                       w.force * (w.dq * T.second(i, j) + w.dv * T.second(i, n + j));
      }
      if constexpr (HasPotential<Term>) {
        using X = Hyper<n>;
        const X V = term.potential(X(at.t), Base::template variables<X>(at.q, stencil));
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) values[slot[i * n + j]] -= w.force * w.dq * V.second(i, j);
      }
      if constexpr (HasForce<Term>) {
        using X = Dual<2 * n>;
        const auto Q =
            term.force(X(at.t), Base::template variables<X>(at.q, stencil), Base::template variables<X>(at.v, stencil, n));
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) values[slot[i * n + j]] += w.force * (w.dq * Q[i].slope[j] + w.dv * Q[i].slope[n + j]);
      }
    });
  }

 private:
  static constexpr bool mass_only = HasMass<Term> && !HasKinetic<Term> && !HasPotential<Term> && !HasForce<Term>;
  static constexpr bool given = [] {
    if constexpr (requires { Term::given; }) return Term::given;
    return false;
  }();

  /// f̄ of one term.
  template <class X>
  static Local<X, n> discrete_force(const Term& term, double t, const Local<X, n>& q0, const Local<X, n>& q1,
                                    const Local<X, n>& v0, const Local<X, n>& v1) {
    Local<X, n> f;
    f.fill(X(0.0));
    if constexpr (HasKinetic<Term>) {
      // τ = ½ v0·M v1 = ½ [T(v0 + v1) − T(v0) − T(v1)] for T quadratic in v
      const auto tau = [&](const auto& q) {
        using Y = typename std::decay_t<decltype(q)>::value_type;
        Local<Y, n> first, second, both;
        for (int i = 0; i < n; ++i) {
          first[i] = Y(v0[i]);
          second[i] = Y(v1[i]);
          both[i] = first[i] + second[i];
        }
        return 0.5 * (term.kinetic(Y(t), q, both) - term.kinetic(Y(t), q, first) - term.kinetic(Y(t), q, second));
      };
      const auto gradient = discrete_gradient<n, X>(tau, q0, q1);
      for (int i = 0; i < n; ++i) f[i] += gradient[i];
    }
    if constexpr (HasDiscrete<Term>) {
      const auto gradient = term.discrete(X(t), q0, q1);
      for (int i = 0; i < n; ++i) f[i] -= gradient[i];
    } else if constexpr (HasPotential<Term>) {
      const auto V = [&](const auto& q) {
        using Y = typename std::decay_t<decltype(q)>::value_type;
        return term.potential(Y(t), q);
      };
      const auto gradient = discrete_gradient<n, X>(V, q0, q1);
      for (int i = 0; i < n; ++i) f[i] -= gradient[i];
    }
    if constexpr (HasForce<Term>) {
      Local<X, n> q, v;
      for (int i = 0; i < n; ++i) {
        q[i] = 0.5 * (q0[i] + q1[i]);
        v[i] = 0.5 * (v0[i] + v1[i]);
      }
      const auto Q = term.force(X(t), q, v);
      for (int i = 0; i < n; ++i) f[i] += Q[i];
    }
    return f;
  }
};

}  // namespace taut
