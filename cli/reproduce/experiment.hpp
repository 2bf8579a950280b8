#pragma once

#include <filesystem>
#include <functional>
#include <map>
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

  /// None where there is nothing to divide by.
  std::optional<double> ratio() const { return paper && *paper != 0.0 ? std::optional(ours / *paper) : std::nullopt; }
};

/// Columns over time, written as CSV.
struct Curve {
  std::string name;
  std::vector<std::string> columns;  ///< the first is the abscissa
  std::vector<std::vector<double>> rows;
};

/// A figure over curves, drawn as SVG and PNG.
struct Figure {
  struct Line {
    std::string curve, column, title;
    std::string style = "lines";  ///< as gnuplot spells it
  };
  std::string name, title, xlabel, ylabel;
  std::vector<Line> lines;
  std::string extra{};  ///< further gnuplot settings
  int height = 600;     ///< of 900; long legends need more
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

/// A number of an experiment that a reader may change.
struct Setting {
  std::string name;
  double paper;  ///< as the paper has it, or as ours is where it says nothing
  std::string doc;
};

/// All numbers of an experiment, some of them changed.
class Settings {
 public:
  /// Throws InputError for a name that is none of them, or a value that is not positive.
  Settings(const std::vector<Setting>& known, const std::vector<std::pair<std::string, std::string>>& changed = {});
  double operator()(const std::string& name) const { return values_.at(name); }
  int whole(const std::string& name) const;

 private:
  std::map<std::string, double> values_;
};

struct Experiment {
  std::string name;
  std::string title;
  Outcome (*run)(const Settings& set, const Report& report);
  std::vector<Setting> settings{};
};

const std::vector<Experiment>& experiments();

/// A curve over (x, y), rows that are not finite left out.
Curve curve_of(const std::string& name, std::vector<std::string> columns, const std::vector<double>& x,
               const std::vector<double>& y);

/// Makes the folder and sees that it can be written, before a long run. Throws InputError if not.
void prepare(const std::filesystem::path& directory);

/// Writes each curve as DIR/name.csv and draws each plot as DIR/name.svg and DIR/name.png. Throws InputError if a file cannot be written.
void write(const Outcome& outcome, const std::filesystem::path& directory);

/// The observed order: slope of log y over log x, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y);

Outcome run_gh95_linear(const Settings& set, const Report& report);
Outcome run_gh95_wall(const Settings& set, const Report& report);
Outcome run_gh95_ellipse(const Settings& set, const Report& report);
Outcome run_jay09_spark(const Settings& set, const Report& report);
Outcome run_ka13_hmm(const Settings& set, const Report& report);
Outcome run_lbs_pendulum(const Settings& set, const Report& report);
Outcome run_gh95_strings(const Settings& set, const Report& report);
Outcome run_gh95_beam_static(const Settings& set, const Report& report);
Outcome run_gh95_srms(const Settings& set, const Report& report);
Outcome run_gh95_beam(const Settings& set, const Report& report);
Outcome run_bqgc13_benchmark(const Settings& set, const Report& report);
Outcome run_bqgc13_swing(const Settings& set, const Report& report);
Outcome run_iftomm_basic(const Settings& set, const Report& report);
Outcome run_rods(const Settings& set, const Report& report);

}  // namespace taut::reproduce
