#include "experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <taut/base/require.hpp>

namespace taut::reproduce {
namespace {

namespace fs = std::filesystem;

std::ofstream open(const fs::path& file) {
  std::ofstream out(file);
  require(out.good(), "--out: cannot write '{}'.", file.string());
  return out;
}

void close(std::ofstream& out, const fs::path& file) {
  out.flush();
  if (!out.good()) throw std::runtime_error(message("--out: '{}' could not be written; is the disk full?", file.string()));
}

/// A field of CSV: in quotes where it holds a comma or a quote.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_csv(const Curve& curve, const fs::path& file) {
  std::ofstream out = open(file);
  std::vector<std::string> columns;
  for (const std::string& one : curve.columns) columns.push_back(field(one));
  out << fmt::format("{}\n", fmt::join(columns, ","));
  for (const auto& row : curve.rows) out << fmt::format("{:.12g}\n", fmt::join(row, ","));
  close(out, file);
}

int column_of(const Curve& curve, const std::string& column) {
  for (std::size_t k = 0; k < curve.columns.size(); ++k)
    if (curve.columns[k] == column) return int(k) + 1;
  throw InputError("no column '" + column + "' in curve '" + curve.name + "'");
}

/// Runs gnuplot on a script in its folder, without a shell: folders may have any name.
bool run_gnuplot(const fs::path& directory, const std::string& script) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(directory.c_str()) == 0) execlp("gnuplot", "gnuplot", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The gnuplot script stands beside the figure, so that a reader can redraw it: gnuplot NAME.gp.
void draw(const Figure& figure, const std::vector<Curve>& curves, const fs::path& directory) {
  const fs::path script = directory / (figure.name + ".gp");
  std::ofstream out = open(script);
  // Room for the title above and for the key below; tics of time axes and legends have places of their own.
  out << fmt::format("set terminal svg size 900,{} font 'sans,14' background 'white'\n", figure.height);
  out << fmt::format(
      "set output '{}.svg'\nset datafile separator ','\n"
      "set key autotitle columnhead outside bottom center horizontal Left reverse samplen 3 spacing 1.25\n"
      "set key title ' ' font ',3'\n",  // a thin line between the label of the axis and the key
      figure.name);
  out << fmt::format(
      "set title \"{}\"\nset xlabel \"{}\" offset 0, 0.6\nset ylabel \"{}\"\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\n{}\n",
      figure.title, figure.xlabel, figure.ylabel, figure.extra);
  std::vector<std::string> lines;
  for (const auto& line : figure.lines)
    for (const Curve& curve : curves)
      if (curve.name == line.curve)
        lines.push_back(fmt::format("'{}.csv' using 1:{} with {} title \"{}\"", line.curve, column_of(curve, line.column),
                                    line.style, line.title));
  out << fmt::format("plot {}\n", fmt::join(lines, ", \\\n     "));
  out << fmt::format(
      "set terminal pngcairo size 1350,{} font 'sans,15' fontscale 1.4 linewidth 1.5 pointscale 1.5 background 'white'\n",
      3 * figure.height / 2);
  out << fmt::format("set output '{}.png'\nreplot\n", figure.name);
  close(out, script);
  require(run_gnuplot(directory, figure.name + ".gp"), "--out: gnuplot could not draw '{}'; the data are in {}.",
          figure.name, directory.string());
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all{
      {"gh95-linear",
       "Glowinski & Holmstrom 1995, sections 1.7-1.9: stability limit and energies of (16) and (31)",
       run_gh95_linear,
       {{"steps", 10000, "of each run"}}},
      {"gh95-wall",
       "Glowinski & Holmstrom 1995, Table 2, Fig. 2: double pendulum against a wall, by penalty",
       run_gh95_wall,
       {{"step", 1e-4, "[s]"}, {"end", 10, "[s]"}}},
      {"gh95-ellipse",
       "Glowinski & Holmstrom 1995, Table 4, Figs. 4-5: tip on an ellipse, penalty and augmented Lagrangian",
       run_gh95_ellipse,
       {{"step", 5e-4, "of the augmented Lagrangian [s]"},
        {"penalty_step", 1e-6, "[s]"},
        {"epsilon", 1e-6, "of the penalty and of (8)"}}},
      {"jay09-spark",
       "Jay 2009: SPARK of order 2s on holonomic, nonholonomic, mixed and rheonomic problems",
       run_jay09_spark,
       {{"long_step", 0.05, "of the long run [s]"}, {"long_end", 500, "[s]"}}},
      {"ka13-hmm",
       "Kobis & Arnold 2013: penalty formulations by heterogeneous multiscale methods, where they pay and where they stop",
       run_ka13_hmm,
       {{"end", 0.03, "of the seven bodies [s]"}}},
      {"lbs-pendulum",
       "Lauer, Betsch & Steinmann: double spherical pendulum, symplectic-momentum against energy-momentum",
       run_lbs_pendulum,
       {{"step", 0.01, "[s]"}, {"end", 5, "[s]"}}},
      {"gh95-strings",
       "Glowinski & Holmstrom 1995, section 3, Fig. 7: two strings collide, by time-discretised penalty",
       run_gh95_strings,
       {{"elements", 100, "of each string"}, {"step", 1e-4, "[s]"}, {"epsilon", 1e-6, ""}}},
      {"gh95-beam-static",
       "Glowinski & Holmstrom 1995, section 4.1-4.4: the hanging pipeline, Newton-KKT against ALG2",
       run_gh95_beam_static,
       {{"elements", 60, ""}, {"epsilon", 1e-5, "of rule (5)"}}},
      {"gh95-beam",
       "Glowinski & Holmstrom 1995, sections 4.7 and 4.9, Figs. 9-10: the swinging pipeline at N = 20",
       run_gh95_beam,
       {{"elements", 20, ""}, {"step", 0.01, "[s]"}, {"epsilon", 1.5e-4, "of the penalty"}}},
      {"gh95-srms",
       "Glowinski & Holmstrom 1995, section 5: the Shuttle's arm, its end effector held on a path; driven joints; brakes on",
       run_gh95_srms,
       {{"payload", 9700, "[kg]"}, {"path_time", 200, "[s]"}, {"joints_time", 120, "[s]"}}},
      {"bqgc13-benchmark",
       "Basting et al. 2013, section 3.1, Figs. 1, 2, 4: order in time against an exact solution",
       run_bqgc13_benchmark,
       {{"elements", 120, ""}, {"r", 100, "of ALG2 [N]"}}},
      {"bqgc13-swing",
       "Basting et al. 2013, section 3.2, Figs. 5-6: the swinging pipeline, three schemes, both reactions",
       run_bqgc13_swing,
       {{"elements", 60, ""},
        {"step", 0.01, "[s]"},
        {"end", 10, "[s]"},
        {"r", 1e5, "of ALG2 [N]"},
        {"epsilon", 1e-5, "of rule (5)"}}},
      {"iftomm-basic",
       "IFToMM library of computational benchmarks, A01-A05: pendulum, N four-bars, seven bodies, Bricard, flyball governor",
       run_iftomm_basic,
       {{"rtol", 1e-7, "of the runs"}}},
      {"rods",
       "Rods that bend and twist, against exact solutions: roll-up, helix, 45 degree bend, buckling, frequencies, free "
       "flight",
       run_rods,
       {{"rollup_elements", 10, ""},
        {"helix_elements", 240, ""},
        {"bend_elements", 16, ""},
        {"buckling_elements", 20, "two and a half times as many for the ring"},
        {"flight_step", 0.02, "[s]"},
        {"flight_steps", 10000, ""},
        {"cost_elements", 20000, ""},
        {"cost_steps", 5, "of the long one, ten times as many of the short ones"}}},
  };
  return all;
}

Settings::Settings(const std::vector<Setting>& known, const std::vector<std::pair<std::string, std::string>>& changed) {
  std::vector<std::string> names;
  for (const Setting& one : known) {
    values_[one.name] = one.paper;
    names.push_back(one.name);
  }
  for (const auto& [name, text] : changed) {
    require(!known.empty(), "--set {}: this experiment has nothing to set.", name);
    require(values_.contains(name), "--set {}: there is no such number; there are: {}.", name,
            fmt::format("{}", fmt::join(names, ", ")));
    double value = 0.0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(trouble == std::errc{} && end == text.data() + text.size() && value > 0.0 && std::isfinite(value),
            "--set {}: must be a positive number, got '{}'.", name, text);
    values_[name] = value;
  }
}

int Settings::whole(const std::string& name) const {
  const double value = values_.at(name);
  require(value == std::round(value) && value <= 1e6, "--set {}: must be a whole number up to 1000000, got {}.", name,
          value);
  return int(value);
}

Curve curve_of(const std::string& name, std::vector<std::string> columns, const std::vector<double>& x,
               const std::vector<double>& y) {
  Curve out{name, std::move(columns), {}};
  for (std::size_t k = 0; k < x.size(); ++k)
    if (std::isfinite(y[k])) out.rows.push_back({x[k], y[k]});
  return out;
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0;
  const double n = double(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += std::log(x[k]) / n, my += std::log(y[k]) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (std::log(x[k]) - mx) * (std::log(x[k]) - mx);
    xy += (std::log(x[k]) - mx) * (std::log(y[k]) - my);
  }
  return xy / xx;
}

void prepare(const fs::path& directory) {
  std::error_code trouble;
  fs::create_directories(directory, trouble);
  require(!trouble && fs::is_directory(directory), "--out: cannot make the folder '{}': {}.", directory.string(),
          trouble.message());
  const fs::path probe = directory / ".taut";
  open(probe).close();
  fs::remove(probe, trouble);
}

void write(const Outcome& outcome, const fs::path& directory) {
  for (const Curve& curve : outcome.curves) write_csv(curve, directory / (curve.name + ".csv"));
  for (const Figure& figure : outcome.plots) draw(figure, outcome.curves, directory);
}

}  // namespace taut::reproduce
