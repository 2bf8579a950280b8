#pragma once

#include <CLI/CLI.hpp>

#include "model_commands.hpp"

namespace taut::cli {

struct SweepArguments : ModelArguments {
  std::vector<std::string> vary, sample, keep;
  std::string samples, seed, sampling, shard, out, engine = "auto";
  bool zip = false, resume = false, force = false;
  int workers = 0;
  std::string merged;               ///< of `merge`: the file to write
  std::vector<std::string> shards;  ///< and those to join
  CLI::App* merge = nullptr;
};

CLI::App* add_sweep(CLI::App& app, SweepArguments& into);
int sweep(const SweepArguments& arguments);

}  // namespace taut::cli
