#include <filesystem>
#include <taut/base/require.hpp>
#include <taut/report/report.hpp>
#include <taut/report/run_data.hpp>
#include <taut/results/output_file.hpp>
#include <taut/results/sweep_file.hpp>

namespace taut {

std::string run_text(const std::string& path) {
  const ResultsParts parts(path);
  return run_text(parts.summary(), path, parts.times(), [&](const PartAction& action) { parts.each(action); });
}

std::string report_page(const std::vector<std::string>& results) {
  require(!results.empty(), "report: give a results file.");
  for (const std::string& one : results)
    require(results.size() == 1 || !is_sweep(one), "report: '{}' is a sweep, which has a page of its own; give it alone.",
            one);
  std::string data = "{\"format\":1,\"runs\":[";
  for (std::size_t k = 0; k < results.size(); ++k) data += (k > 0 ? "," : "") + run_text(results[k]);
  data += "]}";
  std::string title = read_results_summary(results[0]).header.name;
  if (title.empty()) title = std::filesystem::path(results[0]).stem().string();
  return page_around(title, data);
}

void write_report(const std::vector<std::string>& results, const std::string& path) {
  const std::string page = results.size() == 1 && is_sweep(results[0]) ? sweep_page(results[0]) : report_page(results);
  OutputFile file(path);
  file.stream() << page;
  file.finish();
}

std::string report_name(const std::string& results) {
  return std::filesystem::path(results).replace_extension(".html").string();
}

}  // namespace taut
