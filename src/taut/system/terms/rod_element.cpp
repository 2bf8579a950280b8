#include <Eigen/Core>
#include <optional>
#include <taut/system/terms/rod_element.hpp>
#include <taut/system/terms/turn_ratio.hpp>

namespace taut {
namespace {

using turn::turn_quotient, turn::turn_ratio;

constexpr int W = RodElement::width, P = RodElement::invariants;

/// Γ and K from the invariants π = (a, b, z).
template <class S> struct Strains { std::array<S, 3> gamma, kappa; };
template <class S> Strains<S> strains(const std::array<S, P>& pi, double h) {
  const S &z = pi[6], f = turn_ratio<0>(z), psi = 0.5 * (turn_ratio<1>(z) - f / (S(1.0) - z));
  const S along = psi * (pi[0] * pi[3] + pi[1] * pi[4] + pi[2] * pi[5]), over = f * (1.0 / h);
  Strains<S> out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.gamma[i] = f * pi[3 + i] + along * pi[i];
    out.kappa[i] = over * pi[i];
  }
  out.gamma[2] -= S(1.0);
  return out;
}

/// All that V of an element is made of. h²/12 κ₁ = (w₁, w₂, 0): that of the natural shape, and the shear force over EI; κ̄ = K − K×w.
template <class S> struct Bent {
  S f, f1, inverse, psi, dot, along, over, g1, g2, w1, w2, m, D;  // inverse: 1/(1 − z)
  std::array<S, 3> kappa, k, off;
  S stretch, sum;
};

/// The numbers of an element as V takes them.
struct RodConstants {
  explicit RodConstants(const RodNumbers& of)
      : n(of), part(n.corrected ? n.length * n.length / 12.0 : 0.0), stiff(n.shear_stiffness()) {
    from_g2 = stiff[1] * part / n.bending[0];
    from_g1 = -stiff[0] * part / n.bending[1];
    turns =
        part > 0.0 && (n.bending[0] != n.bending[1] || n.curvature[0] != 0.0 || n.curvature[1] != 0.0 || n.growth[2] != 0.0);
  }
  const RodNumbers& n;
  double part, from_g1, from_g2;
  std::array<double, 2> stiff;
  bool turns;
};

/// Those of the element before, where it has the same numbers.
class KnownConstants {
 public:
  const RodConstants& of(const RodNumbers& numbers) {
    if (!known_ || &known_->n != &numbers) known_.emplace(numbers);
    return *known_;
  }

 private:
  std::optional<RodConstants> known_;
};

template <class S> Bent<S> bent(const std::array<S, P>& pi, const RodConstants& c) {
  const RodNumbers& n = c.n;
  Bent<S> o;
  const S& z = pi[6];
  o.f = turn_ratio<0>(z);
  o.f1 = turn_ratio<1>(z);
  o.inverse = 1.0 / (1.0 - z);
  o.psi = 0.5 * (o.f1 - o.f * o.inverse);
  o.dot = pi[0] * pi[3] + pi[1] * pi[4] + pi[2] * pi[5];
  o.along = o.psi * o.dot;
  o.over = o.f * (1.0 / n.length);
  for (std::size_t i = 0; i < 3; ++i) o.kappa[i] = o.over * pi[i];
  o.g1 = o.f * pi[3] + o.along * pi[0] + c.part * n.growth[1];
  o.g2 = o.f * pi[4] + o.along * pi[1] - c.part * n.growth[0];
  o.stretch = o.f * pi[5] + o.along * pi[2] - 1.0;
  o.w1 = c.from_g2 * o.g2 + c.part * n.growth[0];
  o.w2 = c.from_g1 * o.g1 + c.part * n.growth[1];
  const std::array<S, 3>& K = o.kappa;
  o.k = {K[0] + K[2] * o.w2, K[1] - K[2] * o.w1, K[2] - K[0] * o.w2 + K[1] * o.w1};
  for (std::size_t i = 0; i < 3; ++i) o.off[i] = o.k[i] - n.curvature[i];
  o.sum = n.bending[0] * (o.off[0] * o.off[0]) + n.bending[1] * (o.off[1] * o.off[1]) + n.torsion * (o.off[2] * o.off[2]) +
          c.stiff[0] * (o.g1 * o.g1) + c.stiff[1] * (o.g2 * o.g2) + n.axial * (o.stretch * o.stretch);
  if (c.turns) {
    o.m = n.bending[0] * (o.off[0] * o.k[1]) - n.bending[1] * (o.off[1] * o.k[0]) + n.torsion * n.growth[2];
    o.D = c.part * (n.bending[0] * (o.k[1] * o.k[1]) + n.bending[1] * (o.k[0] * o.k[0])) + n.torsion;
    o.sum += c.part * n.torsion * n.growth[2] * n.growth[2] - c.part * (o.m * o.m / o.D);
  }
  return o;
}

/// V of an element.
double energy(const std::array<double, P>& pi, const RodConstants& c) { return 0.5 * c.n.length * bent(pi, c).sum; }

using Slopes = Eigen::Matrix<double, P, W, Eigen::RowMajor>;
using Square = Eigen::Matrix<double, P, P, Eigen::RowMajor>;
using Full = Eigen::Matrix<double, W, W, Eigen::RowMajor>;

/// a, b, z; vectors of q are x d₁ d₂ d₃ x₊ d₁₊ d₂₊ d₃₊.
template <class T> std::array<T, P> invariants_of(const Local<T, W>& q, double h) {
  const auto dot = [&](std::size_t i, std::size_t j) {
    return q[3 * i] * q[3 * j] + q[3 * i + 1] * q[3 * j + 1] + q[3 * i + 2] * q[3 * j + 2];
  };
  std::array<T, P> pi;
  T z(0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    pi[i] = 0.5 * (dot(1 + k, 5 + j) - dot(1 + j, 5 + k));
    pi[3 + i] = T(0.0);
    for (std::size_t c = 0; c < 3; ++c) {
      const T& here = q[3 * (1 + i) + c];
      const T& there = q[3 * (5 + i) + c];
      pi[3 + i] += (0.5 / h) * ((here + there) * (q[12 + c] - q[c]));
      z += 0.125 * ((there - here) * (there - here));
    }
  }
  pi[6] = z;
  return pi;
}

/// ∂π/∂q.
Slopes slopes_of(const double* q, double h) {
  Slopes out = Slopes::Zero();
  const auto at = [&](int vector) { return Eigen::Map<const Eigen::RowVector3d>(q + 3 * vector); };
  const Eigen::RowVector3d way = (at(4) - at(0)) / h;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out.block<1, 3>(i, 3 * (1 + k)) = 0.5 * at(5 + j);
    out.block<1, 3>(i, 3 * (5 + j)) = 0.5 * at(1 + k);
    out.block<1, 3>(i, 3 * (1 + j)) = -0.5 * at(5 + k);
    out.block<1, 3>(i, 3 * (5 + k)) = -0.5 * at(1 + j);
    const Eigen::RowVector3d mean = (0.5 / h) * (at(1 + i) + at(5 + i));
    out.block<1, 3>(3 + i, 0) = -mean;
    out.block<1, 3>(3 + i, 12) = mean;
    out.block<1, 3>(3 + i, 3 * (1 + i)) = 0.5 * way;
    out.block<1, 3>(3 + i, 3 * (5 + i)) = 0.5 * way;
    const Eigen::RowVector3d change = 0.25 * (at(5 + i) - at(1 + i));
    out.block<1, 3>(6, 3 * (1 + i)) = -change;
    out.block<1, 3>(6, 3 * (5 + i)) = change;
  }
  return out;
}

/// out += Σ weightₘ ∂²πₘ/∂q², which is constant.
void add_bends(const std::array<double, P>& weight, double factor, double h, Full& out) {
  const auto both = [&](int a, int b, double value) {
    for (int c = 0; c < 3; ++c) {
      out(3 * a + c, 3 * b + c) += value;
      if (a != b) out(3 * b + c, 3 * a + c) += value;
    }
  };
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double a = 0.5 * factor * weight[std::size_t(i)], b = 0.5 * factor * weight[std::size_t(3 + i)] / h;
    const double z = 0.25 * factor * weight[6];
    both(1 + k, 5 + j, a);
    both(1 + j, 5 + k, -a);
    for (const int d : {1 + i, 5 + i}) {
      both(d, 4, b);
      both(d, 0, -b);
      both(d, d, z);
    }
    both(1 + i, 5 + i, -z);
  }
}

/// out −= factor Σ weightₘ ∂πₘ/∂q.
void subtract_gradient(const std::array<double, P>& weight, const Local<double, W>& q, double h, double factor,
                       const int* at, double* out) {
  std::array<double, 3> force{};  // of x₊, and against x
  Local<double, W> g;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    // d_i meets a_j with d_k₊ and a_k with d_j₊; b_i with the way; z with the turn.
    const double p = 0.5 * factor * weight[k], r = 0.5 * factor * weight[j], b = (0.5 / h) * factor * weight[3 + i],
                 z = 0.25 * factor * weight[6];
    for (std::size_t c = 0; c < 3; ++c) {
      const double here = q[3 * (1 + i) + c], there = q[3 * (5 + i) + c], turn = z * (there - here);
      const double pull = b * (q[12 + c] - q[c]);
      force[c] += b * (here + there);
      g[3 * (1 + i) + c] = pull - turn + r * q[3 * (5 + k) + c] - p * q[3 * (5 + j) + c];
      g[3 * (5 + i) + c] = pull + turn + p * q[3 * (1 + j) + c] - r * q[3 * (1 + k) + c];
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    g[c] = -force[c];
    g[12 + c] = force[c];
  }
  for (std::size_t i = 0; i < W; ++i) out[at[i]] -= g[i];
}

/// ∇̄V in the invariants between both ends: the secant slopes of all steps of `bent`, carried back from V to π. Products have xy(b) − xy(a) = x̄ Δy + ȳ Δx with means x̄, reciprocals
/// −Δx/(x_a x_b), functions of one variable their divided difference; so the sum of slopes times Δπ is ΔV exactly, it is the same for both directions of the step, and for ends that
/// coincide it is ∇V. Over Dual with its slopes in π of the end.
template <class A, class T>
std::array<T, P> discrete_weights(const std::array<A, P>& from, const std::array<T, P>& to, const RodConstants& c) {
  const RodNumbers& n = c.n;
  const Bent<A> s = bent(from, c);
  const Bent<T> e = bent(to, c);
  const auto mean = [](const A& x, const T& y) { return 0.5 * (y + x); };
  const double h = n.length;
  std::array<T, 3> k, off, kappa, a, b;
  for (std::size_t i = 0; i < 3; ++i) {
    k[i] = mean(s.k[i], e.k[i]);
    kappa[i] = mean(s.kappa[i], e.kappa[i]);
    off[i] = k[i] - n.curvature[i];
    a[i] = mean(from[i], to[i]);
    b[i] = mean(from[3 + i], to[3 + i]);
  }
  const T w1 = mean(s.w1, e.w1), w2 = mean(s.w2, e.w2);
  // dV by κ̄, then by K and w, then by Γ.
  std::array<T, 3> by_k{(h * n.bending[0]) * off[0], (h * n.bending[1]) * off[1], (h * n.torsion) * off[2]};
  if (c.turns) {
    const auto over_first = 1.0 / s.D;
    const T over_last = 1.0 / e.D, by_D = (0.25 * h * c.part) * ((e.m * e.m + s.m * s.m) * (over_last * over_first));
    const T by_m = (-0.25 * h * c.part) * ((over_last + over_first) * (e.m + s.m));
    by_k[0] += n.bending[0] * (by_m * k[1]) + n.bending[1] * (2.0 * c.part * (by_D * k[0]) - by_m * off[1]);
    by_k[1] += n.bending[0] * (2.0 * c.part * (by_D * k[1]) + by_m * off[0]) - n.bending[1] * (by_m * k[0]);
  }
  const std::array<T, 3> by_kappa{by_k[0] - by_k[2] * w2, by_k[1] + by_k[2] * w1, by_k[2] + by_k[0] * w2 - by_k[1] * w1};
  const T by_w1 = by_k[2] * kappa[1] - by_k[1] * kappa[2], by_w2 = by_k[0] * kappa[2] - by_k[2] * kappa[0];
  const std::array<T, 3> by_gamma{(h * c.stiff[0]) * mean(s.g1, e.g1) + c.from_g1 * by_w2,
                                  (h * c.stiff[1]) * mean(s.g2, e.g2) + c.from_g2 * by_w1,
                                  (h * n.axial) * mean(s.stretch, e.stretch)};
  // Γ = f b + ψ (a·b) a − e₃ and K = f a/h.
  const T f = mean(s.f, e.f), along = mean(s.along, e.along), over = f * (1.0 / h);
  const T by_along = by_gamma[0] * a[0] + by_gamma[1] * a[1] + by_gamma[2] * a[2];
  const T by_dot = by_along * mean(s.psi, e.psi), by_psi = 0.5 * (by_along * mean(s.dot, e.dot));
  T by_f = (1.0 / h) * (by_kappa[0] * a[0] + by_kappa[1] * a[1] + by_kappa[2] * a[2]) - by_psi * mean(s.inverse, e.inverse);
  std::array<T, P> out;
  for (std::size_t i = 0; i < 3; ++i) {
    by_f += by_gamma[i] * b[i];
    out[i] = by_gamma[i] * along + by_kappa[i] * over + by_dot * b[i];
    out[3 + i] = by_gamma[i] * f + by_dot * a[i];
  }
  out[6] = by_f * turn_quotient<0>(from[6], to[6], s.f, e.f) + by_psi * turn_quotient<1>(from[6], to[6], s.f1, e.f1) -
           by_psi * f * (e.inverse * s.inverse);
  return out;
}

template <class X> std::array<X, P> as_variables(const std::array<double, P>& pi) {
  std::array<X, P> out;
  for (int m = 0; m < P; ++m) out[std::size_t(m)] = X::variable(pi[std::size_t(m)], m);
  return out;
}

void scatter_square(const Full& A, double weight, const int* slots, double* values) {
  for (int i = 0; i < W; ++i)
    for (int j = 0; j < W; ++j) values[slots[i * W + j]] += weight * A(i, j);
}

Local<double, W> mean_of(const Local<double, W>& a, const Local<double, W>& b) {
  Local<double, W> out;
  for (std::size_t i = 0; i < W; ++i) out[i] = 0.5 * (a[i] + b[i]);
  return out;
}

}  // namespace

RodStrains rod_strains(const RodElement& element, const double* q) {
  Local<double, W> local;
  const auto stencil = element.stencil();
  for (std::size_t i = 0; i < W; ++i) local[i] = q[stencil[i]];
  const double h = element.numbers->length;
  const Strains<double> e = strains(invariants_of(local, h), h);
  return {e.gamma, e.kappa};
}

double RodBlock::potential(const Instant& at) const {
  double sum = 0.0;
  KnownConstants known;
  each([&](const RodElement& term, const int* stencil, int) {
    sum += energy(invariants_of(gather(at.q, stencil), term.numbers->length), known.of(*term.numbers));
  });
  return sum;
}

void RodBlock::add(const Instant& at, double, double force, double* out) const {
  if (force == 0.0) return;
  KnownConstants known;
  each([&](const RodElement& term, const int* stencil, int) {
    const double h = term.numbers->length;
    const auto q = gather(at.q, stencil);
    const auto pi = invariants_of(q, h);
    subtract_gradient(discrete_weights(pi, pi, known.of(*term.numbers)), q, h, force, stencil, out);
  });
}

/// w and its slopes in π of the end.
struct WeightSlopes {
  WeightSlopes(const std::array<double, P>& from, const std::array<double, P>& to, const RodConstants& c) {
    const auto w = discrete_weights(from, as_variables<Dual<P>>(to), c);
    for (int m = 0; m < P; ++m) {
      value[std::size_t(m)] = w[std::size_t(m)].value;
      for (int k = 0; k < P; ++k) slope(m, k) = w[std::size_t(m)].slope[std::size_t(k)];
    }
  }
  std::array<double, P> value;
  Square slope;
};

/// ∂²V/∂π² is twice the slope in one end of the secant, which both ends change alike.
void RodBlock::add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const {
  if (w.force == 0.0 || w.dq == 0.0) return;
  KnownConstants known;
  each([&](const RodElement& term, const int* stencil, int number) {
    const double h = term.numbers->length;
    const auto q = gather(at.q, stencil);
    const auto pi = invariants_of(q, h);
    const WeightSlopes V(pi, pi, known.of(*term.numbers));
    const Slopes slopes = slopes_of(q.data(), h);
    const Slopes right = 2.0 * V.slope.lazyProduct(slopes);
    Full A = slopes.transpose().lazyProduct(right);
    add_bends(V.value, 1.0, h, A);
    scatter_square(A, -w.force * w.dq, slots + std::ptrdiff_t(number) * W * W, values);
  });
}

void RodBlock::add_discrete(const Segment& step, double weight, double* out) const {
  KnownConstants known;
  each([&](const RodElement& term, const int* stencil, int) {
    const double h = term.numbers->length;
    const auto q0 = gather(step.q0, stencil), q1 = gather(step.q1, stencil);
    const auto w = discrete_weights(invariants_of(q0, h), invariants_of(q1, h), known.of(*term.numbers));
    subtract_gradient(w, mean_of(q0, q1), h, weight, stencil, out);
  });
}

/// ∂/∂q1 [P(q̄)ᵀ w(π₀, π₁)] = P(q̄)ᵀ ∂w/∂π₁ P(q1) + ½ Σ wₘ ∂²πₘ.
void RodBlock::add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots, double* values) const {
  if (dq == 0.0) return;
  KnownConstants known;
  each([&](const RodElement& term, const int* stencil, int number) {
    const double h = term.numbers->length;
    const auto q0 = gather(step.q0, stencil), q1 = gather(step.q1, stencil);
    const WeightSlopes w(invariants_of(q0, h), invariants_of(q1, h), known.of(*term.numbers));
    const Slopes right = w.slope.lazyProduct(slopes_of(q1.data(), h));
    Full A = slopes_of(mean_of(q0, q1).data(), h).transpose().lazyProduct(right);
    add_bends(w.value, 0.5, h, A);
    scatter_square(A, -weight * dq, slots + std::ptrdiff_t(number) * W * W, values);
  });
}

namespace {

/// w = Σ β h C (∂ε/∂π·π̇) ∂ε/∂π over the six strains, for given rates π̇; over Dual with its slopes in π.
template <class T>
std::array<T, P> damping_weights(const std::array<T, P>& pi, const Eigen::Vector<double, P>& rates, const RodDamping& term,
                                 Square* stiffness = nullptr) {
  const RodNumbers& n = *term.element.numbers;
  std::array<Dual<P, T>, P> at;
  for (int m = 0; m < P; ++m) at[std::size_t(m)] = Dual<P, T>::variable(pi[std::size_t(m)], m);
  const Strains<Dual<P, T>> e = strains(at, n.length);
  const std::array<double, 2> stiff = n.shear_stiffness();
  const std::array<double, 6> C{stiff[0], stiff[1], n.axial, n.bending[0], n.bending[1], n.torsion};
  std::array<T, P> out;
  out.fill(T(0.0));
  if (stiffness != nullptr) stiffness->setZero();
  for (std::size_t i = 0; i < 6; ++i) {
    const Dual<P, T>& strain = i < 3 ? e.gamma[i] : e.kappa[i - 3];
    const double weight = term.seconds * n.length * C[i];
    T rate(0.0);
    for (std::size_t m = 0; m < P; ++m) rate += rates[Eigen::Index(m)] * strain.slope[m];
    for (std::size_t m = 0; m < P; ++m) out[m] += weight * (rate * strain.slope[m]);
    if (stiffness == nullptr) continue;
    for (int m = 0; m < P; ++m)
      for (int k = 0; k < P; ++k)
        (*stiffness)(m, k) += weight * plain(strain.slope[std::size_t(m)]) * plain(strain.slope[std::size_t(k)]);
  }
  return out;
}

using Coordinates = Eigen::Map<const Eigen::Vector<double, W>>;

/// Adds Q where there is a place for it; Q·v.
double add_damping(const RodDamping& term, const Local<double, W>& q, const Local<double, W>& v, double weight,
                   const int* stencil, double* out) {
  const double h = term.element.numbers->length;
  const Eigen::Vector<double, P> rates = slopes_of(q.data(), h) * Coordinates(v.data());
  const std::array<double, P> w = damping_weights(invariants_of(q, h), rates, term);
  if (out != nullptr) subtract_gradient(w, q, h, weight, stencil, out);
  return -rates.dot(Eigen::Map<const Eigen::Vector<double, P>>(w.data()));
}

/// −Pᵀ[(∂w/∂π P + S P(v)) dq + S P dv] − Σ wₘ ∂²πₘ dq with S = ∂w/∂π̇.
void add_damping_slopes(const RodDamping& term, const Local<double, W>& q, const Local<double, W>& v, double weight,
                        double dq, double dv, const int* slots, double* values) {
  const double h = term.element.numbers->length;
  const Slopes slopes = slopes_of(q.data(), h);
  Square S, by_pi;
  const auto w = damping_weights(as_variables<Dual<P>>(invariants_of(q, h)), slopes * Coordinates(v.data()), term, &S);
  std::array<double, P> value;
  for (int m = 0; m < P; ++m) {
    value[std::size_t(m)] = w[std::size_t(m)].value;
    for (int k = 0; k < P; ++k) by_pi(m, k) = dq * w[std::size_t(m)].slope[std::size_t(k)] + dv * S(m, k);
  }
  Slopes right = by_pi.lazyProduct(slopes);
  if (dq != 0.0) right += dq * S.lazyProduct(slopes_of(v.data(), h));
  Full A = slopes.transpose().lazyProduct(right);
  add_bends(value, dq, h, A);
  scatter_square(A, -weight, slots, values);
}

}  // namespace

double RodDampingBlock::power(const Instant& at) const {
  double sum = 0.0;
  each([&](const RodDamping& term, const int* stencil, int) {
    sum += add_damping(term, gather(at.q, stencil), gather(at.v, stencil), 0.0, stencil, nullptr);
  });
  return sum;
}

void RodDampingBlock::add(const Instant& at, double, double force, double* out) const {
  if (force == 0.0) return;
  each([&](const RodDamping& term, const int* stencil, int) {
    add_damping(term, gather(at.q, stencil), gather(at.v, stencil), force, stencil, out);
  });
}

void RodDampingBlock::add_slopes(const Instant& at, const SlopeWeights& w, const int* slots, double* values) const {
  if (w.force == 0.0) return;
  each([&](const RodDamping& term, const int* stencil, int number) {
    add_damping_slopes(term, gather(at.q, stencil), gather(at.v, stencil), w.force, w.dq, w.dv,
                       slots + std::ptrdiff_t(number) * W * W, values);
  });
}

void RodDampingBlock::add_discrete(const Segment& step, double weight, double* out) const {
  each([&](const RodDamping& term, const int* stencil, int) {
    add_damping(term, mean_of(gather(step.q0, stencil), gather(step.q1, stencil)),
                mean_of(gather(step.v0, stencil), gather(step.v1, stencil)), weight, stencil, out);
  });
}

/// Half of what both means change by, with v1 as the unknown and q1 = dq v1.
void RodDampingBlock::add_discrete_slopes(const Segment& step, double weight, double dq, const int* slots,
                                          double* values) const {
  each([&](const RodDamping& term, const int* stencil, int number) {
    add_damping_slopes(term, mean_of(gather(step.q0, stencil), gather(step.q1, stencil)),
                       mean_of(gather(step.v0, stencil), gather(step.v1, stencil)), 0.5 * weight, dq, 1.0,
                       slots + std::ptrdiff_t(number) * W * W, values);
  });
}

template class ConstraintTerms<FrameHold>;
template class DynamicsTerms<FrameMoment>;
template class DynamicsTerms<FrameForce>;

}  // namespace taut
