#include "command_tools.hpp"

#include <cmath>
#include <csignal>
#include <taut/results/scene_text.hpp>
#include <taut/taut.hpp>

namespace taut::cli {

std::atomic<bool> interrupted{false};

std::vector<std::pair<std::string, std::string>> settings(const std::vector<std::string>& set) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& one : set) {
    const std::size_t sign = one.find('=');
    require(sign != std::string::npos && sign > 0, "--set {}: must read name=value.", one);
    out.emplace_back(one.substr(0, sign), one.substr(sign + 1));
  }
  return out;
}

ModelOverrides overrides(const ModelArguments& arguments) {
  ModelOverrides out;
  out.include_folders = arguments.include_folders;
  out.parameters = settings(arguments.set);
  for (const auto& [key, text] : {std::pair("until", arguments.until), std::pair("step", arguments.step),
                                  std::pair("rtol", arguments.rtol), std::pair("atol", arguments.atol),
                                  std::pair("integrator", arguments.integrator), std::pair("solver", arguments.solver),
                                  std::pair("formulation", arguments.formulation), std::pair("control", arguments.control),
                                  std::pair("every", arguments.every), std::pair("interval", arguments.interval)})
    if (!text.empty()) out.run[key] = text;
  return out;
}

RunPlan planned_run(const ModelFile& model, const std::string& path) {
  try {
    return plan(model);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
}

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json to_json(const Certificate& c) { return ordered_json::parse(certificate_text(c)); }

std::string title(const ModelFile& model, const std::string& path) {
  return (model.name.empty() ? path : model.name) + (model.source.empty() ? "" : " (" + model.source + ")");
}

StudyWatch watch(ProgressBar& bar) {
  return {.progress = [&bar](const std::string& what, double done) { bar.show(what, done); },
          .interrupted = [] { return interrupted.load(); }};
}

std::string frozen(double t) {
  return fmt::format(
      "time stands still at t = {}: what is driven is held where it is then, and what its motion does to "
      "small motions is left out; "
      "`taut run` from a start near by tells whether it stays there",
      t);
}

}  // namespace taut::cli
