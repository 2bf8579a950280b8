#include "sweep_motions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <taut/base/require.hpp>
#include <taut/model/run_model.hpp>
#include <taut/report/report.hpp>
#include <taut/results/run_file.hpp>

#include "command_tools.hpp"

namespace taut::cli {
namespace {

namespace fs = std::filesystem;

/// What was asked for, with the numbers of one run: how it is made again.
std::string settings_of_run(const SweepHeader& header, const SweepPlan& plan, long run) {
  const ordered_json all = ordered_json::parse(header.settings, nullptr, false);
  ordered_json out{{"set", all.value("set", ordered_json::array())}, {"run", all.value("run", ordered_json::object())}};
  const std::vector<double> values = plan.values(run);
  for (std::size_t k = 0; k < values.size(); ++k) out["set"].push_back({plan.names()[k], fmt::format("{}", values[k])});
  return out.dump();
}

constexpr long usual_motions = 12, most_motions = 200;  ///< a page holds some megabytes

}  // namespace

long take_motions(std::vector<std::string>& keep) {
  long out = 0;
  std::erase_if(keep, [&](const std::string& word) {
    if (word != "motion" && !word.starts_with("motion=")) return false;
    const double asked = word == "motion" ? double(usual_motions) : number_in(word.substr(7), "--keep motion");
    require(asked == std::floor(asked) && asked >= 1.0 && asked <= double(most_motions),
            "--keep {}: must be a number of runs, 1 to {}, as in motion=20.", word, most_motions);
    out = long(asked);
    return true;
  });
  return out;
}

std::string keep_motions(const std::string& path, const ModelReader& reader, const SweepPlan& plan,
                         const SweepHeader& header, long count) {
  const std::string folder = motions_folder(path);
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  require(!trouble, "--keep motion: the folder '{}' cannot be made.", folder);
  for (const fs::directory_entry& one : fs::directory_iterator(folder, trouble))
    if (one.path().extension() == ".h5") fs::remove(one.path(), trouble);
  const std::optional<Choice> common = common_choice(reader, plan);
  const long many = std::min(count, plan.runs());
  for (long k = 0; k < many && !interrupted; ++k) {
    const long run = many > 1 ? k * (plan.runs() - 1) / (many - 1) : 0;
    try {
      const ModelFile model = reader.read(plan.numbers(run));
      FileRecorder file({.path = (fs::path(folder) / fmt::format("{}.h5", run)).string(), .force = true});
      RunModelOptions options;
      options.version = header.version;
      options.model_path = header.model_path;
      options.settings = settings_of_run(header, plan, run);
      options.recorder = &file;
      options.observers = {Interrupt::observer()};
      run_model(model, taut::plan(model, common ? &*common : nullptr), options);
    } catch (const InputError&) {  // it cannot begin, as the sweep says with its reason
    }
  }
  return folder;
}

}  // namespace taut::cli
