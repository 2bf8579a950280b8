// The program in a browser: a model in, the page that shows its run out.
#include <emscripten.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <taut/model/run_model.hpp>
#include <taut/report/report.hpp>
#include <taut/report/run_data.hpp>
#include <taut/results/scene_text.hpp>
#include <taut/yaml/read_model.hpp>

namespace taut {
namespace {

using nlohmann::ordered_json;

ordered_json numbers(const Vector& values) {
  ordered_json out = ordered_json::array();
  for (const double x : values) out.push_back(std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr));
  return out;
}

/// Tells the page how far the run is, some ten times a second.
class Teller {
 public:
  void operator()(const Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    EM_ASM({ if (Module.progress) Module.progress($0); }, progress.done);
  }

 private:
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

std::string page;  // of the last run

ordered_json run_file(const std::string& file) {
  const ModelFile model = read_model(file);
  RunPlan planned = plan(model);
  MemoryRecorder memory;
  RunModelOptions options;
  options.recorder = &memory;
  options.version = TAUT_VERSION;
  options.model_path = file;
  options.settings = "{}";
  options.observers = {Teller()};
  const RunOutcome outcome = run_model(model, std::move(planned), options);
  const Certificate& certificate = outcome.certificate;
  Results results;
  static_cast<Recording&>(results) = memory.take();
  results.certificate = certificate_text(certificate, true);
  page = page_around(model.name, "{\"format\":1,\"runs\":[" +
                                     run_text(results, file, results.t,
                                              [&](const PartAction& action) { action(results, 0); }) +
                                     "]}");
  return {{"name", model.name},
          {"verdict", name_of(certificate.verdict)},
          {"message", certificate.message},
          {"records", results.records},
          {"last", {{"t", outcome.last.t}, {"q", numbers(outcome.last.q)}, {"v", numbers(outcome.last.v)}}}};
}

}  // namespace
}  // namespace taut

/// Runs a model file. JSON: {"name", "verdict", "message", "records", "last": {t, q, v}}, or {"error": message}. It is there until the next call.
extern "C" EMSCRIPTEN_KEEPALIVE const char* taut_run(const char* file) {
  using taut::ordered_json;
  static std::string answer;
  ordered_json out;
  try {
    out = taut::run_file(file);
  } catch (const std::bad_alloc&) {
    out["error"] = "The run does not fit into the memory that a browser gives; keep fewer records (run.interval).";
  } catch (const std::exception& error) {
    out["error"] = error.what();
  }
  answer = out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return answer.c_str();
}

/// The page that shows the last run, as `taut report` makes it.
extern "C" EMSCRIPTEN_KEEPALIVE const char* taut_page() { return taut::page.c_str(); }
