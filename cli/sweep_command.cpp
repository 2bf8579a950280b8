#include "sweep_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <taut/model/model_builder.hpp>
#include <taut/results/sweep_file.hpp>
#include <taut/study/lane_sweep.hpp>
#include <thread>

#include "command_tools.hpp"
#include "model_options.hpp"
#include "sweep_motions.hpp"
#include "sweep_ranks.hpp"
#include "sweep_told.hpp"

namespace taut::cli {
namespace {

std::vector<std::pair<std::string, std::string>> pairs(const std::vector<std::string>& all, const std::string& option,
                                                       const std::string& example) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& one : all) {
    const std::size_t sign = one.find('=');
    require(sign != std::string::npos && sign > 0, "{} {}: must read NAME=WHAT, such as {}.", option, one, example);
    out.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  return out;
}

long whole(const std::string& text, const std::string& option, long least) {
  const double value = number_in(text, option);
  require(value == std::floor(value) && value >= double(least) && value < 9e15,
          "{}: must be a whole number of at least {}, got {}.", option, least, text);
  return long(value);
}

/// What the command line says, over what the model says.
SweepSection asked_for(const SweepArguments& arguments, const ModelFile& model) {
  SweepSection out = model.sweep;
  if (!arguments.vary.empty() || !arguments.sample.empty()) {
    out.vary = pairs(arguments.vary, "--vary", "--vary l=0.5:2:50");
    out.sample = pairs(arguments.sample, "--sample", "--sample \"k=normal(100, 5)\"");
    out.zip = false;
    if (out.sample.empty()) out.samples = 0, out.sampling.clear();
  }
  if (arguments.zip) out.zip = true;
  if (!arguments.samples.empty()) out.samples = whole(arguments.samples, "--samples", 1);
  if (!arguments.seed.empty()) out.seed = whole(arguments.seed, "--seed", 0);
  if (!arguments.sampling.empty()) out.sampling = arguments.sampling;
  if (!arguments.keep.empty()) out.keep = arguments.keep;
  std::vector<std::string> words;  // "final, extremes" are two of them
  for (const std::string& one : out.keep) {
    std::size_t from = 0;
    for (std::size_t comma; !one.starts_with("times=") && (comma = one.find(',', from)) != std::string::npos;
         from = comma + 1)
      words.push_back(one.substr(from, comma - from));
    words.push_back(one.substr(from));
  }
  for (std::string& word : words) word.erase(0, word.find_first_not_of(' '));
  out.keep = words;
  return out;
}

std::string settings_of(const SweepSection& asked, const ModelOverrides& changes, const std::string& engine) {
  ordered_json run = ordered_json::object();
  for (const auto& [key, value] : changes.run) run[key] = value.word;
  return ordered_json{{"vary", asked.vary},       {"zip", asked.zip},          {"sample", asked.sample},
                      {"samples", asked.samples}, {"seed", asked.seed},        {"sampling", asked.sampling},
                      {"keep", asked.keep},       {"set", changes.parameters}, {"run", run},
                      {"engine", engine}}
      .dump();
}

EngineChoice engine_for(const std::string& asked, const ModelFile& model, const RunPlan& planned, const SweepKeep& keep,
                        long runs) {
  require(asked == "auto" || asked == "general" || asked == "cpu" || asked == "cuda",
          "--engine must be auto, general, cpu or cuda, got '{}'.", asked);
  if (asked != "auto") return {asked, "as asked for"};
  return choose_engine(model, planned, keep, runs);
}

Shard shard_in(const std::string& text) {
  Shard out;
  if (text.empty()) return out;
  const std::size_t slash = text.find('/');
  require(slash != std::string::npos, "--shard must read I/N, such as 2/8, got '{}'.", text);
  out.number = whole(text.substr(0, slash), "--shard", 1);
  out.of = whole(text.substr(slash + 1), "--shard", 1);
  require(out.number <= out.of, "--shard {}: shards are numbered 1 to {}.", text, out.of);
  return out;
}

std::string file_name(const SweepArguments& arguments, const Shard& shard) {
  if (!arguments.out.empty()) return arguments.out;
  const std::string stem = std::filesystem::path(arguments.model).stem().string();
  return stem + ".sweep" + (shard.of > 1 ? fmt::format(".{}-of-{}", shard.number, shard.of) : "") + ".h5";
}

/// What there is to tell of a sweep.
struct Report {
  const ModelFile& model;
  const SweepPlan& plan;
  const RunPlan& planned;
  const EngineChoice& engine;
  const LaneSweep* lanes;
  const SweepOutcome& outcome;
  double seconds;
  const Told& told;
  const std::string& path;
  const std::string& motions;  // a folder, or nothing
};

void tell(const SweepArguments& arguments, const Report& of) {
  if (arguments.json) {
    ordered_json out{{"model", arguments.model}, {"name", of.model.name}, {"parameters", of.plan.names()}};
    out.update(told_json(of.told, of.path));
    out["engine"] = of.engine.name;
    out["engine_reason"] = of.engine.reason;
    if (of.lanes != nullptr) out["compile_seconds"] = of.lanes->compile_seconds();
    if (of.engine.name == "cuda") out["device"] = of.lanes->device();
    if (of.engine.name == "cuda") out["kernel_seconds"] = of.lanes->kernel_seconds();
    if (of.lanes != nullptr) out["operations_per_step"] = of.lanes->operations();
    out["done_now"] = of.outcome.done;
    out["seconds"] = of.seconds;
    out["interrupted"] = of.outcome.interrupted;
    if (!of.motions.empty()) out["motions"] = of.motions;
    for (const auto& [choice, count] : of.outcome.choices) out["chosen"].push_back({{"scheme", choice}, {"runs", count}});
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("{}\n", title(of.model, arguments.model));
    fmt::print("engine: {}, {}{}\n", of.engine.name, of.engine.reason,
               of.lanes != nullptr && of.lanes->compile_seconds() > 0.0
                   ? fmt::format("; compiled in {:.2g} s", of.lanes->compile_seconds())
                   : "");
    if (of.engine.name == "cuda")
      fmt::print("{}: {:.4g} s in the kernel, {} operations per step\n", of.lanes->device(), of.lanes->kernel_seconds(),
                 of.lanes->operations());
    if (of.lanes != nullptr && !of.planned.choice.empty()) fmt::print("chosen: {}\n", of.planned.choice);
    for (const auto& [choice, count] : of.outcome.choices)
      fmt::print("chosen: {}{}\n", choice, of.outcome.choices.size() > 1 ? fmt::format(" ({} runs)", count) : "");
    if (arguments.resume) fmt::print("resumed: {} runs were missing\n", of.outcome.done);
    print_told(of.told, of.path);
    if (!of.motions.empty())
      fmt::print("motions of some runs are in {}; `taut report {}` shows them\n", of.motions, of.path);
    fmt::print("{:.3g} s, {:.3g} ms per run\n", of.seconds,
               of.outcome.done > 0 ? 1e3 * of.seconds / double(of.outcome.done) : 0.0);
  }
}

int merge(const SweepArguments& arguments) {
  const long missing = merge_sweeps(arguments.shards, {.path = arguments.merged, .force = arguments.force});
  const Told told(arguments.merged);
  if (arguments.json) {
    fmt::print("{}\n", told_json(told, arguments.merged).dump(2));
  } else {
    print_told(told, arguments.merged);
  }
  if (missing == 0) return ok;
  fmt::print(stderr,
             "taut: {} runs are in none of the files; give the missing shards, or go on with `taut sweep MODEL --out {} "
             "--resume`\n",
             missing, arguments.merged);
  return failed_run;
}

}  // namespace

CLI::App* add_sweep(CLI::App& app, SweepArguments& into) {
  auto* command = app.add_subcommand("sweep", "Many runs of a model that differ in numbers: grids, lists, samples");
  const auto each = [&](const char* name, std::vector<std::string>& list, const char* doc) {
    command->add_option(name, list, doc)->allow_extra_args(false);
  };
  command->add_option("model", into.model, "Model file (YAML or JSON)");
  each("--vary", into.vary,
       "A parameter or initial value: l=0.5:2:50 (from, to, how many), e=1e-6:1:7:log, l=1,2,5 (repeat for more: all "
       "combinations)");
  command->add_flag("--zip", into.zip, "Lists of --vary side by side instead of all combinations");
  each("--sample", into.sample, "By chance: \"k=normal(100, 5)\", uniform(0, 1), lognormal(0, 0.1) (repeat for more)");
  command->add_option("--samples", into.samples, "How many samples (100)");
  command->add_option("--sampling", into.sampling, "random, latin (hypercube) or sobol");
  command->add_option("--seed", into.seed, "Of the samples (0)");
  each("--keep", into.keep,
       "Of each run: outputs, extremes, final, certificate, names of outputs or coordinates, times=0:10:101; of some the "
       "whole motion, for the page of the sweep: motion, motion=20 (repeat for more)");
  command->add_option("--workers", into.workers, "Threads; as many as there are cores unless given")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--engine", into.engine,
                      "What steps: general (every model and integrator), cpu (compiled, runs side by side; small models), "
                      "cuda (the same on a GPU), or auto");
  command->add_option("--shard", into.shard, "Only part I of N of the runs: 2/8; `taut sweep merge` joins them");
  command->add_option("--out", into.out, "Results file; MODEL.sweep.h5 in the current folder unless given");
  command->add_flag("--resume", into.resume, "Do what is not in the results file yet");
  command->add_flag("--force", into.force, "Overwrite the results file, whatever is in it");
  add_changes(command, into);
  add_run_options(command, into);
  add_control(command, into);
  into.merge = command->add_subcommand("merge", "Join the files of shards: taut sweep merge ALL.h5 PART.h5 PART.h5 …");
  into.merge->add_option("to", into.merged, "File to write")->required();
  into.merge->add_option("from", into.shards, "Files of the shards")->required();
  into.merge->add_flag("--force", into.force, "Overwrite the file, whatever is in it");
  into.merge->add_flag("--json", into.json, "One JSON object on standard output");
  return command;
}

int sweep(const SweepArguments& arguments) {
  if (*arguments.merge) return merge(arguments);
  require(!arguments.model.empty(), "sweep: give a model file; see `taut sweep --help`.");
  require(!(arguments.resume && arguments.force), "--resume and --force contradict each other.");
  const ModelOverrides changes = overrides(arguments);
  const ModelReader reader = model_reader(arguments.model, changes);
  const ModelFile model = reader.read();
  SweepSection asked = asked_for(arguments, model);
  const long motions = take_motions(asked.keep);
  const SweepPlan plan(asked, model);
  const SweepKeep keep = sweep_keep(asked.keep, model);
  const Shard rank = shard_of_rank();
  require(rank.of == 1 || arguments.shard.empty(), "--shard and mpirun both divide the runs; take one of them.");
  const Shard shard = rank.of > 1 ? rank : shard_in(arguments.shard);
  const std::string launch = rank.of > 1 ? RunClaims::launch() : "";
  const std::string path = file_name(arguments, rank.of > 1 ? Shard{} : shard);
  const std::string own = rank.of > 1 ? part_name(path, rank) : path;
  std::error_code none;
  require(!std::filesystem::equivalent(arguments.model, path, none), "--out {}: is the model; results would overwrite it.",
          path);
  const RunPlan planned = planned_run(model, arguments.model);  // what would not work in any run is said now
  const EngineChoice engine = engine_for(arguments.engine, model, planned, keep, plan.runs());
  std::optional<LaneSweep> lanes;
  if (engine.name != "general")
    lanes.emplace(reader, plan, keep, model, planned, engine.name == "cuda" ? LaneTarget::gpu : LaneTarget::cpu);
  const SweepHeader header{.version = TAUT_VERSION,
                           .model_path = std::filesystem::weakly_canonical(arguments.model).string(),
                           .model_text = model.text,
                           .name = model.name,
                           .settings = settings_of(asked, changes, engine.name),
                           .runs = plan.runs(),
                           .groups = keep.groups(plan.names()),
                           .times = keep.times};
  // What was begun before, the processes of mpirun need not do again.
  std::vector<char> before(std::size_t(plan.runs()), 0);
  if (rank.of > 1 && arguments.resume) before = done_before(path, header);
  SweepOutcome outcome;
  double seconds = 0.0;
  {
    SweepFile file({.path = own, .resume = arguments.resume, .force = arguments.force}, header);
    const Interrupt interrupt;
    ProgressBar bar;
    const int cores = std::max(1, int(std::thread::hardware_concurrency() / unsigned(rank.of)));
    SweepOptions options{.workers = arguments.workers > 0 || rank.of == 1 ? arguments.workers : cores,
                         .take = [&](const SweepRow& row) { file.take(row); },
                         .idle = [&] { file.flush_now_and_then(); },
                         .watch = watch(bar)};
    const auto begin = std::chrono::steady_clock::now();
    const auto some = [&](const std::vector<long>& runs) {
      options.runs.clear();
      std::ranges::copy_if(runs, std::back_inserter(options.runs),
                           [&](long run) { return !file.done(run) && before[std::size_t(run)] == 0; });
      return lanes ? lanes->run(options) : taut::sweep(reader, plan, keep, options);
    };
    outcome = divided(path, plan.runs(), shard, rank, launch, lanes ? 64 : std::max(1, options.workers), some);
    file.flush();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  if (rank.number > 1) return outcome.interrupted ? failed_run : ok;  // the first tells
  const bool joined = rank.of == 1 || (!outcome.interrupted &&
                                       join_parts({.path = path, .resume = arguments.resume, .force = arguments.force},
                                                  rank.of, header, before, !launch.empty()));
  const Told told(joined ? path : own);
  const std::string moving = motions > 0 && !outcome.interrupted ? keep_motions(path, reader, plan, header, motions) : "";
  tell(arguments, {model, plan, planned, engine, lanes ? &*lanes : nullptr, outcome, seconds, told, path, moving});
  if (outcome.interrupted) {
    fmt::print(stderr, "taut: interrupted; the same command with --resume does the rest\n");
    return failed_run;
  }
  if (told.file.done_count() == 0 || told.verdicts.contains("good")) return ok;
  fmt::print(stderr, "taut: no run came to its end\n");
  return failed_run;
}

}  // namespace taut::cli
