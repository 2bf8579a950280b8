// Second derivatives of the kinetic energy of a double compound pendulum in (q, v), four variables: our Hyper<4> against nested
// Eigen::AutoDiffScalar, Boost.Math autodiff where installed, and derivatives written by hand. All must agree.
#include <Eigen/Core>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <taut/models/double_compound_pendulum.hpp>
#include <unsupported/Eigen/AutoDiff>
#if __has_include(<boost/math/differentiation/autodiff.hpp>)
#include <boost/math/differentiation/autodiff.hpp>
#define TAUT_HAS_BOOST 1
#endif

namespace {

using Hessian = Eigen::Matrix4d;
const taut::CompoundLinks links{.a1 = 0.5, .a2 = 0.25, .l1 = 1, .l2 = 0.5, .m1 = 10, .m2 = 5, .I1 = 0.8, .I2 = 0.1};

template <class T> T energy(const T& q0, const T& q1, const T& w0, const T& w1) {
  using std::cos;
  const double A = 0.5 * (links.I1 + links.m1 * links.a1 * links.a1 + links.m2 * links.l1 * links.l1);
  const double B = 0.5 * (links.I2 + links.m2 * links.a2 * links.a2), C = links.m2 * links.l1 * links.a2;
  return T(A * w0 * w0 + B * w1 * w1 + C * w0 * w1 * cos(q1 - q0));
}

Hessian own(const Eigen::Vector4d& x) {
  using X = taut::Hyper<4>;
  const X T = links.kinetic(X(0.0), taut::Local<X, 2>{X::variable(x[0], 0), X::variable(x[1], 1)},
                            taut::Local<X, 2>{X::variable(x[2], 2), X::variable(x[3], 3)});
  Hessian H;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) H(i, j) = T.second(i, j);
  return H;
}

Hessian eigen(const Eigen::Vector4d& x) {
  using Inner = Eigen::AutoDiffScalar<Eigen::Vector4d>;
  using Outer = Eigen::AutoDiffScalar<Eigen::Matrix<Inner, 4, 1>>;
  Outer z[4];
  for (int i = 0; i < 4; ++i) {
    z[i].value() = Inner(x[i], 4, i);
    for (int j = 0; j < 4; ++j) z[i].derivatives()[j] = Inner(i == j ? 1.0 : 0.0, Eigen::Vector4d::Zero());
  }
  const Outer T = energy<Outer>(z[0], z[1], z[2], z[3]);
  Hessian H;
  for (int i = 0; i < 4; ++i) H.row(i) = T.derivatives()[i].derivatives();
  return H;
}

#ifdef TAUT_HAS_BOOST
Hessian boost_math(const Eigen::Vector4d& x) {
  using namespace boost::math::differentiation;
  const auto v = make_ftuple<double, 2, 2, 2, 2>(x[0], x[1], x[2], x[3]);
  const auto& [q0, q1, w0, w1] = v;
  const double A = 0.5 * (links.I1 + links.m1 * links.a1 * links.a1 + links.m2 * links.l1 * links.l1);
  const double B = 0.5 * (links.I2 + links.m2 * links.a2 * links.a2), C = links.m2 * links.l1 * links.a2;
  const auto T = A * w0 * w0 + B * w1 * w1 + C * w0 * w1 * cos(q1 - q0);
  Hessian H;
  const auto at = [&](int i, int j) {
    int k[4] = {0, 0, 0, 0};
    ++k[i];
    ++k[j];
    return T.derivative(k[0], k[1], k[2], k[3]);
  };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) H(i, j) = at(i, j);
  return H;
}
#endif

Hessian by_hand(const Eigen::Vector4d& x) {
  const double A = links.I1 + links.m1 * links.a1 * links.a1 + links.m2 * links.l1 * links.l1;
  const double B = links.I2 + links.m2 * links.a2 * links.a2, C = links.m2 * links.l1 * links.a2;
  const double s = std::sin(x[1] - x[0]), c = std::cos(x[1] - x[0]), w = x[2] * x[3];
  Hessian H;
  H << -C * w * c, C * w * c, C * x[3] * s, C * x[2] * s,   //
      C * w * c, -C * w * c, -C * x[3] * s, -C * x[2] * s,  //
      C * x[3] * s, -C * x[3] * s, A, C * c,                //
      C * x[2] * s, -C * x[2] * s, C * c, B;
  return H;
}

/// Best of several rounds, in nanoseconds.
template <class Method> double nanoseconds(const Method& method, double& difference) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300, sink = 0.0;
  const int calls = 20000;
  for (int round = 0; round < 15; ++round) {
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k) sink += method(Eigen::Vector4d(0.3 + 1e-5 * k, 0.9, 0.4, -0.7)).sum();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / calls * 1e9);
  }
  const Eigen::Vector4d x(0.3, 0.9, 0.4, -0.7);
  difference = (method(x) - by_hand(x)).norm() + 0.0 * sink;
  return best;
}

}  // namespace

int main() {
  double off = 0.0;
  const double hand = nanoseconds(by_hand, off);
  std::printf("%-28s %10s %10s %12s\n", "Hessian in four variables", "ns", "ratio", "difference");
  const auto line = [&](const char* name, double ns) {
    std::printf("%-28s %10.1f %10.2f %12.1e\n", name, ns, ns / hand, off);
  };
  line("by hand", hand);
  line("taut::Hyper<4>", nanoseconds(own, off));
  line("Eigen::AutoDiffScalar, nested", nanoseconds(eigen, off));
#ifdef TAUT_HAS_BOOST
  line("Boost.Math autodiff", nanoseconds(boost_math, off));
#endif
}
