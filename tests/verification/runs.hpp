#pragma once

#include <string>
#include <taut/model/run_model.hpp>
#include <taut/yaml/read_model.hpp>

/// Runs of models that stand in the tests.
namespace taut {

struct Asked {
  std::string integrator{};
  double step = 0.0, rtol = 1e-8;
  bool reversible = false;
};

inline RunOutcome run_of(const std::string& text, const Asked& asked = {}) {
  ModelFile model = parse_model(text, "stranger.yaml");
  model.run.integrator = asked.integrator;
  model.run.step = asked.step;
  model.run.rtol = asked.step > 0.0 ? 0.0 : asked.rtol;
  if (asked.reversible) model.run.control = "reversible";
  return run_model(model, plan(model));
}

inline const std::string point = "coordinates: [x]\nkinetic: x'^2/2\n";

}  // namespace taut
