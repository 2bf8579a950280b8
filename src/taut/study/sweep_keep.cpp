#include <algorithm>
#include <cmath>
#include <taut/expression/parse.hpp>
#include <taut/study/measured_run.hpp>
#include <taut/study/sweep_keep.hpp>
#include <taut/study/sweep_plan.hpp>

namespace taut {
namespace {

SweepKeep::Watched place_of(const std::string& name, const ModelFile& model) {
  SweepKeep::Watched out{name};
  for (std::size_t k = 0; k < model.outputs.size(); ++k)
    if (model.outputs[k].name == name) out.output = int(k);
  const auto [coordinate, rate] = coordinate_and_rate(name);
  out.velocity = rate;
  for (int i = 0; i < model.system.size(); ++i)
    if (model.system.coordinate_name(i) == coordinate) out.coordinate = i;
  return out;
}

/// Whether it is where it is said to be.
bool stands(const SweepKeep::Watched& one, const ModelFile& model) {
  if (one.output >= 0)
    return std::size_t(one.output) < model.outputs.size() && model.outputs[std::size_t(one.output)].name == one.name;
  const std::string name = one.coordinate < model.system.size() ? model.system.coordinate_name(one.coordinate) : "";
  return coordinate_and_rate(one.name) == std::pair(name, one.velocity);
}

SweepKeep::Watched watched_named(const std::string& name, const ModelFile& model) {
  SweepKeep::Watched out = place_of(name, model);
  if (out.is_there()) return out;
  std::vector<std::string> known{"outputs", "extremes", "final", "certificate"};
  for (const NamedExpression& one : model.outputs) known.push_back(one.name);
  for (int i = 0; i < model.system.size(); ++i) known.push_back(model.system.coordinate_name(i));
  const std::string near = nearest(name, known);
  throw InputError(message(
      "--keep {}: must be outputs, extremes, final, certificate, times=FROM:TO:HOW MANY, or the name of an output, a "
      "coordinate or a velocity{}.",
      name, near.empty() ? "" : message("; did you mean '{}'?", near)));
}

std::vector<double> times_in(const std::string& text, const ModelFile& model) {
  std::vector<double> out = values_in(text, "--keep times");
  const double start = model.start.state.t, end = model.run.until;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (end < start) std::reverse(out.begin(), out.end());
  for (const double t : out)
    require(std::isnan(end) || (t - start) * (end - t) >= 0.0, "--keep times: {} s does not lie within the run, {} to {} s.",
            t, start, end);
  return out;
}

}  // namespace

const std::vector<std::string>& certificate_figures() {
  static const std::vector<std::string> all{"energy",
                                            "energy_deviation",
                                            "energy_relative",
                                            "energy_drift",
                                            "gap",
                                            "velocity_gap",
                                            "position_residual",
                                            "velocity_residual",
                                            "penetration",
                                            "t_end",
                                            "steps",
                                            "retried",
                                            "grade"};
  return all;
}

SweepKeep sweep_keep(const std::vector<std::string>& words, const ModelFile& model) {
  SweepKeep out;
  bool all = words.empty();
  if (words.empty()) {
    out.certificate = true;
    out.ends = out.extremes = !model.outputs.empty();
    out.final_state = model.outputs.empty();
  }
  for (const std::string& word : words) {
    if (word == "final") {
      out.final_state = true;
    } else if (word == "certificate") {
      out.certificate = true;
    } else if (word == "extremes") {
      out.extremes = true;
    } else if (word == "outputs") {
      all = out.ends = true;
    } else if (word.starts_with("times=")) {
      out.times = times_in(word.substr(6), model);
    } else {
      require(word != "motion" && !word.starts_with("motion="),
              "--keep {}: motions are files beside that of a sweep, which `taut sweep` writes; or solve single runs.", word);
      out.watched.push_back(watched_named(word, model));
      out.ends = true;
    }
  }
  if (all || (out.watched.empty() && (out.extremes || !out.times.empty())))
    for (const NamedExpression& one : model.outputs) out.watched.push_back(watched_named(one.name, model));
  require(!out.watched.empty() || (!out.ends && !out.extremes && out.times.empty()),
          "--keep: the model has no outputs; name coordinates, such as --keep {}, or add a section `outputs`.",
          model.system.coordinate_name(0));
  for (int i = 0; i < model.system.size() && out.final_state; ++i) {
    out.coordinates.push_back(model.system.coordinate_name(i));
    out.places.push_back(i);
  }
  return out;
}

std::optional<SweepKeep> SweepKeep::found_in(const ModelFile& model) const {
  const System& system = model.system;
  bool same = coordinates.empty() || int(coordinates.size()) == system.size();
  for (const Watched& one : watched) same = same && stands(one, model);
  for (int i = 0; i < int(coordinates.size()) && same; ++i) same = coordinates[std::size_t(i)] == system.coordinate_name(i);
  if (same) return {};
  SweepKeep out = *this;
  for (Watched& one : out.watched) one = place_of(one.name, model);
  for (std::size_t k = 0; k < coordinates.size(); ++k) out.places[k] = place_of(coordinates[k], model).coordinate;
  return out;
}

std::vector<SweepGroup> SweepKeep::groups(const std::vector<std::string>& parameters) const {
  std::vector<SweepGroup> out{{"parameters", parameters, {parameters.size()}}};
  const auto add = [&](const std::string& name, std::vector<std::size_t> shape) -> std::vector<std::string>& {
    return out.emplace_back(SweepGroup{name, {}, std::move(shape)}).columns;
  };
  const std::size_t count = watched.size();
  if (ends)
    for (auto& columns = add("outputs", {count}); const Watched& one : watched) columns.push_back(one.name);
  if (!times.empty())
    for (auto& columns = add("series", {times.size(), count}); const double t : times)
      for (const Watched& one : watched) columns.push_back(one.name + " at " + brief(t, 6));
  if (extremes)
    for (auto& columns = add("extremes", {count, 4}); const Watched& one : watched)
      for (const char* what : {"least ", "time of least ", "largest ", "time of largest "})
        columns.push_back(what + one.name);
  if (final_state) {
    auto& columns = add("final", {2, coordinates.size()});
    for (const char* rate : {"", "'"})
      for (const std::string& one : coordinates) columns.push_back(one + rate);
  }
  if (certificate) add("certificate", {certificate_figures().size()}) = certificate_figures();
  return out;
}

}  // namespace taut
