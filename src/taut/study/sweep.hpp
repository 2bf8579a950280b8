#pragma once

#include <taut/simulate/choose.hpp>
#include <taut/study/measured_run.hpp>
#include <taut/study/sweep_keep.hpp>
#include <taut/study/sweep_plan.hpp>

namespace taut {

struct SweepOptions {
  int workers = 0;                              ///< threads; 0: as many as there are cores
  std::vector<long> runs{};                     ///< their numbers, in the order in which they are begun
  std::function<void(const SweepRow&)> take{};  ///< each run as it finishes, in any order, in the thread of the caller
  std::function<void()> idle{};                 ///< in the thread of the caller, some times a second
  StudyWatch watch{};
};

struct SweepOutcome {
  long done = 0;
  bool interrupted = false;
  std::vector<std::pair<std::string, long>>
      choices{};  ///< schemes that were chosen where the model names none, and in how many runs
};

/// Many runs of one model that differ in numbers.
///
/// Each run is the one that `taut run --set` would give, bit for bit: the model is read with its numbers, assembled, planned, and run, with the scheme of
/// common_choice() where there is one. A run that cannot begin (its start violates constraints, a mass is negative) has failed, with that reason. What a run gives
/// depends on its number alone, and not on threads.
SweepOutcome sweep(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, const SweepOptions& options);

/// The scheme of all runs of a sweep whose model names none: that on which runs evenly chosen agree. To choose one for each run takes longer than many runs do.
/// Nothing where they do not agree, or where there are few: each then chooses its own.
std::optional<Choice> common_choice(const ModelReader& reader, const SweepPlan& plan);

/// One of them; nothing where it was interrupted. `chosen`: the scheme where the model names none. `done` is told how far it is.
std::optional<SweepRow> sweep_run(const ModelReader& reader, const SweepPlan& plan, const SweepKeep& keep, long run,
                                  const Choice* chosen, const std::function<bool()>& interrupted,
                                  const std::function<void(double)>& done, std::string* choice = nullptr);

}  // namespace taut
