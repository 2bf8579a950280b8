#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <taut/base/bits.hpp>
#include <taut/expression/sines.hpp>

namespace taut {
namespace {

/// Numbers that are far away or not finite, and all of them where the processor has no fused products.
void one_by_one(const double* x, int count, double* sine, double* cosine) {
  for (int k = 0; k < count; ++k) {
    sine[k] = std::sin(x[k]);
    cosine[k] = std::cos(x[k]);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

/// Farther away π/2 is not known to enough digits.
constexpr double farthest = 1e6;

/// x = k π/2 + y + z with z some roundings of y; then the polynomials of fdlibm on |y| < π/4, and k mod 4 says which is which. What waits for what is kept short: of few
/// numbers that is the time. All products that are added to something are written as fused ones, and a loop without branches is what a compiler can make
/// vectors of. False if a number is too far away.
template <int lanes> [[gnu::always_inline]] inline bool some(const double* from, double* to_sine, double* to_cosine) {
  constexpr double whole = 0x1.8p52;  // added to a number that is less, it leaves an integer in the last bits
  constexpr double p1 = 0x1.921fb54442d18p0, p2 = 0x1.1a62633145c07p-54, p3 = -0x1.f1976b7ed8fbcp-110;  // π/2
  double x[lanes], sine[lanes], cosine[lanes];  // copies that nothing else can change
  std::uint64_t strays = 0;
  for (int l = 0; l < lanes; ++l) x[l] = from[l];
  for (int l = 0; l < lanes; ++l) {
    const double shifted = __builtin_fma(x[l], 0x1.45f306dc9c883p-1, whole), k = shifted - whole;
    const auto turn = bits_as<std::uint64_t>(shifted);
    // x − k p1 is a number as it stands; y is what k p2 takes from it, rounded, and z what that and the rest of k π/2 leave.
    const double near = __builtin_fma(-k, p1, x[l]), less = k * p2, y = near - less, kept = y - near;
    const double lost = (near - (y - kept)) - (less + kept);  // y + lost = near − less
    const double z = lost - __builtin_fma(k, p3, __builtin_fma(k, p2, -less));
    const double s = y * y, square = s * s, half = 0.5 * s;

    const double odd =
        __builtin_fma(square,
                      __builtin_fma(square, 1.58969099521155010221e-10,
                                    __builtin_fma(s, -2.50507602534068634195e-08, 2.75573137070700676789e-06)),
                      __builtin_fma(s, -1.98412698298579493134e-04, 8.33333333332248946124e-03));
    const double cube = s * y;  // y − ((s (z/2 − y³ odd) − z) + y³/6)
    const double tail = __builtin_fma(s, __builtin_fma(-cube, odd, 0.5 * z), -z);
    const double first = y - __builtin_fma(cube, 1.66666666666666324348e-01, tail);

    const double even =
        __builtin_fma(square,
                      __builtin_fma(square, __builtin_fma(s, -1.13596475577881948265e-11, 2.08757232129817482790e-09),
                                    __builtin_fma(s, -2.75573143513906633035e-07, 2.48015872894767294178e-05)),
                      __builtin_fma(s, -1.38888888888741095749e-03, 4.16666666666666019037e-02));
    const double most = 1.0 - half;  // 1 − s/2 + (s² even − y z)
    const double second = most + (((1.0 - most) - half) + __builtin_fma(square, even, -(y * z)));

    const std::uint64_t exchange = 0 - (turn & 1);
    const auto a = bits_as<std::uint64_t>(first), b = bits_as<std::uint64_t>(second), differ = (a ^ b) & exchange;
    sine[l] = bits_as<double>((a ^ differ) ^ ((turn & 2) << 62));
    cosine[l] = bits_as<double>((b ^ differ) ^ (((turn + 1) & 2) << 62));
    strays |= std::uint64_t(!(std::abs(x[l]) <= farthest));
  }
  for (int l = 0; l < lanes; ++l) to_sine[l] = sine[l];
  for (int l = 0; l < lanes; ++l) to_cosine[l] = cosine[l];
  return strays == 0;
}

/// The same for processors of two kinds, and for one number: what has just been written as numbers is slow to read as a vector.
[[gnu::target("avx2,fma")]] bool some_short(const double* x, double* sine, double* cosine) {
  return some<sines_at_once>(x, sine, cosine);
}
[[gnu::target("avx512f,avx512dq")]] bool some_long(const double* x, double* sine, double* cosine) {
  return some<sines_at_once>(x, sine, cosine);
}
[[gnu::target("fma")]] bool single(const double* x, double* sine, double* cosine) { return some<1>(x, sine, cosine); }

using Some = bool (*)(const double*, double*, double*);
Some choice() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return some_long;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? some_short : nullptr;
}

#endif

constexpr int few = 3;  // that are sooner found one by one, and sooner remembered than computed

void compute(const double* x, int count, double* sine, double* cosine) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const Some chosen = choice();
  if (chosen == nullptr) return one_by_one(x, count, sine, cosine);
  const int each = count <= few ? 1 : sines_at_once;
  for (int k = 0; k < count; k += each) {
    if ((each == 1 ? single : chosen)(x + k, sine + k, cosine + k)) continue;
    for (int l = k; l < std::min(count, k + each); ++l)
      if (!(std::abs(x[l]) <= farthest)) one_by_one(x + l, 1, sine + l, cosine + l);
  }
#else
  one_by_one(x, count, sine, cosine);
#endif
}

/// One of the last arguments of few. A pendulum asks for its angle over and over: in each constraint, its gradient and its acceleration.
struct Known {
  double x = std::numeric_limits<double>::quiet_NaN(), sine = x, cosine = x;  // right for that one too
};
Known& known(double x) {
  thread_local std::array<Known, 64> all;
  return all[(bits_as<std::uint64_t>(x) * 0x9E3779B97F4A7C15u) >> 58];
}

}  // namespace

void sines_and_cosines(const double* x, int count, double* sine, double* cosine) {
  bool found = count <= few;
  for (int k = 0; found && k < count; ++k) {
    const Known& one = known(x[k]);
    sine[k] = one.sine;
    cosine[k] = one.cosine;
    found = bits_as<std::uint64_t>(one.x) == bits_as<std::uint64_t>(x[k]);
  }
  if (found) return;
  compute(x, count, sine, cosine);
  for (int k = 0; count <= few && k < count; ++k) known(x[k]) = {x[k], sine[k], cosine[k]};
}

}  // namespace taut
