// Nets of n × n points with unit masses, neighbours joined by rods, hung by rods from their four corners and released from a sagging place; and chains with
// far rods. CPU time of the first step with everything that comes before it, and per point and step after it, all with multipliers. The claims to check: the time
// per point grows by less than six from n = 10 to 300, dop853 takes at most 40 times midpoint's step, and 500 far rods make a chain of 10 000 at most
// three times as slow.
//
//     benchmark_nets [largest n = 100] [step = 1e-3] [one scheme only]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <taut/taut.hpp>
#include <vector>

namespace {

double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Place (i, j) is a(i) + b(j), with curves a and b of unit steps that sag: every rod has length one.
taut::Model net(int n) {
  constexpr double slope = 0.6;  // of both curves at their ends
  const auto turn = [&](int k) { return n > 2 ? slope * (2.0 * k / (n - 2) - 1.0) : 0.0; };
  taut::System system(taut::Points{.count = n * n, .dim = 3, .mass = 1.0});
  system.add(taut::Gravity{.g = 9.81});
  taut::Vector q(3 * n * n);
  std::vector<double> along(n, 0.0), down(n, 0.0);
  for (int k = 1; k < n; ++k) {
    along[k] = along[k - 1] + std::cos(turn(k - 1));
    down[k] = down[k - 1] + std::sin(turn(k - 1));
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) q.segment<3>(3 * (n * i + j)) = Eigen::Vector3d(along[i], along[j], down[i] + down[j]);
  for (const int i : {0, n - 1})
    for (const int j : {0, n - 1}) {
      const int point = n * i + j;
      const Eigen::Vector3d x = q.segment<3>(3 * point);
      system.add(taut::Pin{.point = point, .at = {x[0], x[1], x[2] + 1.0}, .length = 1.0});
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (j + 1 < n) system.add(taut::Distance{.from = n * i + j, .to = n * i + j + 1, .length = 1.0});
      if (i + 1 < n) system.add(taut::Distance{.from = n * i + j, .to = n * (i + 1) + j, .length = 1.0});
    }
  taut::State start = taut::at_rest(system, q);
  return {std::move(system), std::move(start)};
}

/// A chain that zigzags, with rods between points that are far from each other along it.
taut::Model far_rods(int links, int rods) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> angle(-1.5, 1.5);
  taut::ChainOptions options{.links = links};
  for (int k = 0; k < links; ++k) options.angles.push_back(angle(random));
  taut::Model model = taut::chain(options);
  std::uniform_int_distribution<int> point(0, links - 1);
  for (int k = 0; k < rods; ++k) {
    const int a = point(random);
    int b = point(random);
    while (std::abs(a - b) < 2) b = point(random);
    const double length = (model.start.q.segment<2>(2 * a) - model.start.q.segment<2>(2 * b)).norm();
    model.system.add(taut::Distance{.from = a, .to = b, .length = length});
  }
  taut::State start = taut::at_rest(model.system, model.start.q);
  return {std::move(model.system), std::move(start)};
}

struct Row {
  double first = 0.0, per_step = 0.0;  // s
  double newton = 0.0, matrices = 0.0;
};

/// The lower quartile of single steps.
Row measure(const taut::Model& model, const taut::Integrator& scheme, double h, int steps) {
  std::vector<double> times;
  double last = seconds();
  Row row;
  const auto watch = [&](const taut::Progress& progress) {
    const double now = seconds();
    if (progress.step == 1) row.first = now - last;
    if (progress.step > 1) times.push_back(now - last);
    if (progress.step > 0) last = now;
  };
  const auto path = taut::simulate(model.system, model.start, scheme, taut::Multipliers{},
                                   {.step = h, .end = h * (steps + 1), .every = 0, .keep = false, .observers = {watch}});
  if (!path.finished()) std::printf("  %s\n", path.message.c_str());
  if (times.empty()) return row;
  std::sort(times.begin(), times.end());
  row.per_step = times[times.size() / 4];
  row.newton = double(path.counts.newton_iterations) / double(path.counts.steps);
  row.matrices = double(path.counts.factorizations) / double(path.counts.steps);
  return row;
}

struct Scheme {
  const char* name;
  taut::Integrator integrator;
};

std::vector<Scheme> schemes(const std::string& only) {
  std::vector<Scheme> all{{"midpoint", taut::Midpoint{}},       {"energy-momentum", taut::EnergyMomentum{}},
                          {"newmark", taut::Newmark{}},         {"generalized-alpha", taut::GeneralizedAlpha{}},
                          {"spark2", taut::Spark{.stages = 2}}, {"dop853", taut::RungeKutta{taut::dormand_prince8()}}};
  if (!only.empty()) std::erase_if(all, [&](const Scheme& scheme) { return scheme.name != only; });
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  const int largest = count > 1 ? std::atoi(arguments[1]) : 100;
  const double h = count > 2 ? std::atof(arguments[2]) : 1e-3;
  const std::string only = count > 3 ? arguments[3] : "";
  std::printf("nets, steps of %g s\n%-20s %5s %12s %16s %8s %12s %10s %10s\n", h, "", "n", "first, s", "us/(point step)",
              "ratio", "of midpoint", "Newton", "matrices");
  std::vector<std::vector<double>> midpoint;
  for (const Scheme& scheme : schemes(only)) {
    double base = 0.0;
    std::size_t k = 0;
    for (const int n : {10, 30, 100, 300}) {
      if (n > largest) break;
      const Row row = measure(net(n), scheme.integrator, h, n < 100 ? 40 : 12);
      if (midpoint.size() <= k) midpoint.push_back({row.per_step});
      const double each = 1e6 * row.per_step / (n * n);
      if (base == 0.0) base = each;
      std::printf("%-20s %5d %12.3f %16.3f %8.2f %12.2f %10.1f %10.2f\n", scheme.name, n, row.first, each, each / base,
                  row.per_step / midpoint[k++][0], row.newton, row.matrices);
      std::fflush(stdout);
    }
  }
  const int links = 10000;
  std::printf("\nchain of %d links, steps of %g s: us/(link step)\n%-20s %12s %12s %12s %8s %8s\n", links, h, "", "plain",
              "50 far rods", "500 far rods", "ratio", "ratio");
  for (const Scheme& scheme : schemes(only)) {
    double each[3];
    int k = 0;
    for (const int rods : {0, 50, 500})
      each[k++] = 1e6 * measure(far_rods(links, rods), scheme.integrator, h, 20).per_step / links;
    std::printf("%-20s %12.3f %12.3f %12.3f %8.2f %8.2f\n", scheme.name, each[0], each[1], each[2], each[1] / each[0],
                each[2] / each[0]);
    std::fflush(stdout);
  }
}
