#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Experiments: the papers' tables and figures, recomputed. Each prints the paper's number, ours and their ratio.
namespace taut::reproduce {

/// One line of the table; a number the paper does not give stays empty.
struct Row {
  std::string label;
  std::optional<double> paper;
  double ours;
  std::string note{};
};

/// Columns over time, written as CSV.
struct Curve {
  std::string name;
  std::vector<std::string> columns;  ///< the first is the abscissa
  std::vector<std::vector<double>> rows;
};

/// A figure over curves, drawn as SVG.
struct Figure {
  struct Line {
    std::string curve, column, title;
    std::string style = "lines";  ///< as gnuplot spells it
  };
  std::string name, title, xlabel, ylabel;
  std::vector<Line> lines;
  std::string extra{};  ///< further gnuplot settings
};

struct Outcome {
  std::vector<Row> table;
  std::vector<std::pair<std::string, std::vector<double>>> figures;  ///< for --json: numbers, or lists of numbers
  std::vector<Curve> curves;
  std::vector<Figure> plots;
  std::vector<std::string> remarks;
  std::string failure{};  ///< a run that should have finished and did not

  void number(const std::string& name, double value) { figures.emplace_back(name, std::vector<double>{value}); }
  void numbers(const std::string& name, std::vector<double> values) { figures.emplace_back(name, std::move(values)); }
};

/// Told what is going on and how much of it is done, 0 to 1.
using Report = std::function<void(const std::string& what, double done)>;

struct Experiment {
  std::string name;
  std::string title;
  Outcome (*run)(const Report& report);
};

const std::vector<Experiment>& experiments();

/// Slope of log y over log x, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y);

/// Makes the folder and sees that it can be written, before a long run. Throws InputError if not.
void prepare(const std::filesystem::path& directory);

/// Writes each curve as DIR/name.csv and draws each plot as DIR/name.svg. Throws InputError if a file cannot be written.
void write(const Outcome& outcome, const std::filesystem::path& directory);

/// The observed order: slope of log y over log x, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y);

Outcome run_gh95_linear(const Report& report);
Outcome run_gh95_wall(const Report& report);
Outcome run_gh95_ellipse(const Report& report);
Outcome run_jay09_spark(const Report& report);
Outcome run_ka13_hmm(const Report& report);
Outcome run_lbs_pendulum(const Report& report);
Outcome run_gh95_strings(const Report& report);
Outcome run_gh95_beam_static(const Report& report);
Outcome run_gh95_beam(const Report& report);
Outcome run_bqgc13_benchmark(const Report& report);
Outcome run_bqgc13_swing(const Report& report);

}  // namespace taut::reproduce
