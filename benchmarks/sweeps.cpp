// A sweep of 1000 parameter values on small models by the general engine: how much of it is anything but stepping (reading the model with other numbers, choosing and
// setting up the scheme, collecting the rows), in one thread; and what a second thread is worth.
//
//     benchmark_sweeps [CASES]
#include <algorithm>
#include <cstdio>
#include <string>
#include <taut/model/run_model.hpp>
#include <taut/study/sweep.hpp>
#include <taut/yaml/read_model.hpp>
#include <vector>

#include "measure.hpp"

namespace {

using namespace benchmark;

struct Case {
  std::string file, parameter, values;
  taut::ModelOverrides run;
};

struct Times {
  double all, stepping, two_threads;
};

double middle(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + long(all.size() / 2), all.end());
  return all[all.size() / 2];
}

Times measured(const std::string& folder, const Case& one) {
  const taut::ModelReader reader = taut::model_reader(folder + "/" + one.file, one.run);
  const taut::ModelFile model = reader.read();
  const taut::SweepPlan plan({.vary = {{one.parameter, one.values}}}, model);
  const taut::SweepKeep keep = taut::sweep_keep({"certificate"}, model);
  std::vector<long> runs(std::size_t(plan.runs()));
  for (std::size_t k = 0; k < runs.size(); ++k) runs[k] = long(k);
  const auto swept = [&](int workers) {
    const auto begin = Clock::now();
    taut::sweep(reader, plan, keep, {.workers = workers, .runs = runs});
    return since(begin);
  };
  const std::optional<taut::Choice> chosen = taut::common_choice(reader, plan);
  const auto stepped = [&] {
    double sum = 0.0;
    for (const long run : runs) {
      const taut::ModelFile own = reader.read(plan.numbers(run));
      taut::RunPlan planned = taut::untried_plan(own, chosen ? &*chosen : nullptr);
      planned.options.interval = 0.0;
      planned.options.every = 0;
      const auto begin = Clock::now();
      taut::run_model(own, std::move(planned), {});
      sum += since(begin);
    }
    return sum;
  };
  std::vector<double> all, stepping, two_threads;
  for (int round = 0; round < 9; ++round) {  // in turn, since machines change their pace
    all.push_back(swept(1));
    stepping.push_back(stepped());
    two_threads.push_back(swept(2));
  }
  return {middle(all), middle(stepping), middle(two_threads)};
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : "cases";
  std::printf("%s\n1000 runs, us per run                        all   stepping  anything else   two threads\n",
              processor().c_str());
  for (const Case& one :
       {Case{"double_pendulum_ensemble.yaml", "l2", "0.5:2:1000", {.run = {{"rtol", "1e-10"}}}},
        Case{"double_pendulum_ensemble.yaml", "l2", "0.5:2:1000", {}},
        Case{"pendulum_driven.yaml", "a", "0.05:0.1:1000", {}}, Case{"andrews.yaml", "torque", "0.03:0.036:1000", {}}}) {
    const Times t = measured(folder, one);
    std::printf("%-38s %9.1f  %9.1f       %6.1f %%   %5.2f times\n", one.file.c_str(), 1e3 * t.all, 1e3 * t.stepping,
                100.0 * (1.0 - t.stepping / t.all), t.all / t.two_threads);
  }
}
