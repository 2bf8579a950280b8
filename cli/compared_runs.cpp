#include "compared_runs.hpp"

#include <algorithm>
#include <taut/report/run_data.hpp>
#include <taut/results/scene_text.hpp>
#include <taut/taut.hpp>

#include "command_tools.hpp"

namespace taut::cli {
namespace {

constexpr std::size_t most_runs = 5;
constexpr double most_seconds = 5.0;  ///< of one of them

/// Good rows with the largest step, one for each scheme, the best first.
std::vector<const CompareRow*> best_rows(const Comparison& found) {
  double step = 0.0;
  for (const CompareRow& row : found.rows) step = std::max(step, row.step);
  std::vector<const CompareRow*> out;
  for (const CompareRow& row : found.rows) {
    const auto same = [&](const CompareRow* one) { return one->integrator == row.integrator; };
    if (row.step == step && good(row.verdict) && row.seconds < most_seconds && std::none_of(out.begin(), out.end(), same))
      out.push_back(&row);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) { return a->error < b->error; });
  if (out.size() > most_runs) out.resize(most_runs);
  return out;
}

std::string recorded(const CompareArguments& arguments, const CompareRow& row) {
  ModelOverrides changes = overrides(arguments);
  changes.run["integrator"] = Tree(row.integrator);
  changes.run["step"] = Tree(row.step);
  const ModelFile model = read_model(arguments.model, changes);
  MemoryRecorder memory;
  RunModelOptions options;
  options.recorder = &memory;
  options.version = TAUT_VERSION;
  options.model_path = arguments.model;
  options.settings = ordered_json{{"set", changes.parameters}, {"run", {{"integrator", row.integrator}}}}.dump();
  options.observers = {Interrupt::observer()};
  const RunOutcome outcome = run_model(model, plan(model), options);
  Results results;
  static_cast<Recording&>(results) = memory.take();
  results.certificate = certificate_text(outcome.certificate, true);
  return run_text(results, row.integrator, results.t, [&](const PartAction& action) { action(results, 0); });
}

}  // namespace

std::vector<std::string> compared_runs(const CompareArguments& arguments, const Comparison& found) {
  std::vector<std::string> out;
  for (const CompareRow* row : best_rows(found)) {
    if (interrupted) break;
    try {
      out.push_back(recorded(arguments, *row));
    } catch (const InputError&) {
      // A scheme that takes equal steps only, where the model asks for tolerances: its row is in the table.
    }
  }
  return out;
}

}  // namespace taut::cli
