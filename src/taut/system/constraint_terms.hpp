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

/// The share of ε that the penalty of a term takes.
template <ConstraintTerm Term> double compliance_of(const Term& term) {
  if constexpr (requires { term.compliance(); }) return term.compliance();
  return 1.0;
}

/// ∇̄g of one row of a constraint term; for a quadratic g it is ∇g in the middle.
template <class X, ConstraintTerm Term>
Local<X, Term::width> discrete_row(const Term& term, [[maybe_unused]] const X& t, const Local<X, Term::width>& q0,
                                   const Local<X, Term::width>& q1, [[maybe_unused]] int row) {
  if constexpr (HasSpan<Term>) {
    Local<X, Term::width> middle;
    for (int i = 0; i < Term::width; ++i) middle[i] = 0.5 * (q0[i] + q1[i]);
    return term.span().gradient(middle);
  } else
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

  /// ∂V/∂q, where the constraint knows its gradient: dist(g, S) G/ε.
  Local<double, width> slope(double, const Local<double, width>& q) const requires HasSpan<Term> {
    const auto span = term.span();
    const double factor = excess(set_of(term), span.value(q)) / epsilon;
    Local<double, width> out = span.gradient(q);
    for (double& one : out) one *= factor;
    return out;
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
  std::unique_ptr<ConstraintBlock> without(const std::vector<char>& off) const override {
    auto rest = std::make_unique<ConstraintTerms>(*this);
    rest->drop(off);
    return rest;
  }
  int rows() const override { return m; }
  Set set(int term) const override { return set_of(this->terms_[term]); }
  const DiscreteDirections* discrete() const override { return this; }
  bool couples(int i, int j) const override { return coupled(i, j); }
  bool span([[maybe_unused]] int term, [[maybe_unused]] SpanRow& out) const override {
    if constexpr (HasSpan<Term>) {
      const auto span = this->terms_[term].span();
      out.c.assign(span.c.begin(), span.c.end());
      out.a.assign(span.a.begin(), span.a.end());
      out.length = span.length;
      out.weight = span.weight;
    }
    return HasSpan<Term>;
  }

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
    if constexpr (HasSpan<Term>) {
      add_curvature(step.t, step.q1, lambda, 0.5 * weight, slots, values);  // constant, and q1 is half of the middle
    } else {
      this->each([&](const Term& term, const int* stencil, int k) {
        using X = Dual<n>;
        Local<X, n> q0;
        for (int i = 0; i < n; ++i) q0[i] = X(step.q0[stencil[i]]);
        const auto G = directions(term, step.t, q0, Base::template variables<X>(step.q1, stencil));
        scatter(slots, k, values, [&](int i, int j) {
          double sum = 0.0;
          for (int r = 0; r < m; ++r) sum += lambda[k * m + r] * G[r][i].slope[j];
          return weight * sum;
        });
      });
    }
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

  /// For spans all of it follows from y and its rate: g = w/2 (|y|² − l²), ġ = w y·ẏ, γ = w |ẏ|², G = w c y.
  void linearize(const Instant& at, const Linearization& out) const override {
    if constexpr (HasSpan<Term>) {
      this->each([&](const Term& term, const int* stencil, int k) {
        const auto span = term.span();
        constexpr int dim = decltype(span)::components;
        const auto y = span.vector(Base::gather(at.q, stencil));
        if (out.value != nullptr) {
          double square = -span.length * span.length;
          for (int d = 0; d < dim; ++d) square += y[d] * y[d];
          out.value[k] = (0.5 * span.weight) * square;
        }
        if (out.rate != nullptr || out.acceleration != nullptr) {
          double along = 0.0, square = 0.0;
          for (int d = 0; d < dim; ++d) {
            double u = 0.0;
            for (int j = 0; j < n / dim; ++j) u += span.c[j] * at.v[stencil[j * dim + d]];
            along += y[d] * u;
            square += u * u;
          }
          if (out.rate != nullptr) out.rate[k] = span.weight * along;
          if (out.acceleration != nullptr) out.acceleration[k] = span.weight * square;
        }
        if (out.gradient != nullptr)
          for (int i = 0; i < n; ++i) out.gradient[out.slots[k * n + i]] = (span.weight * span.c[i / dim]) * y[i % dim];
      });
    } else {
      ConstraintBlock::linearize(at, out);
    }
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
    this->each([&](const Term& term, [[maybe_unused]] const int* stencil, int k) {
      if constexpr (HasSpan<Term>) {
        const auto span = term.span();
        const double scale = weight * lambda[k] * span.weight;
        scatter(slots, k, values,
                [&](int i, int j) { return scale * span.c[i / span.components] * span.c[j / span.components]; });
      } else {
        using X = Hyper<n>;
        const auto value = term.value(X(t), Base::template variables<X>(q, stencil));
        scatter(slots, k, values, [&](int i, int j) {
          double sum = 0.0;
          for (int r = 0; r < m; ++r) sum += lambda[k * m + r] * value[r].second(i, j);
          return weight * sum;
        });
      }
    });
  }

  std::unique_ptr<DynamicsBlock> penalized(double epsilon) const override {
    auto block = std::make_unique<DynamicsTerms<Penalty<Term>>>();
    this->each([&](const Term& term, const int* stencil, int k) {
      const int coordinates = 1 + *std::max_element(stencil, stencil + n);
      block->push(Penalty<Term>{term, epsilon * compliance_of(term)}, "penalty of " + this->name(k), coordinates);
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

  static constexpr bool coupled([[maybe_unused]] int i, [[maybe_unused]] int j) {
    if constexpr (HasSpan<Term>) {
      constexpr int dim = decltype(std::declval<const Term&>().span())::components;
      return i % dim == j % dim;
    }
    return true;
  }
  static constexpr int pairs = [] {
    int count = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) count += coupled(i, j) ? 1 : 0;
    return count;
  }();

  /// values[slot of (i, j)] += entry(i, j) for each coupled pair of term k.
  template <class Entry> static void scatter(const int* slots, int k, double* values, const Entry& entry) {
    const int* slot = slots + std::ptrdiff_t(k) * pairs;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (coupled(i, j)) values[*slot++] += entry(i, j);
  }

  static Local<Local<double, n>, m> gradient(const Term& term, [[maybe_unused]] double t, const double* q,
                                             const int* stencil) {
    if constexpr (HasSpan<Term>) {
      return {term.span().gradient(Base::gather(q, stencil))};
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
