#pragma once

#include <taut/system/dynamics_terms.hpp>

namespace taut {

/// The set of a constraint term: {0} unless it says otherwise.
template <ConstraintTerm Term> Set set_of(const Term& term) {
  if constexpr (requires {
                  { term.set() } -> std::same_as<Set>;
                })
    return term.set();
  return Set::zero;
}

/// ∇̄g of one row of a constraint term.
template <class X, ConstraintTerm Term>
Local<X, Term::width> discrete_row(const Term& term, const X& t, const Local<X, Term::width>& q0,
                                   const Local<X, Term::width>& q1, int row) {
  return discrete_gradient<Term::width, X>(
      [&](const auto& q) {
        using Y = typename std::decay_t<decltype(q)>::value_type;
        return term.value(Y(t), q)[row];
      },
      q0, q1);
}

/// The penalty potential of one constraint term, dist²(g, S)/(2ε).
template <ConstraintTerm Term> struct Penalty {
  static constexpr int width = Term::width;
  Term term;
  double epsilon;

  std::array<int, width> stencil() const { return term.stencil(); }
  template <class T> T potential(const T& t, const Local<T, width>& q) const {
    T sum(0.0);
    for (const T& g : term.value(t, q)) {
      const T d = excess(set_of(term), g);
      sum += d * d;
    }
    return sum * (0.5 / epsilon);
  }

  /// Through the constraint: [W(b) − W(a)]/(b − a) · ∇̄g with W = dist²/(2ε) and a, b the values of g at the ends. While both are outside the
  /// quotient is (a + b)/(2ε), without any 0/0; for g quadratic in distances ∇̄g is ∇g in the middle, and rotations are kept.
  template <class T> Local<T, width> discrete(const T& t, const Local<T, width>& q0, const Local<T, width>& q1) const {
    const Set set = set_of(term);
    const auto a = term.value(t, q0), b = term.value(t, q1);
    Local<T, width> sum;
    sum.fill(T(0.0));
    for (int r = 0; r < Term::rows; ++r) {
      const bool first = binds(set, a[r]), second = binds(set, b[r]);
      if (!first && !second) continue;
      T quotient = (0.5 / epsilon) * (a[r] + b[r]);
      if (first != second) {
        const T in = excess(set, a[r]), out = excess(set, b[r]);
        quotient = (0.5 / epsilon) * ((out * out - in * in) / (b[r] - a[r]));
      }
      const auto gradient = discrete_row(term, t, q0, q1, r);
      for (int i = 0; i < width; ++i) sum[i] += quotient * gradient[i];
    }
    return sum;
  }
};

/// The block of all constraint terms of one type.
template <ConstraintTerm Term>
class ConstraintTerms final : public TermBlock<Term, ConstraintBlock>, public DiscreteDirections {
  using Base = TermBlock<Term, ConstraintBlock>;
  using Base::n;
  static constexpr int m = Term::rows;

 public:
  std::unique_ptr<ConstraintBlock> clone() const override { return std::make_unique<ConstraintTerms>(*this); }
  int rows() const override { return m; }
  Set set(int term) const override { return set_of(this->terms_[term]); }
  const DiscreteDirections* discrete() const override { return this; }

  void add_discrete(const Segment& step, const double* lambda, double weight, double* out) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto G = directions(term, step.t, Base::gather(step.q0, stencil), Base::gather(step.q1, stencil));
      for (int r = 0; r < m; ++r)
        for (int i = 0; i < n; ++i) out[stencil[i]] += weight * lambda[k * m + r] * G[r][i];
    });
  }

  void add_discrete_gradient(const Segment& step, double weight, const int* slots, double* values) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto G = directions(term, step.t, Base::gather(step.q0, stencil), Base::gather(step.q1, stencil));
      for (int r = 0; r < m; ++r)
        for (int i = 0; i < n; ++i) values[slots[(k * m + r) * n + i]] += weight * G[r][i];
    });
  }

  void add_discrete_curvature(const Segment& step, const double* lambda, double weight, const int* slots,
                              double* values) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      using X = Dual<n>;
      Local<X, n> q0;
      for (int i = 0; i < n; ++i) q0[i] = X(step.q0[stencil[i]]);
      const auto G = directions(term, step.t, q0, Base::template variables<X>(step.q1, stencil));
      const int* slot = slots + std::ptrdiff_t(k) * n * n;
      for (int r = 0; r < m; ++r)
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) values[slot[i * n + j]] += weight * lambda[k * m + r] * G[r][i].slope[j];
    });
  }

  void values(double t, const double* q, double* g) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto value = term.value(t, Base::gather(q, stencil));
      for (int r = 0; r < m; ++r) g[k * m + r] = value[r];
    });
  }

  void rates(const Instant& at, double* rate) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      // One directional derivative along (1, v).
      using X = Dual<1>;
      Local<X, n> q;
      for (int i = 0; i < n; ++i) {
        q[i].value = at.q[stencil[i]];
        q[i].slope[0] = at.v[stencil[i]];
      }
      const auto value = term.value(X::variable(at.t, 0), q);
      for (int r = 0; r < m; ++r) rate[k * m + r] = value[r].slope[0];
    });
  }

  void accelerations(const Instant& at, double* acceleration) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      // Twice along (1, v).
      using X = Hyper<1>;
      Local<X, n> q;
      for (int i = 0; i < n; ++i) {
        q[i].value = at.q[stencil[i]];
        q[i].slope[0] = at.v[stencil[i]];
      }
      const auto value = term.value(X::variable(at.t, 0), q);
      for (int r = 0; r < m; ++r) acceleration[k * m + r] = value[r].second(0, 0);
    });
  }

  void add_forces(double t, const double* q, const double* lambda, double weight, double* out) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto G = gradient(term, t, q, stencil);
      for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int r = 0; r < m; ++r) sum += G[r][i] * lambda[k * m + r];
        out[stencil[i]] += weight * sum;
      }
    });
  }

  void add_gradient(double t, const double* q, double weight, const double* row_weight, const int* slots,
                    double* values) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const auto G = gradient(term, t, q, stencil);
      for (int r = 0; r < m; ++r) {
        const double scale = row_weight == nullptr ? weight : weight * row_weight[k * m + r];
        for (int i = 0; i < n; ++i) values[slots[(k * m + r) * n + i]] += scale * G[r][i];
      }
    });
  }

  void add_curvature(double t, const double* q, const double* lambda, double weight, const int* slots,
                     double* values) const override {
    this->each([&](const Term& term, const int* stencil, int k) {
      const int* slot = slots + std::ptrdiff_t(k) * n * n;
      if constexpr (HasGradient<Term>) {
        Local<double, m> multiplier;
        for (int r = 0; r < m; ++r) multiplier[r] = lambda[k * m + r];
        const auto H = term.curvature(t, Base::gather(q, stencil), multiplier);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j) values[slot[i * n + j]] += weight * H[i][j];
      } else {
        using X = Hyper<n>;
        const auto value = term.value(X(t), Base::template variables<X>(q, stencil));
        for (int r = 0; r < m; ++r)
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) values[slot[i * n + j]] += weight * lambda[k * m + r] * value[r].second(i, j);
      }
    });
  }

  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    auto block = std::make_unique<DynamicsTerms<Penalty<Term>>>();
    this->each([&](const Term& term, const int* stencil, int k) {
      const int coordinates = 1 + *std::max_element(stencil, stencil + n);
      block->push(Penalty<Term>{term, epsilon}, "penalty of " + this->name(k), coordinates);
    });
    return block;
  }

 private:
  /// Ḡ of one term, a discrete gradient per row.
  template <class X>
  static Local<Local<X, n>, m> directions(const Term& term, double t, const Local<X, n>& q0, const Local<X, n>& q1) {
    Local<Local<X, n>, m> G;
    for (int r = 0; r < m; ++r) G[r] = discrete_row(term, X(t), q0, q1, r);
    return G;
  }

  static Local<Local<double, n>, m> gradient(const Term& term, double t, const double* q, const int* stencil) {
    if constexpr (HasGradient<Term>) {
      return term.gradient(t, Base::gather(q, stencil));
    } else {
      using X = Dual<n>;
      const auto value = term.value(X(t), Base::template variables<X>(q, stencil));
      Local<Local<double, n>, m> G;
      for (int r = 0; r < m; ++r) G[r] = value[r].slope;
      return G;
    }
  }
};

}  // namespace taut
