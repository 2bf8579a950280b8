#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <taut/report/plot_data.hpp>
#include <taut/report/report.hpp>
#include <taut/results/output_file.hpp>
#include <taut/results/results.hpp>
#include <taut/results/sweep_file.hpp>

#include "child.hpp"
#include "command_tools.hpp"
#include "film.hpp"

namespace taut::cli {
namespace {

namespace fs = std::filesystem;

std::string with_ending(const std::string& path, const std::string& ending) {
  return fs::path(path).replace_extension(ending).string();
}

/// A word of gnuplot; control characters would end it.
std::string gnuplot_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "''";
    if (c != '\'') out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "'";
}

/// Columns and lines of the terminal, or what suits a text.
std::pair<int, int> text_size() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40 || size.ws_row < 12)
    return {79, 24};
  return {std::min<int>(size.ws_col - 1, 160), std::min<int>(size.ws_row - 2, 40)};
}

void list_names(const PlotArguments& arguments) {
  const std::vector<std::string> names = plot_names(read_results_summary(arguments.results).header);
  if (arguments.json)
    return fmt::print("{}\n", ordered_json{{"names", names}}.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  for (const std::string& name : names) fmt::print("{}\n", name);
}

}  // namespace

int report(const ReportArguments& arguments) {
  const std::string given = arguments.out.empty() ? report_name(arguments.results.at(0)) : arguments.out;
  // A picture or film may be asked for by its name too; the page stands beside it.
  const std::string named = fs::path(given).extension().string();
  const bool png = arguments.png || named == ".png", gif = arguments.gif || named == ".gif",
             mp4 = arguments.mp4 || named == ".mp4";
  const std::string out = named == ".png" || named == ".gif" || named == ".mp4" ? with_ending(given, ".html") : given;
  std::error_code none;
  for (const std::string& one : arguments.results)
    require(!fs::equivalent(one, out, none), "--out {}: is the results file; the report would overwrite it.", out);
  require(!(png || gif || mp4) || !is_sweep(arguments.results[0]),
          "report: a sweep has no motion of its own; its page says how to make one of its runs, and that can be drawn.");
  require(arguments.at.empty() || png, "--at is the time of a picture; ask for one with --png.");
  write_report(arguments.results, out);
  ordered_json made{{"report", out}};
  if (!arguments.json) fmt::print("{} is written: open it in a browser\n", out);
  std::fflush(stdout);
  std::vector<std::string> files;
  for (const auto& [asked, ending] : {std::pair(png, ".png"), {gif, ".gif"}, {mp4, ".mp4"}}) {
    if (!asked) continue;
    files.push_back(with_ending(out, ending));
    made[ending + 1] = files.back();
  }
  shoot(out, files,
        {.at = arguments.at, .dark = arguments.dark, .strobe = arguments.strobe, .reactions = arguments.reactions});
  for (const std::string& one : files)
    if (!arguments.json) fmt::print("{} is written\n", one);
  if (arguments.json) fmt::print("{}\n", made.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  return ok;
}

int plot(const PlotArguments& arguments) {
  if (arguments.names.empty()) {
    list_names(arguments);
    return ok;
  }
  const std::string ending = fs::path(arguments.out).extension().string();
  require(arguments.out.empty() || ending == ".svg" || ending == ".png", "plot: --out {} must end in .svg or .png.",
          arguments.out);
  const PlotData data = plot_data(arguments.results, arguments.names, arguments.out.empty() ? 400 : 2000);
  const TemporaryFolder folder;
  {
    std::ofstream rows(folder.file("data"));
    for (std::size_t s = 0; s < data.t.size(); ++s) {
      rows << exact(data.t[s]);
      for (const auto& values : data.values) rows << " " << (std::isfinite(values[s]) ? exact(values[s]) : "NaN");
      rows << "\n";
    }
    const auto [columns, lines] = text_size();
    std::ofstream script(folder.file("script"));
    if (arguments.out.empty()) {
      script << "set terminal dumb noenhanced size " << columns << "," << lines << "\n";
    } else {
      script << (ending == ".svg" ? "set terminal svg noenhanced size 900,500 font 'sans,13' background '#ffffff'\n"
                                  : "set terminal pngcairo noenhanced size 1350,750 font 'sans,15'\n")
             << "set output " << gnuplot_word(folder.file("picture"))
             << "\nset grid lc rgb '#e3e7ec' lt 1\nset border 3 lc rgb '#5d6878'\nset tics nomirror\n";
    }
    script << "set title " << gnuplot_word(data.title) << "\nset xlabel 't'\nset key top right\n"
           << "set datafile missing 'NaN'\n"
           << (arguments.log ? "set logscale y\nset format y '%.0e'\n" : "") << "plot ";
    static constexpr const char* colours[] = {"#2a66d9", "#d9622b", "#2a9d6f", "#a347ba",
                                              "#b08900", "#c2385a", "#0f8b9d", "#6b6f76"};
    for (std::size_t k = 0; k < data.names.size(); ++k)
      script << (k > 0 ? ", " : "") << gnuplot_word(folder.file("data")) << " using 1:" << k + 2
             << " with lines lw 2 lc rgb '" << colours[k % std::size(colours)] << "' title " << gnuplot_word(data.names[k]);
    script << "\n";
    require(rows.good() && script.good(), "plot: the temporary folder is full.");
  }
  std::fflush(stdout);
  const std::string drawn = folder.file(arguments.out.empty() ? "text" : "picture");
  const int code = run_child({"gnuplot", folder.file("script")}, arguments.out.empty() ? drawn : "");
  require(code != 127, "plot: gnuplot is not there; install it (Debian: gnuplot-nox), or `taut report {}`.",
          arguments.results);
  std::ifstream picture(drawn, std::ios::binary);
  require(code == 0 && picture.good() && fs::file_size(drawn) > 0, "plot: gnuplot could not draw it.");
  if (arguments.out.empty()) {
    std::cout << picture.rdbuf() << std::flush;
    if (!std::cout) throw std::runtime_error("standard output could not be written");
  } else {
    OutputFile file(arguments.out);
    file.stream() << picture.rdbuf();
    file.finish();
    fmt::print("{} is written\n", arguments.out);
  }
  if (data.thinned)
    fmt::print(stderr, "taut: the plot shows the smallest and largest values of {} stretches of time.\n", data.t.size() / 2);
  return ok;
}

}  // namespace taut::cli
