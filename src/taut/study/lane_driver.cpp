#include <taut/study/lane_driver.hpp>

namespace taut {

namespace {

/// One run in each thread of a GPU.
const char* const gpu_words = R"code(// Written by taut: many runs of one model side by side.
typedef double V;
#define INLINE static __device__ __forceinline__
#define ALL Mask(true)
#define LOAD(at) (*(at))
#define STORE(at, value) (*(at) = (value))
struct Mask {
  bool holds;
  __device__ Mask(bool x = false) : holds(x) {}
  __device__ explicit operator bool() const { return holds; }
};
INLINE Mask operator&(Mask a, Mask b) { return a.holds && b.holds; }
INLINE Mask operator|(Mask a, Mask b) { return a.holds || b.holds; }
INLINE Mask operator~(Mask a) { return !a.holds; }
INLINE V B(double x) { return x; }
INLINE V magnitude(V x) { return fabs(x); }
INLINE V root(V x) { return sqrt(x); }
INLINE V larger(V a, V b) { return a > b ? a : b; }  // b where a is not a number
INLINE V smaller(V a, V b) { return a < b ? a : b; }
INLINE bool any(Mask m) { return m.holds; }
#define ONE(name) INLINE V each_##name(V x) { return name(x); }
#define TWO(name) INLINE V each_##name(V x, V y) { return name(x, y); }
)code";

/// As many runs as a vector of the processor holds.
const char* const cpu_words = R"code(// Written by taut: many runs of one model side by side.
#if defined(__AVX512F__)
#define LANES 8
#define VECTOR_FUNCTION(name) _ZGVeN8v_##name
#define VECTOR_FUNCTION2(name) _ZGVeN8vv_##name
#elif defined(__AVX2__)
#define LANES 4
#define VECTOR_FUNCTION(name) _ZGVdN4v_##name
#define VECTOR_FUNCTION2(name) _ZGVdN4vv_##name
#else
#define LANES 2
#define VECTOR_FUNCTION(name) _ZGVbN2v_##name
#define VECTOR_FUNCTION2(name) _ZGVbN2vv_##name
#endif
typedef double V __attribute__((vector_size(LANES * 8)));
typedef long Mask __attribute__((vector_size(LANES * 8)));
#define INLINE static inline
#define ALL (Mask{} - 1)
static inline V LOAD(const double* at) {
  V out;
  __builtin_memcpy(&out, at, sizeof out);
  return out;
}
static inline void STORE(double* at, V value) { __builtin_memcpy(at, &value, sizeof value); }

static inline V B(double x) { return V{} + x; }
static inline V magnitude(V x) { return (V)((Mask)x & (Mask{} + 0x7fffffffffffffffl)); }
// b where a is not a number, as the instruction has it.
#if defined(__clang__)
static inline V larger(V a, V b) { return a > b ? a : b; }
static inline V smaller(V a, V b) { return a < b ? a : b; }
#elif LANES == 8
static inline V larger(V a, V b) { return __builtin_ia32_maxpd512_mask(a, b, a, (unsigned char)-1, 4); }
static inline V smaller(V a, V b) { return __builtin_ia32_minpd512_mask(a, b, a, (unsigned char)-1, 4); }
#elif LANES == 4
static inline V larger(V a, V b) { return __builtin_ia32_maxpd256(a, b); }
static inline V smaller(V a, V b) { return __builtin_ia32_minpd256(a, b); }
#elif defined(__SSE2__)
static inline V larger(V a, V b) { return __builtin_ia32_maxpd(a, b); }
static inline V smaller(V a, V b) { return __builtin_ia32_minpd(a, b); }
#else
static inline V larger(V a, V b) { return a > b ? a : b; }
static inline V smaller(V a, V b) { return a < b ? a : b; }
#endif
static inline V root(V x) {
  V out;
  for (int l = 0; l < LANES; ++l) out[l] = __builtin_sqrt(x[l]);
  return out;
}
static inline bool any(Mask m) {
#if defined(__clang__)
  long all = 0;
  for (int l = 0; l < LANES; ++l) all |= m[l];
  return all != 0;
#elif LANES == 8
  typedef long long Eight __attribute__((vector_size(64)));
  return __builtin_ia32_ptestmq512((Eight)m, (Eight)m, (unsigned char)-1) != 0;
#elif LANES == 4
  return __builtin_ia32_movmskpd256((V)m) != 0;
#elif defined(__SSE2__)
  return __builtin_ia32_movmskpd((V)m) != 0;
#else
  return (m[0] | m[1]) != 0;
#endif
}
#define ONE(name) extern "C" V VECTOR_FUNCTION(name)(V); static inline V each_##name(V x) { return VECTOR_FUNCTION(name)(x); }
#define TWO(name) extern "C" V VECTOR_FUNCTION2(name)(V, V); static inline V each_##name(V x, V y) { return VECTOR_FUNCTION2(name)(x, y); }
)code";

const char* const common_words = R"code(
template <long E> INLINE V whole_power(V x) {
  if constexpr (E == 0) return B(1.0);
  else if constexpr (E < 0) return 1.0 / whole_power<-E>(x);
  else if constexpr (E == 1) return x;
  else if constexpr (E % 2 == 0) return whole_power<E / 2>(x * x);
  else return x * whole_power<E - 1>(x);
}
ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(exp) ONE(log)
TWO(pow) TWO(hypot) TWO(atan2)
)code";

const char* const newton = R"code(
// The velocity in the middle of an implicit step, by Newton: corrections square their size, so that a handful ends at round-off. Lanes that did not are told.
INLINE Mask stages(V t, V h, V size, const V* q, const V* v, const V* c, V kv[][N], V ka[][N], V* q1, V* v1) {
  (void)kv;
  V x[N], d[N], to[2 * N];
  for (int i = 0; i < N; ++i) x[i] = v[i] + 0.5 * h * ka[0][i];
  Mask away = ALL;
  for (int pass = 0; pass < 8; ++pass) {
    correct(t, q, v, h, x, c, d);
    V worst = B(0.0), speed = B(0.0);
    for (int i = 0; i < N; ++i) {
      x[i] = away ? x[i] - d[i] : x[i];
      worst = larger(magnitude(d[i]), worst);
      speed = larger(magnitude(x[i]), speed);
    }
    away = away & (h * worst > 1e-10 * (size + h * speed));
    if (!any(away)) break;
  }
  arrive(t, q, v, h, x, c, to);
  for (int i = 0; i < N; ++i) q1[i] = to[i], v1[i] = to[N + i];
  return away;
}
)code";

const char* const loop = R"code(
// What is remembered of a run while it goes.
struct Seen {
  V energy, deviation, scale, first, first_count, last, last_count, g, rate, speed, size;
  V gap, gap_norm, rate_gap, rate_norm;  // squares of the worst g and rate over |G|, and of that |G|
  V low[K + 1], low_at[K + 1], high[K + 1], high_at[K + 1];
};

INLINE V largest(const V* x) {
  V out = B(0.0);
  for (int i = 0; i < N; ++i) out = larger(magnitude(x[i]), out);
  return out;
}

INLINE void look(Seen& s, Mask here, bool begins, V t, V done, const V* q, const V* v, const V* c, const V* now) {
  V seen[K + 1];
  watch(t, q, v, c, seen);
  if (begins) {
    s.energy = now[0];
    s.deviation = s.scale = s.first = s.first_count = s.last = s.last_count = s.g = s.rate = s.gap = s.rate_gap = s.speed = s.size = B(0.0);
    s.gap_norm = s.rate_norm = B(1.0);
    for (int k = 0; k < K; ++k) s.low[k] = s.high[k] = seen[k], s.low_at[k] = s.high_at[k] = t;
  }
  const V off = magnitude(now[0] - s.energy);
  s.deviation = here ? larger(off, s.deviation) : s.deviation;
  s.scale = here ? larger(s.energy - now[1], s.scale) : s.scale;
  const Mask early = here & (done <= 0.25), late = here & (done >= 0.75);
  s.first = early ? s.first + (now[0] - s.energy) : s.first;
  s.first_count = early ? s.first_count + 1.0 : s.first_count;
  s.last = late ? s.last + (now[0] - s.energy) : s.last;
  s.last_count = late ? s.last_count + 1.0 : s.last_count;
  for (int k = 0; k < M; ++k) {
    const V g = magnitude(now[2 + k]), rate = magnitude(now[2 + M + k]), norm = now[2 + 2 * M + k];
    s.g = here ? larger(g, s.g) : s.g;
    s.rate = here ? larger(rate, s.rate) : s.rate;
    // Which is worse is told without dividing.
    const Mask gap = here & (g * g * s.gap_norm > s.gap * norm), off = here & (rate * rate * s.rate_norm > s.rate_gap * norm);
    s.gap = gap ? g * g : s.gap;
    s.gap_norm = gap ? norm : s.gap_norm;
    s.rate_gap = off ? rate * rate : s.rate_gap;
    s.rate_norm = off ? norm : s.rate_norm;
  }
  s.speed = here ? larger(largest(v), s.speed) : s.speed;
  s.size = here ? larger(largest(q), s.size) : s.size;
  for (int k = 0; k < K; ++k) {
    const Mask low = here & (seen[k] < s.low[k]), high = here & (seen[k] > s.high[k]);
    s.low[k] = low ? seen[k] : s.low[k];
    s.low_at[k] = low ? t : s.low_at[k];
    s.high[k] = high ? seen[k] : s.high[k];
    s.high_at[k] = high ? t : s.high_at[k];
  }
}

// Onto g = 0 in the metric of the mass; lanes that could not be are told.
INLINE Mask settle(V t, V size, V* q, const V* v, const V* c) {
  Mask lost = ~ALL;
  if constexpr (M > 0 && IMPLICIT == 0) {
    V d[N];
    Mask away = ALL;
    for (int pass = 0; pass < 12; ++pass) {
      place(t, q, v, c, d);
      for (int i = 0; i < N; ++i) q[i] = away ? q[i] - d[i] : q[i];
      // Corrections square their size: from here on there is nothing left.
      away = away & (largest(d) > 1e-9 * size);
      if (!any(away)) break;
    }
    lost = away;
  }
  return lost;
}

// Root mean square of the errors against rtol times the largest of their group, and atol.
INLINE V badness(const V* e, const V* high, const V* v, const V* q1, const V* v1, V rtol, V atol) {
  V speed[G], size[G];
  for (int k = 0; k < G; ++k) speed[k] = B(0.0), size[k] = high[k];
  for (int i = 0; i < N; ++i) {
    speed[group(i)] = larger(larger(magnitude(v[i]), magnitude(v1[i])), speed[group(i)]);
    size[group(i)] = larger(magnitude(q1[i]), size[group(i)]);  // at a start at zero, what the step makes of it
  }
  V all = B(0.0), all_speed = B(0.0), sum = B(0.0);
  for (int k = 0; k < G; ++k) all = larger(size[k], all), all_speed = larger(speed[k], all_speed);
  for (int i = 0; i < N; ++i) {
    const V a = e[i] / (atol + rtol * larger(size[group(i)], 1e-6 * all) + 1e-300);
    const V b = e[N + i] / (atol + rtol * larger(speed[group(i)], 1e-6 * all_speed) + 1e-300);
    sum += a * a + b * b;
  }
  return root(sum / (2.0 * N));
}

// Inputs and outputs lie in rows, `stride` numbers apart; see LaneLayout.
INLINE void go(const double* in, double* out, long stride) {
  V row[6 + 2 * N + P];
  for (int r = 0; r < 6 + 2 * N + P; ++r) row[r] = LOAD(in + r * stride);
  V *q = row + 6, *v = q + N;
  const V t0 = row[0], t1 = row[1], given = row[2], count = row[3], rtol = row[4], atol = row[5];
  V c[C + 1], kv[S + 1][N], ka[S + 1][N], q1[N], v1[N], a1[N], e[2 * N], rough[2 * N], high[G];
  prepare(q + 2 * N, c);
  V t = t0, h = given, steps = B(0.0), rejected = B(0.0), status = B(0.0), patience = B(5.0);
  accelerate(t, q, v, c, ka[0]);
  const Mask chosen = ADAPTIVE != 0 ? ALL : ~ALL;
  for (int k = 0; k < G; ++k) high[k] = B(0.0);
  for (int i = 0; i < N; ++i) high[group(i)] = larger(magnitude(q[i]), high[group(i)]);
  if constexpr (ADAPTIVE != 0) {
    // A hundredth of the shortest of the times in which it crosses its configuration, or is turned by its accelerations.
    const V size = largest(q), speed = largest(v), push = largest(ka[0]);
    V time = t1 - t0;
    time = (speed > 0.0) & (size > 0.0) ? smaller(size / speed, time) : time;
    time = (push > 0.0) & (size > 0.0) ? smaller(root(size / push), time) : time;
    h = chosen ? 0.01 * time : h;
  }
  const V over_length = 1.0 / (t1 - t0);
  Seen s;
  Mask runs = (t1 > t0) & (ALL);
  V now[2 + 3 * M + 1];
  measure(t, q, v, c, now);
  look(s, ALL, true, t, B(0.0), q, v, c, now);
  Landing land;
  happens(t, q, v, c, land.before);
  // A step that passes a zero within it is taken again as far as there; of equal ones the rest follows.
  Mask cut = ~ALL, rest = ~ALL;
  V cut_to = B(0.0);
  while (any(runs)) {
    Mask last = (chosen & (t + 1.0001 * h >= t1)) | (~chosen & (steps + 1.0 >= count));
    V dt = chosen & last ? t1 - t : h;
    V next = last ? t1 : (chosen ? t + dt : t0 + (steps + 1.0) * h);
    if constexpr (EVENTS != 0) {
      dt = rest ? next - t : dt;
      dt = cut ? cut_to : dt;
      dt = land.on ? land.aim : dt;
      next = cut | land.on ? t + dt : next;
      last = last & ~cut & ~land.on;
    }
    for (int i = 0; i < N; ++i) kv[0][i] = v[i];
    Mask lost = stages(t, dt, s.size, q, v, c, kv, ka, q1, v1);
    for (int i = 0; i < N; ++i) e[i] = q1[i], e[N + i] = v1[i];
    lost = lost | settle(next, s.size, q1, v1, c);
    finish(next, q1, v1, c, a1, now);
    Mask good = ALL;
    V bad = B(0.0);
    if constexpr (ADAPTIVE != 0) {
      V moved[2 * N];
      for (int i = 0; i < N; ++i) moved[i] = q1[i] - e[i], moved[N + i] = v1[i] - e[N + i];
      for (int i = 0; i < N; ++i) kv[S][i] = v1[i], ka[S][i] = a1[i];
      fine_error(dt, kv, ka, e);
      if constexpr (COARSE != 0) {
        coarse_error(dt, kv, ka, rough);
        for (int i = 0; i < 2 * N; ++i) {
          const V fine = e[i] * e[i], both = root(fine + 0.01 * rough[i] * rough[i]);
          e[i] = both > 0.0 ? fine / both : B(0.0);
        }
      }
      if constexpr (M > 0)
        for (int i = 0; i < 2 * N; ++i) e[i] += moved[i];
      bad = badness(e, high, v, q1, v1, rtol, atol);
      good = ~chosen | ((bad <= 1.0) & ~lost);
    }
    V sum = B(0.0);
    for (int i = 0; i < N; ++i) sum += q1[i] + v1[i];
    const Mask finite = (sum - sum) == 0.0;
    good = good & (finite | ~chosen);
    Mask taken = runs & good & finite & (chosen | ~lost), there = ~ALL, shortened = ~ALL;
    if constexpr (EVENTS != 0) {
      V after[EVENTS + 1];
      happens(next, q1, v1, c, after);
      const Mask whole = taken & ~land.on & ~cut;
      const V share = crossing_within(land, t, dt, q, v, q1, v1, c, after);
      const Mask within = whole & (share < 1.0);
      taken = taken & ~within;
      cut_to = within ? share * dt : cut_to;
      there = landed(land, taken, t, dt, after);
      taken = taken & (~land.on | there);
      good = good | land.on;
      rest = (rest & ~(taken & ~cut)) | (taken & cut & ~chosen);
      shortened = taken & cut;
      cut = within;
    }
    const Mask over = runs & ~chosen & (~finite | lost);
    for (int i = 0; i < N; ++i) {
      q[i] = taken ? q1[i] : q[i];
      v[i] = taken ? v1[i] : v[i];
      ka[0][i] = taken ? a1[i] : ka[0][i];
      high[group(i)] = taken ? larger(magnitude(q1[i]), high[group(i)]) : high[group(i)];
    }
    t = taken ? next : t;
    steps = taken & ~(shortened & ~chosen) ? steps + 1.0 : steps;
    rejected = runs & ~good ? rejected + 1.0 : rejected;
    status = over ? (finite ? B(3.0) : B(1.0)) : status;
    if constexpr (ADAPTIVE != 0) {
      V factor = 0.9 * each_pow(larger(bad, B(1e-10)), B(-1.0 / (ERROR_ORDER + 1.0)));
      factor = finite ? smaller(larger(factor, B(0.2)), good ? patience : B(0.9)) : B(0.2);
      patience = good ? B(5.0) : B(1.0);
      const V longest = row[3] > 0.0 ? row[3] : t1 - t0;
      h = chosen & runs & ~(taken & last) & ~cut & ~shortened ? smaller(dt * factor, longest) : h;
      const Mask small = chosen & runs & ~taken & ~land.on & ~cut & (h < 4e-15 * (magnitude(t) + magnitude(t1 - t0)));
      status = small ? (finite ? B(2.0) : B(1.0)) : status;
      runs = runs & ~small;
    }
    if (any(taken)) look(s, taken, false, t, (t - t0) * over_length, q, v, c, now);
    status = there ? 4.0 + land.which : status;
    runs = runs & ~over & ~(taken & last) & ~there;
  }
  V seen[K + 1];
  watch(t, q, v, c, seen);
  V to[15 + 2 * N + 5 * K] = {status, t, steps, rejected, s.energy, s.deviation, s.scale,
    s.first_count > 0.0 ? s.first / s.first_count : B(0.0), s.last_count > 0.0 ? s.last / s.last_count : B(0.0),
    s.g, s.rate, root(s.gap / s.gap_norm), root(s.rate_gap / s.rate_norm), s.speed, s.size};
  for (int i = 0; i < N; ++i) to[15 + i] = q[i], to[15 + N + i] = v[i];
  for (int k = 0; k < K; ++k) {
    V* const one = to + 15 + 2 * N + 5 * k;
    one[0] = seen[k], one[1] = s.low[k], one[2] = s.low_at[k], one[3] = s.high[k], one[4] = s.high_at[k];
  }
  for (int r = 0; r < 15 + 2 * N + 5 * K; ++r) STORE(out + r * stride, to[r]);
}
)code";

const char* const cpu_door = R"code(
extern "C" void taut_lanes(const double* in, double* out) { go(in, out, LANES); }
extern "C" int taut_lane_count() { return LANES; }
)code";

const char* const gpu_door = R"code(
extern "C" __global__ void taut_runs(const double* in, double* out, long count) {
  const long k = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < count) go(in + k, out + k, count);
}
)code";

}  // namespace

std::string lane_prelude(LaneTarget target) {
  return std::string(target == LaneTarget::gpu ? gpu_words : cpu_words) + common_words;
}

std::string lane_newton() { return newton; }

std::string lane_driver(LaneTarget target) {
  return lane_landing() + loop + (target == LaneTarget::gpu ? gpu_door : cpu_door);
}

}  // namespace taut
