#pragma once

#include <string>
#include <taut/results/sweep_file.hpp>
#include <taut/study/sweep.hpp>
#include <utility>

namespace taut::cli {

/// A part of the runs of a sweep.
struct Shard {
  long number = 1, of = 1;
};

/// Which of the processes of mpirun this is; the first of one without it.
Shard shard_of_rank();

/// The name of the file of a part.
std::string part_name(const std::string& path, const Shard& shard);

/// The next runs for whoever is free, among the processes of one mpirun: a number in a file beside the results, which they lock in turn. They need not talk otherwise.
/// Portions become smaller towards the end, so that all end together.
class RunClaims {
 public:
  /// What tells one start of mpirun from another is in the environment of its processes; nothing where it is not: then parts are equal in number.
  static std::string launch();

  /// `least`: runs that are worth a portion.
  RunClaims(const std::string& path, const std::string& launch, long runs, long ranks, long least);
  ~RunClaims();
  RunClaims(const RunClaims&) = delete;
  RunClaims& operator=(const RunClaims&) = delete;

  std::pair<long, long> next();  ///< from and to; the same where none is left

 private:
  int file_ = -1;
  long runs_, ranks_, least_;
};

/// Does the runs of this process by `some`: those of its shard, or, where processes of one start divide them, the next ones until there are none.
SweepOutcome divided(const std::string& path, long runs, const Shard& shard, const Shard& rank, const std::string& launch,
                     long least, const std::function<SweepOutcome(const std::vector<long>&)>& some);

/// Marks runs that files of this sweep hold: the whole one, and parts that processes left, of whatever number.
std::vector<char> done_before(const std::string& path, const SweepHeader& header);

/// Waits for the files of all processes until together they hold all runs, joins them and removes them. `before`: runs that are in the whole file or in parts of
/// another start. `claimed`: runs were taken by whoever was free, so that those are lost which are missing when nobody is at work any more: throws InputError. False
/// where it was interrupted.
bool join_parts(const SweepFileOptions& to, long parts, const SweepHeader& header, const std::vector<char>& before,
                bool claimed);

}  // namespace taut::cli
