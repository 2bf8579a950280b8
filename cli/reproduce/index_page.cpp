#include "index_page.hpp"

#include <fmt/format.h>

#include <fstream>
#include <taut/base/require.hpp>

namespace taut::reproduce {
namespace {

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>taut: the papers, recomputed</title>
<style>
body { font: 16px/1.45 sans-serif; max-width: 1400px; margin: 2em auto; padding: 0 1em; color: #222; }
h2 { border-top: 2px solid #222; padding-top: .6em; margin-top: 2.5em; }
.side { display: flex; flex-wrap: wrap; gap: 2em; align-items: flex-start; }
.side > div { flex: 1 1 560px; min-width: 0; }
table { border-collapse: collapse; font-size: 14px; }
td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ddd; vertical-align: top; }
td:first-child, td:last-child { text-align: left; }
td:not(:first-child):not(:last-child) { white-space: nowrap; }
img { width: 100%; border: 1px solid #ddd; margin-bottom: .8em; }
code { background: #f2f2f2; padding: .1em .3em; }
.failure { color: #b00; font-weight: bold; }
</style></head><body>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    if (c == '<') out += "&lt;";
    if (c == '>') out += "&gt;";
    if (c == '"') out += "&quot;";
    if (c != '&' && c != '<' && c != '>' && c != '"') out += c;
  }
  return out;
}

std::string row(const Row& one) {
  return fmt::format("<tr><td>{}</td><td>{}</td><td>{:.10g}</td><td>{}</td><td>{}</td></tr>\n", escaped(one.label),
                     one.paper ? fmt::format("{:.6g}", *one.paper) : "", one.ours,
                     one.ratio() ? fmt::format("{:.3f}", *one.ratio()) : "", escaped(one.note));
}

std::string chapter(const Chapter& one) {
  std::string out = fmt::format("<h2 id=\"{0}\">{1}</h2>\n<p><code>taut reproduce {0}</code>", one.experiment.name,
                                escaped(one.experiment.title));
  for (const Setting& setting : one.experiment.settings)
    out += fmt::format(" <code>--set {}={:g}</code>", setting.name, setting.paper);
  out += "</p>\n";
  if (!one.outcome.failure.empty()) out += fmt::format("<p class=\"failure\">{}</p>\n", escaped(one.outcome.failure));
  out += "<div class=\"side\"><div>\n<table><tr><th></th><th>paper</th><th>taut</th><th>ratio</th><th></th></tr>\n";
  for (const Row& line : one.outcome.table) out += row(line);
  out += "</table>\n<ul>\n";
  for (const std::string& remark : one.outcome.remarks) out += fmt::format("<li>{}</li>\n", escaped(remark));
  out += "</ul>\n</div><div>\n";
  for (const Figure& figure : one.outcome.plots)
    out += fmt::format("<a href=\"{0}{1}.png\"><img src=\"{0}{1}.svg\" alt=\"{2}\"></a>\n", one.folder, figure.name,
                       escaped(figure.title));
  return out + "</div></div>\n";
}

}  // namespace

void write_index(const std::vector<Chapter>& chapters, const std::filesystem::path& file) {
  std::ofstream out(file);
  require(out.good(), "--out: cannot write '{}'.", file.string());
  out << head << "<h1>The papers, recomputed</h1>\n<ul>\n";
  for (const Chapter& one : chapters)
    out << fmt::format("<li><a href=\"#{}\">{}</a></li>\n", one.experiment.name, escaped(one.experiment.title));
  out << "</ul>\n";
  for (const Chapter& one : chapters) out << chapter(one);
  out << "</body></html>\n";
  out.flush();
  if (!out.good()) throw std::runtime_error(message("--out: '{}' could not be written; is the disk full?", file.string()));
}

}  // namespace taut::reproduce
