#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <taut/base/require.hpp>
#include <taut/report/command.hpp>
#include <taut/report/motion.hpp>
#include <taut/report/pack.hpp>
#include <taut/report/run_data.hpp>
#include <taut/report/thin.hpp>

namespace taut {
namespace {

using nlohmann::ordered_json;

// What a page may hold, in numbers; together about a megabyte.
constexpr std::size_t plotted_numbers = 120'000, least_points = 300, most_points = 2'000;
constexpr std::size_t most_series =
    400;  ///< beyond it coordinates and multipliers are plotted as they are drawn, and velocities not at all
constexpr std::size_t most_events = 2'000;

/// The series that plots may show, and their values at a record.
class Series {
 public:
  explicit Series(const RunHeader& header) : header_(header) {
    const std::size_t n = header.coordinates.size(), m = header.constraints.size();
    whole_ = 2 * n + m <= most_series;
    add("outputs", header.outputs, "");
    add("energy", {"kinetic energy", "potential energy", "total energy", "change of total energy"}, "");
    if (whole_) {
      add("coordinates", header.coordinates, "");
      add("velocities", header.coordinates, "'");
      add("multipliers", header.constraints, "");
    }
    add("accuracy", {"|g|, constraints", "|G v|, their rates"}, "");
    add("accuracy", {"step", "Newton iterations"}, "");
    values_.resize(names_.size());
  }

  bool whole() const { return whole_; }
  std::size_t size() const { return names_.size(); }
  const std::pair<std::string, std::string>& name(std::size_t k) const { return names_[k]; }

  const double* at(const Recording& r, std::size_t s) {
    const std::size_t n = header_.coordinates.size(), m = header_.constraints.size(), k = header_.outputs.size();
    double* to = values_.data();
    to = std::copy_n(r.outputs.data() + s * k, k, to);
    const double kinetic = r.energy[2 * s], potential = r.energy[2 * s + 1], total = kinetic + potential;
    if (std::isnan(first_)) first_ = total;
    for (const double x : {kinetic, potential, total, total - first_}) *to++ = x;
    if (whole_) {
      to = std::copy_n(r.q.data() + s * n, n, to);
      to = std::copy_n(r.v.data() + s * n, n, to);
      to = std::copy_n(r.lambda.data() + s * m, m, to);
    }
    *to++ = r.residual[2 * s];
    *to++ = r.residual[2 * s + 1];
    *to++ = r.step.empty() ? std::nan("") : r.step[s];  // files of earlier versions have none
    *to++ = r.newton[s];
    return values_.data();
  }

 private:
  void add(const std::string& group, const std::vector<std::string>& names, const std::string& mark) {
    for (const std::string& name : names) names_.emplace_back(group, name + mark);
  }
  const RunHeader& header_;
  bool whole_;
  double first_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<std::string, std::string>> names_;  // group and name
  std::vector<double> values_;
};

ordered_json header_json(const Results& summary, const std::string& path) {
  const RunHeader& h = summary.header;
  ordered_json out{{"file", std::filesystem::path(path).filename().string()},
                   {"name", h.name},
                   {"version", h.version},
                   {"integrator", h.integrator},
                   {"solver", h.solver},
                   {"until", h.until},
                   {"model", h.model_text},
                   {"model_file", std::filesystem::path(h.model_path).filename().string()},
                   {"command", run_command(h.model_path, h.options)},
                   {"verdict", summary.verdict ? name_of(*summary.verdict) : "running"},
                   {"finished", summary.finished},
                   {"message", summary.message},
                   {"records", summary.records}};
  const ordered_json certificate = ordered_json::parse(summary.certificate, nullptr, false);
  if (certificate.is_object()) out["certificate"] = certificate;
  return out;
}

ordered_json events_json(const Results& summary, std::vector<double>& times, std::vector<std::string>& notes) {
  const std::size_t wide = 2 + 2 * summary.header.coordinates.size(), count = summary.events.size() / wide;
  ordered_json out = ordered_json::array();
  for (std::size_t e = 0; e < std::min(count, most_events); ++e) {
    const auto number = std::size_t(summary.events[e * wide]);
    const double t = summary.events[e * wide + 1];
    out.push_back({{"t", t}, {"name", number < summary.header.events.size() ? summary.header.events[number] : "event"}});
    times.push_back(t);
  }
  if (count > most_events) notes.push_back(message("The time line shows the first {} of {} events.", most_events, count));
  return out;
}

}  // namespace

std::string run_text(const Results& summary, const std::string& path, const std::vector<double>& t, const EachPart& each) {
  const RunHeader& header = summary.header;
  std::vector<std::string> notes;
  std::vector<double> event_times;
  ordered_json out = header_json(summary, path);
  out["events"] = events_json(summary, event_times, notes);

  Series series(header);
  if (!series.whole())
    notes.push_back(
        "The model is large: coordinates and multipliers are plotted at the drawn records, velocities are left out; `taut "
        "plot` "
        "shows any of them.");
  Thinned thin(t, std::clamp(plotted_numbers / series.size(), least_points, most_points), series.size());
  Motion motion(header, t, event_times);
  each([&](const Recording& part, long first) {
    for (std::size_t s = 0; s < std::size_t(part.records); ++s) thin.add(series.at(part, s));
    motion.add(part, std::size_t(first));
  });
  ordered_json plots{{"t", pack_doubles(thin.times())}, {"series", ordered_json::array()}};
  for (std::size_t k = 0; k < series.size(); ++k) {
    const auto& [group, name] = series.name(k);
    plots["series"].push_back({{"group", group}, {"name", name}, {"data", pack_floats(thin.values(k))}});
  }
  if (thin.thinned())
    notes.push_back(message(
        "Plots show the smallest and the largest value in each of about {} stretches of time; the file has {} records.",
        thin.times().size() / 2, summary.records));
  out["plots"] = std::move(plots);
  motion.into(out, notes);
  out["notes"] = notes;
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace taut
