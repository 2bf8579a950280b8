/// Lanes against code written by hand: double pendulums by rods, RK4 and projections, as many at once as a vector of the processor holds, with energy and
/// residuals of each step. Processor time of one core.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <taut/model/model_builder.hpp>
#include <taut/study/lane_code.hpp>
#include <taut/study/lane_kernel.hpp>

namespace {

double seconds_of(const auto& action) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    const double begin = now();
    action();
    best = std::min(best, now() - begin);
  }
  return best;
}

/// What one would write for a sweep: masses, lengths and gravity of each run its own, one division for S.
const char* const by_rods = R"code(
typedef double V __attribute__((vector_size(LANES * 8)));
typedef long Mask __attribute__((vector_size(LANES * 8)));
static inline V magnitude(V x) { return (V)((Mask)x & (Mask{} + 0x7fffffffffffffffl)); }
static inline V larger(V a, V b) { return a > b ? a : b; }
struct Numbers { V m1, m2, w1, w2, l1, l2, g; };
struct Rods { V x, y, dx, dy, a, d, s11, s12, s22, over; };
static inline Rods at(const Numbers& n, const V* q) {
  Rods r{q[0], q[1], q[2] - q[0], q[3] - q[1]};
  r.a = r.x * r.x + r.y * r.y;
  r.d = r.dx * r.dx + r.dy * r.dy;
  r.s11 = n.w1 * r.a;
  r.s12 = -n.w1 * (r.x * r.dx + r.y * r.dy);
  r.s22 = (n.w1 + n.w2) * r.d;
  r.over = 1.0 / (r.s11 * r.s22 - r.s12 * r.s12);
  return r;
}
static inline void moved(const Numbers& n, const Rods& r, V b1, V b2, V* d) {
  const V l1 = (r.s22 * b1 - r.s12 * b2) * r.over, l2 = (r.s11 * b2 - r.s12 * b1) * r.over;
  d[0] = n.w1 * (r.x * l1 - r.dx * l2), d[1] = n.w1 * (r.y * l1 - r.dy * l2), d[2] = n.w2 * r.dx * l2, d[3] = n.w2 * r.dy * l2;
}
static inline void accelerate(const Numbers& n, const Rods& r, const V* v, V* a) {
  const V wx = v[2] - v[0], wy = v[3] - v[1];
  moved(n, r, v[0] * v[0] + v[1] * v[1] - n.g * r.y, wx * wx + wy * wy, a);
  a[0] = -a[0], a[1] = -n.g - a[1], a[2] = -a[2], a[3] = -n.g - a[3];
}
static inline V potential(const Numbers& n, const V* q) { return n.g * (n.m1 * q[1] + n.m2 * q[3]); }
static inline V kinetic(const Numbers& n, const V* v) {
  return 0.5 * (n.m1 * (v[0] * v[0] + v[1] * v[1]) + n.m2 * (v[2] * v[2] + v[3] * v[3]));
}
extern "C" void taut_lanes(const double* in, double* out) {
  V q[4], v[4], a[4], k[4][4], u[4][4], x[4], d[4], worst{}, scale{}, far{}, off{}, speed{};
  Numbers n;
  __builtin_memcpy(q, in, sizeof q);
  __builtin_memcpy(&n, in + 4 * LANES, sizeof n);
  n.w1 = 1.0 / n.m1, n.w2 = 1.0 / n.m2;
  v[0] = v[1] = v[2] = v[3] = V{};
  const V start = potential(n, q);
  accelerate(n, at(n, q), v, a);
  const double h = STEP;
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < 4; ++i) u[0][i] = v[i], k[0][i] = a[i];
    for (int s = 1; s < 4; ++s) {
      const double c = s < 3 ? 0.5 * h : h;
      for (int i = 0; i < 4; ++i) x[i] = q[i] + c * u[s - 1][i], u[s][i] = v[i] + c * k[s - 1][i];
      accelerate(n, at(n, x), u[s], k[s]);
    }
    for (int i = 0; i < 4; ++i) {
      q[i] += h / 6 * (u[0][i] + 2.0 * (u[1][i] + u[2][i]) + u[3][i]);
      v[i] += h / 6 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
    }
    Rods r = at(n, q);
    moved(n, r, 0.5 * (r.a - n.l1 * n.l1), 0.5 * (r.d - n.l2 * n.l2), d);
    for (int i = 0; i < 4; ++i) q[i] -= d[i];
    r = at(n, q);
    moved(n, r, r.x * v[0] + r.y * v[1], r.dx * (v[2] - v[0]) + r.dy * (v[3] - v[1]), d);
    for (int i = 0; i < 4; ++i) v[i] -= d[i];
    accelerate(n, r, v, a);
    const V held = start - potential(n, q);
    worst = larger(magnitude(kinetic(n, v) - held), worst);
    scale = larger(held, scale);
    far = larger(larger(magnitude(r.a - n.l1 * n.l1), magnitude(r.d - n.l2 * n.l2)), far);
    off = larger(larger(magnitude(r.x * v[0] + r.y * v[1]), magnitude(r.dx * (v[2] - v[0]) + r.dy * (v[3] - v[1]))), off);
    for (int i = 0; i < 4; ++i) speed = larger(magnitude(v[i]), speed);
  }
  __builtin_memcpy(out, q, sizeof q);
  V told[] = {worst, scale, far, off, speed};
  __builtin_memcpy(out + 4 * LANES, told, sizeof told);
}
extern "C" int taut_lane_count() { return LANES; }
)code";

std::string by_hand(double step, int steps) {
  const std::string all = taut::lane_prelude(taut::LaneTarget::cpu);
  const std::string widths = all.substr(0, all.find("typedef double V"));
  return widths + fmt::format("#define STEP {}\n#define STEPS {}\n", step, steps) + by_rods;
}

}  // namespace

int main() {
  using namespace taut;
  constexpr int steps = 5000, groups = 25;
  constexpr double step = 0.002;
  ModelBuilder builder("Double pendulum");
  builder.gravity(9.81).point("O", {0, 0});
  builder.mass("A", Tree::table({{"mass", 1}, {"at", {1, 0}}})).mass("B", Tree::table({{"mass", 1}, {"at", {2, 0}}}));
  builder.rod({"O", "A"}).rod({"A", "B"});
  const ModelFile model = builder.build();
  LaneForms forms;
  const LaneRecord record = record_lanes(model.system, {}, &forms);
  LaneLayout at;
  const LaneKernel lanes(lane_code(forms, {LaneScheme::stages, kutta4()}, std::vector<int>(4, 0), LaneTarget::cpu, at)),
      hand(by_hand(step, steps));
  const int width = lanes.lanes();
  std::vector<double> out(std::size_t(at.outputs() * width)), own(std::size_t(9 * width)), all, starts;
  std::vector<double> in{0.0, steps * step, step, double(steps), 0.0, 0.0};
  const auto fill = [&](std::vector<double>& to, double x) { to.insert(to.end(), std::size_t(width), x); };
  for (const double x : in) fill(all, x);
  for (int i = 0; i < 4; ++i)
    for (int l = 0; l < width; ++l) {
      const double a = 1.0 + 0.1 * l, b = 2.0 - 0.1 * l;
      const double q[] = {std::sin(a), -std::cos(a), std::sin(a) + std::sin(b), -std::cos(a) - std::cos(b)};
      starts.push_back(q[i]);
    }
  all.insert(all.end(), starts.begin(), starts.end());  // before the numbers of the other come to them
  for (int i = 0; i < 4; ++i) fill(all, 0.0);
  for (const double x : record.numbers) fill(all, x);
  for (const double x : {1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 9.81}) fill(starts, x);
  const auto repeated = [](const auto& once) {
    return [&once] {
      for (int k = 0; k < groups; ++k) once();
    };
  };
  const auto run_lanes = [&] { lanes.run(all.data(), out.data()); };
  const auto run_hand = [&] { hand.run(starts.data(), own.data()); };
  const double generated = seconds_of(repeated(run_lanes)), written = seconds_of(repeated(run_hand));
  double apart = 0.0;
  for (int k = 0; k < 4 * width; ++k)
    apart = std::max(apart, std::abs(out[std::size_t(LaneLayout::out_state * width + k)] - own[std::size_t(k)]));
  const double all_steps = double(steps) * groups * width;
  fmt::print("double pendulum by rods, RK4 of {} s with projections, {} lanes, one core\n", step, width);
  fmt::print("  generated      {:.2f} ns per step, energy within {:.1e} J\n", 1e9 * generated / all_steps,
             out[std::size_t(LaneLayout::deviation * width)]);
  fmt::print("  by hand        {:.2f} ns per step, energy within {:.1e} J\n", 1e9 * written / all_steps,
             own[std::size_t(4 * width)]);
  fmt::print("  ratio          {:.2f}; ends {:.1e} apart after {} steps\n", generated / written, apart, steps);
}
