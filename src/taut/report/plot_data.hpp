#pragma once

#include <string>
#include <taut/model/recorder.hpp>
#include <vector>

namespace taut {

/// Series of a run over time, thinned for a plot.
struct PlotData {
  std::string title;
  std::vector<std::string> names;
  std::vector<double> t{};
  std::vector<std::vector<double>> values{};  ///< one list for each name
  bool thinned = false;                       ///< smallest and largest values of stretches stand for more records
};

/// Names that a plot may show: outputs, coordinates, velocities (x'), `lambda of` constraints, kinetic, potential, total, |g|, |G v|, step, newton.
std::vector<std::string> plot_names(const RunHeader& header);

/// Reads a results file part by part. Throws InputError where a name is not there, with one that is like it.
PlotData plot_data(const std::string& results, const std::vector<std::string>& names, std::size_t points);

}  // namespace taut
