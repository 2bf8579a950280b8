#pragma once

#include <string>
#include <vector>

namespace taut {

/// One page (HTML) that shows runs: the motion, plots, the certificate, the model. It holds everything it needs and loads nothing.
///
/// Runs of several files are shown over each other, with one time line. What is too long for a page is thinned, and the page says so. The files are read part by
/// part: memory does not grow with their length.
std::string report_page(const std::vector<std::string>& results);

/// A page that shows a sweep: maps over two parameters, distributions, curves with bands, each run with the command that makes it.
/// Motions of some of its runs, results files in a folder beside it, are shown where there are such: motions_folder()/RUN.h5.
std::string sweep_page(const std::string& results);
std::string motions_folder(const std::string& sweep);

/// Either into a file, which is whole or not there: a single file may be a sweep. Its default name is that of the first results with .html for its ending.
void write_report(const std::vector<std::string>& results, const std::string& path);
std::string report_name(const std::string& results);

/// A run as JSON, as the page has it.
std::string run_text(const std::string& results);

/// A page around data (JSON): {"runs": [...]}, {"study": {...}} or {"sweep": {...}}.
std::string page_around(const std::string& title, const std::string& data);

}  // namespace taut
