#pragma once

#include <string>
#include <utility>
#include <vector>

/// The commands. Each returns an exit code and throws InputError for the caller's mistakes.
namespace taut::cli {

struct ModelArguments {
  std::string model;
  std::vector<std::string> set;              ///< name=value
  std::vector<std::string> include_folders;  ///< besides that of the model
  std::string until, step, rtol, atol, integrator, solver, formulation, control, every, interval;
  bool json = false;
  bool report = false;  ///< a page that shows it
};

struct ModesArguments : ModelArguments {
  int count = 10;
};

struct BranchArguments : ModelArguments {
  std::string vary;  ///< NAME=FROM:TO
  int increments = 40, leave_at = 0;
  bool other_side = false;
};

struct RunArguments : ModelArguments {
  std::string out;
  bool no_file = false, resume = false, force = false, live = false;
  double checkpoint_seconds = 2.0;
};

struct CompareArguments : ModelArguments {
  std::vector<std::string> integrators, solvers, formulations;
  int halvings = 2;
  double budget = 60.0;
  std::string directory;
};

struct ReportArguments {
  std::vector<std::string> results;
  std::string out;
  bool json = false;
  bool png = false, gif = false, mp4 = false;  ///< pictures beside the page
  std::string at;                              ///< time of the still picture
  bool dark = false, strobe = false, reactions = false;
};

struct PlotArguments {
  std::string results, out;
  std::vector<std::string> names;
  bool log = false, json = false;
};

struct ReproduceArguments {
  std::string name;              ///< of an experiment, or all
  std::vector<std::string> set;  ///< name=value
  std::string directory;
  bool json = false;
};

int reproduce(const ReproduceArguments& arguments);
int run(const RunArguments& arguments);
int check(const ModelArguments& arguments);
int statics(const ModelArguments& arguments);
int branch(const BranchArguments& arguments);  ///< equilibria along a parameter
int modes(const ModesArguments& arguments);
int compare(const CompareArguments& arguments);
int verify(const ModelArguments& arguments);
int convert(const std::string& from, const std::string& to);
int report(const ReportArguments& arguments);
int plot(const PlotArguments& arguments);
int init(const std::string& path);

/// A commented model to begin with.
void write_starter(const std::string& path);

/// Case files with their names, from the folder `cases` here or beside the installed program.
std::vector<std::pair<std::string, std::string>> cases();

}  // namespace taut::cli
