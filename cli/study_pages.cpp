#include "study_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <taut/report/report.hpp>
#include <taut/report/viewer_bundle.hpp>
#include <taut/results/output_file.hpp>

#include "command_tools.hpp"

namespace taut::cli {
namespace {

/// `runs`: motions that the page shows too, as texts.
void write_page(const ordered_json& study, const std::string& path, const std::vector<std::string>& runs = {}) {
  std::string data = "{\"format\":1,\"study\":" + study.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  for (std::size_t k = 0; k < runs.size(); ++k) data += (k == 0 ? ",\"runs\":[" : ",") + runs[k];
  data += runs.empty() ? "}" : "]}";
  OutputFile file(path);
  file.stream() << page_around(study.at("title"), data);
  file.finish();
}

ordered_json numbers(const std::vector<double>& all) {
  ordered_json out = ordered_json::array();
  for (const double x : all) out.push_back(number(x));
  return out;
}

/// The line with this name, made where there is none yet.
ordered_json& line(ordered_json& chart, const std::string& name) {
  for (ordered_json& one : chart["lines"])
    if (one["name"] == name) return one;
  chart["lines"].push_back({{"name", name}, {"x", ordered_json::array()}, {"y", ordered_json::array()}, {"marks", true}});
  return chart["lines"].back();
}

ordered_json chart(const std::string& title, const std::string& xlabel, const std::string& ylabel, bool logx, bool logy) {
  return {{"title", title}, {"xlabel", xlabel}, {"ylabel", ylabel},
          {"logx", logx},   {"logy", logy},     {"lines", ordered_json::array()}};
}

/// Text of a gnuplot figure without its marks: t^{n+1} is t^(n+1), f_{in} is f_in.
std::string unmarked(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::size_t end = text[k] == '{' ? text.find('}', k) : std::string::npos;
    if (end == std::string::npos) {
      out += text[k];
      continue;
    }
    const std::string inside = text.substr(k + 1, end - k - 1);
    const bool raised = k > 0 && text[k - 1] == '^' && inside.size() > 1;
    out += raised ? "(" + inside + ")" : inside;
    k = end;
  }
  return out;
}

/// The ends that a figure gives its axis of y, so that round-off of what is constant does not fill it; none where it gives none.
ordered_json span_of(const std::string& extra) {
  double low = 0.0, high = 0.0;
  const std::size_t at = extra.find("set yrange [");
  if (at == std::string::npos || std::sscanf(extra.c_str() + at, "set yrange [%lf:%lf]", &low, &high) != 2)
    return ordered_json::array();
  return {low, high};
}

double largest_deviation(const std::vector<Conserved>& all) {
  double out = 0.0;
  for (const Conserved& one : all) out = std::max(out, one.deviation);
  return out;
}

}  // namespace

void write_compare_page(const Comparison& found, const ModelFile& model, const std::string& against,
                        const std::vector<std::string>& runs, const std::string& path) {
  const auto differs = [&](auto part) {
    return std::any_of(found.rows.begin(), found.rows.end(),
                       [&](const CompareRow& row) { return row.*part != found.rows[0].*part; });
  };
  const bool ways = differs(&CompareRow::solver), forms = differs(&CompareRow::formulation);
  ordered_json work = chart("Work and precision", "seconds", "error in q at the end", true, true);
  ordered_json order = chart("Order", "step", "error in q at the end", true, true);
  ordered_json energy = chart("Energy", "step", "largest change of energy", true, true);
  ordered_json table{
      {"title", "Runs"},
      {"head", {"integrator", "solver", "formulation", "step", "error", "seconds", "energy", "momenta", "|g|", "|G v|", ""}},
      {"rows", ordered_json::array()}};
  for (const CompareRow& row : found.rows) {
    const Certificate& c = row.certificate;
    table["rows"].push_back({row.integrator, row.solver, row.formulation, row.step, number(row.error), number(row.seconds),
                             number(c.energy.deviation), number(largest_deviation(c.momenta)), number(c.position_residual),
                             number(c.velocity_residual),
                             good(row.verdict) ? std::string() : name_of(row.verdict) + (": " + row.message)});
    if (!good(row.verdict)) continue;
    const std::string name = row.integrator + (ways ? ", " + row.solver : "") + (forms ? ", " + row.formulation : "");
    const auto add = [&](ordered_json& to, double x, double y) {
      ordered_json& one = line(to, name);
      one["x"].push_back(number(x));
      one["y"].push_back(number(y));
    };
    add(work, row.seconds, row.error);
    add(order, row.step, row.error);
    if (c.conservative) add(energy, row.step, c.energy.deviation);
  }
  ordered_json text = ordered_json::array({fmt::format("Ends of the runs at t = {}; {}.", model.run.until, against)});
  for (const std::string& one : found.left_out) text.push_back("Left out: " + one);
  write_page({{"title", model.name.empty() ? "Comparison" : model.name},
              {"subtitle", "Integrators on one model: what each costs, how far it errs, what it keeps"},
              {"text", text},
              {"charts", {work, order, energy}},
              {"tables", {table}},
              {"model", model.text}},
             path, runs);
}

void write_verify_page(const Verification& found, const ModelFile& model, const std::string& path) {
  ordered_json differences = chart(found.controlled ? "Differences over tolerances" : "Order",
                                   found.controlled ? "tolerance" : "step", "difference in q at the end", true, true);
  ordered_json& measured = line(differences, "of each run to the next finer one");
  for (std::size_t k = 0; k < found.differences.size(); ++k) {
    measured["x"].push_back(number(found.sizes[k]));
    measured["y"].push_back(number(found.differences[k]));
  }
  if (!found.controlled && !found.differences.empty() && found.differences[0] > 0.0) {
    ordered_json& promised = line(differences, fmt::format("order {}, as promised", found.promised));
    promised["marks"] = false;
    for (std::size_t k = 0; k < found.differences.size(); ++k) {
      promised["x"].push_back(number(found.sizes[k]));
      promised["y"].push_back(number(found.differences[0] * std::pow(found.sizes[k] / found.sizes[0], found.promised)));
    }
  }
  ordered_json table{{"title", "Runs"},
                     {"head", {found.controlled ? "tolerance" : "step", "difference to the next", "observed order"}},
                     {"rows", ordered_json::array()}};
  for (std::size_t k = 0; k < found.sizes.size(); ++k)
    table["rows"].push_back({found.sizes[k],
                             k < found.differences.size() ? number(found.differences[k]) : ordered_json(nullptr),
                             k < found.orders.size() ? number(found.orders[k]) : ordered_json(nullptr)});
  ordered_json text = ordered_json::array();
  if (found.trouble.empty()) {
    std::string verdict = found.verdict;
    if (!verdict.empty()) verdict[0] = char(std::toupper(static_cast<unsigned char>(verdict[0])));
    text.push_back(verdict + ".");
    text.push_back(fmt::format("Estimated error of the run: {:.3g}, of a motion of {:.3g}.", found.error, found.moved));
    if (!found.other.empty()) text.push_back(fmt::format("{} ends {:.3g} away.", found.other, found.other_difference));
  } else {
    text.push_back(found.trouble);
  }
  const bool good_run = found.trouble.empty() && found.trusted;
  write_page({{"title", model.name.empty() ? "Verification" : model.name},
              {"subtitle", "The same run with smaller and smaller steps: does its error fall as the scheme promises?"},
              {"verdict", good_run ? "Trusted" : "Not trusted"},
              {"tone", good_run ? "good" : "bad"},
              {"text", text},
              {"charts", {differences}},
              {"tables", {table}},
              {"model", model.text}},
             path);
}

void write_reproduce_page(const reproduce::Experiment& experiment, const reproduce::Outcome& outcome,
                          const std::string& path) {
  if (!has_viewer()) return;  // curves and figures are there without it
  ordered_json table{{"title", "Numbers"}, {"head", {"", "paper", "taut", "ratio", ""}}, {"rows", ordered_json::array()}};
  for (const auto& row : outcome.table)
    table["rows"].push_back({row.label, row.paper ? number(*row.paper) : ordered_json(nullptr), number(row.ours),
                             row.ratio() ? number(*row.ratio()) : ordered_json(nullptr), row.note});
  ordered_json charts = ordered_json::array();
  for (const reproduce::Figure& figure : outcome.plots) {
    const auto logarithmic = [&](const char* axis) {
      const std::size_t at = figure.extra.find("set logscale");
      return at != std::string::npos && figure.extra.substr(at + 12, 6).find(axis) != std::string::npos;
    };
    ordered_json one =
        chart(unmarked(figure.title), unmarked(figure.xlabel), unmarked(figure.ylabel), logarithmic("x"), logarithmic("y"));
    one["span"] = span_of(figure.extra);
    one["equal"] = figure.extra.find("set size ratio -1") != std::string::npos;
    for (const auto& drawn : figure.lines)
      for (const reproduce::Curve& curve : outcome.curves) {
        const auto column = std::find(curve.columns.begin(), curve.columns.end(), drawn.column);
        if (curve.name != drawn.curve || column == curve.columns.end()) continue;
        const auto k = std::size_t(column - curve.columns.begin());
        constexpr std::size_t most = 4000;  // points
        const std::size_t stride = std::max<std::size_t>(1, curve.rows.size() / most);
        std::vector<double> x, y;
        for (std::size_t s = 0; s < curve.rows.size(); s += stride) {
          const std::vector<double>& row = curve.rows[s];  // an empty one lifts the pen
          x.push_back(row.empty() ? std::nan("") : row[0]);
          y.push_back(row.empty() ? std::nan("") : row.at(k));
        }
        one["lines"].push_back({{"name", drawn.title.empty() ? drawn.curve : unmarked(drawn.title)},
                                {"x", numbers(x)},
                                {"y", numbers(y)},
                                {"marks", drawn.style.starts_with("linespoints")},
                                {"pointsOnly", drawn.style.starts_with("points")}});
      }
    charts.push_back(std::move(one));
  }
  ordered_json text = outcome.remarks;
  if (!outcome.failure.empty()) text.push_back(outcome.failure);
  write_page({{"title", experiment.title},
              {"subtitle", "taut reproduce " + experiment.name + ": the paper's numbers and figures, computed again"},
              {"text", text},
              {"charts", charts},
              {"tables", {table}}},
             path);
}

}  // namespace taut::cli
