#include "sweep_told.hpp"

#include <fmt/format.h>

#include <taut/study/sweep_summary.hpp>

namespace taut::cli {
namespace {

constexpr std::size_t told_failures = 5;
constexpr long told_runs = 20;  ///< one by one, where there are no more

ordered_json to_json(const std::string& group, const std::string& name, const ColumnSummary& one) {
  ordered_json quantiles;
  for (std::size_t k = 0; k < summary_shares.size(); ++k)
    quantiles[fmt::format("{}", summary_shares[k])] = number(one.quantiles[k]);
  return {{"group", group},
          {"name", name},
          {"count", one.count},
          {"mean", number(one.mean)},
          {"deviation", number(one.deviation)},
          {"quantiles", quantiles},
          {"least", number(one.least)},
          {"least_run", one.least_run},
          {"largest", number(one.largest)},
          {"largest_run", one.largest_run}};
}

ordered_json summary_json(const Told& told) {
  ordered_json out = ordered_json::array();
  const std::vector<char> good = told.file.good();
  const std::vector<SweepGroup>& groups = told.file.header().groups;
  for (std::size_t g = 1; g < groups.size(); ++g)
    for (std::size_t k = 0; k < groups[g].columns.size(); ++k)
      out.push_back(to_json(groups[g].name, groups[g].columns[k], summary_of(told.file.column(g, k), good)));
  return out;
}

/// Times of extremes and most of the certificate are for machines: --json. So is a table for each time of a series.
bool shown(const SweepGroup& group, const std::string& name) {
  if (group.name == "certificate") return name == "energy_relative" || name == "gap";
  return group.name != "series" && !name.starts_with("time of");
}

/// A few runs are told one by one.
void print_runs(const Told& told) {
  const std::vector<SweepGroup>& groups = told.file.header().groups;
  std::vector<std::size_t> columns;
  std::string head = "run ";
  std::size_t place = 0;
  for (const SweepGroup& group : groups)
    for (const std::string& name : group.columns) {
      if (shown(group, name) && columns.size() < 8) {
        columns.push_back(place);
        head += fmt::format(" {:>15}", name.substr(0, 15));
      }
      ++place;
    }
  fmt::print("{}\n", head);
  for (long run = 0; run < told.file.header().runs; ++run) {
    if (!told.file.done(run)) continue;
    const SweepRow row = told.file.row(run);
    fmt::print("{:<4}", run);
    for (const std::size_t column : columns) fmt::print(" {:>15.6g}", row.numbers[column]);
    fmt::print("{}\n", good(row.verdict) ? "" : fmt::format("  {}", name_of(row.verdict)));
  }
}

void print_summary(const Told& told) {
  const std::vector<char> good = told.file.good();
  const std::vector<SweepGroup>& groups = told.file.header().groups;
  fmt::print("{:<26} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "", "mean", "deviation", "5 %", "median", "95 %",
             "least", "largest");
  for (std::size_t g = 1; g < groups.size(); ++g) {
    for (std::size_t k = 0; k < groups[g].columns.size(); ++k) {
      const std::string& name = groups[g].columns[k];
      if (!shown(groups[g], name)) continue;
      const ColumnSummary one = summary_of(told.file.column(g, k), good);
      if (one.count == 0) continue;
      fmt::print("{:<26} {:>11.4g} {:>11.3g} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g} {:>11.4g}   runs {} and {}\n", name,
                 one.mean, one.deviation, one.quantiles[0], one.quantiles[2], one.quantiles[4], one.least, one.largest,
                 one.least_run, one.largest_run);
    }
  }
}

}  // namespace

Told::Told(const std::string& path) : file(path) {
  const std::vector<char> good = file.good();
  for (long run = 0; run < file.header().runs; ++run) {
    if (!file.done(run)) continue;
    if (good[std::size_t(run)] != 0) {
      ++verdicts["good"];
      continue;
    }
    failures.push_back(file.row(run));
    ++verdicts[name_of(failures.back().verdict)];
  }
}

std::string Told::in_words() const {
  std::string out = fmt::format("{} of {} runs done", file.done_count(), file.header().runs);
  for (const auto& [name, count] : verdicts)
    if (name != "good") out += fmt::format(", {} {}", count, name);
  return out;
}

std::string Told::parameters(const SweepRow& row) const {
  const std::vector<std::string>& names = file.header().groups[0].columns;
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", names[k], row.numbers[k]);
  return out;
}

ordered_json told_json(const Told& told, const std::string& path) {
  ordered_json out{{"results", path}, {"runs", told.file.header().runs}, {"done", told.file.done_count()}};
  out["verdicts"] = told.verdicts;
  out["failures"] = ordered_json::array();
  const std::vector<std::string>& names = told.file.header().groups[0].columns;
  for (const SweepRow& row : told.failures) {
    ordered_json parameters;
    for (std::size_t k = 0; k < names.size(); ++k) parameters[names[k]] = number(row.numbers[k]);
    out["failures"].push_back(
        {{"run", row.run}, {"verdict", name_of(row.verdict)}, {"reason", row.reason}, {"parameters", parameters}});
  }
  out["summary"] = summary_json(told);
  return out;
}

void print_told(const Told& told, const std::string& path) {
  fmt::print("{}\n", told.in_words());
  for (std::size_t k = 0; k < std::min(told_failures, told.failures.size()); ++k) {
    const SweepRow& row = told.failures[k];
    fmt::print("  run {} {}, {}: {}\n", row.run, name_of(row.verdict), told.parameters(row), row.reason);
  }
  if (told.failures.size() > told_failures)
    fmt::print("  and {} more; --json has them all\n", told.failures.size() - told_failures);
  if (told.file.header().runs <= told_runs) {
    print_runs(told);
  } else {
    print_summary(told);
  }
  fmt::print("results are in {}\n", path);
}

}  // namespace taut::cli
