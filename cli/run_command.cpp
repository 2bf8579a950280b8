#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <taut/report/report.hpp>
#include <taut/results/run_file.hpp>
#include <taut/taut.hpp>

#include "command_tools.hpp"
#include "live.hpp"

namespace taut::cli {
namespace {

/// The command line gives words only.
std::map<std::string, std::string> words(const std::map<std::string, Tree>& entries) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : entries) out[key] = value.word;
  return out;
}

}  // namespace

int run(const RunArguments& arguments) {
  const ModelOverrides changes = overrides(arguments);
  ModelFile model = read_model(arguments.model, changes);
  RunModelOptions options;
  options.version = TAUT_VERSION;
  options.model_path = std::filesystem::weakly_canonical(arguments.model).string();
  options.interrupted = [] { return interrupted.load(); };
  options.settings = ordered_json{{"set", changes.parameters}, {"run", words(changes.run)}}.dump();
  std::string results;
  if (!arguments.no_file)
    results = arguments.out.empty() ? default_results_name(arguments.model, changes.parameters) : arguments.out;
  require(arguments.out.empty() || !arguments.no_file, "--out and --no-file contradict each other.");
  require(!(arguments.live && arguments.no_file), "--live shows a results file, and --no-file keeps none.");
  require(!(arguments.report && arguments.no_file), "--report shows a results file, and --no-file keeps none.");
  require(!(arguments.resume && arguments.force), "--resume and --force contradict each other.");
  require(!(arguments.resume && arguments.no_file), "--resume goes on in a results file, and --no-file keeps none.");
  std::error_code none;
  require(results.empty() || !std::filesystem::equivalent(arguments.model, results, none),
          "--out {}: is the model; results would overwrite it.", results);
  const RunPlan planned = planned_run(model, arguments.model);
  FileRecorder file({.path = results,
                     .resume = arguments.resume,
                     .force = arguments.force,
                     .checkpoint_seconds = arguments.checkpoint_seconds});
  if (!results.empty()) options.recorder = &file;
  std::optional<LiveServer> live;
  if (arguments.live) {
    live.emplace(results);
    fmt::print(stderr, "taut: see it at {}\n", live->address());
  }
  const Interrupt interrupt;
  RunOutcome outcome;
  {
    ProgressBar bar;
    options.observers = {[&](const Progress& p) { bar.show(model.name, p.done); }, Interrupt::observer()};
    outcome = run_model(model, planned, options);
  }
  const Certificate& c = outcome.certificate;
  if (live && !interrupted) live->finish();
  const std::string page = arguments.report ? report_name(results) : "";
  if (!page.empty()) write_report({results}, page);
  const bool done = c.finished() && !(c.verdict == Verdict::stopped && interrupted);  // an event is as good an end as any
  const std::vector<double> outputs = planned.modes->values(planned.modes->outputs(), outcome.last);
  if (arguments.json) {
    ordered_json out{{"model", arguments.model}, {"name", model.name}, {"certificate", to_json(c)}};
    if (!results.empty()) out["results"] = results;
    if (!page.empty()) out["report"] = page;
    if (!planned.choice.empty()) out["chosen"] = planned.choice;
    if (outcome.resumed) out["resumed_at"] = outcome.resumed_at;
    ordered_json last{{"t", outcome.last.t}};
    for (int i = 0; i < model.system.size(); ++i) last[model.system.coordinate_name(i)] = number(outcome.last.q[i]);
    out["last"] = last;
    for (std::size_t k = 0; k < outputs.size(); ++k) out["outputs"][planned.modes->outputs()[k].name] = number(outputs[k]);
    for (const auto& [name, t, impulse] : outcome.events)
      out["events"].push_back({{"name", name}, {"t", t}, {"impulse", number(impulse)}});
    out["certificate"]["finished"] = done;
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(model, arguments.model));
    if (!planned.choice.empty()) fmt::print("chosen: {}\n", planned.choice);
    if (outcome.resumed) fmt::print("resumed at t = {}\n", outcome.resumed_at);
    std::fflush(stdout);
    std::cout << c << std::flush;
    for (const auto& [name, t, impulse] : outcome.events) {
      fmt::print("  event {:<22} t = {:.9g}", name, t);
      fmt::print("{}\n", impulse > 0.0 ? fmt::format(", impulse {:.4g}", impulse) : "");
    }
    for (std::size_t k = 0; k < outputs.size(); ++k)
      fmt::print("  at the end: {:<16} {:.9g}\n", planned.modes->outputs()[k].name, outputs[k]);
    if (!results.empty())
      fmt::print("results are in {}{}\n", results,
                 page.empty() ? fmt::format("; `taut report {}` shows them", results) : "");
    if (!page.empty()) fmt::print("the report is in {}: open it in a browser\n", page);
  }
  if (done) return ok;
  fmt::print(stderr, "taut: {}\n", c.message);
  return failed_run;
}

}  // namespace taut::cli
