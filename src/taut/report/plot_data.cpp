#include <algorithm>
#include <cmath>
#include <filesystem>
#include <taut/base/require.hpp>
#include <taut/expression/parse.hpp>
#include <taut/report/plot_data.hpp>
#include <taut/report/thin.hpp>
#include <taut/results/results.hpp>

namespace taut {
namespace {

/// The value of the series with this number, in the order of plot_names().
double value_of(const Recording& r, const RunHeader& header, std::size_t number, std::size_t s) {
  const std::size_t n = header.coordinates.size(), m = header.constraints.size(), k = header.outputs.size();
  for (const auto& [values, width] : {std::pair(&r.outputs, k), {&r.q, n}, {&r.v, n}, {&r.lambda, m}}) {
    if (number < width) return (*values)[s * width + number];
    number -= width;
  }
  const double kinetic = r.energy[2 * s], potential = r.energy[2 * s + 1];
  const double step = r.step.empty() ? std::nan("") : r.step[s];
  const double rest[] = {kinetic, potential,          kinetic + potential, r.residual[2 * s], r.residual[2 * s + 1],
                         step,    double(r.newton[s])};
  return rest[number];
}

}  // namespace

std::vector<std::string> plot_names(const RunHeader& header) {
  std::vector<std::string> out = header.outputs;
  out.insert(out.end(), header.coordinates.begin(), header.coordinates.end());
  for (const std::string& name : header.coordinates) out.push_back(name + "'");
  for (const std::string& name : header.constraints) out.push_back("lambda of " + name);
  for (const char* name : {"kinetic", "potential", "total", "|g|", "|G v|", "step", "newton"}) out.emplace_back(name);
  return out;
}

PlotData plot_data(const std::string& results, const std::vector<std::string>& names, std::size_t points) {
  const ResultsParts parts(results);
  const RunHeader& header = parts.summary().header;
  const std::vector<std::string> known = plot_names(header);
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    const std::string near = nearest(name, known);
    require(found != known.end(), "{}: there is no series '{}'{} `taut plot {}` lists them.", results, name,
            near.empty() ? std::string(";") : "; did you mean '" + near + "'?", results);
    numbers.push_back(std::size_t(found - known.begin()));
  }
  PlotData out{.title = header.name.empty() ? std::filesystem::path(results).stem().string() : header.name, .names = names};
  const std::vector<double> t = parts.times();
  require(!t.empty(), "{}: there are no records in it.", results);
  Thinned thin(t, points, numbers.size());
  std::vector<double> row(numbers.size());
  parts.each([&](const Recording& part, long) {
    for (std::size_t s = 0; s < std::size_t(part.records); ++s) {
      for (std::size_t k = 0; k < numbers.size(); ++k) row[k] = value_of(part, header, numbers[k], s);
      thin.add(row.data());
    }
  });
  out.t = thin.times();
  out.thinned = thin.thinned();
  for (std::size_t k = 0; k < numbers.size(); ++k) out.values.push_back(thin.values(k));
  return out;
}

}  // namespace taut
