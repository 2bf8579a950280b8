#include <iostream>
#include <taut/model/run_model.hpp>
#include <taut/results/run_file.hpp>
#include <taut/yaml/read_model.hpp>

/// A model from a text, run, recorded and read back: what needs more than the core.
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  taut::ModelFile model =
      taut::parse_model("coordinates: [x]\nkinetic: \"x'^2\"\ninitial: {\"x'\": 1}\nrun: {until: 1, step: 0.1}\n", "text");
  taut::FileRecorder recorder({.path = argv[1]});
  taut::run_model(model, taut::plan(model), {.recorder = &recorder});
  std::cout << taut::read_results(argv[1]).records << " records\n";
}
