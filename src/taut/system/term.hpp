#pragma once

#include <algorithm>
#include <array>
#include <taut/base/require.hpp>
#include <taut/system/autodiff.hpp>
#include <taut/system/block.hpp>
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
///     static constexpr bool given                                 optional, true where the force is a given function of time
///     static constexpr bool constant                              optional, true where it is a number: not even of time
///
///   constraint
///     static constexpr int rows                                   equations
///     array<T,rows> value(const T& t, array<T,width> q)           the map g
///     Set set() const                                             optional, {0} if absent
///     Span<k, Dim> span() const                                   optional, for g = w/2 (|Σ cₖqₖ − a|² − l²): equal components couple only, discrete
///                                                                 gradients are those in the middle, and Splitting takes it
///     double compliance() const                                   optional, penalties take ε times this: the weight of a quadrature, most of all
///
///   constraint on velocities (nonholonomic; see velocity_terms.hpp)
///     static constexpr int rows
///     array<T,rows> rate(const T& t, array<T,width> q, array v)   k, affine in v
///
///   either
///     std::string name() const                                    optional, how messages call it
///     Block                                                       optional, a block of its own for this type
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

/// g = w/2 (|y|² − l²), y = Σ cₖ qₖ − a with qₖ the k-th Dim coordinates of the stencil.
template <int Shapes, int Dim> struct Span {
  static constexpr int components = Dim;
  std::array<double, Shapes> c;
  std::array<double, Dim> a{};
  double length = 1.0, weight = 1.0;

  template <class T> Local<T, Dim> vector(const Local<T, Shapes * Dim>& q) const {
    Local<T, Dim> y;
    for (int d = 0; d < Dim; ++d) {
      y[d] = T(-a[d]);
      for (int k = 0; k < Shapes; ++k) y[d] += c[k] * q[k * Dim + d];
    }
    return y;
  }
  template <class T> T value(const Local<T, Shapes * Dim>& q) const {
    T square(-length * length);
    for (const T& y : vector(q)) square += y * y;
    return (0.5 * weight) * square;
  }
  template <class T> Local<T, Shapes * Dim> gradient(const Local<T, Shapes * Dim>& q) const {
    const Local<T, Dim> y = vector(q);
    Local<T, Shapes * Dim> G;
    for (int k = 0; k < Shapes; ++k)
      for (int d = 0; d < Dim; ++d) G[k * Dim + d] = (weight * c[k]) * y[d];
    return G;
  }
};

template <class Term>
concept HasSpan = requires(const Term& term) {
  term.span();
};

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
  const Term& term(int k) const { return terms_[k]; }

  void push(Term term, std::string given, int coordinates) {
    for (const int index : term.stencil()) {
      if (index < 0 || index >= coordinates)  // a label is made for those who need it
        require(false, "{}: touches coordinate {}, but the system has only {}.", label(term, terms()), index, coordinates);
      this->stencils_.push_back(index);
    }
    if (!given.empty()) {
      given_.resize(terms_.size());
      given_.push_back(std::move(given));
    }
    terms_.push_back(std::move(term));
  }

  std::string name(int term) const override {
    return std::size_t(term) < given_.size() && !given_[term].empty() ? given_[term] : label(terms_[term], term);
  }

 protected:
  /// Leaves out terms.
  void drop(const std::vector<char>& off) {
    std::vector<Term> terms;
    std::vector<int> stencils;
    std::vector<std::string> given;
    for (int k = 0; k < this->terms(); ++k) {
      if (off[std::size_t(k)] != 0) continue;
      if (std::size_t(k) < given_.size()) given.push_back(given_[k]);
      terms.push_back(terms_[k]);
      stencils.insert(stencils.end(), this->stencils_.begin() + k * n, this->stencils_.begin() + (k + 1) * n);
    }
    terms_ = std::move(terms);
    this->stencils_ = std::move(stencils);
    given_ = std::move(given);
  }

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
  std::vector<std::string> given_;  // empty: none; as many as up to the last term that has one
};

}  // namespace taut
