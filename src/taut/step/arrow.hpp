#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

namespace taut::detail {

/// A vector in D dimensions, by entries. That of the plane is one register of two numbers.
template <int D> struct Arrow {
  double x[D];

  [[gnu::always_inline]] static Arrow at(const double* from) {
    Arrow out;
    for (int d = 0; d < D; ++d) out.x[d] = from[d];
    return out;
  }
  [[gnu::always_inline]] static Arrow all(double value) {
    Arrow out;
    for (int d = 0; d < D; ++d) out.x[d] = value;
    return out;
  }
  [[gnu::always_inline]] void store(double* to) const {
    for (int d = 0; d < D; ++d) to[d] = x[d];
  }
  [[gnu::always_inline]] double sum() const {
    double out = x[0];
    for (int d = 1; d < D; ++d) out += x[d];
    return out;
  }
  [[gnu::always_inline]] double largest() const {
    double out = 0.0;
    for (int d = 0; d < D; ++d) out = std::max(out, std::abs(x[d]));
    return out;
  }
  template <class Op> [[gnu::always_inline]] static Arrow each(const Arrow& a, const Arrow& b, const Op& op) {
    Arrow out;
    for (int d = 0; d < D; ++d) out.x[d] = op(a.x[d], b.x[d]);
    return out;
  }
  friend Arrow operator+(const Arrow& a, const Arrow& b) {
    return each(a, b, [](double s, double t) { return s + t; });
  }
  friend Arrow operator-(const Arrow& a, const Arrow& b) {
    return each(a, b, [](double s, double t) { return s - t; });
  }
  friend Arrow operator*(const Arrow& a, const Arrow& b) {
    return each(a, b, [](double s, double t) { return s * t; });
  }
  friend Arrow operator*(const Arrow& a, double b) { return a * all(b); }
};

template <> struct Arrow<2> {
  using Pair [[gnu::vector_size(16)]] = double;
  Pair x;

  [[gnu::always_inline]] static Arrow at(const double* from) {
    Arrow out;
    std::memcpy(&out.x, from, sizeof out.x);
    return out;
  }
  [[gnu::always_inline]] static Arrow all(double value) { return {Pair{value, value}}; }
  [[gnu::always_inline]] void store(double* to) const { std::memcpy(to, &x, sizeof x); }
  [[gnu::always_inline]] double sum() const { return x[0] + x[1]; }
  [[gnu::always_inline]] double largest() const { return std::max(std::abs(x[0]), std::abs(x[1])); }
  friend Arrow operator+(Arrow a, Arrow b) { return {a.x + b.x}; }
  friend Arrow operator-(Arrow a, Arrow b) { return {a.x - b.x}; }
  friend Arrow operator*(Arrow a, Arrow b) { return {a.x * b.x}; }
  friend Arrow operator*(Arrow a, double b) { return a * all(b); }
};

/// a·b.
template <int D> [[gnu::always_inline]] inline double dot(const Arrow<D>& a, const Arrow<D>& b) { return (a * b).sum(); }

}  // namespace taut::detail
