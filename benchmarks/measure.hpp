#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

/// What benchmarks measure with.
namespace benchmark {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Best of several runs: three, and a fifth of a second's worth; one of what takes more than five seconds.
template <class Action> double best_seconds(const Action& action) {
  double best = 1e300, spent = 0.0;
  for (int k = 0; (k < 3 && best < 5.0) || k == 0 || spent < 0.2; ++k) {
    const auto start = Clock::now();
    action();
    const double seconds = since(start);
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

inline std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

}  // namespace benchmark
