#pragma once

#include <CLI/CLI.hpp>

#include "model_commands.hpp"

/// Options that several commands take, said once.
namespace taut::cli {

inline void add_changes(CLI::App* command, ModelArguments& into) {
  command->add_option("--set", into.set, "Change a parameter: --set l1=2.0 (repeat for more)")->allow_extra_args(false);
  command->add_option("--allow-include", into.include_folders, "A folder besides the model's whose files may be included")
      ->allow_extra_args(false);
  command->add_flag("--json", into.json, "One JSON object on standard output");
}

inline void add_model(CLI::App* command, ModelArguments& into) {
  command->add_option("model", into.model, "Model file (YAML or JSON)")->required();
  add_changes(command, into);
}

inline void add_run_options(CLI::App* command, ModelArguments& into) {
  command->add_option("--until", into.until, "End time");
  command->add_option("--step", into.step, "Fixed step; with tolerances the largest");
  command->add_option("--rtol", into.rtol, "Relative tolerance of the local error");
  command->add_option("--atol", into.atol, "Absolute tolerance of the local error");
  command->add_option("--integrator", into.integrator, "By name, see `taut list`");
  command->add_option("--solver", into.solver, "By name, see `taut list`");
  command->add_option("--formulation", into.formulation, "multipliers, penalty=EPSILON, or NAME=EPSILON of one constraint");
}

inline void add_control(CLI::App* command, ModelArguments& into) {
  command->add_option("--control", into.control, "Of the step, with tolerances: error or reversible");
}

}  // namespace taut::cli
