#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <taut/base/require.hpp>
#include <taut/system/autodiff.hpp>
#include <taut/system/block.hpp>
#include <taut/system/discrete_gradient.hpp>
#include <utility>

/// Terms are leaves: plain aggregates that state their mathematics once, as a template over the scalar. What a type offers
/// decides what it is:
///
///     static constexpr int width                                  coordinates it touches
///     std::array<int, width> stencil() const                      which ones
///
///   dynamics, any of
///     std::array<double, width> mass() const                      constant lumped mass, T = ½ Σ mᵢvᵢ²
///     T kinetic(const T& t, array<T,width> q, array<T,width> v)   general kinetic energy
///     T potential(const T& t, array<T,width> q)                   potential energy
///     array<T,width> force(const T& t, array q, array v)          generalised force Q
///     array<T,width> discrete(t, array q0, array q1)              optional own discrete gradient of the potential, where one
///                                                                 keeps more than energy (rotations, most of all)
///
///   constraint
///     static constexpr int rows                                   equations
///     array<T,rows> value(const T& t, array<T,width> q)           the map g
///     Set set() const                                             optional, {0} if absent
///     gradient(t, q), curvature(t, q, λ)                          optional own derivatives, for hot terms; checked by a test
///
///   either
///     std::string name() const                                    optional, how messages call it
///
/// Derivatives come from autodiff.hpp.
namespace taut {

template <class T, int N> using Local = std::array<T, N>;

/// The coordinates of some points in a system of Dim-dimensional points.
template <int Dim, class... Point> std::array<int, Dim * sizeof...(Point)> point_stencil(Point... points) {
  std::array<int, Dim * sizeof...(Point)> index;
  int k = 0;
  for (const int point : {points...})
    for (int i = 0; i < Dim; ++i) index[k++] = point * Dim + i;
  return index;
}

template <class Term>
concept HasStencil = requires(const Term& term) {
  { term.stencil() } -> std::convertible_to<std::array<int, Term::width>>;
};
template <class Term>
concept HasMass = requires(const Term& term) {
  { term.mass() } -> std::convertible_to<std::array<double, Term::width>>;
};
template <class Term>
concept HasKinetic = requires(const Term& term, Local<double, Term::width> q) {
  term.kinetic(0.0, q, q);
};
template <class Term>
concept HasPotential = requires(const Term& term, Local<double, Term::width> q) {
  term.potential(0.0, q);
};
template <class Term>
concept HasForce = requires(const Term& term, Local<double, Term::width> q) {
  term.force(0.0, q, q);
};
template <class Term>
concept HasDiscrete = requires(const Term& term, Local<double, Term::width> q) {
  term.discrete(0.0, q, q);
};
template <class Term>
concept HasGradient = requires(const Term& term, Local<double, Term::width> q, Local<double, Term::rows> lambda) {
  term.gradient(0.0, q);
  term.curvature(0.0, q, lambda);
};

template <class Term>
concept DynamicsTerm = HasStencil<Term> &&(HasMass<Term> || HasKinetic<Term> || HasPotential<Term> || HasForce<Term>);
template <class Term>
concept ConstraintTerm = HasStencil<Term> && requires(const Term& term, Local<double, Term::width> q) {
  { term.value(0.0, q) } -> std::convertible_to<Local<double, Term::rows>>;
};

/// Storage shared by both kinds of block: terms, stencils and the names given by the user.
template <class Term, class Base> class TermBlock : public Base {
 public:
  static constexpr int n = Term::width;
  int terms() const override { return int(terms_.size()); }
  int width() const override { return n; }

  void push(Term term, std::string given, int coordinates) {
    for (const int index : term.stencil()) {
      require(index >= 0 && index < coordinates, "{}: touches coordinate {}, but the system has only {}.",
              label(term, terms()), index, coordinates);
      this->stencils_.push_back(index);
    }
    if (!given.empty()) given_[terms()] = std::move(given);
    terms_.push_back(std::move(term));
  }

  std::string name(int term) const override {
    const auto found = given_.find(term);
    return found != given_.end() ? found->second : label(terms_[term], term);
  }

 protected:
  static std::string label(const Term& term, int index) {
    if constexpr (requires {
                    { term.name() } -> std::convertible_to<std::string>;
                  })
      return term.name();
    return message("term {}", index);
  }

  /// Calls action(term, stencil, k) for each term.
  template <class Action> void each(const Action& action) const {
    const int* stencil = this->stencils_.data();
    const int count = terms();
    for (int k = 0; k < count; ++k, stencil += n) action(terms_[k], stencil, k);
  }

  static Local<double, n> gather(const double* from, const int* stencil) {
    Local<double, n> local;
    for (int i = 0; i < n; ++i) local[i] = from[stencil[i]];
    return local;
  }

  /// The gathered values as variables first … first + n − 1 of X.
  template <class X> static Local<X, n> variables(const double* from, const int* stencil, int first = 0) {
    Local<X, n> local;
    for (int i = 0; i < n; ++i) local[i] = X::variable(from[stencil[i]], first + i);
    return local;
  }

  std::vector<Term> terms_;
  std::map<int, std::string> given_;
};

template <DynamicsTerm Term> class DynamicsTerms final : public TermBlock<Term, DynamicsBlock>, public DiscreteForces {
  using Base = TermBlock<Term, DynamicsBlock>;
  using Base::n;

 public:
  std::unique_ptr<DynamicsBlock> clone() const override { return std::make_unique<DynamicsTerms>(*this); }
  bool constant_mass() const override { return !HasKinetic<Term>; }
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

  void add(const Instant& at, double momentum, double force, double* out) const override {
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
      if constexpr (HasPotential<Term>) {
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
    if constexpr (HasKinetic<Term> || HasPotential<Term> || HasForce<Term>)
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
