#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <taut/base/require.hpp>
#include <taut/report/command.hpp>
#include <taut/report/pack.hpp>
#include <taut/report/report.hpp>
#include <taut/results/base64.hpp>
#include <taut/results/results.hpp>
#include <taut/results/sweep_file.hpp>

namespace taut {
namespace {

using nlohmann::ordered_json;

// What a page may hold, in numbers; together some megabytes.
constexpr std::size_t most_numbers = 1'000'000, most_columns = 60, most_curves = 300, most_curve_numbers = 400'000,
                      most_reasons = 200, most_motion_bytes = 20'000'000;
constexpr std::array band_shares{0.05, 0.25, 0.5, 0.75, 0.95};

/// Runs that the page holds. Of too many, every so-many-th: in a grid, of the values of each parameter.
std::vector<long> chosen_runs(const std::vector<std::vector<double>>& parameters, long runs, std::size_t most) {
  std::vector<long> out(std::size_t(runs), 0);
  std::iota(out.begin(), out.end(), 0L);
  if (out.size() <= most) return out;
  std::vector<std::vector<double>> values;
  double product = 1.0;
  for (std::vector<double> one : parameters) {
    std::sort(one.begin(), one.end());
    one.erase(std::unique(one.begin(), one.end()), one.end());
    product *= double(one.size());
    values.push_back(std::move(one));
  }
  if (product != double(runs)) {
    const long stride = long((out.size() + most - 1) / most);
    std::erase_if(out, [&](long run) { return run % stride != 0; });
    return out;
  }
  std::vector<std::size_t> strides(values.size(), 1);
  const auto left = [&](std::size_t k) { return (values[k].size() + strides[k] - 1) / strides[k]; };
  for (double kept = product; kept > double(most);) {
    std::size_t longest = 0;
    for (std::size_t k = 1; k < values.size(); ++k)
      if (left(k) > left(longest)) longest = k;
    ++strides[longest];
    kept = 1.0;
    for (std::size_t k = 0; k < values.size(); ++k) kept *= double(left(k));
  }
  std::erase_if(out, [&](long run) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto at = std::lower_bound(values[k].begin(), values[k].end(), parameters[k][std::size_t(run)]);
      if (std::size_t(at - values[k].begin()) % strides[k] != 0) return true;
    }
    return false;
  });
  return out;
}

std::vector<double> picked(const std::vector<double>& all, const std::vector<long>& runs) {
  std::vector<double> out;
  out.reserve(runs.size());
  for (const long run : runs) out.push_back(all[std::size_t(run)]);
  return out;
}

/// Curves of some runs, and bands of all: at each time the values that so many of the good runs are below.
ordered_json series_json(const SweepReader& file, std::size_t group, const std::vector<char>& good,
                         std::vector<std::string>& notes) {
  const SweepHeader& header = file.header();
  const SweepGroup& of = header.groups[group];
  const std::size_t times = header.times.size(), count = of.columns.size() / std::max<std::size_t>(1, times);
  std::vector<long> shown;
  for (long run = 0; run < header.runs; ++run)
    if (file.done(run)) shown.push_back(run);
  const std::size_t most =
      std::clamp<std::size_t>(most_curve_numbers / std::max<std::size_t>(1, of.columns.size()), 20, most_curves);
  if (shown.size() > most) {
    notes.push_back(message("Of {} curves {} are drawn; bands are of all.", shown.size(), most));
    std::vector<long> some;
    for (std::size_t k = 0; k < most; ++k) some.push_back(shown[k * shown.size() / most]);
    shown = some;
  }
  ordered_json out{{"t", pack_doubles(header.times)},
                   {"runs", shown},
                   {"names", ordered_json::array()},
                   {"curves", ordered_json::array()},
                   {"bands", ordered_json::array()}};
  for (std::size_t which = 0; which < count; ++which) {
    std::vector<double> curves(times * shown.size()), bands(times * band_shares.size(), std::nan(""));
    for (std::size_t k = 0; k < times; ++k) {
      std::vector<double> column = file.column(group, k * count + which), sound;
      for (std::size_t r = 0; r < shown.size(); ++r) curves[r * times + k] = column[std::size_t(shown[r])];
      for (std::size_t run = 0; run < column.size(); ++run)
        if (good[run] != 0 && std::isfinite(column[run])) sound.push_back(column[run]);
      std::sort(sound.begin(), sound.end());
      for (std::size_t b = 0; b < band_shares.size() && !sound.empty(); ++b) {
        const double at = band_shares[b] * double(sound.size() - 1);
        const auto low = std::size_t(at), high = std::min(low + 1, sound.size() - 1);
        bands[b * times + k] = sound[low] + (at - double(low)) * (sound[high] - sound[low]);
      }
    }
    // "x at 0", "x at 0.1", …
    const std::string& first = of.columns[which];
    out["names"].push_back(first.substr(0, first.rfind(" at ")));
    out["curves"].push_back(pack_floats(curves));
    out["bands"].push_back(pack_floats(bands));
  }
  return out;
}

/// Verdicts by run, as bytes: 0 not run, 1 good, 2 not good; and why not, of the first of them.
void add_verdicts(ordered_json& out, const SweepReader& file, const std::vector<long>& runs, const std::vector<char>& good,
                  std::vector<std::string>& notes) {
  std::string words;
  ordered_json failures = ordered_json::array();
  long bad = 0;
  for (long run = 0; run < file.header().runs; ++run) {
    if (!file.done(run) || good[std::size_t(run)] != 0) continue;
    if (++bad > long(most_reasons)) continue;
    const SweepRow row = file.row(run);
    failures.push_back({{"run", run}, {"verdict", name_of(row.verdict)}, {"reason", row.reason}});
  }
  if (bad > long(most_reasons))
    notes.push_back(message("Of {} runs that went wrong the first {} are told.", bad, most_reasons));
  for (const long run : runs) words += char(!file.done(run) ? 0 : good[std::size_t(run)] != 0 ? 1 : 2);
  out["verdicts"] = base64(words);
  out["failures"] = failures;
  out["bad"] = bad;
}

/// Motions of runs that lie beside the file, as many as a page holds: their numbers, and what the page needs of them, as a list in JSON.
std::string motions_text(const std::string& path, const SweepHeader& header, std::vector<long>& numbers,
                         std::vector<std::string>& notes) {
  std::error_code none;
  for (const auto& one : std::filesystem::directory_iterator(motions_folder(path), none)) {
    const std::string stem = one.path().stem().string();
    const bool number = !stem.empty() && stem.find_first_not_of("0123456789") == std::string::npos && stem.size() < 10;
    if (number && one.path().extension() == ".h5") numbers.push_back(std::stol(stem));
  }
  std::sort(numbers.begin(), numbers.end());
  std::string out;
  std::vector<long> kept;
  for (const long run : numbers) {
    const std::string file = (std::filesystem::path(motions_folder(path)) / (std::to_string(run) + ".h5")).string();
    if (out.size() > most_motion_bytes) break;
    if (run >= header.runs || read_results_summary(file).header.model_text != header.model_text) continue;
    out += (kept.empty() ? "" : ",") + run_text(file);
    kept.push_back(run);
  }
  if (kept.size() < numbers.size())
    notes.push_back(message("The page holds {} of {} motions that lie beside the file.", kept.size(), numbers.size()));
  numbers = kept;
  return "[" + out + "]";
}

}  // namespace

std::string motions_folder(const std::string& sweep) {
  return std::filesystem::path(sweep).replace_extension(".motions").string();
}

std::string sweep_page(const std::string& path) {
  const SweepReader file(path);
  const SweepHeader& header = file.header();
  const std::vector<char> good = file.good();
  std::vector<std::string> notes;
  std::vector<std::vector<double>> parameters;
  for (std::size_t k = 0; k < header.groups.at(0).columns.size(); ++k) parameters.push_back(file.column(0, k));

  std::vector<std::pair<std::size_t, std::size_t>> columns;  // group and number
  std::size_t series = 0, left_out = 0;
  for (std::size_t g = 1; g < header.groups.size(); ++g) {
    if (header.groups[g].name == "series") {
      series = g;
      continue;
    }
    for (std::size_t k = 0; k < header.groups[g].columns.size(); ++k) {
      if (columns.size() < most_columns)
        columns.emplace_back(g, k);
      else
        ++left_out;
    }
  }
  if (left_out > 0) notes.push_back(message("{} more numbers of each run are in the file.", left_out));
  const std::size_t most = std::max<std::size_t>(2'000, most_numbers / (columns.size() + 2 * parameters.size() + 1));
  const std::vector<long> runs = chosen_runs(parameters, header.runs, most);
  if (long(runs.size()) < header.runs)
    notes.push_back(message("The page holds {} of {} runs, evenly chosen.", runs.size(), header.runs));

  ordered_json sweep{{"name", header.name},
                     {"file", std::filesystem::path(path).filename().string()},
                     {"version", header.version},
                     {"model", header.model_text},
                     {"model_file", std::filesystem::path(header.model_path).filename().string()},
                     {"command", run_command(header.model_path, header.settings)},
                     {"total", header.runs},
                     {"done", file.done_count()},
                     {"runs", pack_doubles({runs.begin(), runs.end()})},
                     {"parameters", ordered_json::array()},
                     {"columns", ordered_json::array()}};
  for (std::size_t k = 0; k < parameters.size(); ++k)
    sweep["parameters"].push_back(
        {{"name", header.groups[0].columns[k]}, {"data", pack_doubles(picked(parameters[k], runs))}});
  for (const auto& [g, k] : columns)
    sweep["columns"].push_back({{"group", header.groups[g].name},
                                {"name", header.groups[g].columns[k]},
                                {"data", pack_floats(picked(file.column(g, k), runs))}});
  add_verdicts(sweep, file, runs, good, notes);
  if (series > 0 && !header.times.empty()) sweep["series"] = series_json(file, series, good, notes);
  std::vector<long> moving;
  const std::string motions = motions_text(path, header, moving, notes);
  sweep["motions"] = moving;
  sweep["notes"] = notes;
  const std::string text = sweep.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return page_around(header.name, "{\"format\":1,\"sweep\":" + text + ",\"runs\":" + motions + "}");
}

}  // namespace taut
