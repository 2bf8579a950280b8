#pragma once

#include <atomic>
#include <csignal>
#include <nlohmann/json.hpp>
#include <taut/model/run_model.hpp>
#include <taut/study/measured_run.hpp>
#include <taut/yaml/read_model.hpp>

#include "model_commands.hpp"
#include "progress_bar.hpp"

/// What the commands share.
namespace taut::cli {

using nlohmann::ordered_json;

constexpr int ok = 0, failed_run = 1;

extern std::atomic<bool> interrupted;

/// Ctrl-C, or a request to end, ends the run after the step at hand, with everything so far on disk.
class Interrupt {
 public:
  Interrupt() : before_int_(std::signal(SIGINT, note)), before_term_(std::signal(SIGTERM, note)) {}
  ~Interrupt() {
    std::signal(SIGINT, before_int_);
    std::signal(SIGTERM, before_term_);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static Observer observer() {
    return [](const Progress& p) {
      if (interrupted) *p.stop = "interrupted";
    };
  }

 private:
  static void note(int) { interrupted = true; }
  void (*before_int_)(int);
  void (*before_term_)(int);
};

/// --set name=value, one by one.
std::vector<std::pair<std::string, std::string>> settings(const std::vector<std::string>& set);

/// What the command line changes in a model.
ModelOverrides overrides(const ModelArguments& arguments);

/// Mistakes that show only when a run is put together do not know the file.
RunPlan planned_run(const ModelFile& model, const std::string& path);

ordered_json number(double value);  ///< null where it is not finite
ordered_json to_json(const Certificate& c);
std::string title(const ModelFile& model, const std::string& path);

/// What is said of small motions where something changes with time.
std::string frozen(double t);

/// Shows how far a study is, and ends it at Ctrl-C.
StudyWatch watch(ProgressBar& bar);

}  // namespace taut::cli
