#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <taut/study/compare.hpp>
#include <taut/study/verify.hpp>
#include <taut/taut.hpp>

#include "command_tools.hpp"
#include "compared_runs.hpp"
#include "reproduce/experiment.hpp"
#include "study_pages.hpp"

namespace taut::cli {
namespace {

double largest_momentum(const Certificate& c) {
  double out = 0.0;
  for (const Conserved& one : c.momenta) out = std::max(out, one.deviation);
  return out;
}

}  // namespace

namespace {

ordered_json to_json(const CompareRow& row) {
  return {{"integrator", row.integrator},
          {"solver", row.solver},
          {"formulation", row.formulation},
          {"step", row.step},
          {"error", number(row.error)},
          {"seconds", row.seconds},
          {"verdict", name_of(row.verdict)},
          {"message", row.message},
          {"certificate", cli::to_json(row.certificate)}};
}

void print_rows(const std::vector<CompareRow>& rows) {
  fmt::print("{:<18} {:<14} {:<14} {:>9} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}\n", "integrator", "solver", "formulation",
             "step", "error", "seconds", "energy", "momenta", "|g|", "|G v|");
  for (const CompareRow& row : rows) {
    const Certificate& c = row.certificate;
    fmt::print("{:<18} {:<14} {:<14} {:>9.3g} {:>10.2e} {:>10.2e} {:>10.2e} {:>10.2e} {:>9.1e} {:>9.1e}{}\n", row.integrator,
               row.solver, row.formulation, row.step, row.error, row.seconds, c.energy.deviation, largest_momentum(c),
               c.position_residual, c.velocity_residual,
               good(row.verdict) ? "" : fmt::format("  {}: {}", name_of(row.verdict), row.message));
  }
}

std::string in_words(const Reference& reference) {
  if (reference.name.empty()) return "no run reached the end: there is nothing to measure errors against";
  if (reference.verified)
    return fmt::format("errors against {}, of which {} ends {:.1e} away", reference.name, reference.checked,
                       reference.error);
  if (reference.checked.empty())
    return fmt::format("errors against {}, an unverified run: no second one was within reach", reference.name);
  return fmt::format("errors against {}, an unverified run: {} ends {:.1e} away from it", reference.name, reference.checked,
                     reference.error);
}

/// In the current folder, as results are.
std::string page_name(const std::string& model, const std::string& ending) {
  return std::filesystem::path(model).stem().string() + ending;
}

/// Error over time, one curve for each that was compared.
void write_work_precision(const Comparison& found, const ModelFile& model, const std::string& directory) {
  const auto differs = [&](auto part) {
    return std::any_of(found.rows.begin(), found.rows.end(),
                       [&](const CompareRow& row) { return row.*part != found.rows[0].*part; });
  };
  const bool ways = differs(&CompareRow::solver), forms = differs(&CompareRow::formulation);
  reproduce::Outcome outcome;
  for (const CompareRow& row : found.rows) {
    const std::string curve = row.integrator + (ways ? "_" + row.solver : "") + (forms ? "_" + row.formulation : "");
    auto at = std::find_if(outcome.curves.begin(), outcome.curves.end(), [&](const auto& one) { return one.name == curve; });
    if (at == outcome.curves.end())
      at = outcome.curves.insert(outcome.curves.end(), {curve, {"seconds", "error", "step"}, {}});
    if (std::isfinite(row.error) && row.error > 0.0) at->rows.push_back({row.seconds, row.error, row.step});
  }
  reproduce::Figure figure{
      "work_precision",
      fmt::format("{}: error at t = {} against time", model.name, model.run.until),
      "seconds",
      "error in q",
      {},
      "set logscale xy\nset format y '10^{%L}'\nset format x '10^{%L}'\nset key outside right vertical"};
  int colour = 0;
  for (const auto& curve : outcome.curves) {
    if (curve.rows.empty()) continue;
    figure.lines.push_back(
        {curve.name, "error", curve.name, fmt::format("linespoints lw 2 pt {} lc {}", 4 + colour % 10, colour + 1)});
    ++colour;
  }
  outcome.plots = {figure};
  reproduce::prepare(directory);
  reproduce::write(outcome, directory);
}

}  // namespace

int compare(const CompareArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments));
  const Interrupt interrupt;
  Comparison found;
  {
    ProgressBar bar;
    found = taut::compare(model, {.integrators = arguments.integrators,
                                  .solvers = arguments.solvers,
                                  .formulations = arguments.formulations,
                                  .halvings = arguments.halvings,
                                  .seconds = arguments.budget,
                                  .watch = watch(bar)});
  }
  const Reference& reference = found.reference;
  if (arguments.json) {
    ordered_json json{{"model", arguments.model},
                      {"reference", reference.name},
                      {"reference_checked", reference.checked},
                      {"reference_error", number(reference.error)},
                      {"reference_verified", reference.verified},
                      {"motion", reference.moved},
                      {"interrupted", found.interrupted},
                      {"runs", ordered_json::array()},
                      {"left_out", found.left_out}};
    for (const CompareRow& row : found.rows) json["runs"].push_back(to_json(row));
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}\nin q at t = {}, {}\n\n", title(model, arguments.model), model.run.until, in_words(reference));
    print_rows(found.rows);
    for (const std::string& one : found.left_out) fmt::print("left out: {}\n", one);
  }
  std::fflush(stdout);
  if (!arguments.directory.empty() && !found.rows.empty()) {
    write_work_precision(found, model, arguments.directory);
    if (!arguments.json) fmt::print("\ncurves (CSV) and the work-precision plot (SVG) are in {}\n", arguments.directory);
  }
  if (arguments.report && !found.rows.empty()) {
    const std::string page = page_name(arguments.model, ".compare.html");
    write_compare_page(found, model, in_words(reference), compared_runs(arguments, found), page);
    if (!arguments.json) fmt::print("the report is in {}: open it in a browser\n", page);
  }
  if (!found.interrupted) return ok;
  fmt::print(stderr, "taut: interrupted\n");
  return failed_run;
}

int verify(const ModelArguments& arguments) {
  const ModelFile model = read_model(arguments.model, overrides(arguments));
  const RunPlan planned = planned_run(model, arguments.model);
  const Interrupt interrupt;
  Verification found;
  {
    ProgressBar bar;
    VerifyOptions options;
    options.watch = watch(bar);
    found = taut::verify(model, planned, options);
  }
  if (arguments.json) {
    ordered_json out{{"model", arguments.model},
                     {"sizes", found.sizes},
                     {"differences", ordered_json::array()},
                     {"estimated_error", number(found.error)},
                     {"motion", number(found.moved)},
                     {"trusted", found.trusted},
                     {"verdict", found.verdict},
                     {"certificate", to_json(found.certificate)}};
    for (const double one : found.differences) out["differences"].push_back(number(one));
    if (!found.controlled) {
      out["order"] = number(found.order());
      out["orders"] = found.orders;
      out["promised_order"] = found.promised;
    } else if (!found.other.empty()) {
      out["other"] = found.other;
      out["other_difference"] = number(found.other_difference);
    }
    fmt::print("{}\n", out.dump(2));
  } else if (found.trouble.empty()) {
    fmt::print("{}\n", title(model, arguments.model));
    std::fflush(stdout);
    std::cout << found.certificate << std::flush;
    fmt::print("  {:<28}{:.3g}\n", found.controlled ? "tolerances" : "steps", fmt::join(found.sizes, ", "));
    fmt::print("  {:<28}{:.3g}\n", "differences in q at the end", fmt::join(found.differences, ", "));
    if (!found.controlled)
      fmt::print("  {:<28}{:.3f} (promised {})\n", "observed order", fmt::join(found.orders, ", "), found.promised);
    if (!found.other.empty()) fmt::print("  {:<28}{:.3g}\n", found.other + " differs by", found.other_difference);
    fmt::print("  {:<28}{:.3g}\n{}: {}\n", "estimated error of the run", found.error,
               found.trusted ? "trusted" : "not trusted", found.verdict);
  }
  if (arguments.report) {
    const std::string page = page_name(arguments.model, ".verify.html");
    write_verify_page(found, model, page);
    if (!arguments.json) fmt::print("the report is in {}: open it in a browser\n", page);
  }
  if (found.trouble.empty()) return ok;
  fmt::print(stderr, "taut: {}\n", found.trouble);
  return failed_run;
}

}  // namespace taut::cli
