#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <taut/taut.hpp>

#include "model_options.hpp"
#include "reproduce/experiment.hpp"
#include "schema.hpp"
#include "study_pages.hpp"
#include "sweep_command.hpp"

namespace {

using nlohmann::ordered_json;

// Exit codes: the same for every command.
constexpr int ok = 0, failed_run = 1, bad_input = 2;

int list(bool json) {
  struct Group {
    std::string title, key;
    std::vector<std::pair<std::string, std::string>> entries;
  };
  std::vector<Group> groups{{"Experiments (taut reproduce NAME)", "experiments", {}},
                            {"Integrators", "integrators", {}},
                            {"Solvers", "solvers", {}},
                            {"Cases (taut run FILE)", "cases", {}}};
  for (const auto& one : taut::reproduce::experiments()) groups[0].entries.emplace_back(one.name, one.title);
  for (const auto& one : taut::integrators()) groups[1].entries.emplace_back(one.name, one.summary);
  for (const auto& one : taut::solvers()) groups[2].entries.emplace_back(one.name, one.summary);
  for (const auto& [file, title] : taut::cli::cases()) groups[3].entries.emplace_back(file, title);
  ordered_json out = ordered_json::object();
  for (const Group& group : groups) {
    if (group.entries.empty()) continue;
    if (!json) fmt::print("{}\n", group.title);
    for (const auto& [name, summary] : group.entries) {
      if (json) {
        out[group.key].push_back({{"name", name}, {"summary", summary}});
      } else {
        fmt::print("  {:<40} {}\n", name, summary);
      }
    }
  }
  if (json) fmt::print("{}\n", out.dump(2));
  return ok;
}

CLI::App* add_report(CLI::App& app, taut::cli::ReportArguments& into) {
  auto* command =
      app.add_subcommand("report", "Show a run or a sweep: one HTML file with the motion, plots and the certificate");
  command->add_option("results", into.results, "HDF5 file of a run; several are shown over each other")->required();
  command->add_option("--out", into.out,
                      "File to write; RUN.html beside the first results unless given. A name in .png, .gif or .mp4 asks for "
                      "that, the page beside it");
  command->add_flag("--png", into.png, "A picture of the motion beside the page, RUN.png; needs chromium");
  command->add_option("--at", into.at, "Time of the picture; the end unless given")->check(CLI::Number);
  command->add_flag("--gif", into.gif, "A film of the motion beside the page, RUN.gif; needs chromium and ffmpeg");
  command->add_flag("--mp4", into.mp4, "The same as RUN.mp4");
  command->add_flag("--dark", into.dark, "Pictures and films in dark colours");
  command->add_flag("--strobe", into.strobe, "Pictures and films show many moments at once, as papers print them");
  command->add_flag("--reactions", into.reactions, "Pictures and films show the forces that hold things");
  command->add_flag("--json", into.json, "Names of what was written, as one JSON object");
  return command;
}

CLI::App* add_plot(CLI::App& app, taut::cli::PlotArguments& into) {
  auto* command = app.add_subcommand("plot", "Plot series of a run over time: as text, or to a file");
  command->add_option("results", into.results, "HDF5 file of a run")->required();
  command->add_option("names", into.names,
                      "Outputs, coordinates (A.x), velocities (\"A.x'\"), ...; without any, all names are listed");
  command->add_option("--out", into.out, "File to write, .svg or .png; otherwise the plot is printed as text");
  command->add_flag("--log", into.log, "Logarithmic scale");
  command->add_flag("--json", into.json, "List the names as one JSON object");
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "taut: simulates constrained motion and says how well it did.\n"
      "Exit codes: 0 done, 1 a run failed, 2 the input is wrong.");
  app.name("taut");
  app.set_version_flag("--version", TAUT_VERSION);
  app.require_subcommand(1);
  bool json = false;

  taut::cli::ReproduceArguments experiment;
  auto* reproduce = app.add_subcommand("reproduce", "Recompute a paper's table: its number, ours, the ratio");
  reproduce->add_option("experiment", experiment.name, "Name, as `taut list` prints it; or all")->required();
  reproduce->add_option("--set", experiment.set, "Change a number of the experiment: --set step=0.005 (repeat for more)")
      ->allow_extra_args(false);
  reproduce->add_option("--out", experiment.directory,
                        "Folder for curves (CSV) and the paper's figures (SVG, PNG) and pages of them (HTML)");
  reproduce->add_flag("--json", experiment.json, "One JSON object on standard output instead of the table");

  auto* listing = app.add_subcommand("list", "What there is: experiments, integrators, solvers, cases");
  listing->add_flag("--json", json, "As one JSON object");

  taut::cli::RunArguments run;
  taut::cli::CompareArguments compare;
  taut::cli::ModelArguments model;
  using taut::cli::add_model, taut::cli::add_run_options;
  auto* running = app.add_subcommand("run", "Simulate a model; results go to an HDF5 file, a certificate to the screen");
  add_model(running, run);
  add_run_options(running, run);
  taut::cli::add_control(running, run);
  running->add_option("--every", run.every, "Record every so many-th step");
  running->add_option("--interval", run.interval, "With tolerances: record at multiples of this");
  running->add_option("--out", run.out,
                      "Results file; MODEL.h5 in the current folder unless given, MODEL.l=2.h5 with --set l=2");
  running->add_flag("--no-file", run.no_file, "Keep no results file");
  running->add_flag("--resume", run.resume,
                    "Go on from the last checkpoint in the results file; a later --until extends a run");
  running->add_option("--checkpoint", run.checkpoint_seconds, "At least so many seconds between checkpoints on disk (2)")
      ->check(CLI::NonNegativeNumber);
  running->add_flag("--live", run.live, "Serve that page on 127.0.0.1 while the run goes on; the address is printed");
  running->add_flag("--report", run.report,
                    "Write a page that shows the run, MODEL.html beside the results: see `taut report --help`");
  running->add_flag("--force", run.force, "Overwrite the results file, whatever is in it");
  auto* checking = app.add_subcommand("check", "Read a model: degrees of freedom, redundant constraints, initial values");
  add_model(checking, model);
  auto* resting = app.add_subcommand("static", "Find an equilibrium of a model and whether it is stable");
  taut::cli::BranchArguments rest;
  add_model(resting, rest);
  resting->add_option("--solver", rest.solver, "By name, see `taut list`");
  resting->add_option("--formulation", rest.formulation, "multipliers, penalty=EPSILON, or NAME=EPSILON of one constraint");
  resting->add_option("--vary", rest.vary,
                      "NAME=FROM:TO: equilibria along a parameter, through limits of it and past bifurcations");
  resting->add_option("--increments", rest.increments, "With --vary: of the way in the first step (40)");
  resting->add_option("--leave", rest.leave_at, "With --vary: the bifurcation at which to take the other branch (0: none)");
  resting->add_flag("--other-side", rest.other_side, "With --leave: the other half of that branch");
  taut::cli::ModesArguments modes;
  auto* swinging = app.add_subcommand(
      "modes", "Natural frequencies, damping and shapes of small motions about an equilibrium of a model");
  add_model(swinging, modes);
  swinging->add_option("--count", modes.count, "How many, the slowest first (10)");
  swinging->add_option("--formulation", modes.formulation,
                       "multipliers, penalty=EPSILON, or NAME=EPSILON of one constraint");
  auto* comparing =
      app.add_subcommand("compare", "Run a model with many integrators and steps: errors, times, what each conserves");
  add_model(comparing, compare);
  comparing->add_option("--until", compare.until, "End time");
  comparing->add_option("--step", compare.step, "Largest step");
  comparing->add_option("--integrator", compare.integrators, "These only, see `taut list`")->allow_extra_args(false);
  comparing->add_option("--solver", compare.solvers, "These solvers")->allow_extra_args(false);
  comparing
      ->add_option("--formulation", compare.formulations, "multipliers, penalty=EPSILON, or NAME=EPSILON of one constraint")
      ->allow_extra_args(false);
  comparing->add_option("--halvings", compare.halvings, "How often the step is halved");
  comparing->add_option("--budget", compare.budget, "Seconds for all of it; a single run may take a sixth of them");
  comparing->add_flag("--report", compare.report, "Write a page with plots, table and motions, MODEL.compare.html");
  comparing->add_option("--out", compare.directory, "Folder for curves (CSV) and the work-precision plot (SVG)");
  auto* verifying =
      app.add_subcommand("verify", "Run a model with smaller and smaller steps: observed order and estimated error");
  add_model(verifying, model);
  add_run_options(verifying, model);
  verifying->add_flag("--report", model.report, "Write a page with the plot and the table, MODEL.verify.html");
  taut::cli::SweepArguments sweep;
  auto* sweeping = taut::cli::add_sweep(app, sweep);
  std::string from, to;
  auto* converting = app.add_subcommand(
      "convert", "Results to another format: .csv, .npz (NumPy), .pvd with .vtp or .vtk (ParaView), .gltf, .glb");
  converting->add_option("results", from, "HDF5 file of a run")->required();
  converting->add_option("to", to, "File to write; its ending tells the format")->required();
  taut::cli::ReportArguments report;
  auto* reporting = add_report(app, report);
  taut::cli::PlotArguments plot;
  auto* plotting = add_plot(app, plot);
  std::string starter;
  bool reference = false;
  auto* schemas = app.add_subcommand("schema", "Print the JSON Schema of model files, which editors understand");
  schemas->add_flag("--reference", reference, "The page of reference instead (Markdown)");
  auto* starting = app.add_subcommand("init", "Write a commented model to begin with");
  starting->add_option("file", starter, "File to write")->required();

  try {
    const auto commands = app.get_subcommands({});
    const auto known = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), known))
      throw taut::InputError(fmt::format("there is no command '{}'; see `taut --help`.", argv[1]));
    app.parse(argc, argv);
    int code = ok;
    if (*listing) code = list(json);
    if (*reproduce) code = taut::cli::reproduce(experiment);
    if (*running) code = taut::cli::run(run);
    if (*checking) code = taut::cli::check(model);
    if (*resting) code = rest.vary.empty() ? taut::cli::statics(rest) : taut::cli::branch(rest);
    if (*swinging) code = taut::cli::modes(modes);
    if (*comparing) code = taut::cli::compare(compare);
    if (*verifying) code = taut::cli::verify(model);
    if (*sweeping) code = taut::cli::sweep(sweep);
    if (*reporting) code = taut::cli::report(report);
    if (*plotting) code = taut::cli::plot(plot);
    if (*converting) code = taut::cli::convert(from, to);
    if (*starting) code = taut::cli::init(starter);
    if (*schemas) code = taut::cli::schema(reference);
    if (std::fflush(stdout) != 0) throw std::runtime_error("standard output could not be written");
    return code;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ok : bad_input;
  } catch (const taut::InputError& error) {
    fmt::print(stderr, "taut: {}\n", error.what());
    return bad_input;
  } catch (const std::exception& error) {
    // fmt::print throws where the output is full before its end, in words of its own.
    fmt::print(stderr, "taut: {}\n", std::ferror(stdout) != 0 ? "standard output could not be written" : error.what());
    return failed_run;
  }
}
