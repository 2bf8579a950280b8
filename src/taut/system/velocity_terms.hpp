#pragma once

#include <taut/system/constraint_terms.hpp>

namespace taut {

/// A constraint on velocities that no position fulfils for it (nonholonomic): k(t, q, v) = 0, affine in v.
///
///     static constexpr int rows
///     array<T,rows> rate(const T& t, array<T,width> q, array<T,width> v)
template <class Term>
concept VelocityTerm = HasStencil<Term> && requires(const Term& term, Local<double, Term::width> q) {
  { term.rate(0.0, q, q) } -> std::convertible_to<Local<double, Term::rows>>;
};

/// The block of all such terms of one type. Because k is affine in v, column i of K is k at the unit velocity i less k at rest: no derivative is needed.
template <VelocityTerm Term> class VelocityTerms final : public TermBlock<Term, ConstraintBlock> {
  using Base = TermBlock<Term, ConstraintBlock>;
  using Base::n;
  static constexpr int m = Term::rows;

 public:
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<VelocityTerms>(*this); }
  std::unique_ptr<ConstraintBlock> without(const std::vector<char>& off) const override {
    auto rest = std::make_unique<VelocityTerms>(*this);
    rest->drop(off);
    return rest;
  }
  int rows() const override { return m; }
  Set set(int) const override { return Set::zero; }
  bool holonomic() const override { return false; }

  void values(double, const double*, double* g) const override { std::fill_n(g, this->terms() * m, 0.0); }

  void rates(const Instant& at, double* rate) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto value = term.rate(at.t, Base::gather(at.q, stencil), Base::gather(at.v, stencil));
      for (int r = 0; r < m; ++r) rate[k * m + r] = value[r];
    });
  }

  void accelerations(const Instant& at, double* acceleration) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      // Along (1, v) in t and q, with v as it is.
      using X = Dual<1>;
      Local<X, n> q, v;
      for (int i = 0; i < n; ++i) {
        q[i].value = at.q[stencil[i]];
        q[i].slope[0] = at.v[stencil[i]];
        v[i] = X(at.v[stencil[i]]);
      }
      const auto value = term.rate(X::variable(at.t, 0), q, v);
      for (int r = 0; r < m; ++r) acceleration[k * m + r] = value[r].slope[0];
    });
  }

  void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto K = gradient(term, t, Base::gather(q, stencil));
      for (int r = 0; r < m; ++r)
        for (int i = 0; i < n; ++i) out[stencil[i]] += weight * lambda[k * m + r] * K[r][i];
    });
  }

  void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto K = gradient(term, t, Base::gather(q, stencil));
      for (int r = 0; r < m; ++r) {
        const double scale = row_weight == nullptr ? weight : weight * row_weight[k * m + r];
        for (int i = 0; i < n; ++i) values[slots[(k * m + r) * n + i]] += scale * K[r][i];
      }
    });
  }

  /// Slopes of Kᵀψ in q.
  void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                     double* values) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      using X = Dual<n>;
      const auto K = gradient(term, X(t), Base::template variables<X>(q, stencil));
      const int* slot = slots + std::ptrdiff_t(k) * n * n;
      for (int r = 0; r < m; ++r)
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) values[slot[i * n + j]] += weight * lambda[k * m + r] * K[r][i].slope[j];
    });
  }

  std::unique_ptr<DynamicsBlock> penalized(double) const override {
    require(false, "penalized: '{}' is a constraint on velocities, and no potential can replace it.", this->name(0));
    return nullptr;
  }

 private:
  template <class X> static Local<Local<X, n>, m> gradient(const Term& term, const X& t, const Local<X, n>& q) {
    Local<X, n> v;
    v.fill(X(0.0));
    const auto rest = term.rate(t, q, v);
    Local<Local<X, n>, m> K;
    for (int i = 0; i < n; ++i) {
      v[i] = X(1.0);
      const auto moved = term.rate(t, q, v);
      v[i] = X(0.0);
      for (int r = 0; r < m; ++r) K[r][i] = moved[r] - rest[r];
    }
    return K;
  }
};

}  // namespace taut
