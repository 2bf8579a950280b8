#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <taut/taut.hpp>

#include "command_tools.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/index_page.hpp"
#include "study_pages.hpp"

namespace taut::cli {
namespace {

using reproduce::Experiment;
using reproduce::Outcome;

const std::string everything = "all";

void print_table(const Experiment& experiment, const Outcome& outcome) {
  fmt::print("{}\n\n{:<52} {:>14} {:>16} {:>8}\n", experiment.title, "", "paper", "taut", "ratio");
  for (const auto& row : outcome.table) {
    const std::string paper = row.paper ? fmt::format("{:.6g}", *row.paper) : "";
    const std::string ratio = row.ratio() ? fmt::format("{:.3f}", *row.ratio()) : "";
    fmt::print("{:<52} {:>14} {:>16.10g} {:>8}{}{}\n", row.label, paper, row.ours, ratio, row.note.empty() ? "" : "  ",
               row.note);
  }
  if (!outcome.remarks.empty()) fmt::print("\n");
  for (const auto& remark : outcome.remarks) fmt::print("- {}\n", remark);
}

ordered_json to_json(const Experiment& experiment, const Outcome& outcome) {
  ordered_json figures = ordered_json::object();
  for (const auto& [key, values] : outcome.figures) {
    ordered_json all = ordered_json::array();
    for (const double value : values) all.push_back(number(value));
    figures[key] = values.size() == 1 ? all[0] : all;
  }
  ordered_json out{{"experiment", experiment.name}, {"figures", figures}};
  if (!outcome.failure.empty()) out["failure"] = outcome.failure;
  return out;
}

std::vector<Experiment> asked(const std::string& name) {
  const auto& all = reproduce::experiments();
  if (name == everything) return all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment& e) { return e.name == name; });
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  names.push_back(everything);
  require(found != all.end(), "reproduce: there is no experiment '{}'; there are: {}.", name,
          fmt::format("{}", fmt::join(names, ", ")));
  return {*found};
}

}  // namespace

int reproduce(const ReproduceArguments& arguments) {
  const std::vector<Experiment> experiments = asked(arguments.name);
  const bool all = arguments.name == everything;
  const auto changes = settings(arguments.set);
  require(!all || changes.empty(), "reproduce all: takes no --set, because each experiment has its own numbers.");
  const std::filesystem::path folder = arguments.directory;
  const bool writes = !arguments.directory.empty();
  if (writes) reproduce::prepare(folder);
  ordered_json json = ordered_json::array();
  std::vector<reproduce::Chapter> chapters;
  std::string failure;
  for (const Experiment& one : experiments) {
    const reproduce::Settings set(one.settings, changes);
    Outcome outcome;
    {
      ProgressBar bar;
      outcome =
          one.run(set, [&](const std::string& what, double done) { bar.show(all ? one.name + ": " + what : what, done); });
    }
    if (arguments.json) json.push_back(to_json(one, outcome));
    if (!arguments.json) print_table(one, outcome);
    if (!arguments.json && all) fmt::print("\n\n");
    std::fflush(stdout);
    const std::filesystem::path own = all ? folder / one.name : folder;
    if (writes && all) reproduce::prepare(own);
    if (writes) reproduce::write(outcome, own);
    if (writes) write_reproduce_page(one, outcome, (own / (one.name + ".html")).string());
    if (!outcome.failure.empty()) {
      failure += (failure.empty() ? "" : "; ") + one.name + ": " + outcome.failure;
      fmt::print(stderr, "taut: {}: {}\n", one.name, outcome.failure);
    }
    outcome.curves.clear();
    if (all) chapters.push_back({one, std::move(outcome), one.name + "/"});
  }
  if (arguments.json) fmt::print("{}\n", (all ? json : json[0]).dump(2));
  const std::string page = all ? "index.html" : experiments[0].name + ".html";
  if (writes && all) reproduce::write_index(chapters, folder / page);
  if (writes && !arguments.json)
    fmt::print("\ncurves (CSV), figures (SVG, PNG) and a page of them ({}) are in {}\n", page, arguments.directory);
  return failure.empty() ? ok : failed_run;
}

}  // namespace taut::cli
